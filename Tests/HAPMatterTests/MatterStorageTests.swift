import MatterInteraction
@testable import MatterController
import HAPLoop
import HAPModel
import HAPPreparation
import HAPProfile
import HAPStore
import HAPWire
import HAPWorld
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("What a node stores") struct MatterStorageTests {
  private static let toggle = CommandPath(1, 6, 2)

  @Test(
    "Fabrics survive a reboot, a power cut and a loss of the host's power", arguments: ["reboot", "power-cut", nil])
  func restarts(command: String?) async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      let payload = try served.invitation?.payload
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try await phone.sleep(.seconds(1))
      if let command {
        try await served.command(command)
      } else {
        home.losePower()
        served = try ServedNode(Profile.light, in: home)
      }
      #expect(try served.fabricCount == 1 && served.invitation?.payload == payload)
      try await phone.sleep(.seconds(2))
      #expect(phone.commissionable.isEmpty)
      // The node does not know the old session.
      #expect(try await phone.request(.command(Self.toggle)) == nil)
      #expect(try await phone.connect() == false)
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A power cut sends no goodbye, and the records of the run before it are not answered any more")
  func cutRecords() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.wait { phone.commissionable.count == 1 })
      let old = phone.commissionable.keys.sorted()
      try await phone.sleep(.seconds(2))
      try await served.command("power-cut")
      #expect(try await phone.wait { phone.commissionable.count == 2 })
      #expect(phone.commissionable.keys.contains(old[0]), "there was no goodbye")
      let names = try await phone.names(of: "_matterc._udp")
      #expect(names.count == 1 && names.isDisjoint(with: old))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A factory reset removes fabrics, and keeps the label") func factoryReset() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      let before = try served.invitation
      try await served.command("factory-reset")
      #expect(try served.fabricCount == 0 && served.invitation == before)
      try await phone.wait { phone.operational.isEmpty && !phone.commissionable.isEmpty }
      #expect(phone.operational.isEmpty && phone.commissionable.count == 1)
      #expect(try await phone.connect() == nil)
      #expect(try await phone.commission(served))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A power cut at any time of a commissioning leaves no fabric, or a whole one")
  func cut() async throws {
    var counts: [Int] = []
    for step in 1...20 { counts.append(try await fabricCount(afterCutAt: .milliseconds(step * 4))) }
    #expect(counts == counts.sorted() && counts.first == 0 && counts.last == 1, "\(counts)")
  }

  /// - Returns: the number of fabrics after a power cut in a commissioning: 0 or 1.
  private func fabricCount(afterCutAt time: Duration) async throws -> Int {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      try await phone.wait { !phone.commissionable.isEmpty }
      let timer = try home.makePhoneLoop()
      timer.startTask {
        try? await timer.sleep(for: time)
        home.losePower()
      }
      let succeeded = try await phone.commission(served)
      try await timer.sleep(for: .milliseconds(100))
      served = try ServedNode(Profile.light, in: home)
      let count = try served.fabricCount
      #expect(count <= 1 && (count == 1 || !succeeded))
      try await phone.sleep(.seconds(130))
      if count == 1 {
        #expect(try await phone.connect() != nil)
      } else {
        #expect(try await phone.commission(served))
      }
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try phone.stop()
      try served.stop()
      return count
    }
  }

  /// Opens the store of an accessory that is not served.
  private static func withStore<T>(_ home: MatterHome, _ body: (AccessoryStore) throws -> T) throws -> T {
    let folder = try StateFolder.open(path: "/state", files: home.disk)
    let prepared = try PreparedAccessory(
      AccessoryProfile(json: Array(Profile.light.utf8), fileName: "profile"), in: folder, random: .seeded(1))
    defer { prepared.close() }
    return try body(prepared.store)
  }

  @Test(
    "Damaged data is an error that says what it is, and is not overwritten",
    arguments: [
      ("matter.node", "fabrics"), ("matter.label", "passcode and certificates"),
      ("matter.numbers", "endpoint numbers"), ("matter.settings", "settings"),
    ])
  func damage(name: String, what: String) async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      _ = try await phone.request(.write(AttributePath(1, 8, 0x11), .unsigned(99)))
      try served.stop()
      try await phone.sleep(.seconds(1))
      home.disk.kill()
      home.disk.start()
      let before = try Self.withStore(home) { store in
        guard var data = try store.frontEndData().first(where: { $0.name == name }) else {
          throw MatterHome.Failure(message: "nothing is stored as \(name)")
        }
        data.bytes[data.bytes.count / 2] ^= 0x40
        data.bytes.removeLast()
        try store.keep(data)
        return try store.frontEndData()
      }
      do {
        _ = try ServedNode(Profile.light, in: home)
        Issue.record("the accessory has started")
      } catch {
        #expect("\(error)".contains("\"Lamp\" can't be served over Matter: the stored \(what) are damaged"), "\(error)")
      }
      #expect(try Self.withStore(home) { try $0.frontEndData() } == before)
      try phone.stop()
    }
  }

  @Test("If the fabric can't be stored, the commissioner gets no answer, also not a late one")
  func fullDisk() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      try await phone.wait { !phone.commissionable.isEmpty }
      try await phone.sleep(.seconds(2))
      home.disk.capacity = home.disk.used
      #expect(try await !phone.commission(served))
      #expect(phone.commissionings == 0)
      #expect(phone.failures == ["the node does not answer: no answer to CommissioningComplete"], "\(phone.failures)")
      #expect(served.eventNames().contains("trouble"))
      // After a restart, the fabric is gone.
      home.disk.capacity = 1 << 30
      home.losePower()
      let again = try ServedNode(Profile.light, in: home)
      #expect(try again.fabricCount == 0)
      try await phone.sleep(.seconds(130))
      #expect(try await phone.commission(again))
      try phone.stop()
      try again.stop()
    }
  }

  @Test("If an option of a controller can't be stored, its write has no answer")
  func fullDiskForOptions() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await phone.sleep(.seconds(2))
      home.disk.fail(.write, isLasting: true)
      let write = InteractionRequest.write(AttributePath(1, 8, 0x11), .unsigned(99))
      #expect(try await phone.request(write, limit: .seconds(100)) == nil)
      home.disk.clearFaults()
      guard case .written(let items)? = try await phone.request(.write(AttributePath(1, 8, 0x11), .unsigned(98))) else {
        Issue.record("the write has no answer")
        return
      }
      #expect(items.map(\.status) == [.success])
      try phone.stop()
      try served.stop()
    }
  }

  @Test("An option that could not be stored is stored before an answer shows it")
  func storedBeforeRead() async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await phone.sleep(.seconds(2))
      let onLevel = AttributePath(1, 8, 0x11)
      home.disk.fail(.write, isLasting: true)
      #expect(try await phone.request(.write(onLevel, .unsigned(99)), limit: .seconds(100)) == nil)
      #expect(try await phone.request(.read(AttributePattern(onLevel)), limit: .seconds(100)) == nil)
      home.disk.clearFaults()
      #expect(try await phone.read(onLevel) == .unsigned(99))
      home.losePower()
      served = try ServedNode(Profile.light, in: home)
      try await phone.sleep(.seconds(2))
      #expect(try await phone.connect() == false)
      #expect(try await phone.read(onLevel) == .unsigned(99))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("While the disk is slow, a flood does not fill the memory, and afterwards the node answers")
  func slowDisk() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      // In one turn of the loop, nothing can be stored.
      let (isStoring, most) = try served.withFrontEnd { frontEnd in
        guard let node = frontEnd.node else { return (false, 0) }
        node.server.change(at: frontEnd.now) { $0.storeEventNumber($0.state.eventNumber + 100) }
        frontEnd.act()
        for number in 0..<3000 as Range<UInt64> {
          var buffer = ByteBuffer()
          MessageHeader(session: 0, counter: 1, source: number).encode(into: &buffer)
          ExchangeHeader(
            isFromInitiator: true, wantsAcknowledgement: true, opcode: 0x30, exchange: 1, protocolID: .secureChannel
          ).encode(into: &buffer)
          let peer = PeerAddress(high: 1, low: number, port: 1)
          node.server.receive(buffer.bytes + [0x15, 0x18], from: peer, at: frontEnd.now)
          frontEnd.act()
        }
        return (!frontEnd.waiting.isEmpty, frontEnd.waiting.count)
      }
      #expect(isStoring && most <= MatterFrontEnd.mostWaiting + 100)
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try served.withFrontEnd { $0.waiting.isEmpty })
      try phone.stop()
      try served.stop()
    }
  }
}
