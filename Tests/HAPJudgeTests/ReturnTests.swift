import HAPModel
import HAPProtocol
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

  @Test("Who goes by itself, isn't subscribed, or isn't paired any more need not come back", arguments: [0, 1, 2])
  func mayStayAway(kind: Int) {
    let session = court.session()
    if kind != 1 { court.subscribe(session) }
    if kind == 0 { court.leave(session) } else { court.lose(session) }
    if kind == 2 { court.change(.unpaired(identifier: Court.controller)) }
    court.wait(.seconds(100))
    _ = court.session()
    court.wait(.seconds(100))
    #expect(!court.broken.contains("reconnects") && !court.broken.contains("resubscribes"))
  }

  @Test("What was unsubscribed, refused, or is gone from the database is not missed")
  func notMissed() {
    let session = court.session()
    court.subscribe(session, 9)
    court.subscribe(session, 9, false)
    court.ask(session, "PUT /characteristics", Array(#"{"characteristics":[{"aid":1,"iid":11,"ev":true}]}"#.utf8))
    court.answer(session, 207, Array(#"{"characteristics":[{"aid":1,"iid":11,"status":-70406}]}"#.utf8))
    court.subscribe(session, 10)
    court.lose(session)
    court.lamp.database = AttributeDatabase.empty
    _ = court.session()
    court.wait(.seconds(11))
    #expect(court.verdict("resubscribes") == .pass)
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

  @Test("Who comes back later than it has to, or to something else, isn't blamed", arguments: [true, false])
  func notBack(isLate: Bool) {
    let session = court.session()
    court.subscribe(session)
    court.tell(session)
    court.leave(session)
    if isLate { court.wait(.seconds(11)) }
    court.subscribe(court.session(), isLate ? 9 : 10)
    #expect(court.verdict("survives-events") == .pass)
  }
}
