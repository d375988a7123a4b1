import HAPDiscovery
import HAPLoop
import HAPSimulator

/// One of the loops that accessories are spread over, and its share of them. The first is the one where commands come in.
///
/// What it has is made, used and ended on its loop's thread.
final class ServingLoop: @unchecked Sendable {  // see above
  let loop: EventLoop
  /// nil until it is opened.
  private(set) var openSimulation: Simulation?
  var simulation: Simulation {
    guard let openSimulation else { preconditionFailure("the loop has no simulation yet") }
    return openSimulation
  }

  init(_ loop: EventLoop) { self.loop = loop }

  /// - Parameter clock: shows the time of the accessories.
  func open(_ setting: Simulation.Setting, _ clock: SimulationClock) {
    openSimulation = Simulation(setting, in: clock, on: loop)
  }

  /// How many loops a run has.
  static func count(_ options: RunOptions, for roster: Int) -> Int {
    if options.needsOneLoop { return 1 }
    let wanted = options.loops ?? (roster > fewAccessories ? Workers.cores : 1)
    return max(1, min(wanted, roster))
  }

  /// So many are served by one loop, if nothing else is said: they would wait for each other less than for a hop between threads.
  private static let fewAccessories = 48
}

/// Who announces accessories on several loops: a responder on a loop of its own, which they reach from wherever they are.
///
/// Its responder belongs to that loop's thread.
final class ResponderLoop: @unchecked Sendable {  // see above
  private let loop = EventLoop(name: "mdns")
  private var responder: (any Responder)?

  /// Starts the loop and opens the responder.
  /// - Returns: nil when nobody is to announce.
  static func open(_ options: RunOptions) throws -> (responder: ResponderLoop, choice: BackEnd.Choice)? {
    let responder = ResponderLoop()
    responder.loop.start()
    do {
      let choice = try responder.loop.performAndWait { () throws -> BackEnd.Choice? in
        let opened = try openResponder(options, on: responder.loop)
        responder.responder = opened?.responder
        return opened?.choice
      }
      if let choice { return (responder, choice) }
    } catch {
      responder.loop.stop()
      throw error
    }
    responder.loop.stop()
    return nil
  }

  /// For an accessory on another loop.
  func makeAdvertiser(for loop: EventLoop) -> (any Advertiser)? {
    responder.map { DistantAdvertiser(of: $0, at: self.loop, for: loop) }
  }

  /// Does what it was asked for until now, says goodbye where it is to, and ends.
  func close(sayingGoodbye: Bool) {
    if sayingGoodbye { try? loop.performAndWait { self.responder?.close() } }
    loop.stop()
  }
}
