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
  private var lastConnection: UInt64 = 0

  package init() {}

  package func newTicket() -> Ticket {
    lastTicket += 1
    return Ticket(number: lastTicket)
  }

  /// The number that the next new connection gets.
  var nextConnection: ConnectionID { ConnectionID(number: lastConnection + 1) }

  /// Numbers a new connection, from 1. No other connection of the accessory has the number, over any front end.
  @discardableResult
  package func newConnection() -> ConnectionID {
    lastConnection += 1
    return ConnectionID(number: lastConnection)
  }

  package var hasActions: Bool { !actions.isEmpty }

  /// Hands over what is to be done, in order, and forgets it.
  /// - Parameter taken: its contents are discarded, and its room is used again.
  package func takeActions(into taken: inout [AccessoryAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&actions, &taken)
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
