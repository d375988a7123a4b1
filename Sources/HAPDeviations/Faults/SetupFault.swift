import HAPWire

/// Rare properties of the numbers that an accessory generates for M2 of Pair Setup.
package struct SetupFault: Equatable, Sendable {
  /// B begins with a zero byte.
  package var leadsKey = false
  /// The salt begins with a zero byte.
  package var leadsSalt = false
  /// Whether the zeros of B are sent.
  package var keepsZeros = true

  /// Returns both faults combined.
  package func joined(with other: SetupFault) -> SetupFault {
    SetupFault(
      leadsKey: leadsKey || other.leadsKey, leadsSalt: leadsSalt || other.leadsSalt,
      keepsZeros: keepsZeros && other.keepsZeros)
  }
}

extension SetupFault {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["zero-led", "form"])
    for name in try node.list("zero-led", of: { node throws(JSONProblem) in try node.asString() }) {
      switch name {
      case "key": leadsKey = true
      case "salt": leadsSalt = true
      default: throw try node.required("zero-led").problem("it must be key or salt")
      }
    }
    switch try node.string("form") {
    case "padded": keepsZeros = true
    case "stripped": keepsZeros = false
    default: throw try node.required("form").problem("it must be padded or stripped")
    }
  }
}
