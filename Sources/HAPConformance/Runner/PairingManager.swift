import HAPExpectation
import HAPIP
import HAPModel
import HAPSuite
import HAPWire

/// Brings the accessory into the state that the next case needs, and restores its original state after the run.
///
/// It uses the same connections as cases do, so that the last bytes before a loss are known.
struct PairingManager {
  let device: TestedAccessory
  let world: CaseWorld
  let seed: UInt64

  /// A failure of the accessory to do what the tester requested.
  struct Refusal: Error {
    var message: String
    /// The Error item of the refusing answer; nil if it had none.
    var pairingError: UInt8?
    /// Why there is no HAP accessory; `message` then contains the answers.
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
    // M5 may have created a pairing even if M6 was wrong or missing.
    let exchanged = await run.exchanged
    if case .failure(var refusal) = result, device.owner == nil, !exchanged.isEmpty {
      if let problem = await adopt(exchanged) { refusal.message += "; \(problem)" }
      throw refusal
    }
    return try result.get()
  }

  /// Checks that the accessory accepts connections.
  func isThere() async throws(Refusal) { try await work { run in _ = try await run.connection("main") } }

  /// Checks that the accessory answers at all.
  func isAlive() async throws(Refusal) { try await work { run in try await run.alive() } }

  /// Returns whether Pair Setup is refused because a controller is paired. Waits up to 3 s for another Pair Setup to end.
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

  /// Pairs unless already paired, and reads the database. Cancelling the task doesn't interrupt it, because half a Pair Setup may leave a
  /// pairing that would never be removed.
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

  /// Verifies up to three times: one lost answer doesn't mean that the pairing is gone. Only Error Authentication does.
  /// - Returns: why there is no session; nil if there was one.
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

  /// Reads the database. A database that can't be parsed is not an error here: cases test it, and cases that need its
  /// contents find no subjects.
  func readDatabase() async throws(Refusal) {
    device.databaseBytes = nil
    do throws(Refusal) {
      try await work { run in try await run.readDatabase(DatabaseReading()) }
    } catch {
      if device.databaseBytes == nil { throw error }
    }
  }

  /// Removes the tester's pairing, and with it all pairings that it added.
  func unpair() async throws(Refusal) {
    guard device.owner != nil else {
      guard device.hasStrayPairing else { return }
      if try await isPairedWithSomebody() {
        throw Refusal(message: "a case left a pairing that haptest can't remove")
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

  // MARK: After a case

  /// Removes pairings that the case added, and restores the values that it changed.
  /// - Returns: why the cleanup is incomplete.
  func tidy(behind run: CaseRun) async -> String? {
    let written = await run.written
    let touchedPairings = await run.touchedPairings
    if let observer = world.observer { await run.release(observer) }
    let exchanged = await run.exchanged
    if device.owner == nil, !exchanged.isEmpty, let problem = await adopt(exchanged) { return problem }
    // The next variant or repetition starts in the same state as this one.
    if run.definition.needs.state == .unpaired {
      do throws(Refusal) { try await unpair() } catch { return "the accessory could not be unpaired: \(error.message)" }
    }
    guard device.owner != nil, touchedPairings || !written.isEmpty else { return nil }
    do throws(Refusal) {
      if touchedPairings { try await removeOthers(added: await run.added) }
      if !written.isEmpty { try await restore(written) }
      return nil
    } catch {
      // The next case checks the state, and pairs again if needed.
      return "cleanup was incomplete: \(error.message)"
    }
  }

  /// Adopts a controller that an unexpected M5 paired. An M5 that should have been refused may have created a pairing, and the next case
  /// would find the accessory paired. That controller becomes the owner, so that its pairing is removed like any other.
  /// - Returns: why the cleanup is incomplete.
  private func adopt(_ exchanged: [TestController]) async -> String? {
    do throws(Refusal) {
      guard try await isPairedWithSomebody() else { return nil }
    } catch { return "the pairing state is unknown: \(error.message)" }
    for controller in exchanged.reversed() {
      device.owner = controller
      do throws(Refusal) {
        try await verify()
        return nil
      } catch { device.owner = nil }
    }
    device.hasStrayPairing = true
    return "the accessory is now paired, but not with a controller known to haptest"
  }

  /// Notes the pairings that existed before the run, so that they are kept.
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

  /// Removes the pairings that a case added, and all others in the accessory's list, except the tester's own and those
  /// from before the run. The added ones are known by their identifiers, so they can be removed even if the accessory
  /// can't list pairings.
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
      if !problems.isEmpty { throw CaseFailure("pairings were not removed: \(problems.joined(separator: ", "))") }
    }
  }

  /// Writes the original values of the characteristics that a case wrote.
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
          try Self.refuse(answer, "the timed write of the original values wasn't prepared")
        }
        let write = ControllerRequest.write(changed, pid: isTimed ? 1 : nil)
        let written = try await run.request(
          "PUT", write.target, type: write.contentType, body: write.body, on: connection, name)
        try Self.refuse(written, "the original values weren't written")
      }
    }
  }

  /// - Throws: unless the answer and each of its entries report success.
  static func refuse(_ answer: WireMessage, _ problem: String) throws(CaseFailure) {
    let body = try? JSONNode.parse(answer.body)
    let statuses = [body?["status"]] + (body?["characteristics"]?.elements ?? []).map { $0["status"] }
    let wrong = statuses.compactMap { $0?.integerValue }.first { $0 != 0 }
    guard wrong == nil, (200..<300).contains(answer.status) else {
      throw CaseFailure("\(problem): \(answer.title)" + (wrong.map { ", status \($0)" } ?? ""))
    }
  }
}
