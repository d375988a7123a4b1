import HAPModel
import HAPReport
import HAPWire
import Testing

@testable import HAPJudge

@Suite("Rules for controllers: reconnecting")
struct ReturnTests {
  let court = Court()

  @Test("After a lost connection, a controller must reconnect and restore all its subscriptions")
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

  @Test("A controller that restores only some subscriptions violates the rule; the missing ones are reported")
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

  @Test("The time to reconnect starts when the accessory is reachable again")
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

  @Test(
    "A controller need not reconnect if it closed itself, had no subscription, or isn't paired any more",
    arguments: [0, 1, 2, 3])
  func mayStayAway(kind: Int) {
    let session = court.session()
    if kind != 1 { court.subscribe(session) }
    // A removed pairing is reported before its connections end; a factory reset isn't reported at all.
    if kind == 2 { court.change(.unpaired(identifier: Court.controller)) }
    if kind >= 2 { court.lamp.pairingIdentifiers = [] }
    if kind == 0 { court.leave(session) } else { court.lose(session) }
    court.wait(.seconds(100))
    court.act(.arrived, on: court.session())
    court.wait(.seconds(100))
    #expect(court.broken.isEmpty)
  }

  @Test(
    "A subscription that was ended, refused, or has left the database need not be restored", arguments: 0..<5)
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

  @Test("If unsubscribing is refused, the subscription remains")
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

  @Test("A controller may reconnect from another address, and then need not reconnect from the first one")
  func elsewhere() {
    let session = court.session()
    court.subscribe(session)
    court.lose(session)
    court.subscribe(court.session(from: "198.51.100.1:9"))
    court.wait(.seconds(100))
    #expect(court.verdict("reconnects") == .pass && court.verdict("resubscribes") == .pass)
  }

  @Test("Two lost connections of one identity each have their own time limit")
  func together() {
    let (phone, hub) = (court.session(), court.session(from: "198.51.100.1:9"))
    court.subscribe(phone, 9)
    court.subscribe(hub, 10)
    court.lose(phone)
    court.lose(hub)
    court.subscribe(court.session(), 9)
    court.wait(.seconds(60))
    #expect(!court.broken.contains("resubscribes"), "the hub has not reconnected")
    let back = court.session(from: "198.51.100.1:9")
    court.wait(.seconds(9))
    #expect(!court.broken.contains("resubscribes"))
    court.subscribe(back, 10)
    #expect(court.verdict("resubscribes") == .pass)
  }

  @Test("A connection that the controller soon closes restores no subscriptions, and breaks no rule")
  func visit() {
    let session = court.session()
    court.subscribe(session)
    court.lose(session)
    let visit = court.session()
    court.get(visit, "/characteristics?id=1.9")
    court.leave(visit)
    court.wait(.seconds(100))
    #expect(!court.broken.contains("resubscribes"), "it has not reconnected")
    _ = court.session()
    court.wait(.seconds(11))
    #expect(court.verdict("resubscribes") == .fail)
  }

  @Test("A second loss before subscribing again doesn't change the subscriptions to restore")
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

  @Test("A controller must not connect repeatedly without a request; served connections don't count")
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

  @Test("Connections that end together are not a reconnect storm")
  func endTogether() {
    let connections = (0..<20).map { _ in court.open() }
    court.wait(.milliseconds(1))
    for connection in connections { court.lose(connection) }
    #expect(court.verdict("no-reconnect-storm") == .pass)
  }

  @Test("A controller whose bytes can't arrive isn't idle")
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

  @Test("A connection must be used")
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

  /// Closes the session, reconnects at once, and subscribes again.
  private func bounce(_ session: UInt64) {
    court.leave(session)
    court.wait(.seconds(1))
    court.subscribe(court.session())
  }

  @Test("A controller that abandons an answer before five seconds violates the rule", arguments: [1, 6])
  func patience(seconds: Int) {
    let session = court.session()
    court.subscribe(session)
    court.ask(session, "GET /characteristics?id=1.9")
    court.wait(.seconds(seconds))
    bounce(session)
    #expect(court.verdict("patience") == (seconds < 5 ? .fail : .skip))
  }

  @Test("Waiting for an answer fulfils the rule")
  func patient() {
    let session = court.session()
    court.ask(session, "GET /characteristics?id=1.9")
    court.wait(.seconds(4))
    court.answer(session)
    #expect(court.verdict("patience") == .pass)
  }

  @Test(
    "Closing after an event and reconnecting violates the rule; closing alone doesn't", arguments: [true, false])
  func events(isBack: Bool) {
    let session = court.session()
    court.subscribe(session)
    court.wait(.seconds(1))
    court.tell(session)
    if isBack { bounce(session) } else { court.leave(session) }
    #expect(court.verdict("survives-events") == (isBack ? .fail : .pass))
  }

  @Test("Closing after a refusal and reconnecting violates the rule")
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
    "Reconnecting late, from elsewhere, for another subscription or in addition to an open session is allowed",
    arguments: 0..<4)
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
