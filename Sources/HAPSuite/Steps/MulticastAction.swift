import HAPWire

/// The part of a step that uses multicast DNS.
package struct MulticastAction: Equatable, Sendable {
  package enum Operation: Equatable, Sendable {
    /// Announces an instance name as the tester's own.
    case claim(String)
    /// Withdraws all claimed names.
    case release
    /// Looks for all accessories.
    case browse
    /// Looks for the accessory by its device ID, and uses its name and port afterwards.
    case follow
    /// Looks for the accessory by its name.
    case resolve
    /// Sends a query, waits for a packet, or both.
    case talk(MulticastQuery?, MulticastPacket?)
  }

  package var operation: Operation
  package var within: Duration?
  /// An object of patterns for the packet or the accessory.
  package var pattern: JSONNode?
  /// The mark from which packets count; `run`: the start of the run; `nil`: now.
  package var since: String?
  package var save: [SavedValue]

  /// - Parameter node: the content of an `mdns`, resolved.
  init(_ node: JSONNode) throws(StepError) {
    within = try node.duration("within")
    pattern = node["where"]
    since = try node.text("since")
    save = try node.saved()
    if let name = try node.text("claim") {
      operation = .claim(name)
    } else if try node.flag("release") == true {
      operation = .release
    } else if try node.flag("browse") == true {
      operation = .browse
    } else if try node.flag("follow") == true {
      operation = .follow
    } else if try node.flag("resolve") == true {
      operation = .resolve
    } else {
      operation = .talk(try MulticastQuery(node), try MulticastPacket(node))
    }
  }
}

/// Questions of one packet.
package struct MulticastQuery: Equatable, Sendable {
  /// "PTR _hap._tcp.local".
  package var questions: [String]
  package var wantsUnicast: Bool
  /// Whether the packet has the known PTR record of the accessory.
  package var hasKnownAnswer: Bool

  fileprivate init?(_ node: JSONNode) throws(StepError) {
    guard node["query"] != nil else { return nil }
    questions = try node.texts("query")
    wantsUnicast = try node.flag("unicast") ?? false
    hasKnownAnswer = try node.flag("known") ?? false
  }
}

/// An expected packet about the accessory.
package struct MulticastPacket: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable { case announcement, goodbye, txt, answer }

  package var kind: Kind
  /// Whether the packet must not arrive.
  package var isUnwanted: Bool

  fileprivate init?(_ node: JSONNode) throws(StepError) {
    guard let kind = try node.word("listen", of: Kind.allCases) else { return nil }
    self.kind = kind
    isUnwanted = try node.flag("absent") ?? false
  }
}
