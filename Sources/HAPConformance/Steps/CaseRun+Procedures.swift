import HAPCrypto
import HAPExpectation
import HAPIP
import HAPModel
import HAPPairing
import HAPSuite
import HAPWire

extension CaseRun {
  func pair(_ pair: PairSetupRun) async throws {
    let controller = try controller(pair.controller)
    guard let code = pair.code ?? device.code else { throw CaseSkip(reason: "the setup code is not known") }
    let (setup, answer) = try await pairSetup(
      on: pair.on, as: controller, code: code, until: pair.last, reconnects: pair.mayReconnect)
    setups[pair.procedure] = setup
    let view = AnswerView(arrival: .message(answer), took: .zero)
    save(pair.save, from: [.pairSetup]) { view.value($0) }
    guard pair.last == .m6, let identity = setup.accessory else { return }
    device.identity = identity
    if device.owner == nil { device.owner = controller }
    scope["device"] = device.variable
  }

  /// Performs a correct and complete Pair Setup.
  func pairSetup(on name: String, as controller: TestController, code: String) async throws -> PairedAccessory {
    let (setup, _) = try await pairSetup(on: name, as: controller, code: code, until: .m6, reconnects: false)
    guard let identity = setup.accessory else { preconditionFailure("M6 contains the identity") }
    return identity
  }

  /// Performs a correct Pair Setup up to M2, M4 or M6.
  /// - Parameter reconnects: whether to reopen a connection that the accessory closed.
  /// - Returns: the state of the procedure, and the last answer.
  func pairSetup(
    on name: String, as controller: TestController, code: String, until last: PairingStep, reconnects: Bool
  ) async throws -> (SetupProcedure, WireMessage) {
    var (setup, answer) = try await begun(on: name, reconnects: reconnects)
    if last == .m2 { return (setup, answer) }
    let connection = try await connection(name)
    let random = random
    let begun = setup
    let made = await loop.offload { () -> Result<(SetupProcedure, TLVDraft), ProcedureError> in
      var setup = begun
      return Result { () throws(ProcedureError) in
        let draft = try setup.proof(code: code, random: random)
        return (setup, draft)
      }
    }
    guard case .success(let (proven, proof)) = made else {
      throw CaseFailure("Pair Setup M2: the accessory's public key is unusable")
    }
    setup = proven
    let fourth: TLV
    (fourth, answer) = try await answered(proof, "/pair-setup", "M3", on: connection, name)
    if let problem = setup.take("M4", fourth) {
      throw failure("Pair Setup M4: \(problem)", name, fourth)
    }
    if last == .m4 { return (setup, answer) }
    guard let inner = try? setup.exchange(controller), let message = try? setup.sealedExchange(inner.encoded())
    else { preconditionFailure("M3 has been made") }
    exchanged.append(controller)
    let sixth: TLV
    (sixth, answer) = try await answered(message, "/pair-setup", "M5", on: connection, name)
    if let problem = setup.take("M6", sixth) { throw failure("Pair Setup M6: \(problem)", name, sixth) }
    return (setup, answer)
  }

  /// Performs M1 and M2. Restarts if B starts with a zero byte, because accessories differ in how they pad it, at most 8 times. Also
  /// restarts while the accessory is busy with an earlier procedure.
  private func begun(on name: String, reconnects: Bool) async throws -> (SetupProcedure, WireMessage) {
    let start = recorder.now
    var mayReconnect = reconnects
    var isAgain = false
    var drawCount = 0
    while true {
      let connection = try await connection(name)
      var setup = SetupProcedure()
      let second: TLV
      let answer: WireMessage
      do {
        (second, answer) = try await answered(SetupProcedure.start(), "/pair-setup", "M1", on: connection, name)
      } catch let failure as CaseFailure {
        guard mayReconnect, connection.isClosed else { throw failure }
        mayReconnect = false
        formerConnections.append(connection)
        connections[name] = nil
        note("the accessory had closed the connection")
        continue
      }
      if second.byte(TLVType.error) == PairingError.busy.rawValue, recorder.now - start < .seconds(3) {
        try await pause(.milliseconds(100))
        continue
      }
      // Some accessories refuse a second M1 and accept a third.
      if isAgain, second.byte(TLVType.error) == PairingError.unknown.rawValue {
        isAgain = false
        continue
      }
      if let problem = setup.take("M2", second) { throw failure("Pair Setup M2: \(problem)", name, second) }
      drawCount += 1
      let key = setup.challenge?.accessoryKey ?? []
      if key.count == 384 && key.first != 0 || drawCount == 8 { return (setup, answer) }
      isAgain = true
    }
  }

  func verify(_ verify: PairVerifyRun) async throws {
    let name = verify.on
    let controller = try controller(verify.controller)
    guard verify.mayReconnect, let former = connections[name] else {
      return try await pairVerify(on: name, as: controller)
    }
    do { try await pairVerify(on: name, as: controller) } catch let failure as CaseFailure {
      guard former.isClosed, !former.isSecured else { throw failure }
      formerConnections.append(former)
      connections[name] = nil
      note("the accessory had closed the connection")
      try await pairVerify(on: name, as: controller)
    }
  }

  /// Performs a correct Pair Verify, and secures the connection afterwards. Parallel cases take turns.
  func pairVerify(on name: String, as controller: TestController) async throws {
    await device.verifying.enter()
    defer { device.verifying.leave() }
    let connection = try await connection(name)
    var verify = VerifyProcedure()
    let second = try await exchange(
      verify.start(random: random, publicKey: nil), "/pair-verify", "M1", on: connection, name)
    if let problem = verify.take("M2", second, from: device.identity) {
      throw failure("Pair Verify M2: \(problem)", name, second)
    }
    guard let inner = try? verify.finish(controller, signedBy: nil, over: nil) else {
      preconditionFailure("M1 has been made")
    }
    let message = verify.sealedFinish(inner.encoded(), nonce: "PV-Msg03", wrongKey: nil, random: random)
    let fourth = try await exchange(message, "/pair-verify", "M3", on: connection, name)
    if let problem = verify.take("M4", fourth, from: device.identity) {
      throw failure("Pair Verify M4: \(problem)", name, fourth)
    }
    guard let keys = verify.sessionKeys else { preconditionFailure("the keys exist after M2") }
    verifies[name] = verify
    connection.secure(keys)
  }

  private func failure(_ message: String, _ name: String, _ reply: TLV) -> CaseFailure {
    let got = Readable.tlv(reply.encoded()).split(separator: "\n").joined(separator: ", ")
    var failure = CaseFailure(
      message, sent: lastRequest[name], accepted: ["the procedure continues"], got: String(got.prefix(300)))
    failure.pairingError = reply.byte(TLVType.error)
    return failure
  }

  /// Posts a message of a pairing procedure, and returns the answer's TLV8.
  func exchange(
    _ draft: TLVDraft, _ path: String, _ note: String, on connection: WireConnection, _ name: String
  ) async throws -> TLV { try await answered(draft, path, note, on: connection, name).0 }

  /// Posts a message of a pairing procedure, and also returns the whole answer.
  private func answered(
    _ draft: TLVDraft, _ path: String, _ note: String, on connection: WireConnection, _ name: String
  ) async throws -> (TLV, WireMessage) {
    let answer = try await request(
      "POST", path, type: "application/pairing+tlv8", body: draft.encoded(), note: note, on: connection, name)
    guard let tlv = try? TLV(decoding: answer.body), !tlv.items.isEmpty else {
      throw CaseFailure(
        "\(path) \(note): the answer isn't TLV8", sent: lastRequest[name], accepted: ["a TLV8 message"],
        got: AnswerView(arrival: .message(answer), took: .zero).summary)
    }
    return (tlv, answer)
  }

  /// Sends a correct request, and returns its answer.
  func request(
    _ method: String, _ path: String, type: String? = nil, body: [UInt8]? = nil, note: String = "",
    on connection: WireConnection, _ name: String
  ) async throws -> WireMessage {
    let title = Self.title(method, path, note)
    let arrival = await arrival(method, path, type: type, body: body, note: note, on: connection, name)
    if Task.isCancelled { throw CaseInterrupted() }
    guard case .message(let answer) = arrival else {
      var isSilence = false
      if case .silence = arrival { isSilence = true }
      throw CaseFailure(
        "\(title): \(AnswerView(arrival: arrival, took: .zero).summary)", sent: title, accepted: ["an answer"],
        got: AnswerView(arrival: arrival, took: .zero).summary, isSilence: isSilence)
    }
    return answer
  }

  private static func title(_ method: String, _ path: String, _ note: String) -> String {
    "\(method) \(path)" + (note.isEmpty ? "" : " \(note)")
  }

  /// Sends a correct request, and returns whatever arrives next.
  /// - Parameter limit: nil: the default limit for answers.
  func arrival(
    _ method: String, _ path: String, type: String? = nil, body: [UInt8]? = nil, note: String = "",
    on connection: WireConnection, _ name: String, within limit: Duration? = nil
  ) async -> Arrival {
    let message = ControllerRequest(method, path, contentType: type, body: body).encoded(host: "\(device.address)")
    let title = Self.title(method, path, note)
    let (bytes, frames) = connection.prepared(message)
    lastRequest[name] = title
    device.lastSent = (title, bytes)
    connection.noteSent(
      .message, title, Readable.content(body ?? [], type: type), bytes: message, frames: frames)
    connection.write(bytes)
    return await connection.next(within: limit ?? world.answerLimit)
  }

  // MARK: Controllers

  func add(_ new: NewController) async throws {
    let identifier = new.identifier.map { maker.bytes($0) } ?? TestController.uuid(random)
    let key = try new.keyOf.map { name throws(StepProblem) in try self.controller(name).credentials.key }
    let controller = TestController(
      name: new.name, identifier: identifier, key: key ?? SigningKey(seed: random.secret(32)))
    if new.isPaired { try await add(controller, isAdmin: new.isAdmin) }
    controllers[new.name] = controller
    scope[new.name] = controllerVariable(controller)
  }

  /// Adds a pairing over the tester's separate admin session.
  private func add(_ controller: TestController, isAdmin: Bool) async throws {
    touchedPairings = true
    added.append(controller.credentials.identifier)
    let draft = TLVDraft([
      .init(type: TLVType.state, value: [1]), .init(type: TLVType.method, value: [3]),
      .init(type: TLVType.identifier, value: controller.credentials.identifier),
      .init(type: TLVType.publicKey, value: controller.credentials.key.publicKey),
      .init(type: TLVType.permissions, value: [isAdmin ? 1 : 0]),
    ])
    try await asAdmin { connection, name in
      let reply = try await exchange(draft, "/pairings", "add \(controller.name)", on: connection, name)
      if reply.byte(TLVType.error) != nil {
        throw failure("the pairing of \(controller.name) wasn't added", name, reply)
      }
    }
  }

  static func removal(of identifier: [UInt8]) -> TLVDraft {
    TLVDraft([
      .init(type: TLVType.state, value: [1]), .init(type: TLVType.method, value: [4]),
      .init(type: TLVType.identifier, value: identifier),
    ])
  }

  /// Runs `body` on the tester's separate admin session.
  func asAdmin(_ body: (WireConnection, String) async throws -> Void) async throws {
    let name = "admin's own"
    if connections[name]?.isClosed ?? true {
      if let former = connections.removeValue(forKey: name) { formerConnections.append(former) }
      try await pairVerify(on: name, as: device.owner ?? device.admin)
    }
    try await body(try await connection(name), name)
  }

  /// - Parameter name: nil: the tester's controller. Its removal ends all pairings.
  func unpair(_ name: String?) async throws {
    touchedPairings = true
    let isAll = name == nil
    let target = isAll ? device.owner ?? device.admin : try controller(name)
    let draft = Self.removal(of: target.credentials.identifier)
    try await asAdmin { connection, name in
      let reply = try await exchange(draft, "/pairings", "remove \(target.name)", on: connection, name)
      if reply.byte(TLVType.error) != nil { throw failure("the pairing of \(target.name) wasn't removed", name, reply) }
    }
    if target.credentials.identifier == (device.owner ?? device.admin).credentials.identifier { device.owner = nil }
    // Some accessories create a new key when unpaired, so the old identity is no longer valid.
    if isAll { device.identity = nil }
  }
}
