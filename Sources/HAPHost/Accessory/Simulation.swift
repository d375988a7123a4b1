import HAPFrontEnds
import HAPDevices
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPPreparation
import HAPProfile
import HAPStore

/// The accessories that one process serves on one loop and in one time; with several loops, its share of them. They may come and go while it runs.
///
/// Belongs to the loop's thread.
// Safe: `init` traps on any other thread. Its users are objects of the same loop: `CommandDispatcher`, `ServedRun` and `SimulatorCore` by work that they
// give to the loop, `ControlAPI` as its actor or by
// work that it gives to the loop. The accessories in it are actors of the loop, and enter them by `assumeIsolated`, which traps elsewhere.
package final class Simulation: @unchecked Sendable {
  /// The most connections that wait at one port of an accessory until one of its slots is free.
  package static let mostWaitingConnections = IPFrontEnd.mostWaiting

  /// What all accessories of a simulation have in common.
  package struct Setting {
    /// Where they keep what they are to remember.
    package var folder: StateFolder
    package var places: [ListeningPlace]
    /// For those that come later.
    package var choices: PreparedAccessory.Choices
    package var seed: UInt64
    /// Nil: they are not announced.
    package var makeAdvertiser: () -> (any Advertiser)?
    /// Records a start of an accessory, both counted from 1; nil: none is recorded.
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
    /// Counts accessories that come later where other simulations of the process have some, too; nil: there are none.
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
  /// The address of this process's page; nil: it has none. `list` reports it.
  package var pageAddress: String?
  private var setting: Setting
  private let startReporting: Reporting
  /// How many there ever were.
  private var count = 0
  private var hasStopped = false
  /// Of the accessory that was served last.
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
  ///   - number: its place among all accessories of the process, from 1; nil: behind the others.
  ///   - ordinal: among accessories that are kept by the same key and have a simulation each, from 1: its chance begins with it, the key and `seed`.
  /// - Throws: `LoopError`; the accessory is nobody's then.
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
    let advertiser = LoopBound(here: loop, setting.makeAdvertiser())
    let given = terms
    try accessory.assumeIsolated { (accessory: isolated SimulatedAccessory) throws -> Void in
      do {
        try withExtendedLifetime(HeldPort.keep(held)) {
          lastPort = try accessory.start(given, advertiser: advertiser.value)
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

  /// A port for one more of many, held until it listens there; 0: any that the system gives. To give one it looks through those that are taken, one by one,
  /// which takes a millisecond when they are thousands: the next one is most often free.
  private func nextPort() -> (port: UInt16, held: [HeldPort]) {
    guard accessories.count > Self.few, lastPort > 0 else { return (0, []) }
    for port in UInt32(lastPort) + 1...UInt32(lastPort) + 32 where port <= Self.lastGiven {
      if let held = HeldPort.hold(UInt16(port), in: setting.places, of: loop) { return (UInt16(port), held) }
    }
    return (0, [])
  }

  /// So many have whatever port the system gives them.
  private static let few = 100
  /// The last port of those that Linux gives by itself.
  private static let lastGiven: UInt32 = 60_999

  private func nextNumber() -> Int { setting.nextNumber?() ?? count + 1 }

  /// Serves one more accessory, at any free port.
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

  /// Stops an accessory and has it no more. What it keeps stays in the folder.
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

  /// Reports every event from now on, requests included.
  package func tellEverything() { setReporting(.everything) }

  /// Reports what the setting chose at the start.
  package func tellAsAtStart() { setReporting(startReporting) }

  private func setReporting(_ reporting: Reporting) {
    guard reporting != setting.reporting else { return }
    setting.reporting = reporting
    for accessory in accessories { accessory.assumeIsolated { $0.setReporting(reporting) } }
  }

  /// Stops every accessory, and time. Any number of times.
  package func stop() {
    hasStopped = true
    for accessory in accessories { accessory.assumeIsolated { $0.stop() } }
    clock.close()
  }
}

/// Which events the sink receives besides failures.
struct Reporting: Equatable, Sendable {
  static let everything = Reporting(all: true, requests: true)

  /// All kinds but requests.
  var all: Bool
  var requests: Bool
}

extension Simulation.Setting {
  fileprivate var reporting: Reporting {
    get { Reporting(all: tellsAll, requests: tellsRequests) }
    set { (tellsAll, tellsRequests) = (newValue.all, newValue.requests) }
  }
}
