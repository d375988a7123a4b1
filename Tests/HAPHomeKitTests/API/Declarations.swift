import Foundation

/// A type, a type alias, or a global constant, in the form in which the list of Apple's API and the facade are compared.
struct DeclaredType {
  enum Kind: String {
    case `class`, `protocol`, `enum`, `struct`, `typealias`, constant, function
  }

  /// The name with those of the enclosing types: "HMError.Code".
  var name: String
  var kind: Kind
  /// The mangled name without `$s`; empty for a row of the list.
  var mangled = ""
  var superclass: String?
  /// The protocols, without module names.
  var conformances: Set<String> = []
  /// The names of generic parameters. The constraints are not compared: Apple's `NSCopying` would refuse
  /// `as? HMCharacteristicEvent<NSCopying>` in Swift without Objective-C.
  var generics: [String] = []
  /// The type of a constant, or the type that an alias names.
  var type: String?
  var members: [DeclaredMember] = []
  /// Whether another module has the type, and this one extends it.
  var isOfOtherModule = false
}

/// A member of a type.
struct DeclaredMember: Equatable {
  enum Kind {
    case property, typeProperty, method, typeMethod, initializer, enumCase, other
  }

  /// The name with argument labels: "updateName(_:completionHandler:)".
  var name: String
  var kind: Kind
  /// The types of parameters, as `normalizedType` returns them.
  var parameters: [String] = []
  /// The type of a property, or the result of a method; nil without a result.
  var result: String?
  var isSettable = false
  var isAsync = false
  var isThrowing = false
  var isFailable = false
  /// Whether a type that conforms to the protocol must have the member.
  var isRequirement = false

  /// The declaration in short, for messages: "writeValue(_:) (Any?) async throws".
  var text: String {
    var text = name
    switch kind {
    case .typeProperty, .typeMethod: text = "static \(text)"
    case .initializer where isFailable: text += " failable"
    default: break
    }
    if !parameters.isEmpty { text += " (\(parameters.joined(separator: ", ")))" }
    if isAsync { text += " async" }
    if isThrowing { text += " throws" }
    if let result { text += kind == .property || kind == .typeProperty ? ": \(result)" : " -> \(result)" }
    if kind == .property || kind == .typeProperty { text += isSettable ? " { get set }" : " { get }" }
    return text
  }

  /// Whether a use of one compiles with the other: the same name, labels and types of parameters.
  func hasSameParameters(as other: DeclaredMember) -> Bool {
    name == other.name && isAsync == other.isAsync && parameters == other.parameters
  }
}

/// Returns a type in the form in which two are compared: without spaces, attributes, `any`, and brackets around one
/// name, and with aliases resolved.
func normalizedType(_ text: String) -> String {
  var text = text.replacingOccurrences(
    of: #"@\w+(\([^)]*\))? |\b(any|inout|sending|borrowing|consuming|nonisolated(\(\w+\))?) "#, with: "",
    options: .regularExpression)
  text = text.replacingOccurrences(of: " ", with: "")
  text = text.replacingOccurrences(of: #"\bHMErrorBlock\b"#, with: "((Error)?)->Void", options: .regularExpression)
  text = text.replacingOccurrences(of: #"\bTimeInterval\b"#, with: "Double", options: .regularExpression)
  text = text.replacingOccurrences(of: #"\bOptional<([\w.]+)>"#, with: "$1?", options: .regularExpression)
  text = text.replacingOccurrences(of: #"(?<!\w)\(([\w.]+)\)\?"#, with: "$1?", options: .regularExpression)
  return text.replacingOccurrences(of: "->()", with: "->Void")
}

/// Returns the type of a result; nil for none.
func normalizedResult(_ text: String?) -> String? {
  guard let text, !text.isEmpty, text != "()", text != "Void" else { return nil }
  return normalizedType(text)
}
