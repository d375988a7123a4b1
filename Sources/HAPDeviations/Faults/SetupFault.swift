import HAPWire

/// What is odd about the numbers that an accessory draws for M2 of Pair Setup.
package struct SetupFault: Equatable, Sendable {
  /// B begins with a zero byte.
  package var leadsKey = false
  /// The salt does.
  package var leadsSalt = false
  /// Whether B has its zeros on the wire.
  package var keepsZeros = true

  /// Both at once.
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
      default: throw try node.required("zero-led").problem("it is key or salt")
      }
    }
    switch try node.string("form") {
    case "padded": keepsZeros = true
    case "stripped": keepsZeros = false
    default: throw try node.required("form").problem("it is padded or stripped")
    }
  }
}
