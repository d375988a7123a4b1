import HAPModel
import HAPSuite
import HAPWire

/// Something that a claims file may say about an accessory.
package struct ClaimDefinition: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case flag
    case number(ClosedRange<Int128>)
    case text
    /// Names of services of the catalogue, or UUIDs.
    case services
    /// Names of characteristics of the catalogue, or UUIDs.
    case characteristics
    case hooks
  }

  package var name: String
  package var kind: Kind
  /// What it says when it is true, a number or a text.
  package var meaning: String

  init(_ name: String, _ kind: Kind, _ meaning: String) {
    self.name = name
    self.kind = kind
    self.meaning = meaning
  }
}

extension Claims {
  /// All there are, in the order in which they are written.
  package static let known: [ClaimDefinition] = [
    ClaimDefinition("category", .number(1...65_535), "the category that it advertises, as a number"),
    ClaimDefinition("model", .text, "the model that it advertises"),
    ClaimDefinition("protocol-version", .text, "the version of the protocol that it advertises, such as 1.1"),
    ClaimDefinition("setup-id", .text, "the four characters of its setup ID; false: it has none"),
    ClaimDefinition("mfi", .flag, "it holds an authentication chip or token of Apple's programme"),
    ClaimDefinition(
      "counts-states", .flag, "its s# counts, as newer releases of the protocol allow; false: it is always 1"),
    ClaimDefinition("bridge", .flag, "it is a bridge"),
    ClaimDefinition("accessories", .number(1...Int128(UInt32.max)), "how many accessories it has, itself included"),
    ClaimDefinition("services", .services, "the types of its services"),
    ClaimDefinition("camera", .flag, "it is a camera, and makes snapshots"),
    ClaimDefinition("timed-writes", .flag, "some of its characteristics take timed writes alone"),
    ClaimDefinition("write-response", .flag, "some of its characteristics answer a write with a value"),
    ClaimDefinition("has-additional-authorization", .flag, "some of its characteristics want additional authorization"),
    ClaimDefinition("additional-authorization-data", .text, "what they take as authorization, in base64"),
    ClaimDefinition("waives-additional-authorization", .flag, "it takes such writes without it all the same"),
    ClaimDefinition("admin-only", .characteristics, "characteristics that only admins may read or write; false: none"),
    ClaimDefinition("max-sessions", .number(1...100_000), "how many connections it serves at once; false: no limit"),
    ClaimDefinition(
      "max-pairings", .number(1...100_000), "how many controllers it can be paired with; false: no limit"),
    ClaimDefinition("max-accessories", .number(1...100_000), "how many accessories it can have; false: no limit"),
    ClaimDefinition("hooks", .hooks, "what can be done to it while it is tested; false: nothing"),
  ]

  package static func definition(of name: String) -> ClaimDefinition? { known.first { $0.name == name } }
}

extension ClaimDefinition {
  /// What a file says, if it may say that here.
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
        guard !names.contains(name) else { throw element.problem("\"\(name)\" stands here already") }
        names.append(name)
      }
      return .names(names)
    }
  }

  /// A name in the form in which it is compared.
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
      throw node.problem("nothing is named \"\(text)\"\(hint)")
    }
    return found
  }
}
