import HAPAttributes
import HAPIP
import HAPModel

/// What an accessory server leaves to others: the store, the advertisement, the device. Called on the server's loop.
package protocol AccessoryServerOwner: AnyObject {
  /// Makes the change durable and says whether it is; the controller waits. Changes are made in the order in which they are handed over.
  func store(_ change: StoredChange, done: @escaping (Bool) -> Void)
  /// Keeps values over the end of the process; returns when they are safe from it. Answers of this turn leave afterwards.
  func keep(_ changes: [(id: AttributeID, value: Value)])
  func advertise(_ advertisement: Advertisement)
  func identify(aid: UInt64)
  /// A controller's writes took effect.
  func wrote(_ write: ServiceWrite)
  /// Values are to be asked of the device, which answers each with `AccessoryServer.answerRead`.
  func read(_ ids: [AttributeID], ticket: Ticket)
  /// A request of a core that forwards; whoever stands behind answers it with `AccessoryServer.forwarded`.
  func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket)
  func report(_ report: AccessoryReport)
}

extension AccessoryServerOwner {
  package func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket) {
    preconditionFailure("the core of this owner forwards nothing")
  }
}
