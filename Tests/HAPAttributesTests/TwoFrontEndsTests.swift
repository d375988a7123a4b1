import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
import HAPTestSupport
import HAPWire
import Testing

/// Checked: these tests fail with a server that sends events to their writer, and with a front end that is not notified
/// of the first pairing.
@Suite("Attributes: two front ends serve one accessory") struct TwoFrontEndsTests {
  @Test("A controller pairs and writes on one; a controller on the other gets the event, and the writer does not")
  func service() throws {
    let accessory = try MemoryAccessoryHost()
    let (one, two) = (MemoryFrontEnd(accessory), MemoryFrontEnd(accessory))
    try one.pair(TestHome.stranger)
    #expect(one.pairedChanges == 1 && two.pairedChanges == 1 && accessory.pairing.isPaired)
    let phone = try one.verify(TestHome.stranger)
    let tablet = try two.verify(TestHome.stranger)
    let on = TestHome.id(TestHome.ID.on)
    #expect(one.write([AttributeWrite(on, subscribes: true)], by: phone) == [.success])
    #expect(two.write([AttributeWrite(on, subscribes: true)], by: tablet) == [.success])
    #expect(one.write([AttributeWrite(on, value: .bool(true))], by: phone) == [.success])
    accessory.attributes.advance(to: .seconds(1))
    #expect(one.events.isEmpty && two.events.map(\.values) == [[.bool(true)]])
    guard case .slot(let slot) = accessory.attributes.readable(on, by: phone) else {
      Issue.record("On can't be read")
      return
    }
    #expect(accessory.attributes.listedValue(ofSlot: slot) == .bool(true))
    #expect(accessory.written == [on])
  }
}

/// The attributes and the pairings of TestHome, with a device that accepts each write, and a store that never fails.
final class MemoryAccessoryHost {
  let attributes: AttributeServer
  let pairing: PairingServer
  private let actions = MemoryActions()

  init(_ quirks: AttributeQuirks = AttributeQuirks(), pairings: [Pairing] = []) throws {
    let database = try AttributeDatabase(TestHome.accessories)
    attributes = AttributeServer(database, quirks: quirks, actions)
    pairing = PairingServer(
      identity: TestHome.accessory().core.identity, pairings: pairings, failedAttempts: 0,
      quirks: PairingQuirks(),
      random: .seeded(4), actions)
  }

  /// What controllers wrote, in order.
  var written: [AttributeID] { actions.written }

  /// Does the pending slow work and stores the pending changes.
  func run() {
    while !actions.jobs.isEmpty {
      let (ticket, work) = actions.jobs.removeFirst()
      if let work {
        pairing.computed(work.perform(), ticket: ticket, at: .zero)
      } else {
        pairing.stored(ticket, succeeded: true, at: .zero)
      }
    }
  }
}

private final class MemoryActions: AttributeActions, PairingActions {
  fileprivate(set) var written: [AttributeID] = []
  /// Slow work, or `nil` for a change to store.
  fileprivate var jobs: [(ticket: Ticket, work: SlowWork?)] = []
  let makesReports = true
  private var lastTicket: UInt64 = 0

  func newTicket() -> Ticket {
    lastTicket += 1
    return Ticket(number: lastTicket)
  }

  func append(_ report: AccessoryReport) {}
  func wrote(_ write: ServiceWrite) { written += write.entries.map(\.id) }
  func read(_ ids: [AttributeID], ticket: Ticket) {}
  func compute(_ work: SlowWork) -> Ticket { job(work) }
  func store(_ change: StoredChange) -> Ticket { job(nil) }

  private func job(_ work: SlowWork?) -> Ticket {
    let ticket = newTicket()
    jobs.append((ticket, work))
    return ticket
  }
}
