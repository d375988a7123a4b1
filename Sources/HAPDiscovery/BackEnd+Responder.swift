import HAPLoop

extension BackEnd {
  /// How long the daemon may take to answer before it counts as absent.
  static let patience = Duration.seconds(3)
  /// What is thrown where there is no embedded one.
  static let noEmbedded = LoopError(
    .other(0), "there is no embedded responder on this system, whose own one always runs: --bonjour daemon")

  /// Opens a responder.
  /// - Parameters:
  ///   - wanted: nil: whichever suits the machine.
  ///   - interfaces: names; empty means all of the local network.
  ///   - bindsToAddress: whether the accessories listen at one given address.
  /// - Throws: `.noSuchInterface`; `.other` for a back end that this system doesn't have.
  package static func open(
    _ wanted: BackEnd?, on loop: EventLoop, interfaces: [String], bindsToAddress: Bool
  ) throws(LoopError) -> (responder: any Responder, choice: Choice) {
    var found: [NetworkInterface] = []
    for name in interfaces { found.append(try loop.interfaces().named(name)) }
    if let wanted {
      return (try open(wanted, on: loop, interfaces: interfaces), Choice(backEnd: wanted, reason: "as --bonjour says"))
    }
    // The desk that asked goes on to do the work.
    var desk: DaemonDesk?
    let choice = choice(interfaces: found, bindsToAddress: bindsToAddress) {
      let new = DaemonDesk(InterfaceChoice(interfaces))
      desk = new
      return new.absence(waitingAtMost: patience)
    }
    if choice.backEnd == .daemon, let desk { return (DaemonResponder(loop, desk), choice) }
    desk?.close()
    return (try open(choice.backEnd, on: loop, interfaces: interfaces), choice)
  }

  private static func open(
    _ backEnd: BackEnd, on loop: EventLoop, interfaces: [String]
  ) throws(LoopError) -> any Responder {
    switch backEnd {
    case .daemon: return try DaemonResponder(loop, interfaces: interfaces)
    case .embedded:
      guard hasEmbedded else { throw noEmbedded }
      return try EmbeddedResponder(loop, interfaces: interfaces)
    }
  }
}
