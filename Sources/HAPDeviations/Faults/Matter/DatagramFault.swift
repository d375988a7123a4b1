import HAPWire

/// The direction of a datagram, as the accessory sees it.
package enum DatagramDirection: Hashable, Sendable {
  case inbound, outbound
}

/// A fault of the network that affects datagrams, or of the acknowledgements in them.
package struct DatagramFault: Equatable, Sendable {
  package enum Effect: Equatable, Sendable {
    case drop
    /// It passes once more after this time.
    case duplicate(after: Duration)
    /// It is late. Others overtake it.
    case delay(Duration)
    /// It passes after the next one of its direction, but not later than after this time.
    case reorder(within: Duration)
    /// One bit is flipped.
    case corrupt
    /// The accessory does not acknowledge a message.
    case withholdAcknowledgement
  }

  package let effect: Effect
  package let directions: Set<DatagramDirection>
  /// 1...100: the percentage of the datagrams, selected at random.
  package let share: Int
  /// The number of datagrams after which there is no effect any more; `nil`: no limit.
  package let count: Int?
}

extension DatagramFault {
  private static let members = ["effect", "by", "direction", "share", "count"]

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: Self.members)
    let word = try node.string("effect")
    let by = try node["by"].map { (node) throws(JSONProblem) in try node.duration() }
    switch (word, by) {
    case ("drop", nil): effect = .drop
    case ("duplicate", let by?): effect = .duplicate(after: by)
    case ("delay", let by?): effect = .delay(by)
    case ("reorder", let by?): effect = .reorder(within: by)
    case ("corrupt", nil): effect = .corrupt
    case ("withhold-acknowledgement", nil): effect = .withholdAcknowledgement
    default:
      throw try node.required("effect").problem(
        "it must be drop, corrupt or withhold-acknowledgement, or duplicate, delay or reorder with by")
    }
    switch try node["direction"]?.asString() ?? "both" {
    case "in": directions = [.inbound]
    case "out": directions = [.outbound]
    case "both": directions = [.inbound, .outbound]
    default: throw try node.required("direction").problem("it must be in, out or both")
    }
    share = Int(try node["share"]?.asInteger(in: 1...100) ?? 100)
    let limit = Int(try node["count"]?.asInteger(in: 0...Int128(Int32.max)) ?? 0)
    count = limit > 0 ? limit : nil
  }
}
