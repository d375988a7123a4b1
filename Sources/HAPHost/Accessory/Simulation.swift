import HAPFrontEnds
import HAPDevices
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPPreparation
import HAPProfile
import HAPStore

/// The accessories that one process serves on one loop with one clock; with several loops, the loop's share.
/// Accessories can be added and removed while it runs.
///
/// Belongs to the loop's thread.
// Safe: `init` traps on any other thread. `CommandDispatcher`, `ServedRun` and `SimulatorCore` use a simulation only in
// work that they give to its loop. `ControlAPI` uses it as an actor of the loop, or in such work. The accessories in it
// are actors of the loop. They are entered by `assumeIsolated`, which traps on another thread.
package final class Simulation: @unchecked Sendable {
  /// The maximum number of connections that wait at one port of an accessory for a free slot.
  package static let mostWaitingConnections = IPFrontEnd.mostWaiting

  /// The settings that all accessories of a simulation share.
  package struct Setting {
    /// Where the accessories store their state.
    package var folder: StateFolder
    package var places: [ListeningPlace]
    /// The choices for accessories that are added later.
    package var choices: PreparedAccessory.Choices
    package var seed: UInt64
    /// `nil`: they are not announced.
    package var makeAdvertiser: () -> (any Advertiser)?
    /// Returns the recorder for one start of an accessory. The numbers of the accessory and of the start begin at 1.
    /// `nil`: no start is recorded.
    package var capture: (@Sendable (_ accessory: Int, _ start: Int) -> CaptureMaker)?
    package var sink: (@Sendable (SimulatorEvent) -> Void)?
    /// See `ServingTerms`.
    package var tellsAll: Bool
    /// See `ServingTerms`.
    package var tellsRequests = false
    /// See `ServingTerms`.
    package var observation: (any RunObservation)?
    /// See `ServingTerms`.
    package var frontEnds: [FrontEndChoice] = [.ip]
    /// Numbers accessories that are added later, if other simulations of the process have accessories too; `nil`:
    /// there are none.
    package var nextNumber: (@Sendable () -> Int)?

    package init(
      folder: StateFolder, places: [ListeningPlace], choices: PreparedAccessory.Choices = .init(), seed: UInt64 = 0,
      makeAdvertiser: @escaping () -> (any Advertiser)? = { nil },
      sink: (@Sendable (SimulatorEvent) -> Void)? = nil, tellsAll: Bool = true
    ) {
      self.folder = folder
      self.places = places
      self.choices = choices
      self.seed = seed
      self.makeAdvertiser = makeAdvertiser
      self.sink = sink
      self.tellsAll = tellsAll
    }
  }

  package let loop: EventLoop
  package let clock: SimulationClock
  package private(set) var accessories: [SimulatedAccessory] = []
  /// The address of this process's page, which `list` reports; `nil`: it has none.
  package var pageAddress: String?
  private var setting: Setting
  private let startReporting: Reporting
  /// The number of accessories ever served.
  private var count = 0
  private var hasStopped = false
  /// The port of the accessory that was served last.
  private var lastPort: UInt16 = 0

  package init(_ setting: Setting, in clock: SimulationClock, on loop: EventLoop) {
    loop.preconditionOnLoop()
    self.setting = setting
    startReporting = setting.reporting
    self.clock = clock
    self.loop = loop
  }

  /// Serves an accessory.
  /// - Parameters:
  ///   - port: 0 for any.
  ///   - number: its number among all accessories of the process, from 1; `nil`: the next one.
  ///   - ordinal: its number, from 1, among accessories that have the same key and belong to different simulations.
  ///     Its randomness starts from `ordinal`, the key and `seed`.
  /// - Throws: `LoopError`; the accessory is not added.
  @discardableResult
  package func serve(
    _ prepared: PreparedAccessory, port: UInt16, number: Int? = nil, ordinal: Int = 1
  ) throws -> SimulatedAccessory {
    let number = number ?? nextNumber()
    let accessory = SimulatedAccessory(prepared, number: number, on: loop)
    let (port, held) = port == 0 ? nextPort() : (port, [])
    var terms = ServingTerms(
      places: setting.places, port: port, clock: clock,
      chance: AccessoryChance(seed: setting.seed, key: prepared.key, ordinal: ordinal), sink: setting.sink,
      tellsAll: setting.tellsAll)
    terms.observation = setting.observation
    terms.frontEnds = setting.frontEnds
    terms.tellsRequests = setting.tellsRequests
    if let capture = setting.capture { terms.capture = { start in capture(number, start) } }
    let makeAdvertiser = LoopBound(here: loop, setting.makeAdvertiser)
    let given = terms
    try accessory.assumeIsolated { (accessory: isolated SimulatedAccessory) throws -> Void in
      do {
        try withExtendedLifetime(HeldPort.keep(held)) {
          lastPort = try accessory.start(given) { makeAdvertiser.value() }
        }
      } catch {
        accessory.stop()
        throw error
      }
    }
    count += 1
    accessories.append(accessory)
    return accessory
  }

  /// Returns a port for one of many accessories, reserved until it listens there; 0: any that the system assigns. To
  /// assign a port, the system searches the used ports one by one, which takes a millisecond with thousands of them.
  /// The next port is usually free.
  private func nextPort() -> (port: UInt16, held: [HeldPort]) {
    guard accessories.count > Self.few, lastPort > 0 else { return (0, []) }
    for port in UInt32(lastPort) + 1...UInt32(lastPort) + 32 where port <= Self.lastGiven {
      if let held = HeldPort.hold(UInt16(port), in: setting.places, of: loop) { return (UInt16(port), held) }
    }
    return (0, [])
  }

  /// Up to this number, accessories have ports that the system assigns.
  private static let few = 100
  /// The last port that Linux assigns by itself.
  private static let lastGiven: UInt32 = 60_999

  private func nextNumber() -> Int { setting.nextNumber?() ?? count + 1 }

  /// Adds an accessory, at any free port.
  /// - Parameters:
  ///   - read: reads its profile; called off the loop.
  ///   - done: called on the loop.
  package func add(
    _ read: @escaping @Sendable () throws -> AccessoryProfile,
    done: @escaping (Result<SimulatedAccessory, CommandError>) -> Void
  ) {
    let folder = setting.folder
    let choices = setting.choices
    let random = loop.random
    loop.offload {
      Result { () throws(CommandError) in
        do {
          return try PreparedAccessory(try read(), in: folder, choices: choices, random: random)
        } catch { throw CommandError(preparing: error) }
      }
    } then: { [self] (result: Result<PreparedAccessory, CommandError>) in
      done(
        Result { () throws(CommandError) in
          let prepared = try result.get()
          guard !hasStopped else {
            prepared.close()
            throw CommandError(.failed, "the simulation has ended")
          }
          do {
            let accessory = try serve(prepared, port: 0)
            tell(of: accessory, .added)
            return accessory
          } catch { throw CommandError(preparing: error) }
        })
    }
  }

  /// Stops an accessory and removes it. Its stored state stays in the folder.
  package func remove(_ accessory: SimulatedAccessory) {
    guard accessories.contains(where: { $0 === accessory }) else { return }
    accessory.assumeIsolated { $0.stop() }
    accessories.removeAll { $0 === accessory }
    tell(of: accessory, .removed)
  }

  private func tell(of accessory: SimulatedAccessory, _ kind: SimulatorEvent.Kind) {
    guard let sink = setting.sink, setting.tellsAll else { return }
    var event = accessory.assumeIsolated { SimulatorEvent(accessory: $0.name, kind) }
    event.number = accessory.assumeIsolated { $0.number }
    sink(event)
  }

  /// Reports every event from now on, including requests.
  package func tellEverything() { setReporting(.everything) }

  /// Reports the events that were chosen at the start.
  package func tellAsAtStart() { setReporting(startReporting) }

  private func setReporting(_ reporting: Reporting) {
    guard reporting != setting.reporting else { return }
    setting.reporting = reporting
    for accessory in accessories { accessory.assumeIsolated { $0.setReporting(reporting) } }
  }

  /// Stops every accessory and the clock. May be called repeatedly.
  package func stop() {
    hasStopped = true
    for accessory in accessories { accessory.assumeIsolated { $0.stop() } }
    clock.close()
  }
}

/// Which events the sink receives besides failures.
struct Reporting: Equatable, Sendable {
  static let everything = Reporting(all: true, requests: true)

  /// All kinds except requests.
  var all: Bool
  var requests: Bool
}

extension Simulation.Setting {
  fileprivate var reporting: Reporting {
    get { Reporting(all: tellsAll, requests: tellsRequests) }
    set { (tellsAll, tellsRequests) = (newValue.all, newValue.requests) }
  }
}
