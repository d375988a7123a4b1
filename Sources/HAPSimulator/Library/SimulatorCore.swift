import HAPDiscovery
import HAPHost
import HAPLoop
import HAPProfile
import HAPStore
import HAPTransport

/// What a simulator has: its clock, its accessories, and who announces them.
///
/// Belongs to the loop's thread, but for its constants.
// Safe: `Simulator` uses the variables in work that it gives to the loop by `answer` and `answerUnlessCancelled`. What this work needs, a
// `Simulation`, traps on any other thread.
final class SimulatorCore: @unchecked Sendable {
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
  private let tellsRequests: Bool
  private let birth: UInt64
  private var served: [ServedAccessory] = []
  /// How many there ever were, by what they are kept by.
  private var counts: [String: Int] = [:]
  private var isOver = false

  /// - Parameters:
  ///   - backEnd: announces the accessories; nil: whichever suits the machine.
  ///   - shownAddress: nil: one of the network's.
  init(
    on loop: EventLoop, in pace: SimulationClock.Pace, keeping folder: StateFolder?, at network: Simulator.Network,
    seed: UInt64, tellsRequests: Bool, backEnd: BackEnd? = nil, shownAddress: String? = nil
  ) throws(SimulatorError) {
    self.loop = loop
    self.tellsRequests = tellsRequests
    self.folder = folder
    self.seed = seed
    birth = loop.now
    do throws(LoopError) {
      let found = try network.resolve(loop.interfaces())
      places = found.places
      self.shownAddress = shownAddress ?? "\(found.shown)"
      responder = try found.announced.map { (announced) throws(LoopError) in
        try BackEnd.open(
          backEnd, on: loop, interfaces: announced.interfaces, bindsToAddress: announced.bindsToAddress
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
    let random = loop.random
    loop.offload {
      Result { () throws(SimulatorError) in
        do { return try PreparedAccessory(try source.load(), in: folder, choices: choices, random: random) } catch {
          throw SimulatorError(error)
        }
      }
    } then: { [self] (result: Result<PreparedAccessory, SimulatorError>) in
      do throws(SimulatorError) {
        let prepared = try result.get()
        guard !isOver else {
          prepared.close()
          throw .stopped
        }
        try serve(prepared, in: folder, port: port, done: done)
      } catch { done(.failure(error)) }
    }
  }

  private func serve(
    _ prepared: PreparedAccessory, in folder: StateFolder, port: UInt16, done: @escaping Done<ServedAccessory>
  ) throws(SimulatorError) {
    // Each has a simulation of its own, so that what names no accessory means this one. They have their time in common.
    var setting = Simulation.Setting(
      folder: folder, places: places, seed: seed,
      makeAdvertiser: { [responder] in responder?.makeAdvertiser() })
    // None until the accessory is served.
    let listener = LoopBound(here: loop, Weak<ServedAccessory>(nil))
    setting.sink = { event in listener.value.object?.hear(event) }
    setting.tellsRequests = tellsRequests
    let simulation = Simulation(setting, in: clock, on: loop)
    let ordinal = counts[prepared.key, default: 0] + 1
    let accessory: ServedAccessory
    do {
      accessory = ServedAccessory(
        try simulation.serve(prepared, port: port, ordinal: ordinal), of: simulation, in: clock, since: birth, on: loop)
    } catch { throw SimulatorError(error) }
    listener.value = Weak(accessory)
    counts[prepared.key] = ordinal
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
  /// The same, but the task's cancellation ends it at once: with nothing begun, or with what was begun going on.
  /// - Throws: `cancelled` besides.
  func answerUnlessCancelled<T: Sendable>(
    _ body: @escaping @Sendable (_ done: @escaping SimulatorCore.Done<T>) -> Void
  ) async throws(SimulatorError) -> T {
    if Task.isCancelled { throw .cancelled }
    let answer = FirstAnswer<T>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<T, SimulatorError>, Never>) in
        answer.await(continuation)
        if !schedule({ body { answer.give($0) } }) { answer.give(.failure(.stopped)) }
      }
    } onCancel: {
      answer.give(.failure(.cancelled))
    }
    return try result.get()
  }

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

/// The first of several answers to one who waits, perhaps given before he does. From any thread.
private final class FirstAnswer<T: Sendable>: Sendable {
  private typealias Reader = CheckedContinuation<Result<T, SimulatorError>, Never>

  private struct State {
    var reader: Reader?
    var answer: Result<T, SimulatorError>?
  }

  private let state = Guarded(State())

  /// Once.
  func await(_ reader: CheckedContinuation<Result<T, SimulatorError>, Never>) {
    let answer = state.withLock { state in
      if state.answer == nil { state.reader = reader }
      return state.answer
    }
    if let answer { reader.resume(returning: answer) }
  }

  func give(_ answer: Result<T, SimulatorError>) {
    let reader = state.withLock { state -> Reader? in
      guard state.answer == nil else { return nil }
      state.answer = answer
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: answer)
  }
}
