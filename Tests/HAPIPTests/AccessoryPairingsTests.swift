import HAPCrypto
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: pairings") struct AccessoryPairingsTests {
  let accessory = TestHome.accessory()
  private static let list = PlainTLV([(6, [1]), (0, [5])])

  private func add(_ identity: ControllerIdentity, permissions: [UInt8] = [0]) -> PlainTLV {
    PlainTLV([(6, [1]), (0, [3]), (1, identity.identifier), (3, identity.key.publicKey), (0x0B, permissions)])
  }

  private func remove(_ identity: ControllerIdentity) -> PlainTLV {
    PlainTLV([(6, [1]), (0, [4]), (1, identity.identifier)])
  }

  private func isSuccess(_ reply: AccessoryMessage?) -> Bool {
    reply?.status == 200 && reply?.tlv == PlainTLV([(6, [2])])
  }
  private func isError(_ reply: AccessoryMessage?, _ code: UInt8) -> Bool {
    reply?.status == 200 && reply?.tlv == PlainTLV([(6, [2]), (7, [code])])
  }

  private func verifies(_ identity: ControllerIdentity) -> Bool {
    let controller = accessory.unverified(identity)
    defer { accessory.disconnect(controller) }
    return controller.verify() == nil
  }

  @Test(
    "[PR.1, ST.3] An added controller is stored before the answer, and can verify at once",
    arguments: [0, 1] as [UInt8])
  func adding(_ permissions: UInt8) {
    let controller = accessory.verified()
    accessory.storing = .held
    #expect(controller.post("/pairings", add(TestHome.stranger, permissions: [permissions])) == nil)
    #expect(!verifies(TestHome.stranger))
    accessory.releaseStores()
    accessory.storing = .atOnce
    #expect(isSuccess(controller.takeReply()))
    #expect(accessory.stored == [.upsert(TestHome.pairing(TestHome.stranger, isAdmin: permissions == 1))])
    let added = accessory.verified(TestHome.stranger)
    #expect(added.set("1.12", "9")?.status == 204)
    let answer = added.post("/pairings", Self.list)
    #expect(permissions == 1 ? answer?.tlv?.error == nil : isError(answer, 2))
  }

  @Test("[PR.1] Identifiers are bytes: case is significant, and short ones are accepted")
  func bytes() {
    let lower = ControllerIdentity(
      identifier: Array(String(decoding: TestHome.admin.identifier, as: UTF8.self).lowercased().utf8),
      key: ControllerIdentity(50).key)
    let short = ControllerIdentity(identifier: [0xFF], key: ControllerIdentity(51).key)
    let controller = accessory.verified()
    for identity in [lower, short] {
      #expect(isSuccess(controller.post("/pairings", add(identity))))
      #expect(verifies(identity))
    }
    #expect(verifies(TestHome.admin))
  }

  @Test("[PR.2] Adding a controller again with the same key changes its permissions")
  func permissions() {
    let controller = accessory.verified()
    #expect(isSuccess(controller.post("/pairings", add(TestHome.user, permissions: [1]))))
    #expect(accessory.verified(TestHome.user).post("/pairings", Self.list)?.tlv?.error == nil)
    #expect(accessory.core.pairings.count == 3)
    #expect(isSuccess(controller.post("/pairings", add(TestHome.user, permissions: [0]))))
    #expect(isError(accessory.verified(TestHome.user).post("/pairings", Self.list), 2))
  }

  @Test("[PR.3] Adding a known identifier with another key is Unknown and changes nothing")
  func otherKey() {
    let impostor = ControllerIdentity(identifier: TestHome.user.identifier, key: TestHome.stranger.key)
    #expect(isError(accessory.verified().post("/pairings", add(impostor, permissions: [1])), 1))
    #expect(accessory.stored.isEmpty)
    #expect(verifies(TestHome.user))
    #expect(!verifies(impostor))
  }

  @Test("[PR.4] Sixteen pairings fit; one more is MaxPeers, and the others are kept")
  func sixteen() {
    let controller = accessory.verified()
    var identities = [TestHome.admin, TestHome.secondAdmin, TestHome.user]
    while identities.count < 16 {
      let new = ControllerIdentity(UInt64(1000 + identities.count))
      #expect(isSuccess(controller.post("/pairings", add(new))))
      identities.append(new)
    }
    if accessory.core.pairingServer.quirks.maximumPairings == 16 {
      #expect(isError(controller.post("/pairings", add(ControllerIdentity(2000))), 4))
      #expect(isSuccess(controller.post("/pairings", add(TestHome.user, permissions: [1]))))
    }
    for identity in identities { #expect(verifies(identity)) }
  }

  @Test("[PR.5, ST.3] A removed controller can't verify any more; the removal is stored before the answer")
  func removing() {
    let controller = accessory.verified()
    accessory.storing = .held
    #expect(controller.post("/pairings", remove(TestHome.user)) == nil)
    accessory.releaseStores()
    #expect(isSuccess(controller.takeReply()))
    #expect(accessory.stored == [.remove([TestHome.user.identifier])])
    #expect(!verifies(TestHome.user))
    #expect(verifies(TestHome.secondAdmin))
  }

  @Test("[ST.2] If storing a change fails, the answer is an error and the change has no effect")
  func storeFails() {
    let controller = accessory.verified()
    accessory.storing = .failing
    let added = controller.post("/pairings", add(TestHome.stranger))
    #expect(!isSuccess(added))
    #expect(added != nil)
    let removed = controller.post("/pairings", remove(TestHome.user))
    #expect(!isSuccess(removed))
    #expect(removed != nil)
    accessory.storing = .atOnce
    #expect(!verifies(TestHome.stranger))
    #expect(verifies(TestHome.user))
  }

  @Test("[PR.6] Removing an unknown identifier succeeds")
  func removingUnknown() {
    #expect(isSuccess(accessory.verified().post("/pairings", remove(TestHome.stranger))))
    #expect(accessory.core.pairings.count == 3)
  }

  @Test("[PR.7] A request of a non-admin is Authentication, even to remove itself")
  func notAdmin() {
    let controller = accessory.verified(TestHome.user)
    for request in [
      add(TestHome.stranger), add(TestHome.user, permissions: [1]), remove(TestHome.admin), remove(TestHome.user),
      remove(TestHome.stranger), Self.list,
    ] { #expect(isError(controller.post("/pairings", request), 2)) }
    #expect(accessory.stored.isEmpty)
    #expect(accessory.core.pairings == TestHome.pairings)
    #expect(controller.get("/accessories")?.status == 200)
  }

  @Test("[PR.8, TLV.14] The list has state first and an empty 0xFF between entries")
  func listing() {
    let reply = accessory.verified().post("/pairings", Self.list)
    #expect(reply?.type == "application/pairing+tlv8")
    let all = [(TestHome.admin, 1), (TestHome.secondAdmin, 1), (TestHome.user, 0)] as [(ControllerIdentity, UInt8)]
    var expected: [(UInt8, [UInt8])] = [(6, [2])]
    for (index, (identity, permissions)) in all.enumerated() {
      if index > 0 { expected.append((0xFF, [])) }
      expected += [(1, identity.identifier), (3, identity.key.publicKey), (0x0B, [permissions])]
    }
    #expect(reply?.tlv == PlainTLV(expected))
    #expect(reply?.body == PlainTLV(expected).encoded)
  }

  @Test("[PR.9, PR.10, PR.11, AD.7] Removing the last admin removes all pairings, closes all sessions and allows setup")
  func lastAdmin() {
    let admin = accessory.verified()
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.secondAdmin))))
    #expect(accessory.advertised.isEmpty)
    let user = accessory.verified(TestHome.user)
    let watching = accessory.verified(TestHome.user)
    let second = accessory.verified()
    let plain = accessory.unverified()
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.admin))))
    #expect(admin.isClosed && user.isClosed && watching.isClosed && second.isClosed)
    #expect(!plain.isClosed)
    #expect(accessory.core.pairings.isEmpty)
    #expect(!accessory.core.isPaired)
    #expect(accessory.advertised.map { $0.record.statusFlags } == [.notPaired])
    #expect(!verifies(TestHome.admin) && !verifies(TestHome.user))
    #expect(plain.post("/pair-setup", MemoryController.setupM1)?.tlv?.error == nil)
    guard case .remove(let gone)? = accessory.stored.last else { return #expect(Bool(false), "nothing was removed") }
    #expect(Set(gone) == [TestHome.admin.identifier, TestHome.user.identifier])
  }

  @Test("[PR.9] After the last admin's removal, the same code pairs again")
  func pairAgain() {
    let admin = accessory.verified()
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.secondAdmin))))
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.admin))))
    let newcomer = accessory.unverified(TestHome.stranger)
    #expect(newcomer.pair(code: TestHome.code) == nil)
    #expect(newcomer.verify() == nil)
    #expect(newcomer.post("/pairings", Self.list)?.tlv?.items.count == 4)
  }

  @Test("[PR.10] All sessions of a removed controller close at once, whether the admin has read the answer or not")
  func sessionsClose() {
    let admin = accessory.verified()
    let one = accessory.verified(TestHome.user)
    let other = accessory.verified(TestHome.user)
    #expect(one.subscribe("1.51")?.status == 204)
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.user))))
    #expect(one.isClosed && other.isClosed)
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.advance(.seconds(1))
    #expect(one.takeEvents().isEmpty)
    #expect(!admin.isClosed)
  }

  @Test("[PR.11] A controller that removes itself gets the answer, then all its sessions close")
  func removingItself() {
    let controller = accessory.verified(TestHome.secondAdmin)
    let other = accessory.verified(TestHome.secondAdmin)
    #expect(isSuccess(controller.post("/pairings", remove(TestHome.secondAdmin))))
    #expect(controller.isClosed && other.isClosed)
    #expect(accessory.core.isPaired)
  }

  @Test("[PR.12] Removing one of several admins affects no other session or subscription")
  func othersUntouched() {
    let admin = accessory.verified()
    let user = accessory.verified(TestHome.user)
    let gone = accessory.verified(TestHome.secondAdmin)
    #expect(user.subscribe("1.51")?.status == 204)
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.secondAdmin))))
    #expect(gone.isClosed && !admin.isClosed && !user.isClosed)
    accessory.change(TestHome.id("1.51"), to: true)
    #expect(user.takeEvents().count == 1)
    #expect(accessory.core.pairings == [TestHome.pairings[0], TestHome.pairings[2]])
    #expect(accessory.advertised.isEmpty)
  }

  static let malformedAdds: [PlainTLV] = {
    let who = TestHome.stranger
    let id = who.identifier, key = who.key.publicKey
    return [
      PlainTLV([(6, [1]), (0, [3]), (1, id + [0x41]), (3, key), (0x0B, [0])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, key), (0x0B, [2])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, key), (0x0B, [0xFF])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, key), (0x0B, [])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, key), (0x0B, [1, 0])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, Array(key.dropLast())), (0x0B, [0])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, key + [0]), (0x0B, [0])]),
      PlainTLV([(6, [1]), (0, [3]), (3, key), (0x0B, [0])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (0x0B, [0])]),
      PlainTLV([(6, [1]), (0, [3]), (1, id), (3, key)]),
      PlainTLV([(6, [1]), (0, [4]), (1, id + [0x41])]),
      PlainTLV([(6, [1]), (0, [4])]),
    ]
  }()

  @Test("[PR.13, TLV.12] A malformed or missing item is 400 and adds nothing", arguments: malformedAdds)
  func malformedItems(_ request: PlainTLV) {
    let controller = accessory.verified()
    let reply = controller.post("/pairings", request)
    #expect(reply?.status == 400)
    #expect(reply?.body == [])
    #expect(accessory.stored.isEmpty)
    #expect(controller.get("/accessories")?.status == 200)
  }

  static let malformedRequests: [[UInt8]] = [
    [6], [6, 1], [6, 2, 1], [0, 1, 5], [6, 1, 1], [6, 1, 2, 0, 1, 5], [6, 1, 3, 0, 1, 5], [6, 0, 0, 1, 5],
    [6, 2, 1, 0, 0, 1, 5],
    [6, 1, 1, 0, 1, 0], [6, 1, 1, 0, 1, 1], [6, 1, 1, 0, 1, 2], [6, 1, 1, 0, 1, 6], [6, 1, 1, 0, 1, 99],
    [6, 1, 1, 0, 0],
    [6, 1, 1, 0, 2, 5, 0], [6, 1, 1, 0, 1, 5, 6, 1, 1], [6, 1, 1, 6, 1, 1, 0, 1, 5], Array(#"{"a":1}"#.utf8),
  ]

  @Test("[PR.14, TLV.4, TLV.7, TLV.10, TLV.12] A malformed request for pairings is 400", arguments: malformedRequests)
  func malformedBody(_ body: [UInt8]) {
    let controller = accessory.verified()
    let reply = controller.exchange("POST", "/pairings", body: body, type: "application/pairing+tlv8")
    #expect(reply?.status == 400)
    #expect(reply?.body == [])
    #expect(controller.post("/pairings", Self.list)?.status == 200)
  }

  @Test("[TLV.8, TLV.9] Order and unknown items don't matter in a request")
  func unknownItems() {
    let who = TestHome.stranger
    let request = PlainTLV([
      (0x7F, [1, 2]), (0x0B, [0]), (3, who.key.publicKey), (0xFE, []), (1, who.identifier), (0, [3]), (6, [1]),
    ])
    #expect(isSuccess(accessory.verified().post("/pairings", request)))
    #expect(verifies(who))
  }

  @Test("[PR.15] An open session of a demoted admin loses its rights, and that of a promoted user gains them")
  func demoted() {
    let admin = accessory.verified()
    let second = accessory.verified(TestHome.secondAdmin)
    let user = accessory.verified(TestHome.user)
    #expect(isSuccess(admin.post("/pairings", add(TestHome.secondAdmin, permissions: [0]))))
    #expect(isSuccess(admin.post("/pairings", add(TestHome.user, permissions: [1]))))
    #expect(isError(second.post("/pairings", Self.list), 2))
    #expect(user.post("/pairings", Self.list)?.tlv?.error == nil)
    #expect(!second.isClosed)
    #expect(second.get("/accessories")?.status == 200)
  }

  @Test("[PR.16, AD.7] Demoting the last admin removes all pairings, with 500 and the end of the connection")
  func lastAdminDemoted() {
    let admin = accessory.verified()
    let user = accessory.verified(TestHome.user)
    #expect(isSuccess(admin.post("/pairings", remove(TestHome.secondAdmin))))
    let reply = admin.post("/pairings", add(TestHome.admin, permissions: [0]))
    #expect(reply?.status == 500)
    #expect(admin.isClosed && user.isClosed)
    #expect(accessory.core.pairings.isEmpty)
    #expect(accessory.advertised.last?.record.statusFlags == .notPaired)
  }

  @Test("[PR.9] Two admins that remove each other at the same time leave no pairing without an admin")
  func crosswise() {
    let one = accessory.verified()
    let other = accessory.verified(TestHome.secondAdmin)
    accessory.storing = .held
    one.send(MemoryController.request("POST", "/pairings", body: remove(TestHome.secondAdmin).encoded))
    other.send(MemoryController.request("POST", "/pairings", body: remove(TestHome.admin).encoded))
    while accessory.heldStoreCount > 0 { accessory.releaseStores() }
    #expect(accessory.core.pairings.isEmpty || accessory.core.isPaired)
  }

  @Test("[PR.4] Two simultaneous additions don't exceed the limit")
  func raceForTheLastPlace() {
    let limit = accessory.core.pairingServer.quirks.maximumPairings
    let one = accessory.verified()
    let other = accessory.verified(TestHome.secondAdmin)
    for number in accessory.core.pairings.count..<(limit - 1) {
      #expect(isSuccess(one.post("/pairings", add(ControllerIdentity(UInt64(1000 + number))))))
    }
    accessory.storing = .held
    one.send(MemoryController.request("POST", "/pairings", body: add(ControllerIdentity(5000)).encoded))
    other.send(MemoryController.request("POST", "/pairings", body: add(ControllerIdentity(5001)).encoded))
    while accessory.heldStoreCount > 0 { accessory.releaseStores() }
    #expect(accessory.core.pairings.count == limit)
    #expect([one.takeReply()?.tlv?.error, other.takeReply()?.tlv?.error].compactMap { $0 } == [4])
  }
}
