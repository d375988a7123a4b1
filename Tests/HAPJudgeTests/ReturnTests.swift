import HAPModel
import HAPReport
import HAPWire
import Testing

@testable import HAPJudge

@Suite("Rules for controllers: connections that end, and begin again")
struct ReturnTests {
  let court = Court()

  @Test("Who loses a connection comes back, and subscribes to all that it had")
  func comesBack() {
    let session = court.session()
    court.subscribe(session, 9)
    court.subscribe(session, 10)
    court.lose(session)
    court.wait(.seconds(5))
    let again = court.session()
    court.subscribe(again, 9)
    court.wait(.seconds(9))
    court.subscribe(again, 10)
    court.wait(.seconds(100))
    #expect(court.broken.isEmpty)
    #expect(court.verdict("reconnects") == .pass)
    #expect(court.verdict("resubscribes") == .pass)
  }

  @Test("Who subscribes to half of it is told what is missing")
  func half() {
    let session = court.session()
    court.subscribe(session, 9)
    court.subscribe(session, 10)
    court.lose(session)
    court.subscribe(court.session(), 9)
    court.wait(.seconds(11))
    #expect(court.broken == ["resubscribes"])
    #expect(court.outcome("resubscribes").message.contains("Brightness (1.10)"))
  }

  @Test("Who stays away is found to, but not before its time, nor while it can't come")
  func staysAway() {
    let session = court.session()
    court.subscribe(session)
    court.lamp.serves = false
    court.lose(session)
    court.wait(.seconds(100))
    #expect(court.broken.isEmpty)
    court.lamp.serves = true
    court.change(.serves(true))
    court.wait(.seconds(9))
    #expect(court.broken.isEmpty)
    court.wait(.seconds(1))
    #expect(court.broken == ["reconnects"])
  }

  @Test("Who goes by itself, isn't subscribed, or isn't paired any more need not come back", arguments: [0, 1, 2, 3])
  func mayStayAway(kind: Int) {
    let session = court.session()
    if kind != 1 { court.subscribe(session) }
    // A removed pairing is told before its connections end; a factory reset isn't told at all.
    if kind == 2 { court.change(.unpaired(identifier: Court.controller)) }
    if kind >= 2 { court.lamp.pairingIdentifiers = [] }
    if kind == 0 { court.leave(session) } else { court.lose(session) }
    court.wait(.seconds(100))
    court.act(.arrived, on: court.session())
    court.wait(.seconds(100))
    #expect(court.broken.isEmpty)
  }

  @Test(
    "What was unsubscribed, refused in whole or in part, or is gone from the database is not missed", arguments: 0..<5)
  func notMissed(kind: Int) {
    let session = court.session()
    court.subscribe(session, 10)
    let write = Array(#"{"characteristics":[{"aid":1,"iid":9,"ev":true}]}"#.utf8)
    switch kind {
    case 0:
      court.subscribe(session, 9)
      court.subscribe(session, 9, false)
    case 1, 2:
      court.ask(session, "PUT /characteristics", write)
      court.answer(session, kind == 1 ? 400 : 422)
    case 3:
      court.ask(session, "PUT /characteristics", write)
      court.answer(session, 207, Array(#"{"characteristics":[{"aid":1,"iid":9,"status":-70406}]}"#.utf8))
    default:
      court.subscribe(session, 9)
    }
    court.lose(session)
    let again = court.session()
    court.subscribe(again, 10)
    if kind == 4 { court.lamp.database = AttributeDatabase.empty }
    court.wait(.seconds(11))
    #expect(court.verdict("resubscribes") == .pass)
  }

  @Test("A subscription whose end was refused still is one")
  func refusedEnd() {
    let session = court.session()
    court.subscribe(session)
    court.ask(session, "PUT /characteristics", Array(#"{"characteristics":[{"aid":1,"iid":9,"ev":false}]}"#.utf8))
    court.answer(session, 400)
    court.lose(session)
    _ = court.session()
    court.wait(.seconds(11))
    #expect(court.verdict("resubscribes") == .fail)
  }

  @Test("Who comes back from elsewhere is back, and whoever comes from the same host tries to")
  func elsewhere() {
    let session = court.session()
    court.subscribe(session)
    court.lose(session)
    court.subscribe(court.session(from: "198.51.100.1:9"))
    court.wait(.seconds(100))
    #expect(court.verdict("reconnects") == .pass && court.verdict("resubscribes") == .pass)
  }

  @Test("Two of one identity that were lost together each have their time")
  func together() {
    let (phone, hub) = (court.session(), court.session(from: "198.51.100.1:9"))
    court.subscribe(phone, 9)
    court.subscribe(hub, 10)
    court.lose(phone)
    court.lose(hub)
    court.subscribe(court.session(), 9)
    court.wait(.seconds(60))
    #expect(!court.broken.contains("resubscribes"), "the hub sleeps")
    let back = court.session(from: "198.51.100.1:9")
    court.wait(.seconds(9))
    #expect(!court.broken.contains("resubscribes"))
    court.subscribe(back, 10)
    #expect(court.verdict("resubscribes") == .pass)
  }

  @Test("A short visit takes no debt away, and is none of it")
  func visit() {
    let session = court.session()
    court.subscribe(session)
    court.lose(session)
    let visit = court.session()
    court.get(visit, "/characteristics?id=1.9")
    court.leave(visit)
    court.wait(.seconds(100))
    #expect(!court.broken.contains("resubscribes"), "it isn't back")
    _ = court.session()
    court.wait(.seconds(11))
    #expect(court.verdict("resubscribes") == .fail)
  }

  @Test("A second loss before it subscribed again takes nothing off what it owes")
  func twice() {
    let session = court.session()
    court.subscribe(session)
    court.lose(session)
    court.lose(court.session())
    court.wait(.seconds(1))
    _ = court.session()
    court.wait(.seconds(11))
    #expect(court.verdict("resubscribes") == .fail)
  }

  @Test("Who connects in vain waits; one that is served is no vain one")
  func storm() {
    for _ in 0..<20 {
      let session = court.session()
      court.get(session, "/accessories")
      court.leave(session)
    }
    for _ in 0..<5 { court.leave(court.open()) }
    court.wait(.seconds(10))
    for _ in 0..<5 { court.leave(court.open()) }
    #expect(court.verdict("no-reconnect-storm") == .pass)
    court.leave(court.open())
    #expect(court.verdict("no-reconnect-storm") == .fail)
  }

  @Test("Connections that end together are no storm")
  func endTogether() {
    let connections = (0..<20).map { _ in court.open() }
    court.wait(.milliseconds(1))
    for connection in connections { court.lose(connection) }
    #expect(court.verdict("no-reconnect-storm") == .pass)
  }

  @Test("Whose words can't be heard isn't silent")
  func deaf() {
    court.lamp.serves = false
    _ = court.open()
    court.wait(.seconds(20))
    court.lamp.serves = true
    _ = court.open()
    court.wait(.seconds(5))
    court.lamp.serves = false
    court.change(.serves(false))
    court.wait(.seconds(20))
    #expect(court.verdict("no-idle-connections") == .skip)
  }

  @Test("A connection is for saying something")
  func idle() {
    let connection = court.open()
    court.wait(.seconds(9))
    court.pairing(connection, "/pair-verify", [(TLVType.state, [1])])
    court.wait(.seconds(100))
    #expect(court.verdict("no-idle-connections") == .pass)
    _ = court.open()
    court.wait(.seconds(10))
    #expect(court.broken == ["no-idle-connections"])
  }

  /// Goes, and is back as if it had never meant to.
  private func bounce(_ session: UInt64) {
    court.leave(session)
    court.wait(.seconds(1))
    court.subscribe(court.session())
  }

  @Test("Who gives an answer up too early is impatient; who waits five seconds isn't", arguments: [1, 6])
  func patience(seconds: Int) {
    let session = court.session()
    court.subscribe(session)
    court.ask(session, "GET /characteristics?id=1.9")
    court.wait(.seconds(seconds))
    bounce(session)
    #expect(court.verdict("patience") == (seconds < 5 ? .fail : .skip))
  }

  @Test("An answer that was waited for is patience")
  func patient() {
    let session = court.session()
    court.ask(session, "GET /characteristics?id=1.9")
    court.wait(.seconds(4))
    court.answer(session)
    #expect(court.verdict("patience") == .pass)
  }

  @Test(
    "Who goes behind an event and comes back has stumbled over it; who stays away just left", arguments: [true, false])
  func events(isBack: Bool) {
    let session = court.session()
    court.subscribe(session)
    court.wait(.seconds(1))
    court.tell(session)
    if isBack { bounce(session) } else { court.leave(session) }
    #expect(court.verdict("survives-events") == (isBack ? .fail : .pass))
  }

  @Test("Who goes behind a refusal and comes back has stumbled over it")
  func refusals() {
    let session = court.session()
    court.subscribe(session)
    court.get(session, "/characteristics?id=1.9", 207, #"{"characteristics":[{"aid":1,"iid":9,"status":-70402}]}"#)
    #expect(court.verdict("keeps-connection") == .pass)
    bounce(session)
    #expect(court.broken == ["keeps-connection"])
    #expect(court.outcome("keeps-connection").message.contains("207"))
  }

  @Test(
    "Who comes back later, from elsewhere, to something else, or was there all the time isn't blamed", arguments: 0..<4)
  func notBack(kind: Int) {
    let session = court.session()
    let other = court.session()
    court.subscribe(session)
    court.wait(.milliseconds(1))
    court.tell(session)
    court.leave(session)
    switch kind {
    case 0:
      court.wait(.seconds(4))
      court.subscribe(court.session())
    case 1: court.subscribe(court.session(from: "198.51.100.1:9"))
    case 2: court.subscribe(court.session(), 10)
    default: court.subscribe(other)
    }
    #expect(court.verdict("survives-events") == .pass)
  }
}
