import HAPLoop

extension BackEnd {
  /// The time limit for the daemon's answer. After that it counts as absent.
  static let patience = Duration.seconds(3)

  /// Opens a responder.
  /// - Parameters:
  ///   - wanted: nil: the one that suits the machine.
  ///   - interfaces: names. Empty: all interfaces of the local network.
  ///   - bindsToAddress: whether the accessories listen on one given address.
  /// - Throws: `.noSuchInterface`.
  package static func open(
    _ wanted: BackEnd?, on loop: EventLoop, interfaces: [String], bindsToAddress: Bool
  ) throws(LoopError) -> (responder: any Responder, choice: Choice) {
    var found: [NetworkInterface] = []
    for name in interfaces { found.append(try loop.interfaces().named(name)) }
    if let wanted {
      return (try open(wanted, on: loop, interfaces: interfaces), Choice(backEnd: wanted, reason: "set by --bonjour"))
    }
    // The responder reuses the `DaemonDesk` that found the daemon.
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
    case .embedded: return try EmbeddedResponder(loop, interfaces: interfaces)
    }
  }
}
