import HAPAttributes
import HAPModel
import HAPPairing

/// The pending actions of one accessory, in order. Its attributes, its pairings and its front ends add actions; the
/// surrounding program takes them.
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

  /// The number of the next new connection.
  var nextConnection: ConnectionID { ConnectionID(number: lastConnection + 1) }

  /// Numbers a new connection, from 1. The number is unique in the accessory, across all front ends.
  @discardableResult
  package func newConnection() -> ConnectionID {
    lastConnection += 1
    return ConnectionID(number: lastConnection)
  }

  /// Leaves out numbers of connections that another front end has taken.
  /// - Parameter next: of the next new connection, if it is not taken already; at most `lastNumber`.
  func reserveConnections(before next: ConnectionID) {
    precondition((1...Self.lastNumber).contains(next.number))
    lastConnection = max(lastConnection, next.number - 1)
  }

  static let lastNumber: UInt64 = 1 << 62

  package var hasActions: Bool { !actions.isEmpty }

  /// Moves the pending actions, in order, into `taken`.
  /// - Parameter taken: its previous contents are discarded, and its buffer is reused.
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
