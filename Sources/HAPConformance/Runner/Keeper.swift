import HAPExpectation
import HAPIP
import HAPModel
import HAPSuite
import HAPWire

/// Keeps the accessory in the state that the next case wants, and leaves it as it was found.
///
/// What it does goes over the same connections as cases do, so that the last bytes before a loss are known.
struct Keeper {
  let device: TestedAccessory
  let world: CaseWorld
  let seed: UInt64

  /// Something that the accessory wouldn't do.
  struct Refusal: Error {
    var message: String
    /// The Error item of the answer that refuses; `nil`: it had none.
    var pairingError: UInt8?
    /// Why there is no HAP accessory; the message then has the answers.
    var absence: Absence?

    enum Absence { case otherServer, noAnswer }
  }

  static let definition = CaseDefinition(
    id: "RUN-00", name: "between-cases", area: "run", level: .info, requirement: "", section: "", cause: nil, fix: nil,
    impact: nil, stacks: [], aliases: [], needs: CaseNeeds(), find: [], variants: [], steps: [], isShared: false,
    file: "", place: JSONPlace(line: 1, column: 1))

  func work<T: Sendable>(_ body: @Sendable (CaseRun) async throws -> T) async throws(Refusal) -> T {
    let run = CaseRun(
      Self.definition, on: device, world: world, recorder: Recorder(on: device.loop, start: device.start),
      expectations: NamedExpectations(),
      random: .seeded(device.nextSeed(seed)))
    let result: Result<T, Refusal>
    do { result = .success(try await body(run)) } catch {
      result = .failure(
        Refusal(message: CaseRun.text(of: error), pairingError: (error as? CaseFailure)?.pairingError))
    }
    await run.close()
    // An M5 may have paired though what came behind it was wrong, or nothing.
    let exchanged = await run.exchanged
    if case .failure(var refusal) = result, device.owner == nil, !exchanged.isEmpty {
      if let problem = await adopt(exchanged) { refusal.message += "; \(problem)" }
      throw refusal
    }
    return try result.get()
  }

  /// Whether it takes connections.
  func isThere() async throws(Refusal) { try await work { run in _ = try await run.connection("main") } }

  /// Whether it answers at all.
  func isAlive() async throws(Refusal) { try await work { run in try await run.alive() } }

  /// Whether Pair Setup is refused because a controller is paired. Waits up to 3 s for another Pair Setup to end.
  func isPairedWithSomebody() async throws(Refusal) -> Bool {
    for _ in 0..<30 {
      let error = try await work { run in
        let connection = try await run.connection("probe")
        let reply = try await run.exchange(SetupProcedure.start(), "/pair-setup", "M1", on: connection, "probe")
        return reply.byte(TLVType.error)
      }
      if error != PairingError.busy.rawValue { return error == PairingError.unavailable.rawValue }
      try await pause(.milliseconds(100))
    }
    throw Refusal(message: "Pair Setup M1: the accessory is still busy after 3 s")
  }

  private func pause(_ duration: Duration) async throws(Refusal) {
    do { try await device.loop.sleep(for: duration) } catch { throw Refusal(message: CaseRun.text(of: error)) }
  }

  // MARK: States

  /// Pairs with it, unless that is done, and reads its database. To its end, even when the task is cancelled: half a Pair Setup may leave a
  /// pairing that nobody would remove.
  func pair() async throws(Refusal) {
    let refusal: Refusal? = await device.loop.startTask {
      do throws(Refusal) {
        try await pairUnlessDone()
        return nil
      } catch { return error }
    }.value
    if let refusal { throw refusal }
  }

  private func pairUnlessDone() async throws(Refusal) {
    if device.owner != nil {
      guard let refusal = await verifyRepeatedly() else {
        if device.database == nil { try await readDatabase() }
        return
      }
      if try await isPairedWithSomebody() {
        let isGone = refusal.pairingError == PairingError.authentication.rawValue
        throw Refusal(message: "\(isGone ? "the tester's pairing is gone" : "no session"): \(refusal.message)")
      }
      device.owner = nil
    }
    guard let code = device.code else { throw Refusal(message: "the setup code is not known") }
    let device = device
    try await work { run in
      let identity = try await run.pairSetup(on: "main", as: device.admin, code: code)
      device.identity = identity
      device.owner = device.admin
    }
    try await readDatabase()
  }

  /// Verifies up to three times: one lost answer does not mean that the pairing is gone. Only Error Authentication does.
  /// - Returns: why there is no session; `nil`: there was one.
  private func verifyRepeatedly() async -> Refusal? {
    var last: Refusal?
    for attempt in 0..<3 {
      do throws(Refusal) {
        if attempt > 0 { try await pause(.milliseconds(200)) }
        try await verify()
        return nil
      } catch {
        last = error
        if error.pairingError == PairingError.authentication.rawValue || Task.isCancelled { break }
      }
    }
    return last
  }

  func verify() async throws(Refusal) {
    let device = device
    try await work { run in try await run.pairVerify(on: "main", as: device.owner ?? device.admin) }
  }

  /// A database that can't be understood is for cases to judge: what needs it finds nothing, and the others go on.
  func readDatabase() async throws(Refusal) {
    device.databaseBytes = nil
    do throws(Refusal) {
      try await work { run in try await run.readDatabase(DatabaseReading()) }
    } catch {
      if device.databaseBytes == nil { throw error }
    }
  }

  /// Removes the tester's pairings, and with them all that it added.
  func unpair() async throws(Refusal) {
    guard device.owner != nil else {
      guard device.hasStrayPairing else { return }
      if try await isPairedWithSomebody() {
        throw Refusal(message: "a case has left a pairing that the tester can't remove")
      }
      device.hasStrayPairing = false
      return
    }
    do throws(Refusal) {
      try await work { run in try await run.unpair(nil) }
    } catch {
      guard try await !isPairedWithSomebody() else { throw error }
    }
    device.owner = nil
    device.identity = nil
  }

  // MARK: Behind a case

  /// Removes pairings that the case added, and gives back the values that it changed.
  /// - Returns: what couldn't be put right.
  func tidy(behind run: CaseRun) async -> String? {
    let written = await run.written
    let touchedPairings = await run.touchedPairings
    if let observer = world.observer { await run.release(observer) }
    let exchanged = await run.exchanged
    if device.owner == nil, !exchanged.isEmpty, let problem = await adopt(exchanged) { return problem }
    // The case's next variant, or its next turn, begins as this one did.
    if run.definition.needs.state == .unpaired {
      do throws(Refusal) { try await unpair() } catch { return "it could not be unpaired: \(error.message)" }
    }
    guard device.owner != nil, touchedPairings || !written.isEmpty else { return nil }
    do throws(Refusal) {
      if touchedPairings { try await removeOthers(added: await run.added) }
      if !written.isEmpty { try await restore(written) }
      return nil
    } catch {
      // Whoever comes next finds out how it stands, and pairs anew if need be.
      return "it could not all be put back: \(error.message)"
    }
  }

  /// An M5 that should have been refused may have paired all the same: then what comes next would be told that the accessory is paired.
  /// Whoever it was is the owner from now on, so that the pairing goes as any other does.
  /// - Returns: what couldn't be put right.
  private func adopt(_ exchanged: [TestController]) async -> String? {
    do throws(Refusal) {
      guard try await isPairedWithSomebody() else { return nil }
    } catch { return "whether it is paired now can't be told: \(error.message)" }
    for controller in exchanged.reversed() {
      device.owner = controller
      do throws(Refusal) {
        try await verify()
        return nil
      } catch { device.owner = nil }
    }
    device.hasStrayPairing = true
    return "it is paired now, with nobody whom the tester can speak as"
  }

  /// Notes the pairings that were there before the run, so that they are there after it.
  func noteForeignPairings() async throws(Refusal) {
    let device = device
    try await work { run in
      try await run.asAdmin { connection, name in device.foreign = Set(try await Self.pairings(run, connection, name)) }
    }
  }

  private static func pairings(_ run: CaseRun, _ connection: WireConnection, _ name: String) async throws -> [[UInt8]] {
    let list = TLVDraft([.init(type: TLVType.state, value: [1]), .init(type: TLVType.method, value: [5])])
    let reply = try await run.exchange(list, "/pairings", "list", on: connection, name)
    return reply.items.filter { $0.type == TLVType.identifier }.map(\.value)
  }

  /// Removes the pairings that a case added, by their identifiers, and others that the list has: all but the tester's own and those that were
  /// there before it. An accessory that cannot list pairings can still remove them.
  /// - Throws: with the identifiers of the pairings that could not be removed.
  func removeOthers(added: [[UInt8]]) async throws(Refusal) {
    let device = device
    try await work { run in
      let own = (device.owner ?? device.admin).credentials.identifier
      var left: [[UInt8]] = added
      try await run.asAdmin { connection, name in
        left += (try? await Self.pairings(run, connection, name)) ?? []
      }
      var seen: Set<[UInt8]> = device.foreign.union([own])
      var problems: [String] = []
      for identifier in left where seen.insert(identifier).inserted {
        do {
          try await run.asAdmin { connection, name in
            let reply = try await run.exchange(
              CaseRun.removal(of: identifier), "/pairings", "remove", on: connection, name)
            if let error = reply.byte(TLVType.error) { throw CaseFailure("Error \(error)") }
          }
        } catch {
          problems.append("\(String(decoding: identifier, as: UTF8.self)) (\(CaseRun.text(of: error)))")
        }
      }
      if !problems.isEmpty { throw CaseFailure("pairings are still there: \(problems.joined(separator: ", "))") }
    }
  }

  /// The values of the first reading.
  func restore(_ written: Set<AttributeID>) async throws(Refusal) {
    let device = device
    let originals = device.originals
    let ids = written.filter { originals[$0] != nil }.sorted()
    guard !ids.isEmpty else { return }
    try await work { run in
      try await run.asAdmin { connection, name in
        let read = ControllerRequest.read(ids)
        let answer = try await run.request("GET", read.target, on: connection, name)
        let entries = (try? JSONNode.parse(answer.body))?["characteristics"]?.elements ?? []
        var changed: [ControllerRequest.WriteEntry] = []
        for id in ids {
          guard let original = originals[id] else { continue }
          let entry = entries.first {
            $0["aid"]?.integerValue == Int128(id.aid) && $0["iid"]?.integerValue == Int128(id.iid)
          }
          guard let value = entry?["value"], !Pattern.equal(value, DatabaseView.node(original)) else { continue }
          changed.append(ControllerRequest.WriteEntry(id, value: original))
        }
        guard !changed.isEmpty else { return }
        let isTimed = changed.contains {
          device.database?.entry($0.id)?.characteristic.perms.contains(.timedWrite) ?? false
        }
        if isTimed {
          let prepare = ControllerRequest.prepare(ttl: 5000, pid: 1)
          let answer = try await run.request(
            "PUT", prepare.target, type: prepare.contentType, body: prepare.body, on: connection, name)
          try Self.refuse(answer, "the timed write of former values wasn't prepared")
        }
        let write = ControllerRequest.write(changed, pid: isTimed ? 1 : nil)
        let written = try await run.request(
          "PUT", write.target, type: write.contentType, body: write.body, on: connection, name)
        try Self.refuse(written, "former values weren't written")
      }
    }
  }

  /// - Throws: unless it went well, also for each that was written.
  static func refuse(_ answer: WireMessage, _ problem: String) throws(CaseFailure) {
    let body = try? JSONNode.parse(answer.body)
    let statuses = [body?["status"]] + (body?["characteristics"]?.elements ?? []).map { $0["status"] }
    let wrong = statuses.compactMap { $0?.integerValue }.first { $0 != 0 }
    guard wrong == nil, (200..<300).contains(answer.status) else {
      throw CaseFailure("\(problem): \(answer.title)" + (wrong.map { ", status \($0)" } ?? ""))
    }
  }
}
