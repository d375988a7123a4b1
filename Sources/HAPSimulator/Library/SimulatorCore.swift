import HAPDiscovery
import HAPLoop
import HAPProfile
import HAPStore
import HAPTransport

/// What a simulator has: its clock, its accessories, and who announces them.
///
/// Belongs to the loop's thread, but for its constants.
final class SimulatorCore: @unchecked Sendable {  // everything but constants is used on the loop's thread alone
  typealias Done<T> = @Sendable (Result<T, SimulatorError>) -> Void

  let loop: EventLoop
  /// Where a controller of this machine finds accessories.
  let shownAddress: String
  private let clock: SimulationClock
  private let places: [ListeningPlace]
  private let responder: (any Responder)?
  /// Nil: each accessory has a memory of its own.
  private let folder: StateFolder?
  private let seed: UInt64
  private let birth: UInt64
  private var served: [ServedAccessory] = []
  /// How many there ever were.
  private var count: UInt64 = 0
  private var isOver = false

  init(
    on loop: EventLoop, in pace: SimulationClock.Pace, keeping folder: StateFolder?, at network: Simulator.Network,
    seed: UInt64
  ) throws(SimulatorError) {
    self.loop = loop
    self.folder = folder
    self.seed = seed
    birth = loop.now
    do throws(LoopError) {
      let found = try network.resolve()
      places = found.places
      shownAddress = "\(found.shown)"
      responder = try found.announced.map { (announced) throws(LoopError) in
        try BackEnd.open(
          nil, on: loop, interfaces: announced.interfaces, bindsToAddress: announced.bindsToAddress
        ).responder
      }
    } catch { throw SimulatorError(error) }
    clock = SimulationClock(pace, on: loop)
  }

  /// Stops everything. Any number of times.
  func end() {
    guard !isOver else { return }
    isOver = true
    for accessory in served { accessory.stop() }
    served = []
    clock.close()
    // The goodbyes leave with it.
    responder?.close()
  }

  // MARK: Time

  var now: Result<Duration, SimulatorError> { isOver ? .failure(.stopped) : .success(clock.now) }

  func advance(by duration: Duration, done: @escaping Done<Duration>) {
    guard !isOver else { return done(.failure(.stopped)) }
    guard clock.pace == .standing else { return done(.failure(.timePasses)) }
    clock.advance(by: duration) { [self] result in
      done(result.mapError { isOver ? .stopped : SimulatorError($0) })
    }
  }

  // MARK: Accessories

  func start(
    _ source: ProfileSource, _ choices: PreparedAccessory.Choices, port: UInt16, done: @escaping Done<ServedAccessory>
  ) {
    let folder = folder ?? .ephemeral()
    loop.offload {
      Result { () throws(SimulatorError) in
        do { return try PreparedAccessory(try source.load(), in: folder, choices: choices, random: .system) } catch {
          throw SimulatorError(error)
        }
      }
    } then: { [self] (result: Result<PreparedAccessory, SimulatorError>) in
      do throws(SimulatorError) {
        let prepared = try result.get()
        guard !isOver else {
          prepared.store.close()
          throw .stopped
        }
        try serve(prepared, in: folder, port: port, done: done)
      } catch { done(.failure(error)) }
    }
  }

  private func serve(
    _ prepared: PreparedAccessory, in folder: StateFolder, port: UInt16, done: @escaping Done<ServedAccessory>
  ) throws(SimulatorError) {
    let accessory = ServedAccessory(in: clock, since: birth, on: loop)
    // Each has a simulation of its own, so that what names no accessory means this one. They have their time in common.
    var setting = Simulation.Setting(
      folder: folder, places: places, seed: seed &+ count,
      makeAdvertiser: { [responder] in responder?.makeAdvertiser() })
    setting.sink = { [weak accessory] in accessory?.hear($0) }
    let simulation = Simulation(setting, in: clock, on: loop)
    do { try accessory.begin(simulation, simulation.serve(prepared, port: port)) } catch { throw SimulatorError(error) }
    count += 1
    served.append(accessory)
    accessory.onStop = { [weak self, unowned accessory] in self?.served.removeAll { $0 === accessory } }
    accessory.beginFaults { [self] error in
      if let error {
        accessory.stop()
        return done(.failure(error))
      }
      guard !isOver else { return done(.failure(.stopped)) }
      accessory.open()
      done(.success(accessory))
    }
  }
}

extension EventLoop {
  /// Runs `body` on the loop and awaits what it tells, once.
  /// - Throws: what it tells; `stopped` where the loop has ended.
  func answer<T: Sendable>(
    _ body: @escaping @Sendable (_ done: @escaping SimulatorCore.Done<T>) -> Void
  ) async throws(SimulatorError) -> T {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<T, SimulatorError>, Never>) in
      let isRunning = schedule { body { continuation.resume(returning: $0) } }
      if !isRunning { continuation.resume(returning: .failure(.stopped)) }
    }
    return try result.get()
  }
}
