import HAPIP
import Testing

@Suite("Connection slots shared by remote address")
struct ConnectionSlotsTests {
  private final class Holder: SlotHolder {
    let remoteAddress: RemoteAddress
    var lastHeard: Duration
    var isAnswerOwed = false
    var verifyStarted: Duration?
    var slotState = SlotState.none
    var isEvicted = false

    init(_ host: String, at now: Duration) {
      remoteAddress = RemoteAddress(peer: "\(host):1")
      lastHeard = now
    }
  }

  private final class Port {
    var slots: ConnectionSlots<Holder>
    var now = Duration.zero

    init(_ limit: Int = 4, waiting: Int = 4) {
      slots = ConnectionSlots(limit: limit, waitingLimit: waiting, sessionPatience: .seconds(60))
    }

    /// A connection that has sent nothing; `nil` if it was refused.
    func open(_ host: String) -> Holder? {
      now += .milliseconds(1)
      let holder = Holder(host, at: now)
      return accept(slots.open(holder, at: now)) ? holder : nil
    }

    /// A connection that has sent a complete request; `nil` if it was refused.
    func request(_ host: String) -> Holder? {
      guard let holder = open(host) else { return nil }
      return accept(slots.take(holder, at: now)) ? holder : nil
    }

    /// A connection that has sent more than 2 KiB of its first body, but not all of it; `nil` if it was refused.
    func send(_ host: String) -> Holder? {
      guard let holder = open(host) else { return nil }
      slots.send(holder)?.isEvicted = true
      return holder
    }

    /// Verified sessions of one address.
    func sessions(_ count: Int, _ host: String = "10.0.0.1") -> [Holder] {
      (0..<count).compactMap { _ in
        let holder = request(host)
        if let holder { slots.verified(holder) }
        return holder
      }
    }

    private func accept(_ admission: ConnectionSlots<Holder>.Admission) -> Bool {
      guard case .admitted(let evicted) = admission else { return false }
      evicted?.isEvicted = true
      return true
    }
  }

  @Test("[CN.18] A silent connection takes no slot: two thousand of them leave all slots free")
  func silentOnes() throws {
    let port = Port(17, waiting: 4096)
    let flood = (0..<2000).compactMap { _ in port.open("10.0.0.1") }
    let controllers = (0..<17).compactMap { _ in port.request("10.0.0.1") }
    #expect(flood.count == 2000 && controllers.count == 17)
    #expect(!(flood + controllers).contains { $0.isEvicted })
  }

  @Test("[CN.18] Above the limit, the address with the most silent connections loses its oldest one")
  func waitingShare() {
    let port = Port(waiting: 5)
    let other = port.open("10.0.0.2")
    let flood = (0..<50).compactMap { _ in port.open("10.0.0.1") }
    #expect(flood.count == 50 && other?.isEvicted == false)
    #expect(flood.map(\.isEvicted) == Array(repeating: true, count: 46) + Array(repeating: false, count: 4))
    let second = port.open("10.0.0.3")
    #expect(flood[46].isEvicted && other?.isEvicted == false && second?.isEvicted == false)
    #expect(port.slots.waitingCount == 5)
  }

  @Test("[CN.20] A long first body takes no slot: two thousand of them evict no connection with a slot")
  func longBodies() throws {
    let port = Port(17)
    let controller = try #require(port.request("10.0.0.1"))
    let flood = (0..<2000).compactMap { _ in port.send("10.0.0.1") }
    #expect(flood.count == 2000 && flood.count { !$0.isEvicted } == 16 && flood.suffix(16).allSatisfy { !$0.isEvicted })
    let others = (0..<16).compactMap { _ in port.request("10.0.0.1") }
    #expect(others.count == 16 && !(others + [controller]).contains { $0.isEvicted })
    // Without a free slot, only 8 may send bodies.
    #expect(port.slots.sendingCount == 8 && flood.suffix(8).allSatisfy { !$0.isEvicted })
    #expect(port.slots.waitingCount == 0 && port.slots.all.count == 25)
  }

  @Test("[CN.20] The address with the most long first bodies loses its oldest one")
  func longBodyShare() {
    let port = Port()
    let other = port.send("10.0.0.2")
    let flood = (0..<50).compactMap { _ in port.send("10.0.0.1") }
    #expect(flood.map(\.isEvicted) == Array(repeating: true, count: 43) + Array(repeating: false, count: 7))
    let third = port.send("10.0.0.3")
    #expect(flood[43].isEvicted && other?.isEvicted == false && third?.isEvicted == false)
  }

  @Test("[CN.20] A connection takes its slot at the end of its long first body, and another one may then send")
  func endOfLongBody() throws {
    let port = Port(1)
    let senders = (0..<8).compactMap { _ in port.send("10.0.0.1") }
    guard case .admitted(nil) = port.slots.take(senders[0], at: port.now) else {
      Issue.record("the slot is free")
      return
    }
    #expect(senders[0].slotState == .slot && port.slots.sendingCount == 7)
    _ = port.send("10.0.0.1")
    #expect(!senders.contains { $0.isEvicted })
    // All slots are taken by connections that can't be evicted.
    senders[0].isAnswerOwed = true
    guard case .refused = port.slots.take(senders[1], at: port.now) else {
      Issue.record("the slot is taken")
      return
    }
    #expect(senders[1].slotState == .sending)
  }

  @Test("[CN.20] A long body has no effect for a connection with a slot or a closed one, and is counted only once")
  func otherLongBodies() throws {
    let port = Port()
    let session = try #require(port.sessions(1).first)
    let (plain, closed, sender) = (
      try #require(port.request("10.0.0.1")), try #require(port.open("10.0.0.1")), try #require(port.send("10.0.0.1"))
    )
    port.slots.remove(closed)
    for holder in [session, plain, closed, sender] { #expect(port.slots.send(holder) == nil) }
    #expect([session, plain, closed, sender].map(\.slotState) == [.session, .slot, .none, .sending])
    #expect(port.slots.takenCount == 2 && port.slots.sendingCount == 1)
    for _ in 0..<2 { port.slots.remove(sender) }
    #expect(sender.slotState == .none && port.slots.sendingCount == 0)
    // It no longer counts for its address, so the other address has the most.
    let own = (0..<4).compactMap { _ in port.send("10.0.0.1") }
    let others = (0..<5).compactMap { _ in port.send("10.0.0.2") }
    #expect(own.count == 4 && !own.contains { $0.isEvicted })
    #expect(others.map(\.isEvicted) == [true, false, false, false, false])
  }

  @Test(
    "[CN.13] A flood of valid M1 or of pending answers from one address evicts no session after its first slot",
    arguments: [true, false])
  func sessionsDuringFlood(_ isOwed: Bool) throws {
    let port = Port(17)
    let sessions = port.sessions(16)
    port.now += .seconds(3600)
    for number in 0..<100 {
      guard let holder = port.request("10.0.0.1") else { continue }
      #expect(number == 0)
      holder.verifyStarted = isOwed ? nil : port.now
      holder.isAnswerOwed = isOwed
    }
    #expect(!sessions.contains { $0.isEvicted })
    // Another address still gets a slot.
    #expect(port.request("10.0.0.2") != nil && sessions.count { $0.isEvicted } == 1)
  }

  @Test("[CN.18] After a shortage of open files the limit doubles every 10 s")
  func recovery() {
    let port = Port(waiting: 600)
    for _ in 0..<600 { _ = port.open("10.0.0.1") }
    #expect(port.slots.shrinkWaiting(at: port.now).count == 300)
    func fill() -> Int {
      for _ in 0..<700 { _ = port.open("10.0.0.1") }
      return port.slots.waitingCount
    }
    #expect(fill() == 300)
    port.now += .seconds(10)
    #expect(fill() == 600)
    #expect(port.slots.shrinkWaiting(at: port.now).count == 300 && port.slots.shrinkWaiting(at: port.now).count == 150)
    port.now += .seconds(10)
    #expect(fill() == 300)
    port.now += .seconds(10)
    #expect(fill() == 600)
  }

  @Test("[CN.10] A port uses at most half of its open files for slots, and at least 17 of them")
  func slotShare() {
    #expect(slotLimit(10_000, openFiles: 1024) == 512 && slotLimit(10_000, openFiles: 20_000) == 10_000)
    #expect(slotLimit(10_000, openFiles: 0) == 17 && slotLimit(8, openFiles: 1024) == 8)
  }

  @Test("[CN.18] Without open files half of the silent connections are evicted, and at least 128 may wait again")
  func shrink() {
    let port = Port(waiting: 200)
    #expect(port.slots.shrinkWaiting(at: port.now).isEmpty)
    let other = port.open("10.0.0.2")
    for _ in 0..<100 { _ = port.open("10.0.0.1") }
    #expect(port.slots.shrinkWaiting(at: port.now).count == 51 && port.slots.waitingCount == 50)
    #expect(port.slots.shrinkWaiting(at: port.now).count == 25 && other?.slotState == .waiting)
    for _ in 0..<200 { _ = port.open("10.0.0.1") }
    #expect(port.slots.waitingCount == 128 && other?.slotState == .waiting)
    #expect(slotWaitingLimit(openFiles: 1024) == 256 && slotWaitingLimit(openFiles: 0) == 128)
    #expect(slotWaitingLimit(openFiles: .max) == 4096)
  }

  @Test("[CN.12] The address with the most slots loses one to another address, the longest silent one first")
  func fairShare() {
    let port = Port()
    let flood = (0..<4).compactMap { _ in port.request("10.0.0.1") }
    flood[0].lastHeard = port.now + .seconds(1)
    #expect(port.request("10.0.0.2") != nil)
    #expect(flood.map(\.isEvicted) == [false, true, false, false])
    #expect(port.request("10.0.0.2") != nil)
    #expect(flood.map(\.isEvicted) == [false, true, true, false])
  }

  @Test("[CN.12] Within an address, the longest silent connection loses its slot to a new one")
  func sameAddress() {
    let port = Port()
    let other = port.request("10.0.0.2")
    let flood = (0..<30).compactMap { _ in port.request("10.0.0.1") }
    #expect(flood.count == 30 && flood.count { !$0.isEvicted } == 3)
    #expect(other?.isEvicted == false && flood.suffix(3).allSatisfy { !$0.isEvicted })
  }

  @Test("[CN.19] A valid M1 protects a connection from its own address for 5 s")
  func verifying() throws {
    let port = Port()
    let verifying = try #require(port.request("10.0.0.1"))
    verifying.verifyStarted = port.now
    let start = port.now
    for _ in 0..<100 { _ = port.request("10.0.0.1") }
    #expect(!verifying.isEvicted)
    port.now = start + .seconds(5)
    for _ in 0..<4 { _ = port.request("10.0.0.1") }
    #expect(verifying.isEvicted)
  }

  @Test("[CN.19] If a flood of valid M1 takes all slots, its address is refused and another one is admitted")
  func verifyFlood() {
    let port = Port()
    let flood = (0..<4).compactMap { _ in port.request("10.0.0.1") }
    for holder in flood {
      holder.verifyStarted = port.now
      holder.isAnswerOwed = holder !== flood[2]
    }
    #expect(port.open("10.0.0.1") == nil)
    #expect(port.request("10.0.0.2") != nil)
    #expect(flood.map(\.isEvicted) == [false, false, true, false])
  }

  @Test("[CN.15] A connection with a pending answer loses its slot only to an address with fewer slots")
  func owed() {
    let port = Port(2)
    let flood = (0..<2).compactMap { _ in port.request("10.0.0.1") }
    for holder in flood { holder.isAnswerOwed = true }
    #expect(port.open("10.0.0.1") == nil)
    #expect(port.request("10.0.0.2") != nil)
    #expect(flood.map(\.isEvicted) == [true, false])
  }

  @Test("[CN.14] Sessions don't count among the slots of an address, and eight of them keep their slots")
  func sessions() throws {
    let port = Port(9)
    let sessions = port.sessions(8)
    port.now += .seconds(3600)
    let lone = try #require(port.request("10.0.0.2"))
    for _ in 0..<100 { #expect(port.request("10.0.0.3") != nil) }
    #expect(lone.isEvicted && !sessions.contains { $0.isEvicted })
    // This holds even if no unverified connection can be evicted.
    let last = try #require(port.request("10.0.0.3"))
    last.verifyStarted = port.now
    #expect(port.open("10.0.0.4") == nil)
    let roomy = Port(10)
    let nine = roomy.sessions(9)
    roomy.now += .seconds(3600)
    roomy.request("10.0.0.3")?.verifyStarted = roomy.now
    #expect(roomy.request("10.0.0.4") != nil && nine.count { $0.isEvicted } == 1)
  }

  @Test("[CN.13] A session that was silent for a minute loses its slot if there is no unverified connection")
  func silentSession() {
    let port = Port(2)
    let sessions = port.sessions(2)
    sessions[0].lastHeard = port.now + .seconds(1)
    port.now += .seconds(60) - .milliseconds(2)
    #expect(port.open("10.0.0.2") == nil)
    #expect(port.request("10.0.0.2") != nil)
    #expect(sessions.map(\.isEvicted) == [false, true])
  }

  @Test("A closed connection frees its slot and its place in the queue, once")
  func removed() throws {
    let port = Port(1, waiting: 2)
    let (silent, one) = (try #require(port.open("10.0.0.1")), try #require(port.request("10.0.0.1")))
    for _ in 0..<2 {
      port.slots.remove(silent)
      port.slots.remove(one)
    }
    #expect(port.slots.waitingCount == 0 && port.slots.takenCount == 0 && port.slots.all.isEmpty)
    _ = port.request("10.0.0.1")
    #expect(port.slots.all.count == 1)
  }
}

@Suite("The remote address of a connection")
struct RemoteAddressTests {
  @Test(
    "[CN.12] Peers of one address count together",
    arguments: [
      ("192.0.2.1:1000", "192.0.2.1:2000"),
      ("192.0.2.1:1000", "[::ffff:192.0.2.1]:1000"),
      ("192.0.2.1:1000", "[::ffff:c000:201]:1000"),
      ("[2001:db8:0:1::1]:1000", "[2001:db8:0:1:ffff:ffff:ffff:ffff]:1000"),
      ("[2001:db8::1]:1000", "[2001:db8:0:0:1::]:1000"),
      ("[fe80::1%lo]:1000", "[fe80::1%lo]:2000"),
      ("[fe80::1%lo]:1000", "[fe80:0:0:0:0:0:0:1%lo]:2000"),
    ])
  func same(_ one: String, _ other: String) {
    #expect(RemoteAddress(peer: one) == RemoteAddress(peer: other))
  }

  @Test(
    "[CN.12] Peers of different addresses count apart",
    arguments: [
      ("192.0.2.1:1000", "192.0.2.2:1000"),
      ("[2001:db8:0:1::1]:1000", "[2001:db8:0:2::1]:1000"),
      ("[::1]:1000", "127.0.0.1:1000"),
      ("[::1]:1000", "[1::1]:1000"),
      ("[fe80::1%lo]:1000", "[fe80::2%lo]:1000"),
      ("[fe80::1%1]:1000", "[fe80::1%2]:1000"),
      ("controller-1", "controller-2"),
      ("[:::]:1", "[1:2]:1"), ("[1:2:3:4:5:6:7:8:9]:1", "[1:2:3:4:5:6:7:8]:1"), ("[::1.2.3]:1", "[::1.2.3.400]:1"),
    ])
  func different(_ one: String, _ other: String) {
    #expect(RemoteAddress(peer: one) != RemoteAddress(peer: other))
  }
}
