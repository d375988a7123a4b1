import HAPAlmanac
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

/// A random home with random executions, answers, losses and times. It keeps its own books of what each write should
/// end as, and records each difference. Each action has its own value, which identifies it in a PUT.
struct SceneWorld {
  /// A write of an execution that has not ended.
  struct Write {
    let ticket: SceneTicket
    let device: DeviceID
    let isTimed: Bool
    var isSent = false
    /// How it ended; nil: open, or not sent.
    var outcome: String?
  }

  /// An execution that has not ended.
  struct Execution {
    let actions: [HomeAction]
    let start: Duration
    var puts: [String: Int] = [:]
  }

  var bench: SceneBench
  var generator: SeededGenerator
  var characteristics: [HomeAction] = []
  var devices: [DeviceID] = []
  var sets: [HomeObjectID] = []
  /// The next value that no action has.
  var nextValue: Int128 = 1
  var writes: [Value: Write] = [:]
  var executions: [SceneTicket: Execution] = [:]
  /// The PUT without an answer of each connection.
  var outstanding: [DeviceID: ScenePut] = [:]
  var sentAt: [ScenePut.ID: Duration] = [:]
  /// The execution of the last PUT of each connection.
  var lastTicket: [DeviceID: SceneTicket] = [:]
  /// The last time at which a connection was not ready.
  var lastTrouble: [DeviceID: Duration] = [:]
  var puts = 0
  var differences: [String] = []
  /// How often each kind of outcome occurred.
  var seen: [String: Int] = [:]
  private var handled = (puts: 0, ended: 0)

  init(seed: UInt64) throws {
    bench = try SceneBench()
    generator = SeededGenerator(seed: seed)
    for number in 1...UInt8.random(in: 1...4, using: &generator) { try addDevice(number) }
    for number in 1...Int.random(in: 1...5, using: &generator) {
      let set = HomeObjectID.random(using: &generator)
      let actions = randomActions()
      let name = try HomeName.checked("Set \(number)", HomePolicy())
      bench.bench.model.apply([
        HomeChange(bench.home, .actionSetAdded(ActionSet(id: set, name: name, kind: .userDefined))),
        HomeChange(bench.home, .actionsChanged(set, actions)),
      ])
      sets.append(set)
    }
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

  /// Adds a device with up to 3 bridged accessories of up to 120 characteristics, a quarter of them timed.
  private mutating func addDevice(_ number: UInt8) throws {
    let count = UInt64.random(in: 1...4, using: &generator)
    let accessories = (1...count).map { aid in
      let size = [2, 20, 120].randomElement(using: &generator)!
      let list = (0..<size).map { index in
        Characteristic(
          iid: UInt64(100 + index), type: TypeID(apple: UInt32(0x900 + index)), format: .uint32,
          perms: chance(25) ? [.pairedWrite, .timedWrite] : .pairedWrite)
      }
      return Accessory.with(aid: aid, "D\(number)A\(aid)", [Service(iid: 50, type: 0x43, characteristics: list)])
    }
    try bench.bench.perform(.addDevice(home: bench.home, .device(number, accessories)))
    let added = bench.model.home(bench.home)!.accessories.filter { $0.deviceID.bytes[5] == number }
    devices.append(added[0].deviceID)
    for accessory in added {
      for characteristic in accessory.services.last!.characteristics {
        characteristics.append(HomeAction(characteristic.id, .null))
      }
    }
  }

  private mutating func randomActions() -> [HomeAction] {
    let share = Int.random(in: 0...100, using: &generator)
    return characteristics.compactMap { action in
      guard chance(share) else { return nil }
      nextValue += 1
      return HomeAction(action.characteristic, .integer(nextValue))
    }
  }

  // MARK: Events

  mutating func randomEvent() {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...1:
      start(.actionSets(sets.shuffled(using: &generator).prefix(chance(50) ? 1 : 3).map { $0 }, trigger: nil))
    case 2: start(.writes(home: bench.home, randomActions()))
    case 3...6: answer()
    case 7...8: changeConnection()
    default:
      let step = [0.1, 1, 2, 4, 10].randomElement(using: &generator)!
      pass(.seconds(step))
    }
    if let deadline = bench.run.nextDeadline, deadline <= bench.uptime { note("a deadline is in the past") }
  }

  private mutating func start(_ request: SceneRequest) {
    let list: [HomeAction]
    switch request {
    case .actionSets(let ids, trigger: _):
      let home = bench.model.home(bench.home)!
      list = ids.filter { !bench.run.running.contains($0) }.flatMap { home.actionSets.find($0)!.actions }
    case .writes(home: _, let writes): list = writes
    }
    let targets = bench.model.home(bench.home)!.targets(Set(list.map(\.characteristic)))
    elapse(.zero)
    let ticket = try? bench.run.start(request, in: bench.model, bench.context(), at: bench.time)
    if (ticket == nil) != list.isEmpty { note("a start with \(list.count) actions gave \(ticket as Any)") }
    if let ticket {
      executions[ticket] = Execution(actions: list, start: bench.uptime)
      for action in list {
        let target = targets[action.characteristic]!
        writes[action.value] = Write(
          ticket: ticket, device: target.device,
          isTimed: target.characteristic.permissions.contains(.timedWrite))
      }
    }
    collect()
  }

  private mutating func answer() {
    guard let put = outstanding.values.sorted(by: { $0.id.device < $1.id.device }).randomElement(using: &generator)
    else { return }
    let kinds: [SceneAnswer] = [
      .done, .done, .statuses([]), .refused(status: -70403), .notSent, .connectionLost, .unreadable, .wrongSignature,
    ]
    // The answer is also the first input after this time.
    elapse(.seconds(Int.random(in: 0...4, using: &generator)))
    var answer = kinds.randomElement(using: &generator)!
    if answer == .statuses([]) {
      answer = put.statuses(put.entries.map { _ in chance(80) ? 0 : -70402 })
    }
    outstanding[put.id.device] = nil
    switch answer {
    case .done: expect(put) { _ in "done" }
    case .statuses(let list):
      expect(put) { index in list[index].status == 0 ? "done" : "refused" }
    case .refused: expect(put) { _ in "refused" }
    case .notSent: expect(put) { _ in "not sent" }
    case .connectionLost, .unreadable, .wrongSignature: expect(put) { _ in "unknown" }
    }
    if [.notSent, .connectionLost, .wrongSignature].contains(answer) { isConnecting(put.id.device) }
    bench.run.answered(put.id, answer, at: bench.time)
    collect()
    // An answer that comes twice, or after another one, changes nothing.
    bench.run.answered(put.id, .connectionLost, at: bench.time)
    collect()
  }

  private mutating func changeConnection() {
    let device = devices.randomElement(using: &generator)!
    let state = [SceneConnection.ready, .ready, .connecting, .ended].randomElement(using: &generator)!
    if state != .ready {
      lastTrouble[device] = bench.uptime
      if let put = outstanding.removeValue(forKey: device) { expect(put) { _ in "unknown" } }
    }
    bench.connections[device] = state
    bench.run.connection(device, is: state, at: bench.time)
    collect()
  }

  mutating func pass(_ duration: Duration) {
    elapse(duration)
    bench.run.advance(to: bench.time)
    collect()
  }

  private mutating func elapse(_ duration: Duration) {
    bench.uptime += duration
    for device in devices where bench.connections[device, default: .ready] != .ready {
      lastTrouble[device] = bench.uptime
    }
  }

  // MARK: Books

  mutating func note(_ difference: String) { differences.append(difference) }

  private mutating func isConnecting(_ device: DeviceID) {
    bench.connections[device] = .connecting
    lastTrouble[device] = bench.uptime
  }

  private mutating func expect(_ put: ScenePut, _ outcome: (Int) -> String) {
    for (index, entry) in put.entries.enumerated() {
      if writes[entry.value]?.outcome != nil { note("two outcomes of \(entry)") }
      writes[entry.value]?.outcome = outcome(index)
    }
  }

  private mutating func collect() {
    for action in bench.run.takeActions() {
      switch action {
      case .put(let put): check(put)
      case .giveUp(let id):
        guard let put = outstanding.removeValue(forKey: id.device), put.id == id else {
          note("\(id) is given up and was not sent")
          continue
        }
        if bench.uptime - sentAt[id]! < .seconds(10) { note("\(id) is given up early") }
        expect(put) { _ in "unknown" }
        isConnecting(id.device)
      case .ended(let ticket, let result, let changes): check(ticket, result, changes)
      }
    }
    for (device, put) in outstanding where bench.uptime - sentAt[put.id]! >= .seconds(10) {
      note("\(device) has a PUT without an answer for 10 s")
    }
  }

  private mutating func check(_ put: ScenePut) {
    let device = put.id.device
    puts += 1
    if bench.connections[device, default: .ready] != .ready { note("\(device) is not ready, and a PUT is sent") }
    if outstanding.updateValue(put, forKey: device) != nil { note("\(device) has two PUTs") }
    if sentAt.updateValue(bench.uptime, forKey: put.id) != nil { note("\(put.id) is sent twice") }
    if !(1...100).contains(put.entries.count) { note("a PUT has \(put.entries.count) entries") }
    if Set(put.entries.map(\.id)).count < put.entries.count { note("a PUT has an entry twice") }
    var tickets: Set<SceneTicket> = []
    for entry in put.entries {
      guard let write = writes[entry.value] else {
        note("\(entry) belongs to no execution")
        continue
      }
      if write.isSent { note("\(entry) is sent twice") }
      if write.device != device || write.isTimed != put.isTimed { note("\(entry) is in a wrong PUT") }
      writes[entry.value]!.isSent = true
      tickets.insert(write.ticket)
    }
    guard let ticket = tickets.first, tickets.count == 1 else { return note("a PUT has writes of two executions") }
    if let last = lastTicket[device], last > ticket { note("\(device): \(ticket) is sent after \(last)") }
    lastTicket[device] = ticket
    executions[ticket]?.puts["\(device) \(put.isTimed)", default: 0] += 1
  }

  private mutating func check(_ ticket: SceneTicket, _ result: SceneResult, _ changes: [HomeChange]) {
    guard let execution = executions.removeValue(forKey: ticket) else { return note("\(ticket) ends twice") }
    if result.actions.map(\.action) != execution.actions { note("\(ticket) has other actions") }
    for (action, text) in zip(result.actions, result.outcomes) {
      let write = writes[action.action.value]!
      let expected = write.outcome ?? "not sent"
      seen[expected, default: 0] += 1
      if !text.hasPrefix(expected) { note("\(action.action) is \(text) instead of \(expected)") }
      if write.isSent, write.outcome == nil { note("\(action.action) ends without an answer") }
      if !write.isSent, lastTrouble[write.device, default: .zero] < execution.start {
        note("\(action.action) is not sent although there was a connection")
      }
    }
    checkCount(execution)
    for action in execution.actions { writes[action.value] = nil }
    if Set(changes).count < changes.count || changes.contains(where: { $0.home != bench.home }) { note("\(changes)") }
  }

  /// Checks that the PUTs of an execution were as few as possible.
  private mutating func checkCount(_ execution: Execution) {
    let groups = Dictionary(grouping: execution.actions) { action in
      let write = writes[action.value]!
      return "\(write.device) \(write.isTimed)"
    }
    for (key, actions) in groups {
      let least = (actions.count + 99) / 100
      let isComplete = actions.allSatisfy { writes[$0.value]!.isSent }
      let values = Dictionary(grouping: actions, by: \.characteristic).values.map(\.count).max()!
      let count = execution.puts[key, default: 0]
      // Different values of one characteristic are in different PUTs.
      let expected = max(least, values)
      if isComplete ? count != expected : count > expected {
        note("\(count) PUTs for \(actions.count) writes, at most \(values) of a characteristic")
      }
    }
  }
}
