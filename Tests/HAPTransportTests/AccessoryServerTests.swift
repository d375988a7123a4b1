import Foundation
import HAPLoop
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@testable import HAPTransport

@Suite("AccessoryServer over sockets")
struct AccessoryServerTests {
  private let admin = TestHome.admin

  @Test("[PS.1, PV.1] A controller pairs, verifies, writes and reads on one connection")
  func story() throws {
    let home = try ServedHome(pairings: [])
    let controller = try home.connect()
    #expect(controller.memory.pair(code: TestHome.code) == nil)
    #expect(controller.memory.verify() == nil)
    #expect(controller.memory.set(TestHome.ID.brightness, "33")?.status == 204)
    #expect(controller.memory.int(TestHome.ID.brightness) == 33)
    #expect(home.notes.contains(.wrote(TestHome.id(TestHome.ID.brightness))))
  }

  @Test("[CN.18] Without free descriptors, half of the connections without a request are reset")
  func shortOfOpenFiles() throws {
    let home = try ServedHome()
    let session = try home.verified()
    let silent = try (0..<10).map { _ in try home.connect() }
    while home.connectionCount < 11 {}
    home.onLoop { $0.couldNotAccept(LoopError(.other(0), "another error")) }
    #expect(home.connectionCount == 11)
    home.onLoop { $0.couldNotAccept(LoopError(.tooManyOpenFiles, "accepting")) }
    #expect(home.connectionCount == 6)
    #expect(session.memory.get("/accessories")?.status == 200)
    withExtendedLifetime(silent) {}
  }

  @Test("[CN.12] An evicted connection is closed at once, even if a defect keeps connections open")
  func evictedAtOnce() throws {
    var quirks = Quirks()
    quirks.maximumSessions = 1
    let home = try ServedHome(quirks: quirks)
    home.onLoop { $0.keepsOpen = { _ in true } }
    let deaf = try home.connect(TestHome.stranger)
    #expect(deaf.memory.get("/accessories")?.status == 470)
    let other = try home.connect(TestHome.stranger)
    #expect(other.memory.get("/accessories")?.status == 470)
    #expect(home.connectionCount == 1)
    withExtendedLifetime(deaf) {}
  }

  @Test("Requests that arrive byte by byte are answered")
  func byteByByte() throws {
    let home = try ServedHome()
    let controller = try home.verified()
    controller.memory.segmentSize = 1
    controller.waitsForAnswers = false
    controller.memory.send(MemoryController.request("GET", "/characteristics?id=1.12"))
    controller.read { !$0.messages.isEmpty }
    #expect(controller.memory.takeReply()?.entry("1.12")?.int("value") == 50)
  }

  @Test("[EV.1] A write by one controller is an event at another's, and the writer gets none")
  func event() throws {
    var quirks = Quirks()
    quirks.coalescing = .milliseconds(1)
    let home = try ServedHome(quirks: quirks)
    let writer = try home.verified(TestHome.admin)
    let other = try home.verified(TestHome.secondAdmin)
    #expect(writer.memory.subscribe(TestHome.ID.brightness)?.status == 204)
    #expect(other.memory.subscribe(TestHome.ID.brightness)?.status == 204)
    #expect(writer.memory.set(TestHome.ID.brightness, "7")?.status == 204)
    other.read { $0.messages.contains(where: \.isEvent) }
    #expect(other.memory.takeEvents().first?.entry(TestHome.ID.brightness)?.int("value") == 7)
    // The answer to another request would follow a possible event.
    #expect(writer.memory.int(TestHome.ID.brightness) == 7)
    #expect(writer.memory.takeEvents().isEmpty)
  }

  @Test("[EV.1] A change by the device is sent as an event, without any input")
  func deviceEvent() throws {
    let home = try ServedHome()
    let controller = try home.verified()
    #expect(controller.memory.subscribe(TestHome.ID.brightness)?.status == 204)
    home.onLoop { $0.performer.change([(TestHome.id(TestHome.ID.brightness), .integer(9))]) }
    controller.read { $0.messages.contains(where: \.isEvent) }
    #expect(controller.memory.takeEvents().first?.entry(TestHome.ID.brightness)?.int("value") == 9)
  }

  @Test("[ST.1] M6 waits for the store, other sessions don't, and then the accessory is advertised as paired")
  func lateStore() throws {
    let home = try ServedHome(pairings: [], holdsStores: true)
    let pairing = try home.connect()
    pairing.waitsForAnswers = true
    let m2 = pairing.memory.post("/pair-setup", MemoryController.setupM1)
    let setup = try #require(pairing.memory.readSetupM2(m2, code: TestHome.code))
    #expect(pairing.memory.post("/pair-setup", setup.m3)?.tlv?.error == nil)
    pairing.waitsForAnswers = false
    pairing.memory.send(
      MemoryController.request(
        "POST", "/pair-setup", body: pairing.memory.m5(setup).encoded, type: "application/pairing+tlv8"))
    home.wait(for: .storing)
    let other = try home.connect(TestHome.stranger)
    #expect(other.memory.get("/accessories")?.status == 470)
    #expect(pairing.memory.messages.isEmpty)
    #expect(!home.notes.contains(.advertised(isPaired: true)))
    home.releaseStores()
    pairing.read { !$0.messages.isEmpty }
    #expect(pairing.memory.readM6(pairing.memory.takeReply(), setup) != nil)
    home.wait(for: .advertised(isPaired: true))
  }

  @Test(
    "Removing pairings by command is answered even if the server stops; a removal that waits is not started")
  func unpairedBesideStop() throws {
    let home = try ServedHome(holdsStores: true)
    let answers = Guarded<[Bool]>([])
    home.onLoop { server in
      server.performer.unpair([TestHome.secondAdmin.identifier]) { isStored in answers.withLock { $0.append(isStored) }
      }
      server.performer.unpair([TestHome.admin.identifier]) { isStored in answers.withLock { $0.append(isStored) } }
      server.stop()
    }
    #expect(answers.withLock { $0 } == [])
    home.releaseStores()
    #expect(answers.withLock { $0 } == [true, false])
    #expect(home.onLoop { $0.core.pairings.count } == TestHome.pairings.count - 1)
  }

  @Test("[ST.5] A value is passed to the store before the answer to its write can be read")
  func keptFirst() throws {
    let home = try ServedHome()
    let controller = try home.verified()
    let id = TestHome.id(TestHome.ID.on)
    #expect(controller.memory.set(TestHome.ID.on, "true")?.status == 204)
    #expect(home.notes.contains(.kept(id)))
  }

  @Test("After the controller's FIN, pending requests are answered, then the connection ends")
  func halfClose() throws {
    let home = try ServedHome()
    let controller = try home.connect()
    controller.waitsForAnswers = false
    controller.memory.send(MemoryController.request("GET", "/accessories"))
    controller.finishWriting()
    controller.readToEnd()
    #expect(controller.memory.takeReply()?.status == 470)
    #expect(controller.isAtEnd)
    home.wait(for: .disconnected)
    #expect(home.connectionCount == 0)
  }

  @Test("[CN.5] A reset in the middle of a request ends only that connection")
  func reset() throws {
    let home = try ServedHome()
    let other = try home.verified()
    let controller = try home.connect()
    controller.waitsForAnswers = false
    controller.memory.sendRaw(Array("POST /pair-setup HTTP/1.1\r\nContent-Le".utf8))
    controller.reset()
    home.wait(for: .disconnected)
    #expect(home.connectionCount == 1)
    #expect(other.memory.get("/accessories")?.status == 200)
  }

  @Test("[CN.1] With all sessions in use, the next connection is closed, and the others continue")
  func sessionLimit() throws {
    var quirks = Quirks()
    quirks.maximumSessions = 8
    let home = try ServedHome(quirks: quirks)
    let controllers = try (0..<8).map { _ in try home.verified() }
    let late = try home.connect()
    late.readToEnd()
    #expect(late.isAtEnd)
    for controller in controllers { #expect(controller.memory.get("/characteristics?id=1.12")?.status == 200) }
    #expect(home.connectionCount == 8)
  }

  @Test("[CN.3] A subscriber that never reads is disconnected, and the others get their events")
  func deafSubscriber() throws {
    var quirks = Quirks()
    quirks.coalescing = .zero
    let home = try ServedHome(quirks: quirks)
    let deaf = try home.verified(TestHome.secondAdmin)
    let listener = try home.verified()
    #expect(deaf.memory.subscribe(TestHome.ID.text)?.status == 204)
    #expect(listener.memory.subscribe(TestHome.ID.brightness)?.status == 204)
    // More events than any socket buffers, each in a separate turn, while no client reads them.
    let text = String(repeating: "x", count: 60)
    var rounds = 0
    while home.connectionCount == 2, rounds < 2000 {
      rounds += 1
      home.onLoop { server in
        for round in 0..<100 {
          server.performer.change([(TestHome.id(TestHome.ID.text), .string(text + "\(round % 10)"))])
        }
      }
    }
    #expect(home.connectionCount == 1)
    home.onLoop { $0.performer.change([(TestHome.id(TestHome.ID.brightness), .integer(3))]) }
    listener.read { $0.messages.contains(where: \.isEvent) }
    #expect(listener.memory.takeEvents().first?.entry(TestHome.ID.brightness)?.int("value") == 3)
  }

  @Test("[CN.7] A continuous flood of requests is answered completely")
  func flood() throws {
    let home = try ServedHome()
    let controller = try home.verified()
    controller.waitsForAnswers = false
    let count = 1500
    let flood = controller.memory.frames((0..<count).flatMap { _ in MemoryController.request("GET", "/accessories") })
    // On a separate thread: the server stops reading while its answers are not read.
    Thread.detachNewThread { controller.write(flood) }
    controller.read { $0.messages.count >= count }
    #expect(controller.memory.messages.count { $0.status == 200 } == count)
  }

  @Test("Stopping delivers all answers and closes each connection")
  func stop() throws {
    let home = try ServedHome()
    let controllers = try (0..<5).map { _ in try home.verified() }
    for controller in controllers { #expect(controller.memory.get("/accessories")?.status == 200) }
    home.stop()
    for controller in controllers {
      controller.readToEnd()
      #expect(controller.isAtEnd)
    }
    #expect(home.connectionCount == 0)
  }

  @Test("[CN.5] Hundreds of short connections leave no descriptors")
  func comeAndGo() throws {
    var quirks = Quirks()
    quirks.maximumSessions = 400
    let home = try ServedHome(quirks: quirks)
    for _ in 0..<3 {
      let controllers = try (0..<100).map { _ in try home.connect() }
      for controller in controllers { #expect(controller.memory.get("/accessories")?.status == 470) }
      for controller in controllers { controller.disconnect() }
    }
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while home.connectionCount > 0, clock.now < end {}
    #expect(home.connectionCount == 0)
  }
}
