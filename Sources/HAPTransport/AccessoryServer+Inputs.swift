import HAPAttributes
import HAPIP
import HAPModel

/// Gives the core the inputs from the accessory that a proxy forwards to. No recorder gets them: a core that forwards isn't replayed.
extension AccessoryServer {
  /// Answers a `forward` of the owner; see `AccessoryCore.forwarded`.
  package func forwarded(_ answer: LinkMessage?, ticket: Ticket, closing: Bool = false) {
    core.forwarded(answer, ticket: ticket, closing: closing, at: now)
    performer.perform()
  }

  package func forwardEvent(_ event: LinkMessage, to id: ConnectionID) {
    core.forwardEvent(event, to: id)
    performer.perform()
  }

  /// Serves another database from now on; see `ActionPerformer.replace`.
  package func replace(
    _ database: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>
  ) {
    performer.replace(database, model: model, configurationNumber: configurationNumber, live: live) {
      core.databaseWasReplaced(model: model, configurationNumber: configurationNumber)
    }
  }
}
