import HAPCrypto
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: transient sessions, takeover and tries") struct AccessoryTransientTests {
  let accessory = TestHome.accessory(pairings: [])
  private static let transientM1 = PlainTLV([(6, [1]), (0, [0]), (0x13, [0x10])])

  private func transient() throws -> MemoryController {
    let controller = accessory.unverified()
    let setup = try #require(
      controller.readSetupM2(controller.post("/pair-setup", Self.transientM1), code: TestHome.code))
    let m4 = controller.post("/pair-setup", setup.m3)
    #expect(setup.proof.check(proof2: m4?.tlv?[4] ?? []))
    controller.secureTransiently(setup)
    return controller
  }

  private func isBusy(_ reply: AccessoryMessage?) -> Bool { reply?.tlv == PlainTLV([(6, [2]), (7, [7])]) }

  @Test("[PS.50, HTTP.70] A transient session is sealed, adds no pairing and serves almost no request")
  func serves() throws {
    let controller = try transient()
    #expect(accessory.core.pairings.isEmpty)
    #expect(!accessory.stored.contains { if case .upsert = $0 { true } else { false } })
    for (method, target) in [
      ("GET", "/accessories"), ("GET", "/characteristics?id=1.11"), ("PUT", "/characteristics"), ("PUT", "/prepare"),
      ("POST", "/pairings"), ("POST", "/pair-setup"), ("POST", "/pair-verify"), ("POST", "/resource"), ("GET", "/what"),
    ] {
      #expect(controller.exchange(method, target, body: [])?.status == 400, "\(method) \(target)")
    }
    #expect(controller.exchange("POST", "/identify")?.status == 204)
    #expect(controller.exchange("POST", "/configured")?.status == 204)
    let pdu = controller.exchange("POST", "/secure-message", body: [0, 1, 7, 0, 0], type: "application/octet-stream")
    #expect(pdu?.body == [2, 7, 1])
    #expect(accessory.identified == [1])
    #expect(!controller.sawBadFrame)
  }

  @Test("[PS.55] A transient session ends when Pair Setup begins on another connection")
  func ends() throws {
    let controller = try transient()
    let other = accessory.unverified(TestHome.secondAdmin)
    #expect(other.pair(code: TestHome.code) == nil)
    #expect(controller.isClosed)
    #expect(accessory.core.isPaired)
  }

  // MARK: Takeover

  /// M1 was answered on one connection, which sends nothing afterwards.
  private func halfDone() throws -> (MemoryController, MemoryController.Setup) {
    let controller = accessory.unverified(TestHome.stranger)
    let m2 = controller.post("/pair-setup", MemoryController.setupM1)
    return (controller, try #require(controller.readSetupM2(m2, code: TestHome.code)))
  }

  @Test("[PS.62] After thirty silent seconds another controller's M1 takes over; a moment earlier it gets Busy")
  func takeover() throws {
    let (first, setup) = try halfDone()
    let other = accessory.unverified()
    accessory.advance(.milliseconds(29_999))
    #expect(isBusy(other.post("/pair-setup", MemoryController.setupM1)))
    accessory.advance(.milliseconds(1))
    #expect(other.pair(code: TestHome.code) == nil)
    #expect(first.post("/pair-setup", setup.m3)?.status == 400)
    #expect(accessory.core.pairings == [TestHome.pairing(TestHome.admin, isAdmin: true)])
  }

  @Test("[PS.62] Each message of the first controller restarts the thirty seconds, and only M1 takes over")
  func heard() throws {
    let (first, setup) = try halfDone()
    let other = accessory.unverified()
    accessory.advance(.seconds(20))
    #expect(first.post("/pair-setup", setup.m3)?.tlv?[4] != nil)
    accessory.advance(.seconds(20))
    #expect(isBusy(other.post("/pair-setup", MemoryController.setupM1)))
    accessory.advance(.seconds(20))
    #expect(other.post("/pair-setup", setup.m3)?.status == 400)
    #expect(first.readM6(first.post("/pair-setup", first.m5(setup)), setup) != nil)
  }

  @Test("[PS.63] Slow work and storing of the first controller prevent a takeover")
  func working() throws {
    let (first, setup) = try halfDone()
    let other = accessory.unverified()
    accessory.computing = .held
    #expect(first.post("/pair-setup", setup.m3) == nil)
    accessory.advance(.seconds(60))
    #expect(isBusy(other.post("/pair-setup", MemoryController.setupM1)))
    accessory.releaseWork()
    accessory.computing = .atOnce
    #expect(first.takeReply()?.tlv?[4] != nil)
    accessory.storing = .held
    #expect(first.post("/pair-setup", first.m5(setup)) == nil)
    accessory.advance(.seconds(60))
    #expect(isBusy(other.post("/pair-setup", MemoryController.setupM1)))
    accessory.releaseStores()
    #expect(first.readM6(first.takeReply(), setup) != nil)
  }

  // MARK: Tries

  @Test(
    "[PS.40, PS.41] After a hundred wrong codes, any code is refused; each try is stored, a right code clears them")
  func tries() throws {
    func wrong() -> String? { accessory.unverified(TestHome.stranger).pair(code: "111-22-333") }
    for _ in 0..<3 { #expect(wrong() == "M4: HTTP/1.1 200 OK, error 2") }
    #expect(accessory.stored == [.failedAttempts(1), .failedAttempts(2), .failedAttempts(3)])
    let (controller, setup) = try halfDone()
    #expect(controller.post("/pair-setup", setup.m3)?.tlv?[4] != nil)
    #expect(accessory.stored.last == .failedAttempts(0))
    accessory.disconnect(controller)
    for _ in 0..<100 {
      let controller = accessory.unverified(TestHome.stranger)
      #expect(controller.pair(code: "111-22-333") == "M4: HTTP/1.1 200 OK, error 2")
      accessory.disconnect(controller)
    }
    #expect(accessory.stored.last == .failedAttempts(100))
    #expect(accessory.unverified().pair(code: TestHome.code) == "M2: HTTP/1.1 200 OK, error 5")
    #expect(accessory.core.failedAttempts == 100)
  }

  @Test("[PS.41] A wrong code is answered when it is stored, or when storing fails; the attempt counts at once")
  func storedBeforeItIsTold() throws {
    let controller = accessory.unverified()
    let setup = try #require(
      controller.readSetupM2(controller.post("/pair-setup", MemoryController.setupM1), code: "111-22-333"))
    accessory.storing = .held
    #expect(controller.post("/pair-setup", setup.m3) == nil)
    #expect(accessory.core.failedAttempts == 1)
    accessory.releaseStores()
    #expect(controller.takeReply()?.tlv?[7] == [2])
    #expect(accessory.stored == [.failedAttempts(1)])

    accessory.storing = .failing
    #expect(controller.pair(code: "111-22-333") == "M4: HTTP/1.1 200 OK, error 2")
    #expect(accessory.core.failedAttempts == 2)

    accessory.storing = .held
    let again = try #require(
      controller.readSetupM2(controller.post("/pair-setup", MemoryController.setupM1), code: "111-22-333"))
    #expect(controller.post("/pair-setup", again.m3) == nil)
    accessory.disconnect(controller)
    accessory.releaseStores()
    #expect(accessory.stored.last == .failedAttempts(3))
    accessory.storing = .atOnce
    #expect(accessory.unverified().pair(code: TestHome.code) == nil)
  }
}
