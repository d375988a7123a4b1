import HAPIP
import HAPModel
import HAPReport
import HAPWire
import Testing

@testable import HAPJudge

@Suite("Rules for controllers: pairing")
struct PairingRuleTests {
  let court = Court()

  @Test("Procedures run step by step, also after a restart")
  func order() {
    let connection = court.open()
    for _ in 0..<2 {
      court.pairing(connection, "/pair-verify", [(TLVType.state, [1]), (TLVType.publicKey, [1])])
      court.pairingAnswer(connection, [(TLVType.state, [2])])
    }
    court.pairing(connection, "/pair-verify", [(TLVType.state, [3])])
    court.pairingAnswer(connection, [(TLVType.state, [4])])
    #expect(court.verdict("procedure-order") == .pass)
  }

  @Test("M3 after a refusal, without M1, or of an unknown kind is out of order", arguments: [0, 1, 2, 3])
  func disorder(kind: Int) {
    let connection = court.open()
    switch kind {
    case 0: court.pairing(connection, "/pair-verify", [(TLVType.state, [3])])
    case 1:
      court.pairing(connection, "/pair-setup", [(TLVType.state, [1])])
      court.pairingAnswer(connection, [(TLVType.state, [2]), (TLVType.error, [6])])
      court.pairing(connection, "/pair-setup", [(TLVType.state, [3])])
    case 2: court.pairing(connection, "/pair-verify", [(TLVType.state, [5])])
    default: court.pairing(connection, "/pair-setup", [(TLVType.method, [0])])
    }
    #expect(court.broken == ["procedure-order"])
  }

  @Test("A key may be used only once, whatever the procedure")
  func keys() {
    for key: UInt8 in [1, 2] {
      let connection = court.open()
      court.pairing(connection, "/pair-verify", [(TLVType.state, [1]), (TLVType.publicKey, [key])])
    }
    #expect(court.verdict("fresh-keys") == .pass)
    let connection = court.open()
    court.pairing(connection, "/pair-verify", [(TLVType.state, [1]), (TLVType.publicKey, [2])])
    #expect(court.broken == ["fresh-keys"])
  }

  @Test("An identifier that differs in case is another one; an unknown one doesn't violate this rule")
  func sameBytes() {
    let connection = court.open()
    court.act(.named(Array(Court.controller.utf8)), on: connection)
    court.act(.named(Array("another controller".utf8)), on: connection)
    #expect(court.verdict("same-bytes") == .pass)
    court.act(.named(Array(Court.controller.lowercased().utf8)), on: connection)
    #expect(court.broken == ["same-bytes"])
  }

  @Test(
    "Identifiers are UUIDs",
    arguments: [
      (Court.controller, true), (Court.controller.lowercased(), true), ("", false), ("lamp", false),
      ("5D0C3E2A6B1F4C8E9F372A1B0C4D5E6F", false), ("ZD0C3E2A-6B1F-4C8E-9F37-2A1B0C4D5E6F", false),
    ])
  func identifiers(identifier: String, isRight: Bool) {
    court.change(.paired(identifier: identifier))
    #expect(court.verdict("identifier-form") == (isRight ? .pass : .fail))
  }

  @Test("Before Pair Verify, only pairing requests are allowed")
  func verifiesFirst() {
    let connection = court.open()
    court.pairing(connection, "/pair-setup", [(TLVType.state, [1])])
    court.pairingAnswer(connection, [(TLVType.state, [2])])
    #expect(court.verdict("verifies-first") == .pass)
    for path in ["/configured", "/secure-message"] {
      court.ask(connection, "POST \(path)")
      court.answer(connection, 204)
    }
    #expect(court.verdict("verifies-first") == .pass)
    court.get(connection, "/accessories", 470)
    #expect(court.broken == ["verifies-first"])
  }

  @Test("POST /identify is only for unpaired accessories")
  func identify() {
    court.lamp.isPaired = false
    court.ask(court.open(), "POST /identify")
    #expect(court.verdict("identify-unpaired") == .pass)
    court.lamp.isPaired = true
    court.ask(court.open(), "POST /identify")
    #expect(court.broken == ["identify-unpaired"])
  }

  @Test("Only admins may change pairings")
  func admins() {
    court.pairing(court.session(), "/pairings", [(TLVType.state, [1]), (TLVType.method, [5])])
    #expect(court.verdict("pairings-by-admins") == .pass)
    // The permission at the time of the request counts, not at the start of the session.
    let session = court.session(of: "U")
    court.lamp.admins.insert("U")
    court.pairing(session, "/pairings", [(TLVType.state, [1]), (TLVType.method, [5])])
    #expect(court.verdict("pairings-by-admins") == .pass)
    court.lamp.admins = []
    court.pairing(court.session(), "/pairings", [(TLVType.state, [1]), (TLVType.method, [5])])
    #expect(court.broken == ["pairings-by-admins"])
  }

  @Test("A controller that is refused Pair Setup must wait; old refusals expire")
  func backsOff() {
    func attempt() {
      let connection = court.open()
      court.pairing(connection, "/pair-setup", [(TLVType.state, [1])])
      court.pairingAnswer(connection, [(TLVType.state, [2]), (TLVType.error, [7])])
      court.leave(connection)
    }
    for _ in 0..<10 {
      attempt()
      court.wait(.seconds(1))
    }
    #expect(court.verdict("backs-off") == .pass)
    for _ in 0..<4 { attempt() }
    #expect(court.verdict("backs-off") == .fail)
  }

  @Test("A controller whose Pair Verify fails must stop retrying")
  func knocking() {
    func attempt() {
      let connection = court.open()
      court.pairing(connection, "/pair-verify", [(TLVType.state, [1])])
      court.pairingAnswer(connection, [(TLVType.state, [2])])
      court.pairing(connection, "/pair-verify", [(TLVType.state, [3])])
      court.pairingAnswer(connection, [(TLVType.state, [4]), (TLVType.error, [2])])
      court.leave(connection)
    }
    for _ in 0..<4 { attempt() }
    #expect(court.verdict("stops-knocking") == .pass)
    // Another accessory is counted separately.
    let other = Lamp(id: "other")
    let connection: UInt64 = 1000
    court.judge.take(.opened(peer: "192.0.2.7:1"), on: connection, of: other, at: court.now)
    let m1 = PlainMessage(start: "POST /pair-verify HTTP/1.1", body: TLV(state: 1).encoded())
    court.judge.take(.asked(m1), on: connection, of: other, at: court.now)
    #expect(court.verdict("stops-knocking") == .pass)
    attempt()
    #expect(court.verdict("stops-knocking") == .fail)
  }
}
