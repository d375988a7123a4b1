import Foundation

#if !canImport(Darwin)
  // Safe: its properties are constants of values that never change: numbers, texts, dates, and objects of HomeKit.
  /// A side of a comparison in a predicate. Foundation on Linux has no such class; this one has Apple's names, and only
  /// the kinds of expressions that conditions of HomeKit contain.
  public final class NSExpression: NSObject, NSCopying, @unchecked Sendable {
    /// The kinds of expressions. The numbers are Apple's.
    public enum ExpressionType: UInt, Sendable {
      /// A value, which `constantValue` gives.
      case constantValue = 0
      /// The name of a property, which `keyPath` gives.
      case keyPath = 3
      /// A function, such as `now()`; `function` and `arguments` describe it.
      case function = 4
    }

    /// The kind.
    public let expressionType: ExpressionType
    /// The value of a constant; nil for null, and for other kinds of expressions.
    public let constantValue: Any?
    private let text: String
    private let parts: [NSExpression]

    private init(_ type: ExpressionType, _ value: Any?, _ text: String, _ parts: [NSExpression]) {
      (expressionType, constantValue, self.text, self.parts) = (type, value, text, parts)
    }

    /// Creates a constant.
    public convenience init(forConstantValue obj: Any?) { self.init(.constantValue, obj, "", []) }

    /// Creates the name of a property.
    public convenience init(forKeyPath keyPath: String) { self.init(.keyPath, nil, keyPath, []) }

    /// Creates a function of expressions. Other objects become constants.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
      self.init(.function, nil, name, parameters.map { $0 as? NSExpression ?? NSExpression(forConstantValue: $0) })
    }

    /// The name of the property; empty for other kinds of expressions.
    public var keyPath: String { expressionType == .keyPath ? text : "" }
    /// The name of the function; empty for other kinds of expressions.
    public var function: String { expressionType == .function ? text : "" }
    /// The arguments of the function; nil for other kinds of expressions.
    public var arguments: [NSExpression]? { expressionType == .function ? parts : nil }

    /// The expression as text, such as `now()`.
    public override var description: String {
      switch expressionType {
      case .constantValue: constantValue.map { "\($0)" } ?? "nil"
      case .keyPath: text
      case .function: "\(text)(\(parts.map(\.description).joined(separator: ", ")))"
      }
    }

    /// Returns the expression itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
  }
#endif

/// The expressions of HomeKit's predicates. In a file that also imports Foundation on Linux, the name `NSExpression` is
/// ambiguous; `typealias NSExpression = HMExpression` in the app decides.
public typealias HMExpression = NSExpression
