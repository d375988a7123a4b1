import HAPModel
import HAPTransport
import HAPWire
import HAPWorld

// Changes of pairings: one at a time for each accessory, as with a single home app.
extension ControllerMachine {
  func pair(_ accessory: AccessoryMachine) async {
    guard isUp else { return }
    let ledger = accessory.ledger
    _ = await swarm.perform(.pair, accessory, self) {
      let connection = SwarmConnection(self, accessory, on: self.loop)
      let process = accessory.starts
      ledger.set(self.number, .unknown, at: self.swarm.now)
      do throws(ClientError) {
        try await connection.connect()
        let paired = try await connection.pair(self.identity, code: accessory.code)
        self.paired[accessory.number] = paired
        ledger.rightCode(isKnown: true)
        ledger.set(self.number, .yes(isAdmin: true), at: self.swarm.now)
        await connection.close()
      } catch {
        ledger.rightCode(isKnown: false)
        if case .unreachable = error { ledger.set(self.number, .no, at: self.swarm.now) }
        guard case .pairing(let failure) = error else { return }
        // A refusal means that nothing changed. If storing failed after M5, the pairing may exist after a crash.
        if failure.step < 6 { ledger.set(self.number, .no, at: self.swarm.now) }
        let isExplained =
          process != accessory.starts || failure.cause == .refused(PairingError.busy.rawValue)
          || failure.cause == .refused(PairingError.maxTries.rawValue)
          || !self.swarm.faults(of: accessory).isDisjoint(with: [.diskFull, .failingSync])
        if !isExplained { self.swarm.report(.pairingsAgree, "\(connection) can't pair: \(failure.cause)") }
      }
    }
  }

  func tryWrongCode(_ accessory: AccessoryMachine) async {
    guard isUp else { return }
    _ = await swarm.perform(.wrongCode, accessory, self) {
      let connection = SwarmConnection(self, accessory, on: self.loop)
      accessory.ledger.wrongCodeBegins()
      do throws(ClientError) {
        try await connection.connect()
        _ = try await connection.pair(self.identity, code: "987-65-432")
        self.swarm.report(.pairingsAgree, "\(connection) pairs with a wrong code")
      } catch {
        if case .pairing(let failure) = error, failure.cause == .refused(PairingError.authentication.rawValue) {
          accessory.ledger.wrongCodeRefused()
        }
      }
    }
  }

  func add(_ other: ControllerMachine, to accessory: AccessoryMachine) async {
    guard let connection = await connection(to: accessory) else { return }
    let ledger = accessory.ledger
    let isAdmin = random.chance(0.5)
    let request = Self.request(
      .addPairing,
      [
        (TLVType.identifier, other.identity.identifier), (TLVType.publicKey, other.identity.key.publicKey),
        (TLVType.permissions, [isAdmin ? 1 : 0]),
      ])
    await swarm.perform(.addPairing, accessory, self) {
      ledger.set(other.number, .unknown, at: self.swarm.now)
      await self.send(request, by: connection) { error in
        // A change that could not be stored may take effect after a crash.
        ledger.set(other.number, error == nil ? .yes(isAdmin: isAdmin) : .unknown, at: self.swarm.now)
        if error == nil { other.paired[accessory.number] = self.paired[accessory.number] }
      }
    }
  }

  func remove(_ other: ControllerMachine, from accessory: AccessoryMachine) async {
    guard let connection = await connection(to: accessory) else { return }
    let ledger = accessory.ledger
    let before = ledger.pairings
    let isLastAdmin = ledger.admins == [other.number]
    let request = Self.request(.removePairing, [(TLVType.identifier, other.identity.identifier)])
    await swarm.perform(.removePairing, accessory, self) {
      for number in isLastAdmin ? before.keys.sorted().filter({ before[$0] != .no }) : [other.number] {
        ledger.set(number, .unknown, at: self.swarm.now)
      }
      await self.send(request, by: connection) { error in
        guard error == nil else { return }
        if isLastAdmin { ledger.removeAllPairings() } else { ledger.set(other.number, .no, at: self.swarm.now) }
        other.paired[accessory.number] = nil
      }
    }
  }

  func listPairings(_ accessory: AccessoryMachine) async {
    guard let connection = await connection(to: accessory) else { return }
    let ledger = accessory.ledger
    await swarm.perform(.listPairings, accessory, self) {
      // A request without an answer may still arrive, but not at a later process.
      let isSettled = accessory.startTime > ledger.unknownSince
      try? await connection.send(.pairings(Self.request(.listPairings, []))) { message in
        guard case .success(let tlv) = ControllerConnection.tlv(.success(message), "POST /pairings"),
          tlv[TLVType.error] == nil
        else {
          return self.swarm.report(.answersAreSound, "\(connection): the pairings can't be listed")
        }
        guard connection.start == accessory.starts else { return }
        self.compare(tlv, with: accessory, isSettled: isSettled)
      }
    }
  }

  private func compare(_ list: TLV, with accessory: AccessoryMachine, isSettled: Bool) {
    var listed: [[UInt8]: Bool] = [:]
    var identifier: [UInt8] = []
    for item in list.items {
      if item.type == TLVType.identifier { identifier = item.value }
      if item.type == TLVType.permissions { listed[identifier] = item.value == [1] }
    }
    for controller in swarm.controllers {
      let isAdmin = listed[controller.identity.identifier]
      switch accessory.ledger.knowledge(of: controller.number) {
      case .unknown:
        guard isSettled else { continue }
        accessory.ledger.set(controller.number, isAdmin.map { .yes(isAdmin: $0) } ?? .no, at: swarm.now)
        if isAdmin != nil, controller.paired[accessory.number] == nil {
          controller.paired[accessory.number] = paired[accessory.number]
        }
      case .no where isAdmin != nil:
        swarm.report(
          .pairingsAgree, "accessory \(accessory.number) lists controller \(controller.number), which was removed")
      case .yes(let expected) where isAdmin != expected:
        swarm.report(
          .pairingsAgree,
          "accessory \(accessory.number) lists controller \(controller.number) as \(isAdmin.map { "admin \($0)" } ?? "not paired")"
        )
      default: break
      }
    }
  }

  private static func request(_ method: PairingMethod, _ items: [(type: UInt8, value: [UInt8])]) -> TLV {
    var request = TLV()
    request.append(TLVType.state, [1])
    request.append(TLVType.method, [method.rawValue])
    for item in items { request.append(item.type, item.value) }
    return request
  }

  /// - Parameter done: called with the answer's error item, or `nil` if it has none.
  private func send(_ request: TLV, by connection: SwarmConnection, done: @escaping (UInt8?) -> Void) async {
    let accessory = connection.accessory
    try? await connection.send(.pairings(request)) { [swarm] message in
      switch ControllerConnection.tlv(.success(message), "POST /pairings") {
      case .success(let tlv):
        let error = tlv[TLVType.error]?.first
        if let error, swarm.faults(of: accessory).isDisjoint(with: [.diskFull, .failingSync]) {
          swarm.report(.pairingsAgree, "\(connection): a change of pairings was refused with error \(error)")
        }
        done(error)
      case .failure(let error): swarm.report(.answersAreSound, "\(connection): \(error)")
      }
    }
  }

  func reset(_ accessory: AccessoryMachine) async {
    guard accessory.isResponsive else { return }
    _ = await swarm.perform(.factoryReset, accessory, self) {
      let isDone = await accessory.factoryReset()
      guard isDone == true else { return }
      for controller in self.swarm.controllers { controller.paired[accessory.number] = nil }
    }
  }
}
