import HAPModel
import HAPWire

/// Claims about an accessory that cases rely on: `{"format": 1, "claims": {"bridge": true, "setup-id": "unknown"}}`.
///
/// A claim that is missing in the file is unknown, not false. Cases that need an unknown claim are skipped.
package struct Claims: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    case unknown
    /// For a claim whose value is a number, a text or a list, `false` means "none".
    case flag(Bool)
    case number(Int128)
    case text(String)
    case names([String])
  }

  private var values: [String: Value] = [:]

  /// Creates claims that are all unknown.
  package init() {}

  /// Returns a claim's value by name. The name must be known.
  package subscript(name: String) -> Value {
    get { values[name] ?? .unknown }
    set {
      precondition(Self.definition(of: name) != nil, "there is no claim \(name)")
      values[name] = newValue == .unknown ? nil : newValue
    }
  }

  // MARK: JSON

  package init(_ bytes: [UInt8]) throws(JSONProblem) {
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
      throw JSONProblem(path: "", place: error.place, message: error.message)
    }
    try self.init(node)
  }

  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["format", "claims"])
    _ = try node.required("format").asInteger(in: 1...1)
    let claims = try node.required("claims")
    try claims.refuseUnknownMembers(except: Self.known.map(\.name))
    for member in claims.members ?? [] {
      guard let definition = Self.definition(of: member.name) else { continue }  // a note: "x-…"
      self[member.name] = try definition.value(member.value)
    }
  }

  /// The claims as an object for the variables of cases; unknown claims are "unknown".
  package var variables: JSONNode { .object(Self.known.map { ($0.name, Self.node(self[$0.name])) }) }

  private static func node(_ value: Value) -> JSONNode {
    switch value {
    case .unknown: .text("unknown")
    case .flag(let flag): JSONNode(.bool(flag))
    case .number(let number): .integer(number)
    case .text(let text): .text(text)
    case .names(let names): .list(names.map { .text($0) })
    }
  }

  /// The contents of a claims file, one claim per line, for a person to complete.
  package var fileText: String {
    let lines = Self.known.map { definition in
      "    \"\(definition.name)\": " + Self.node(self[definition.name]).compactText
    }
    return "{\n  \"format\": 1,\n  \"claims\": {\n" + lines.joined(separator: ",\n") + "\n  }\n}\n"
  }

  // MARK: Comparison

  /// Returns one sentence for each claim that contradicts an observation. Claims that are unknown on either side are ignored.
  package func differences(from observed: Claims) -> [String] {
    Self.known.compactMap { definition in
      let mine = self[definition.name]
      let theirs = observed[definition.name]
      guard mine != .unknown, theirs != .unknown, mine != theirs else { return nil }
      // An empty list equals "none".
      if case (.names(let names), .flag(false)) = (mine, theirs), names.isEmpty { return nil }
      if case (.flag(false), .names(let names)) = (mine, theirs), names.isEmpty { return nil }
      guard case (.names(let claimed), .names(let seen)) = (mine, theirs) else {
        return "\(definition.name): claimed \(Self.shown(mine)), observed \(Self.shown(theirs))"
      }
      let missing = claimed.filter { !seen.contains($0) }
      let extra = seen.filter { !claimed.contains($0) }
      var parts: [String] = []
      if !missing.isEmpty { parts.append("\(missing.joined(separator: ", ")) claimed but not observed") }
      if !extra.isEmpty { parts.append("\(extra.joined(separator: ", ")) observed but not claimed") }
      return parts.isEmpty ? nil : "\(definition.name): " + parts.joined(separator: "; ")
    }
  }

  private static func shown(_ value: Value) -> String { node(value).compactText }
}
