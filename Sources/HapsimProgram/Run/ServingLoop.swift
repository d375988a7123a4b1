import HapsimFiles
import HapsimInputs
import HAPDiscovery
import HAPHost
import HAPLoop

/// One of the loops that accessories are distributed over, with its share of them. Commands arrive on the first loop.
///
/// Its parts are created, used and ended on its loop's thread.
final class ServingLoop: Sendable {
  let loop: EventLoop
  private let opened = Guarded<Simulation?>(nil)
  /// The simulation; nil until it is opened.
  var openSimulation: Simulation? { opened.withLock { $0 } }
  var simulation: Simulation {
    guard let openSimulation else { preconditionFailure("the loop has no simulation yet") }
    return openSimulation
  }

  init(_ loop: EventLoop) { self.loop = loop }

  /// - Parameter clock: the clock of the accessories.
  func open(_ setting: Simulation.Setting, _ clock: SimulationClock) {
    let simulation = Simulation(setting, in: clock, on: loop)
    opened.withLock { $0 = simulation }
  }

  /// Returns the number of loops of a run.
  static func count(_ options: RunOptions, for plan: Int) -> Int {
    if options.needsOneLoop { return 1 }
    let wanted = options.loops ?? (plan > fewAccessories ? Workers.cores : 1)
    return max(1, min(wanted, plan))
  }

  /// The default maximum number of accessories on one loop. With fewer accessories, a hop between threads costs more
  /// than the wait for each other.
  private static let fewAccessories = 48
}

extension CrossLoopResponder {
  /// Opens a responder on a separate loop.
  /// - Returns: nil if accessories are not announced.
  static func open(_ options: RunOptions, on host: any RunHost) throws -> (
    responder: CrossLoopResponder, choice: BackEnd.Choice
  )? {
    let loop = host.makeLoop("mdns")
    loop.start()
    do {
      let opened = try loop.performAndWait { () throws -> (responder: CrossLoopResponder, choice: BackEnd.Choice)? in
        try openResponder(options, on: loop).map { (CrossLoopResponder($0.responder, on: loop), $0.choice) }
      }
      if opened == nil { loop.stop() }
      return opened
    } catch {
      loop.stop()
      throw error
    }
  }
}
