import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWorld

/// One write of the hub to a device. It also has the execution, which a real request does not have.
struct HubWrite {
  /// The execution of a trigger's sets, or the end of its effect.
  struct Origin {
    let trigger: HomeObjectID
    let isEnd: Bool
    /// Unique for each action of the engine.
    let number: Int
    /// The time of the occurrence, as it was recorded.
    let occurrence: Instant
    /// The number of executions of the trigger that the hub had begun to record.
    let records: Int
  }

  let origin: Origin
  let action: HomeAction
}

/// The devices of the home, outside of the hub's process. They keep their values, and all writes with their times.
final class HubBoard {
  /// The times of packets, in nanoseconds.
  static let latency = 1_000_000...50_000_000 as ClosedRange<UInt64>

  private let agenda: Agenda
  private let devices: [HomeObjectID: Int]
  private var random: WorldRandom
  private(set) var values: [HomeObjectID: Value]
  /// Counts the connections of each device. A packet of an earlier one is dropped.
  private var connections = [Int](repeating: 0, count: HubPopulation.deviceCount)
  private(set) var isReachable = [Bool](repeating: true, count: HubPopulation.deviceCount)
  /// The arrival of the last packet in each direction of a device: packets arrive in order.
  private var lastArrivals = [UInt64](repeating: 0, count: 2 * HubPopulation.deviceCount)
  let ledger: HubLedger
  /// Receives an event of a device.
  var onEvent: ((HomeObjectID, Value) -> Void)?

  init(_ population: HubPopulation, _ agenda: Agenda, _ random: WorldRandom, _ ledger: HubLedger) {
    (self.agenda, self.random, self.ledger) = (agenda, random, ledger)
    (devices, values) = (population.devices, population.values)
  }

  func device(_ id: HomeObjectID) -> Int { devices[id]! }

  // MARK: Packets

  /// Delivers a packet after its time on the network, unless the connection is lost meanwhile.
  private func deliver(_ device: Int, toHub: Bool, _ body: @escaping () -> Void) {
    guard isReachable[device] else { return }
    let direction = 2 * device + (toHub ? 1 : 0)
    let least = agenda.now + Self.latency.lowerBound + random.upTo(Self.latency.upperBound - Self.latency.lowerBound)
    let arrival = max(least, lastArrivals[direction] + 1)
    lastArrivals[direction] = arrival
    let connection = connections[device]
    agenda.schedule(at: arrival) { [self] in
      if connections[device] == connection, isReachable[device] { body() }
    }
  }

  /// Sends a write. `done` is called when the hub gets the answer, which can be never.
  func send(_ write: HubWrite, done: @escaping () -> Void) {
    ledger.sent(write, at: agenda.now)
    let device = device(write.action.characteristic)
    deliver(device, toHub: false) { [self] in
      values[write.action.characteristic] = write.action.value
      ledger.applied(write, at: agenda.now)
      deliver(device, toHub: true, done)
    }
  }

  /// Reads a value. `done` is called when the hub gets the answer, which can be never.
  func read(_ id: HomeObjectID, done: @escaping (Value) -> Void) {
    deliver(device(id), toHub: false) { [self] in
      let value = values[id]!
      deliver(device(id), toHub: true) { done(value) }
    }
  }

  // MARK: Surroundings

  /// Changes the value of a sensor, or presses a button.
  func change(_ sensor: HubPopulation.Sensor, to value: Value) {
    ledger.changed(sensor, from: values[sensor.id]!, to: value, at: agenda.now)
    if sensor.kind != .button { values[sensor.id] = value }
    deliver(sensor.device, toHub: true) { [self] in onEvent?(sensor.id, value) }
  }

  func setReachable(_ device: Int, _ isReachable: Bool) {
    connections[device] += 1
    self.isReachable[device] = isReachable
  }
}
