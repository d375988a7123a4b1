import HAPCrypto
import HAPExpectation
import HAPFuzzing
import HAPSuite
import HAPWire

extension CaseRun {
  /// The reaction to a malformed message.
  enum FuzzEcho: Equatable {
    case answer(status: Int)
    case garbage
    case closed(reset: Bool)
    case silence
    /// The message was not sent, because an earlier step of its procedure failed.
    case unprepared
  }

  /// Sends a message on a connection in the state that it requires, and waits for the reaction.
  /// - Parameter patience: how long to wait for an accessory that stays silent, perhaps because it expects more bytes.
  func deliver(_ message: FuzzMessage, patience: Duration) async throws -> FuzzEcho {
    let name = "\(message.way.isSecured ? "session" : message.way.isOnce ? "procedure" : "plain") \(message.connection)"
    if let former = connections[name], former.isClosed || message.way.isOnce { forget(name, .reset) }
    if message.way == .proof || message.way == .exchange {
      // Another connection whose M1 was sent occupies Pair Setup.
      for other in connections.keys.sorted() where other != name { forget(other, .reset) }
    }
    var wire: [UInt8]
    let connection: WireConnection
    do {
      wire = try await wireBytes(of: message, on: name)
      connection = try await self.connection(name)
    } catch is CaseFailure {
      forget(name, .reset)
      return .unprepared
    }
    if message.cut > 0 { wire.removeLast(min(message.cut, wire.count)) }
    lastRequest[name] = message.request ?? message.note
    device.lastSent = (message.summary, wire)
    // Pieces of an encrypted message are frames, and are sent together.
    var rest = wire[...]
    for size in message.way.isSecured ? [] : message.sizes where !rest.isEmpty && !connection.isClosed {
      connection.write(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      await Task.yield()
    }
    connection.write(Array(rest))
    if message.ending == .half { connection.close(.half) }
    if message.ending == .reset {
      forget(name, .reset)
      return .silence
    }
    let arrival = await connection.next(within: patience)
    if Task.isCancelled { throw CaseInterrupted() }
    let echo: FuzzEcho
    switch arrival {
    case .message(let answer):
      echo = .answer(status: answer.status)
      if message.way == .exchange { await noteMadePairing(answer, name) }
    case .garbage: echo = .garbage
    case .closed(let reset, _): echo = .closed(reset: reset)
    case .silence: echo = .silence
    }
    // After an incomplete message, the accessory would read the next message as the rest of it.
    if message.way.isOnce || message.ending != nil || message.cut > 0 || !echo.isAnswer {
      forget(name, message.ending == .fin ? .fin : .reset)
    }
    return echo
  }

  /// Resets all connections at once.
  func abandon() {
    for name in connections.keys.sorted() { forget(name, .reset) }
  }

  private func forget(_ name: String, _ how: ConnectionEnding) {
    connections.removeValue(forKey: name)?.close(how)
    setups[name] = nil
    verifies[name] = nil
  }

  /// Returns the message's bytes on the wire, after performing the steps that precede it.
  private func wireBytes(of message: FuzzMessage, on name: String) async throws -> [UInt8] {
    switch message.way {
    case .plain: return message.wire
    case .sealed, .around:
      if connections[name]?.isSecured != true { try await pairVerify(on: name, as: device.owner ?? device.admin) }
      guard message.way == .sealed else { return message.wire }
      return try await connection(name).prepared(message.wire, sizes: message.sizes, fault: message.fault).bytes
    case .proof: return try await proofRequest(message, on: name)
    case .exchange: return try await exchangeRequest(message, on: name)
    case .finish: return try await finishRequest(message, on: name)
    }
  }

  // MARK: Procedures

  /// Performs M1 and M2.
  private func beginSetup(on name: String) async throws -> SetupProcedure {
    let start = recorder.now
    while true {
      var setup = SetupProcedure()
      let reply = try await exchange(
        SetupProcedure.start(), "/pair-setup", "M1", on: try await connection(name), name)
      // The accessory may still be busy with an earlier procedure.
      if reply.byte(TLVType.error) == PairingError.busy.rawValue, recorder.now - start < .seconds(3) {
        try await pause(.milliseconds(50))
        continue
      }
      if let problem = setup.take("M2", reply) { throw CaseFailure("Pair Setup M2: \(problem)") }
      return setup
    }
  }

  private func proven(_ setup: SetupProcedure) async throws -> (SetupProcedure, TLVDraft) {
    guard let code = device.code else { throw CaseFailure("the setup code is not known") }
    let random = random
    let made = await loop.offload { () -> Result<(SetupProcedure, TLVDraft), ProcedureError> in
      var setup = setup
      return Result { () throws(ProcedureError) in
        let draft = try setup.proof(code: code, random: random)
        return (setup, draft)
      }
    }
    guard case .success(let outcome) = made else { throw CaseFailure("the accessory's public key is unusable") }
    return outcome
  }

  private func proofRequest(_ message: FuzzMessage, on name: String) async throws -> [UInt8] {
    var message = message
    let begun = try await beginSetup(on: name)
    // Without a setup code the placeholders remain, as a wrong proof.
    if device.code != nil {
      let (_, draft) = try await proven(begun)
      for (type, mark) in [(TLVType.publicKey, FuzzMark.publicKey), (TLVType.proof, FuzzMark.proof)] {
        let right = draft.items.first { $0.type == type }?.value ?? []
        message.bytes = FuzzMark.replace(mark, of: type, by: right, in: message.bytes)
      }
    }
    return message.wire
  }

  private func exchangeRequest(_ message: FuzzMessage, on name: String) async throws -> [UInt8] {
    var message = message
    var (setup, proof) = try await proven(try await beginSetup(on: name))
    let reply = try await exchange(proof, "/pair-setup", "M3", on: try await connection(name), name)
    if let problem = setup.take("M4", reply) { throw CaseFailure("Pair Setup M4: \(problem)") }
    guard let right = try? setup.exchange(device.admin) else { preconditionFailure("M3 has been made") }
    let inner = signed(message.bytes, right)
    guard let sealed = try? setup.sealedExchange(inner) else {
      preconditionFailure("M3 has been made")
    }
    setups[name] = setup
    message.bytes = sealed.encoded()
    return message.wire
  }

  private func finishRequest(_ message: FuzzMessage, on name: String) async throws -> [UInt8] {
    var message = message
    var verify = VerifyProcedure()
    let reply = try await exchange(
      verify.start(random: random, publicKey: nil), "/pair-verify", "M1", on: try await connection(name), name)
    if let problem = verify.take("M2", reply, from: device.identity) {
      throw CaseFailure("Pair Verify M2: \(problem)")
    }
    guard let right = try? verify.finish(device.owner ?? device.admin, signedBy: nil, over: nil) else {
      preconditionFailure("M1 has been made")
    }
    let inner = signed(message.bytes, right)
    message.bytes = verify.sealedFinish(inner, nonce: "PV-Msg03", wrongKey: nil, random: random).encoded()
    return message.wire
  }

  private func signed(_ bytes: [UInt8], _ right: TLVDraft) -> [UInt8] {
    let signature = right.items.first { $0.type == TLVType.signature }?.value ?? []
    return FuzzMark.replace(FuzzMark.signature, of: TLVType.signature, by: signature, in: bytes)
  }

  /// Notes the pairing that the accessory created because M5 was still valid, or because it accepted an invalid M5.
  private func noteMadePairing(_ answer: WireMessage, _ name: String) async {
    guard let reply = try? TLV(decoding: answer.body), reply.state == 6, reply.byte(TLVType.error) == nil else {
      return
    }
    if setups[name]?.take("M6", reply) == nil { device.identity = setups[name]?.accessory ?? device.identity }
    device.owner = device.admin
  }
}

extension CaseRun.FuzzEcho {
  var isAnswer: Bool { if case .answer = self { true } else { false } }
}
