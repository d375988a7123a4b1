import HAPPreparation
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPStore

/// The parts of a simulator: its clock, its accessories, and their responder.
///
/// Belongs to the loop's thread, except for its constants.
// Safe: `Simulator` uses the variables in work that it gives to the loop by `answer` and `answerUnlessCancelled`. This
// work needs a `Simulation`, which traps on any other thread.
package final class SimulatorCore: @unchecked Sendable {
  package typealias Done<T> = @Sendable (Result<T, SimulationFailure>) -> Void

  package let loop: EventLoop
  /// The address at which a controller on this machine finds accessories.
  package let shownAddress: String
  private let clock: SimulationClock
  private let places: [ListeningPlace]
  private let responder: (any Responder)?
  /// `nil`: each accessory has its own state in memory.
  private let folder: StateFolder?
  private let seed: UInt64
  private let tellsRequests: Bool
  private let birth: UInt64
  private var served: [ServedAccessory] = []
  /// The number of accessories ever served, by the key of their state.
  private var counts: [String: Int] = [:]
  private var isOver = false

  /// - Parameters:
  ///   - backEnd: announces the accessories; `nil`: the one that suits the machine.
  ///   - shownAddress: `nil`: an address of the network.
  package init(
    on loop: EventLoop, in pace: SimulationClock.Pace, keeping folder: StateFolder?, at network: SimulatorNetwork,
    seed: UInt64, tellsRequests: Bool, backEnd: BackEnd? = nil, shownAddress: String? = nil
  ) throws(SimulationFailure) {
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
    } catch { throw SimulationFailure(error) }
    clock = SimulationClock(pace, on: loop)
  }

  /// Makes a simulator core on its own loop.
  /// - Parameter folder: `nil`: each accessory has its own state in memory.
  package static func start(
    in pace: SimulationClock.Pace, keeping folder: String?, at network: SimulatorNetwork, seed: UInt64,
    tellsRequests: Bool
  ) async throws(SimulationFailure) -> SimulatorCore {
    if case .running(let scale) = pace, !SimulationClock.scales.contains(scale) {
      throw SimulationFailure(.invalidValue, "the time scale must be 0.001 to 100000, not \(scale)")
    }
    let loop = EventLoop(name: "simulator")
    loop.start()
    do throws(SimulationFailure) {
      return try await loop.answer { done in
        loop.offload {
          Result { () throws(SimulationFailure) in
            do throws(StoreError) {
              return try folder.map { (path) throws(StoreError) in try StateFolder.open(path: path) }
            } catch {
              throw SimulationFailure(error)
            }
          }
        } then: { (folder: Result<StateFolder?, SimulationFailure>) in
          done(
            Result { () throws(SimulationFailure) in
              try SimulatorCore(
                on: loop, in: pace, keeping: folder.get(), at: network, seed: seed, tellsRequests: tellsRequests)
            })
        }
      }
    } catch {
      loop.schedule { loop.stop() }
      throw error
    }
  }

  /// Stops everything, and ends the loop. May be called from any thread.
  package func endLoop() {
    // The loop's objects live until no work of the loop can use them.
    loop.whenEnded { [self] in withExtendedLifetime(self) {} }
    loop.schedule { [self] in
      end()
      loop.stop()
    }
  }

  /// Stops everything. May be called repeatedly.
  package func end() {
    guard !isOver else { return }
    isOver = true
    for accessory in served { accessory.stop() }
    served = []
    clock.close()
    // Closing it sends the goodbyes.
    responder?.close()
  }

  // MARK: Time

  package var now: Result<Duration, SimulationFailure> { isOver ? .failure(.stopped) : .success(clock.now) }

  package func advance(by duration: Duration, done: @escaping Done<Duration>) {
    guard !isOver else { return done(.failure(.stopped)) }
    guard clock.pace == .standing else { return done(.failure(.timePasses)) }
    clock.advance(by: duration) { [self] result in
      done(result.mapError { isOver ? .stopped : SimulationFailure($0) })
    }
  }

  // MARK: Accessories

  /// - Parameters:
  ///   - name: replaces the profile's name.
  ///   - setupCode: replaces the profile's setup code.
  ///   - matterVendor: the vendor of its Matter node; nil: it has none, or the default one.
  ///   - configure: changes how the accessory is served.
  package func start(
    _ origin: ProfileOrigin, name: String?, setupCode: String?, port: UInt16, matterVendor: UInt16? = nil,
    configure: @escaping @Sendable (inout Simulation.Setting) -> Void = { _ in }, done: @escaping Done<ServedAccessory>
  ) {
    let choices: PreparedAccessory.Choices
    do throws(SimulationFailure) { choices = try Self.choices(name, setupCode, matterVendor) } catch {
      return done(.failure(error))
    }
    let folder = folder ?? .ephemeral()
    let random = loop.random
    loop.offload {
      Result { () throws(SimulationFailure) in
        do { return try PreparedAccessory(try origin.load(), in: folder, choices: choices, random: random) } catch {
          throw SimulationFailure(error)
        }
      }
    } then: { [self] (result: Result<PreparedAccessory, SimulationFailure>) in
      do throws(SimulationFailure) {
        let prepared = try result.get()
        guard !isOver else {
          prepared.close()
          throw .stopped
        }
        try serve(prepared, in: folder, port: port, configure, done: done)
      } catch { done(.failure(error)) }
    }
  }

  private static func choices(
    _ name: String?, _ setupCode: String?, _ matterVendor: UInt16?
  ) throws(SimulationFailure) -> PreparedAccessory.Choices {
    if let name, let problem = AccessoryProfile.problem(withName: name) { throw SimulationFailure(.malformed, problem) }
    guard let setupCode else { return PreparedAccessory.Choices(name: name, matterVendor: matterVendor) }
    do throws(SetupCodeError) {
      return PreparedAccessory.Choices(
        name: name, setupCode: try SetupCode(setupCode), matterVendor: matterVendor)
    } catch {
      throw SimulationFailure(.malformed, "\"\(setupCode)\": \(error)")
    }
  }

  private func serve(
    _ prepared: PreparedAccessory, in folder: StateFolder, port: UInt16,
    _ configure: (inout Simulation.Setting) -> Void, done: @escaping Done<ServedAccessory>
  ) throws(SimulationFailure) {
    // Each accessory has its own simulation, so a command without an accessory name applies to it. All share one
    // clock.
    var setting = Simulation.Setting(
      folder: folder, places: places, seed: seed,
      makeAdvertiser: { [responder] in responder?.makeAdvertiser() })
    // Set when the accessory is served.
    let listener = LoopBound(here: loop, Weak<ServedAccessory>(nil))
    setting.sink = { event in listener.value.object?.hear(event) }
    setting.tellsRequests = tellsRequests
    configure(&setting)
    let simulation = Simulation(setting, in: clock, on: loop)
    let ordinal = counts[prepared.key, default: 0] + 1
    let accessory: ServedAccessory
    do {
      accessory = ServedAccessory(
        try simulation.serve(prepared, port: port, ordinal: ordinal), of: simulation, in: clock, since: birth, on: loop)
    } catch { throw SimulationFailure(error) }
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
