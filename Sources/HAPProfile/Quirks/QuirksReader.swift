import HAPModel
import HAPWire

/// Reads quirks: the name of a preset, or an object of fields that override one.
///
/// ```json
/// "quirks": "hap-nodejs"
/// "quirks": { "preset": "hap-nodejs", "maximumTries": 5, "coalescing": "1s" }
/// ```
///
/// Without `preset`, the fields override the default. An invalid field is reported and keeps its value, so that one run reports
/// all problems.
struct QuirksReader {
  private(set) var problems: [ProfileProblem] = []

  mutating func read(_ node: JSONNode) -> Quirks {
    if node.stringValue != nil { return preset(node) }
    guard let members = node.members else {
      report(.quirksKind, node, "quirks are the name of a preset or an object of fields, not \(node.kindName)")
      return Quirks()
    }
    var quirks = node["preset"].map { preset($0) } ?? Quirks()
    for problem in node.unknownMembers(except: ["preset"] + QuirksField.all.map(\.name)) {
      problems.append(ProfileProblem(.quirksUnknown, path: problem.path, place: problem.place, problem.message))
    }
    for member in members {
      guard let field = QuirksField.named(member.name) else { continue }
      guard let setting = QuirksField.Setting(member.value), field.apply(setting, to: &quirks) else {
        report(.quirksValue, member.value, "\(field.name) takes \(field.kind.expectation)")
        continue
      }
    }
    return quirks
  }

  private mutating func preset(_ node: JSONNode) -> Quirks {
    guard let name = node.stringValue else {
      report(.quirksKind, node, "a preset is a name, not \(node.kindName)")
      return Quirks()
    }
    guard let quirks = Quirks.presets[name] else {
      report(.quirksUnknown, node, Quirks.unknownPreset(name))
      return Quirks()
    }
    return quirks
  }

  private mutating func report(_ rule: ProfileRule, _ node: JSONNode, _ message: String) {
    problems.append(ProfileProblem(rule, at: node, message))
  }
}

extension Quirks {
  /// Returns the error message for an unknown preset name.
  package static func unknownPreset(_ name: String) -> String {
    let names = presets.keys
    let hint = nearestName(to: name, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
    return "there is no preset \"\(name)\"\(hint.isEmpty ? "; there are \(names.joined(separator: ", "))" : hint)"
  }

  /// Reads a document that contains only quirks, as `hapsim run --quirks FILE` does.
  ///
  /// - Throws: all problems in the document.
  public init(json: [UInt8], fileName: String) throws(ProfileErrors) {
    let node: JSONNode
    do {
      node = try JSONNode.parse(json)
    } catch {
      let problem = ProfileProblem(.json, path: "", place: error.place, error.message)
      throw ProfileErrors(fileName: fileName, problems: [problem])
    }
    var reader = QuirksReader()
    let quirks = reader.read(node)
    guard reader.problems.isEmpty else { throw ProfileErrors(fileName: fileName, problems: reader.problems) }
    self = quirks
  }
}

extension QuirksField.Setting {
  /// `nil` if no field accepts such a value.
  package init?(_ node: JSONNode) {
    switch node.kind {
    case .bool(let value): self = .boolean(value)
    case .string(let text): self = .text(text)
    case .number(let number):
      if let integer = number.integer {
        guard let integer = Int(exactly: integer) else { return nil }
        self = .integer(integer)
      } else {
        self = .fraction(number.double)
      }
    case .array(let elements):
      let texts = elements.compactMap(\.stringValue)
      guard texts.count == elements.count else { return nil }
      self = .list(texts)
    case .null, .object: return nil
    }
  }
}

extension QuirksField.Kind {
  /// The accepted values for messages, such as "true or false".
  package var expectation: String {
    switch self {
    case .boolean: "true or false"
    case .integer(let range): "an integer in \(range.lowerBound)...\(range.upperBound)"
    case .fraction(let range): "a number in \(range.lowerBound)...\(range.upperBound)"
    case .choice(let words): words.map { "\"\($0)\"" }.joined(separator: ", ")
    case .duration: "a duration such as \"250ms\", \"9s\" or \"0s\""
    case .answer: "an HTTP status, perhaps with a HAP status and \"close\", such as \"404\" or \"470 -70411\""
    case .status: "a HAP status, -70401...-70412"
    case .types: "a list of characteristic types, such as [\"Button Event\", \"73\"]"
    }
  }
}
