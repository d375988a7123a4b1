import HAPCrypto
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: Pair Setup on its connections") struct AccessoryPairSetupTests {
  let accessory = TestHome.accessory(pairings: [])
  private static let m1 = MemoryController.setupM1

  private func start(_ controller: MemoryController) throws -> MemoryController.Setup {
    try #require(controller.readSetupM2(controller.post("/pair-setup", Self.m1), code: TestHome.code))
  }

  private func isError(_ reply: AccessoryMessage?, state: UInt8, _ code: UInt8) -> Bool {
    reply?.status == 200 && reply?.type == "application/pairing+tlv8"
      && reply?.tlv == PlainTLV([(6, [state]), (7, [code])])
  }

  @Test(
    "[PS.24, PS.26, PS.31, PS.32, PS.33, ST.1] A complete procedure pairs an admin, with the bytes of its identifier")
  func whole() throws {
    let controller = accessory.unverified()
    let m2 = controller.post("/pair-setup", Self.m1)
    #expect(m2?.type == "application/pairing+tlv8")
    #expect(m2?.tlv.map { Set($0.items.map(\.type)) } == [6, 2, 3])
    #expect(m2?.tlv?[2]?.count == 16)
    #expect((m2?.tlv?[3]?.count ?? 0) <= 384)
    let setup = try #require(controller.readSetupM2(m2, code: TestHome.code))
    let m4 = controller.post("/pair-setup", setup.m3)
    #expect(m4?.tlv.map { Set($0.items.map(\.type)) } == [6, 4])
    #expect(setup.proof.check(proof2: m4?.tlv?[4] ?? []))
    #expect(!accessory.core.isPaired)
    #expect(accessory.stored.isEmpty)
    let m6 = controller.post("/pair-setup", controller.m5(setup))
    #expect(accessory.stored == [.upsert(TestHome.pairing(TestHome.admin, isAdmin: true))])
    let inner = try #require(controller.readM6(m6, setup))
    #expect(inner[1] == Array(TestHome.deviceID.utf8))
    #expect(inner[3] == TestHome.accessoryKey.publicKey)
    let accessoryX = HKDF.sha512(
      setup.proof.key, salt: "Pair-Setup-Accessory-Sign-Salt", info: "Pair-Setup-Accessory-Sign-Info")
    let signed = accessoryX.withBytes(Array.init) + Array(TestHome.deviceID.utf8) + TestHome.accessoryKey.publicKey
    #expect(isValidSignature(inner[0x0A] ?? [], of: signed, by: TestHome.accessoryKey.publicKey))
    #expect(!controller.isSecured)
    #expect(controller.get("/accessories")?.status == 470)
    #expect(controller.verify() == nil)
    #expect(controller.get("/accessories")?.status == 200)
  }

  @Test("[AD.6, ST.1] A new pairing is stored, then M6 is sent, and then the new sf is advertised")
  func order() throws {
    let controller = accessory.unverified()
    let setup = try start(controller)
    _ = controller.post("/pair-setup", setup.m3)
    accessory.storing = .held
    #expect(controller.post("/pair-setup", controller.m5(setup)) == nil)
    #expect(!accessory.core.isPaired)
    #expect(accessory.advertised.isEmpty)
    let before = controller.raw.count
    accessory.releaseStores()
    #expect(controller.readM6(controller.takeReply(), setup) != nil)
    #expect(accessory.advertised.count == 1)
    #expect(accessory.advertised.first?.record.statusFlags == [])
    #expect((accessory.advertised.first?.bytesBefore ?? 0) > before)
  }

  @Test("[ST.2] If storing fails, there is no pairing")
  func notStored() throws {
    let controller = accessory.unverified()
    let setup = try start(controller)
    _ = controller.post("/pair-setup", setup.m3)
    accessory.storing = .failing
    let m6 = controller.post("/pair-setup", controller.m5(setup))
    #expect(m6 != nil)
    #expect(controller.readM6(m6, setup) == nil)
    #expect(!accessory.core.isPaired)
    #expect(accessory.advertised.isEmpty)
    accessory.storing = .atOnce
    #expect(controller.pair(code: TestHome.code) == nil)
  }

  @Test("[PS.7, PS.23] M1 to a paired accessory is Unavailable for any controller, without other items")
  func paired() {
    let accessory = TestHome.accessory()
    #expect(isError(accessory.unverified(TestHome.stranger).post("/pair-setup", Self.m1), state: 2, 6))
    #expect(isError(accessory.unverified().post("/pair-setup", Self.m1), state: 2, 6))
    #expect(accessory.heldWorkCount == 0)
  }

  @Test(
    "[PS.25, PS.21, PS.23] A wrong code is Authentication in M4 and one failed try; the right code then pairs on that connection"
  )
  func wrongCode() throws {
    let controller = accessory.unverified()
    let setup = try #require(controller.readSetupM2(controller.post("/pair-setup", Self.m1), code: "111-22-333"))
    #expect(isError(controller.post("/pair-setup", setup.m3), state: 4, 2))
    #expect(accessory.stored == [.failedAttempts(1)])
    #expect(controller.pair(code: TestHome.code) == nil)
    #expect(accessory.stored.dropFirst().first == .failedAttempts(0))
  }

  @Test("[PS.13] A multiple of N as A is Authentication and no failed try")
  func worthlessKey() throws {
    for key in [[UInt8](repeating: 0, count: 384), [0], []] {
      let controller = accessory.unverified()
      let setup = try start(controller)
      let reply = controller.post("/pair-setup", PlainTLV([(6, [3]), (3, key), (4, setup.proof.proof)]))
      #expect(isError(reply, state: 4, 2))
      accessory.disconnect(controller)
    }
    #expect(accessory.stored.isEmpty)
  }

  static let outOfPlace: [PlainTLV] = [
    PlainTLV([(6, [0])]), PlainTLV([(6, [2])]), PlainTLV([(6, [4])]), PlainTLV([(6, [6])]), PlainTLV([(6, [7])]),
    PlainTLV([(6, [255])]), PlainTLV([(0, [0])]), PlainTLV([(6, []), (0, [0])]), PlainTLV([(6, [1, 0]), (0, [0])]),
    PlainTLV([(6, [3])]), PlainTLV([(6, [3]), (3, [1]), (4, [1])]), PlainTLV([(6, [5])]),
    PlainTLV([(6, [5]), (5, [1, 2, 3])]),
    PlainTLV([(6, [1])]), PlainTLV([(6, [1]), (0, [7])]), PlainTLV([(6, [1]), (0, [])]),
    PlainTLV([(6, [1]), (0, [0, 0])]),
    PlainTLV([(6, [1]), (0, [0]), (6, [1])]), PlainTLV([(6, [1]), (0, [0]), (0x13, [1, 2, 3, 4, 5])]),
    PlainTLV([(6, [1]), (0, [2])]), PlainTLV([(6, [1]), (0, [3])]), PlainTLV([]),
  ]

  @Test(
    "[PS.15, PS.16, PS.17, PS.18, PS.20, PS.21, PS.28, TLV.10, TLV.12] An unexpected message is 400 in each state; a new M1 works",
    arguments: outOfPlace)
  func refused(_ message: PlainTLV) throws {
    let controller = accessory.unverified()
    func expectRefused(_ place: SourceLocation = #_sourceLocation) {
      let reply = controller.post("/pair-setup", message)
      #expect(reply?.status == 400, sourceLocation: place)
      #expect(reply?.body == [], sourceLocation: place)
    }
    expectRefused()  // initial state
    let one = try start(controller)
    expectRefused()  // M3 expected
    #expect(controller.post("/pair-setup", one.m3)?.status == 400)
    let other = try start(controller)
    #expect(controller.post("/pair-setup", other.m3)?.tlv?[4]?.count == 64)
    expectRefused()  // M5 expected
    #expect(controller.post("/pair-setup", controller.m5(other))?.status == 400)
    #expect(accessory.stored.isEmpty)
    #expect(controller.pair(code: TestHome.code) == nil)
  }

  @Test(
    "[PS.20] Bytes other than TLV are 400 in each state", arguments: [[6], [6, 2, 1], Array("{}".utf8)] as [[UInt8]])
  func noTLV(_ body: [UInt8]) throws {
    let controller = accessory.unverified()
    #expect(controller.exchange("POST", "/pair-setup", body: body)?.status == 400)
    let setup = try start(controller)
    #expect(controller.exchange("POST", "/pair-setup", body: body)?.status == 400)
    #expect(controller.post("/pair-setup", setup.m3)?.status == 400)
    #expect(controller.pair(code: TestHome.code) == nil)
  }

  @Test("[PS.20] A repeated proof after M4 ends the procedure")
  func proofTwice() throws {
    let controller = accessory.unverified()
    let setup = try start(controller)
    #expect(controller.post("/pair-setup", setup.m3)?.tlv?[4] != nil)
    #expect(controller.post("/pair-setup", setup.m3)?.status == 400)
    #expect(controller.post("/pair-setup", controller.m5(setup))?.status == 400)
    #expect(!accessory.core.isPaired)
  }

  @Test("[PS.22] A second M1 restarts the procedure with another B, and a proof for the first B fails")
  func startedOver() throws {
    let controller = accessory.unverified()
    let first = try start(controller)
    let second = try start(controller)
    #expect(first.accessoryKey != second.accessoryKey)
    #expect(isError(controller.post("/pair-setup", first.m3), state: 4, 2))
    #expect(controller.pair(code: TestHome.code) == nil)
  }

  @Test("[PS.27, PS.21] A broken seal of M5 is Authentication in M6")
  func brokenSeal() throws {
    let controller = accessory.unverified()
    let setup = try start(controller)
    _ = controller.post("/pair-setup", setup.m3)
    var m5 = controller.m5(setup)
    m5.items[1].value[0] ^= 1
    #expect(isError(controller.post("/pair-setup", m5), state: 6, 2))
    #expect(!accessory.core.isPaired)
    #expect(controller.pair(code: TestHome.code) == nil)
  }

  @Test("[PS.34, SE.12] Inside a secured session Pair Setup is 400, sealed, and the session continues")
  func insideSession() {
    let accessory = TestHome.accessory()
    let session = accessory.verified()
    #expect(session.post("/pair-setup", Self.m1)?.status == 400)
    #expect(session.get("/accessories")?.status == 200)
  }

  @Test("[PS.35] M3 and M5 on another connection than M1 are 400")
  func otherConnection() throws {
    let one = accessory.unverified()
    let other = accessory.unverified(TestHome.stranger)
    let setup = try start(one)
    #expect(other.post("/pair-setup", setup.m3)?.status == 400)
    #expect(one.post("/pair-setup", setup.m3)?.tlv?[4] != nil)
    #expect(other.post("/pair-setup", one.m5(setup))?.status == 400)
    #expect(one.readM6(one.post("/pair-setup", one.m5(setup)), setup) != nil)
  }

  @Test(
    "[PS.36, PS.60, CN.5] A connection that closes at any step leaves the accessory unpaired and free",
    arguments: [1, 2, 3])
  func goneAway(_ steps: Int) throws {
    let controller = accessory.unverified(TestHome.stranger)
    if steps == 1 { accessory.computing = .held }
    if steps == 1 {
      #expect(controller.post("/pair-setup", Self.m1) == nil)
    } else {
      let setup = try start(controller)
      if steps == 3 { #expect(controller.post("/pair-setup", setup.m3)?.tlv?[4] != nil) }
    }
    accessory.disconnect(controller)
    accessory.releaseWork()
    accessory.computing = .atOnce
    #expect(!accessory.core.isPaired)
    #expect(accessory.unverified().pair(code: TestHome.code) == nil)
  }

  @Test(
    "[ST.1, CN.5] If the connection closes during storing, the result of storing counts, and no other controller pairs meanwhile"
  )
  func goneWhileStoring() throws {
    let controller = accessory.unverified()
    let setup = try start(controller)
    _ = controller.post("/pair-setup", setup.m3)
    accessory.storing = .held
    _ = controller.post("/pair-setup", controller.m5(setup))
    accessory.disconnect(controller)
    let other = accessory.unverified(TestHome.stranger)
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 7))
    accessory.releaseStores()
    accessory.storing = .atOnce
    #expect(accessory.core.pairings == [TestHome.pairing(TestHome.admin, isAdmin: true)])
    #expect(accessory.advertised.last?.record.statusFlags == [])
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 6))
    #expect(accessory.unverified().verify() == nil)
  }

  @Test("[PS.60] While one controller pairs, others get Busy at each step, until it finishes or disconnects")
  func busy() throws {
    let one = accessory.unverified()
    let other = accessory.unverified(TestHome.stranger)
    accessory.computing = .held
    #expect(one.post("/pair-setup", Self.m1) == nil)
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 7))
    accessory.releaseWork()
    accessory.computing = .atOnce
    let setup = try #require(one.readSetupM2(one.takeReply(), code: TestHome.code))
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 7))
    #expect(one.post("/pair-setup", setup.m3)?.tlv?[4] != nil)
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 7))
    #expect(one.readM6(one.post("/pair-setup", one.m5(setup)), setup) != nil)
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 6))
  }

  @Test("[PS.60] After a failed procedure, another controller can pair at once")
  func roomAfterFailure() throws {
    let one = accessory.unverified(TestHome.stranger)
    let setup = try #require(one.readSetupM2(one.post("/pair-setup", Self.m1), code: "111-22-333"))
    #expect(isError(one.post("/pair-setup", setup.m3), state: 4, 2))
    #expect(accessory.unverified().pair(code: TestHome.code) == nil)
  }

  @Test("[PS.61] A paired accessory answers Unavailable, not Busy")
  func pairedBeforeBusy() throws {
    let one = accessory.unverified()
    let other = accessory.unverified(TestHome.stranger)
    #expect(one.pair(code: TestHome.code) == nil)
    #expect(isError(one.post("/pair-setup", Self.m1), state: 2, 6))
    #expect(isError(other.post("/pair-setup", Self.m1), state: 2, 6))
  }

  @Test("[HTTP.27, PS.20] Requests that arrive before the pending answer wait")
  func pipelined() throws {
    let controller = accessory.unverified()
    accessory.computing = .held
    controller.send(
      MemoryController.request("POST", "/pair-setup", body: Self.m1.encoded)
        + MemoryController.request("GET", "/accessories") + MemoryController.request("POST", "/identify"))
    #expect(controller.messages.isEmpty)
    accessory.releaseWork()
    #expect(controller.messages.map(\.status) == [200, 470, 204])
  }

  @Test("[PS.36, CN.5] Results of slow work for a closed connection are dropped, in any order")
  func lateWork() throws {
    accessory.computing = .held
    let gone = accessory.unverified(TestHome.stranger)
    #expect(gone.post("/pair-setup", Self.m1) == nil)
    accessory.disconnect(gone)
    let controller = accessory.unverified()
    #expect(controller.post("/pair-setup", Self.m1) == nil)
    accessory.releaseWork()
    accessory.computing = .atOnce
    #expect(gone.messages.isEmpty)
    let setup = try #require(controller.readSetupM2(controller.takeReply(), code: TestHome.code))
    #expect(controller.post("/pair-setup", setup.m3)?.tlv?[4] != nil)
  }
}
