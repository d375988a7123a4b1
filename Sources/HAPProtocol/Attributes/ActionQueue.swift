/// What one accessory wants done, in order. Its attribute server and its front ends add to it; the program around it takes from it.
///
/// Belongs to one thread.
package final class ActionQueue {
  package var actions: [AccessoryAction] = []
  /// Whether reports are wanted. Without them, a request costs nothing for them.
  package var makesReports = true
  private var lastTicket: UInt64 = 0

  package init() {}

  func newTicket() -> Ticket {
    lastTicket += 1
    return Ticket(number: lastTicket)
  }

  func append(_ action: AccessoryAction) { actions.append(action) }

  func report(_ report: @autoclosure () -> AccessoryReport) {
    if makesReports { actions.append(.report(report())) }
  }
}
