import HAPAttributes
import HAPModel
import HAPPairing

/// What one accessory wants done, in order. Its attributes, its pairings and its front ends add to it; the program around it takes from it.
///
/// Belongs to one thread.
package final class ActionQueue: AttributeActions, PairingActions {
  package var actions: [AccessoryAction] = []
  package var makesReports = true
  private var lastTicket: UInt64 = 0

  package init() {}

  package func newTicket() -> Ticket {
    lastTicket += 1
    return Ticket(number: lastTicket)
  }

  package func append(_ report: AccessoryReport) { actions.append(.report(report)) }

  package func wrote(_ write: ServiceWrite) { actions.append(.wrote(write)) }

  package func read(_ ids: [AttributeID], ticket: Ticket) { actions.append(.read(ids, ticket: ticket)) }

  package func compute(_ work: SlowWork) -> Ticket {
    let ticket = newTicket()
    actions.append(.compute(work, ticket: ticket))
    return ticket
  }

  package func store(_ change: StoredChange) -> Ticket {
    let ticket = newTicket()
    actions.append(.store(change, ticket: ticket))
    return ticket
  }
}
