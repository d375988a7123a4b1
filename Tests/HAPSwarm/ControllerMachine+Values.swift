import HAPIP
import HAPModel
import HAPTransport
import HAPWire
import HAPWorld

// Reads, writes, subscriptions, and actions of a person at the accessory.
extension ControllerMachine {
  /// Returns a random characteristic of the checked ones.
  private func choose(_ accessory: AccessoryMachine) -> Watched {
    let watched = accessory.ledger.watched
    return watched[Int(random.upTo(UInt64(watched.count - 1)))]
  }

  func read(_ accessory: AccessoryMachine) async {
    guard let connection = await connection(to: accessory) else { return }
    let ids = [choose(accessory).id]
    await swarm.perform(.read, accessory, self) { await self.read(ids, by: connection) }
  }

  /// Reads values and compares them with the writes.
  /// - Returns: the numbers of the values.
  @discardableResult
  func read(_ ids: [AttributeID], by connection: SwarmConnection) async -> [AttributeID: Int] {
    let accessory = connection.accessory
    let start = swarm.now
    var numbers: [AttributeID: Int] = [:]
    try? await connection.send(.read(ids)) { [swarm] message in
      guard message.status == 200 else {
        return swarm.report(.answersAreSound, "\(connection): a read was answered with status \(message.status)")
      }
      for entry in connection.entries(of: message) {
        guard let register = accessory.ledger.registers[entry.id], let number = entry.number else { continue }
        let index = register.watched.index(number)
        numbers[entry.id] = index
        guard connection.start == accessory.starts, !register.history.allows(index, from: start, to: swarm.now)
        else {
          continue
        }
        swarm.report(
          .writesAreKept,
          "\(connection): \(entry.id) reads \(number), but should be \(register.history.candidates(at: swarm.now).map { register.watched.value($0) })"
        )
      }
    }
    return numbers
  }

  func write(_ accessory: AccessoryMachine, isTimed: Bool) async {
    guard let connection = await connection(to: accessory) else { return }
    let watched = choose(accessory)
    guard let index = swarm.unusedValue(of: watched, at: accessory, for: number, &random) else { return }
    await swarm.perform(isTimed ? .timedWrite : .write, accessory, self) {
      await self.write(index, to: watched, by: connection, isTimed: isTimed)
    }
  }

  func write(_ index: Int, to watched: Watched, by connection: SwarmConnection, isTimed: Bool) async {
    let accessory = connection.accessory
    var pid: UInt64?
    if isTimed {
      pid = random.next() >> 1
      var isPrepared = false
      try? await connection.send(.prepare(ttl: 5000, pid: pid!)) { isPrepared = $0.status == 200 }
      guard isPrepared, connection.isUsable else { return }
    }
    let place = accessory.ledger.begin(watched.id, index, by: number, at: swarm.now)
    let start = swarm.now
    connection.willWrite(index, to: watched.id)
    try? await connection.send(.write([.init(watched.id, value: watched.value(index))], pid: pid)) { [swarm] message in
      // If the process has died in the meantime, any answer is valid.
      let isDone = message.status == 204
      accessory.ledger.finish(watched.id, place, isDone: isDone, at: swarm.now)
      if isDone {
        if connection.start == accessory.starts {
          swarm.expectEvents(of: watched.id, index, since: start, from: connection, at: accessory)
        }
      } else if !isTimed || !connection.entries(of: message).contains(where: { $0.status == -70410 }) {
        swarm.report(.answersAreSound, "\(connection): a write was answered with status \(message.status)")
      }
    }
  }

  func subscribe(_ accessory: AccessoryMachine, isOn: Bool) async {
    guard let connection = await connection(to: accessory) else { return }
    let id = choose(accessory).id
    await swarm.perform(isOn ? .subscribe : .unsubscribe, accessory, self) {
      await self.subscribe(to: id, isOn: isOn, by: connection)
    }
  }

  func subscribe(to id: AttributeID, isOn: Bool, by connection: SwarmConnection) async {
    if isOn || connection.subscriptions[id] != nil { connection.willChangeSubscription(to: id) }
    try? await connection.send(.write([.init(id, ev: isOn)])) { [swarm] message in
      guard message.status == 204 else {
        return swarm.report(
          .answersAreSound, "\(connection): a subscription was answered with status \(message.status)")
      }
      connection.subscriptionChanged(to: id, isOn: isOn)
    }
  }

  func readDatabase(_ accessory: AccessoryMachine) async {
    guard let connection = await connection(to: accessory) else { return }
    await swarm.perform(.database, accessory, self) {
      let swarm = self.swarm
      try? await connection.send(.accessories) { message in
        if message.status != 200 || (try? AccessoryMirror(message.body)) == nil {
          swarm.report(.answersAreSound, "\(connection): GET /accessories was answered with status \(message.status)")
        }
      }
    }
  }

  func close(_ accessory: AccessoryMachine) async {
    guard let connection = connections[accessory.number], connection.isUsable else { return }
    await swarm.perform(.close, accessory, self) { await connection.close() }
  }

  // MARK: At the accessory

  func setByHand(_ accessory: AccessoryMachine) {
    guard accessory.isResponsive else { return }
    let watched = choose(accessory)
    guard let index = swarm.unusedValue(of: watched, at: accessory, for: swarm.everyone.count, &random) else { return }
    swarm.note(.set, accessory, self)
    setByHand(index, watched, accessory)
  }

  func setByHand(_ index: Int, _ watched: Watched, _ accessory: AccessoryMachine) {
    let start = swarm.now
    let place = accessory.ledger.begin(watched.id, index, by: swarm.everyone.count, at: start)
    let isDone = accessory.command(
      "{\"command\":\"set\",\"characteristic\":\"\(watched.id)\",\"value\":\(watched.text(index))}")
    guard let isDone else { return }
    accessory.ledger.finish(watched.id, place, isDone: isDone, at: start)
    if isDone {
      swarm.expectEvents(of: watched.id, index, since: start, from: nil, at: accessory)
    } else if !accessory.isBeingPaired {
      // No reset is in progress either, because a reset sets `isBeingPaired` too.
      swarm.report(.answersAreSound, "accessory \(accessory.number): a value can't be set by hand")
    }
  }

  func reconfigure(_ accessory: AccessoryMachine) async {
    guard accessory.isResponsive, accessory.profile.revision < 3, !accessory.isBeingPaired else { return }
    accessory.isBeingPaired = true
    _ = await swarm.perform(.reconfigure, accessory, self) {
      if let number = await accessory.reconfigure() { accessory.ledger.reconfigured(number, accessory) }
    }
    accessory.isBeingPaired = false
  }
}

extension Watched {
  /// Returns the value in JSON.
  func text(_ index: Int) -> String {
    switch value(index) {
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    default: "null"
    }
  }
}

extension SwarmConnection {
  /// Returns the entries of an answer; empty without a body.
  func entries(of message: LinkMessage) -> [CharacteristicEntry] {
    guard !message.body.isEmpty else { return [] }
    var reader = AttributeReader()
    do throws(JSONProblem) { return try CharacteristicEntry.list(message.body, &reader) } catch {
      accessory.swarm.report(.answersAreSound, "\(self): an answer can't be read: \(error.message)")
      return []
    }
  }
}

// HAP for the controllers of another protocol.
extension SwarmRun {
  /// Returns a connection of any paired controller; `nil`: there is none.
  private func connectionOverHAP(to accessory: AccessoryMachine) async -> SwarmConnection? {
    for controller in controllers where controller.paired[accessory.number] != nil {
      if let connection = await controller.connection(to: accessory) { return connection }
    }
    return nil
  }

  /// Reads the checked values.
  /// - Returns: the numbers of the values; `nil`: no controller is paired.
  package func readOverHAP(_ accessory: AccessoryMachine) async -> [AttributeID: Int]? {
    guard let connection = await connectionOverHAP(to: accessory) else { return nil }
    return await connection.controller.read(accessory.ledger.watched.map(\.id), by: connection)
  }

  /// Writes a value that was not written before.
  package func writeOverHAP(_ id: AttributeID, _ accessory: AccessoryMachine) async {
    guard let watched = accessory.ledger.registers[id]?.watched,
      let connection = await connectionOverHAP(to: accessory),
      let index = unusedValue(of: watched, at: accessory, for: connection.controller.number, &random)
    else { return }
    await connection.controller.write(index, to: watched, by: connection, isTimed: false)
  }
}
