import HAPAttributes
import HAPModel
import HAPWire

@testable import HAPDevices

/// A device, a database and a manual clock: does what the shell does for a device, without the shell.
final class VirtualWorld {
  private(set) var database: AttributeDatabase
  private(set) var now = Duration.zero
  private let device: any Device
  private var random: SimulationRandom
  private var timers: [Int: Duration] = [:]
  /// Changes since the last call of `changes()`, such as "1.10=2".
  private var log: [String] = []

  init(
    _ database: AttributeDatabase, behaviours: [AttributeID: String] = [:], seed: UInt64 = 1,
    registry: BehaviourRegistry = .standard, files: ReplayFiles? = nil
  ) {
    self.database = database
    random = SimulationRandom(seed: seed)
    let nodes = behaviours.mapValues { try! JSONNode.parse(Array($0.utf8)) }
    device = registry.device(
      for: database, parameters: registry.parameters(for: database, nodes: nodes, files: files))
    visit { $0.start(&$1) }
  }

  var pendingTimers: Int { timers.count }

  /// Returns the changes since the last call, in order.
  func changes() -> [String] {
    defer { log = [] }
    return log
  }

  subscript(id: AttributeID) -> Value? { database[id] }

  /// Performs a controller's write.
  func write(_ id: AttributeID, _ value: Value) {
    database[id] = value
    visit { $0.written(ServiceWrite(first: .init(id, value)), &$1) }
  }

  /// Performs one request's writes to one service.
  func write(_ first: (AttributeID, Value), _ others: (AttributeID, Value)...) {
    for (id, value) in [first] + others { database[id] = value }
    let write = ServiceWrite(first: .init(first.0, first.1), others: others.map { .init($0.0, $0.1) })
    visit { $0.written(write, &$1) }
  }

  func physical(_ action: PhysicalAction, at service: AttributeID? = nil) throws(CommandError) {
    try command(.physical(action, service: service))
  }

  func command(_ command: DeviceCommand) throws(CommandError) {
    var failure: CommandError?
    visit { device, context in
      do throws(CommandError) { try device.command(command, &context) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func setByHand(_ id: AttributeID, _ value: Value) throws(CommandError) { try command(.set(id, value)) }

  /// Performs a controller's read.
  func read(_ id: AttributeID) -> Value? {
    if device.live.contains(id) { visit { $0.read([id], ticket: Ticket(number: 1), &$1) } }
    return database[id]
  }

  /// Advances time; due timers fire in order of their deadlines.
  func pass(_ duration: Duration) {
    let end = now + duration
    while let (token, due) = timers.min(by: { $0.value < $1.value }), due <= end {
      now = max(now, due)
      timers[token] = nil
      visit { $0.timerFired(token, &$1) }
    }
    now = end
  }

  /// Advances time without firing timers, as if the machine were blocked.
  func sleep(_ duration: Duration) { now += duration }

  func fire(_ token: Int) { visit { $0.timerFired(token, &$1) } }

  private func visit(_ body: (any Device, inout DeviceContext) -> Void) {
    let snapshot = database
    var context = DeviceContext(now: now, random: random) { id in
      snapshot.slot(of: id).map { snapshot.characteristics[$0] }
    }
    body(device, &context)
    random = context.random
    for action in context.actions {
      switch action {
      case .set(let id, let value):
        database[id] = value
        log.append("\(id)=\(value.text)")
      case .schedule(let token, let delay): timers[token] = now + delay
      case .cancel(let token): timers[token] = nil
      case .answerRead(let id, .success(let value), _): database[id] = value
      case .answerRead, .answerWrite: break
      }
    }
  }
}
