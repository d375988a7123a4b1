import HapsimInputs
import HAPDiscovery
import HAPHost
import HAPLoop

/// One of the loops that accessories are spread over, and its share of them. The first is the one where commands come in.
///
/// What it has is made, used and ended on its loop's thread.
final class ServingLoop: Sendable {
  let loop: EventLoop
  private let opened = Guarded<Simulation?>(nil)
  /// nil until it is opened.
  var openSimulation: Simulation? { opened.withLock { $0 } }
  var simulation: Simulation {
    guard let openSimulation else { preconditionFailure("the loop has no simulation yet") }
    return openSimulation
  }

  init(_ loop: EventLoop) { self.loop = loop }

  /// - Parameter clock: shows the time of the accessories.
  func open(_ setting: Simulation.Setting, _ clock: SimulationClock) {
    let simulation = Simulation(setting, in: clock, on: loop)
    opened.withLock { $0 = simulation }
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

extension DistantResponder {
  /// Opens a responder on a loop of its own.
  /// - Returns: nil when nobody is to announce.
  static func open(_ options: RunOptions, on host: any RunHost) throws -> (
    responder: DistantResponder, choice: BackEnd.Choice
  )? {
    let loop = host.makeLoop("mdns")
    loop.start()
    do {
      let opened = try loop.performAndWait { () throws -> (responder: DistantResponder, choice: BackEnd.Choice)? in
        try openResponder(options, on: loop).map { (DistantResponder($0.responder, on: loop), $0.choice) }
      }
      if opened == nil { loop.stop() }
      return opened
    } catch {
      loop.stop()
      throw error
    }
  }
}
