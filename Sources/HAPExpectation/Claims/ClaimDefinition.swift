import HAPModel
import HAPSuite
import HAPWire

/// A claim that a claims file may make about an accessory.
package struct ClaimDefinition: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case flag
    case number(ClosedRange<Int128>)
    case text
    /// Names of services in the catalogue, or UUIDs.
    case services
    /// Names of characteristics in the catalogue, or UUIDs.
    case characteristics
    case hooks
  }

  package var name: String
  package var kind: Kind
  /// The meaning of `true`, a number, a text or a list.
  package var meaning: String

  init(_ name: String, _ kind: Kind, _ meaning: String) {
    self.name = name
    self.kind = kind
    self.meaning = meaning
  }
}

extension Claims {
  /// All claims, in the order in which they are written.
  package static let known: [ClaimDefinition] = [
    ClaimDefinition("category", .number(1...65_535), "the advertised category, as a number"),
    ClaimDefinition("model", .text, "the advertised model"),
    ClaimDefinition("protocol-version", .text, "the advertised protocol version, such as 1.1"),
    ClaimDefinition("setup-id", .text, "its setup ID, four characters; false: it has none"),
    ClaimDefinition("mfi", .flag, "it has an authentication chip or token of Apple's MFi Program"),
    ClaimDefinition(
      "counts-states", .flag, "its s# increases, as newer protocol versions allow; false: s# is always 1"),
    ClaimDefinition("bridge", .flag, "it is a bridge"),
    ClaimDefinition("accessories", .number(1...Int128(UInt32.max)), "the number of its accessories, itself included"),
    ClaimDefinition("services", .services, "the types of its services"),
    ClaimDefinition("camera", .flag, "it is a camera that supports snapshots"),
    ClaimDefinition("timed-writes", .flag, "some of its characteristics require timed writes"),
    ClaimDefinition("write-response", .flag, "some of its characteristics support write response"),
    ClaimDefinition("has-additional-authorization", .flag, "some characteristics require additional authorization"),
    ClaimDefinition("additional-authorization-data", .text, "the data for additional authorization, in base64"),
    ClaimDefinition("waives-additional-authorization", .flag, "the additional authorization of a write is optional"),
    ClaimDefinition("admin-only", .characteristics, "characteristics that only admins may read or write; false: none"),
    ClaimDefinition("max-sessions", .number(1...100_000), "the number of simultaneous connections; false: no limit"),
    ClaimDefinition(
      "max-pairings", .number(1...100_000), "the largest number of pairings; false: no limit"),
    ClaimDefinition("max-accessories", .number(1...100_000), "the largest number of accessories; false: no limit"),
    ClaimDefinition("hooks", .hooks, "the hooks that are available during a run; false: none"),
  ]

  package static func definition(of name: String) -> ClaimDefinition? { known.first { $0.name == name } }
}

extension ClaimDefinition {
  /// Reads the claim's value from a file.
  func value(_ node: JSONNode) throws(JSONProblem) -> Claims.Value {
    if node.stringValue == "unknown" { return .unknown }
    if let flag = node.boolValue, !flag || kind == .flag { return .flag(flag) }
    switch kind {
    case .flag: throw node.problem("true, false or \"unknown\" is expected, not \(node.kindName)")
    case .number(let range):
      guard node.numberValue != nil else {
        throw node.problem("a number, false or \"unknown\" is expected, not \(node.kindName)")
      }
      return .number(try node.asInteger(in: range))
    case .text:
      guard let text = node.stringValue else {
        throw node.problem("a text, false or \"unknown\" is expected, not \(node.kindName)")
      }
      if name == "setup-id", SetupID(text) == nil {
        throw node.problem("a setup ID is four characters of 0-9 and A-Z, not \"\(text)\"")
      }
      return .text(text)
    case .services, .characteristics, .hooks:
      guard let elements = node.elements else {
        throw node.problem("a list of names, false or \"unknown\" is expected, not \(node.kindName)")
      }
      var names: [String] = []
      for element in elements {
        let name = try listed(element)
        guard !names.contains(name) else { throw element.problem("\"\(name)\" is listed twice") }
        names.append(name)
      }
      return .names(names)
    }
  }

  /// Returns a list element in canonical form, for comparisons.
  private func listed(_ node: JSONNode) throws(JSONProblem) -> String {
    let text = try node.asString()
    let found: String?
    let all: [String]
    switch kind {
    case .services:
      found = Catalogue.service(named: text)?.identifier ?? TypeID(text).map(Claims.serviceName)
      all = found == nil ? Catalogue.services.map(\.identifier) : []
    case .characteristics:
      found =
        Catalogue.characteristic(named: text)?.identifier
        ?? TypeID(text).map { Catalogue.characteristic($0)?.identifier ?? $0.wireForm }
      all = found == nil ? Catalogue.characteristics.map(\.identifier) : []
    case .hooks:
      found = HookName(rawValue: text)?.rawValue
      all = HookName.allCases.map(\.rawValue)
    case .flag, .number, .text: preconditionFailure("only lists have names")
    }
    guard let found else {
      let hint = nearestName(to: text, in: all).map { ": did you mean \"\($0)\"?" } ?? ""
      throw node.problem("unknown name \"\(text)\"\(hint)")
    }
    return found
  }
}
