import HAPAttributes
import HAPIP
import HAPModel

/// Passes inputs from the proxied accessory to the core. They are not recorded, because a core that forwards isn't
/// replayed.
extension AccessoryServer {
  /// Passes the response to a `forward` request to the core; see `AccessoryCore.forwarded`.
  package func forwarded(_ answer: LinkMessage?, ticket: Ticket, closing: Bool = false) {
    core.forwarded(answer, ticket: ticket, closing: closing, at: now)
    performer.perform()
  }

  package func forwardEvent(_ event: LinkMessage, to id: ConnectionID) {
    core.forwardEvent(event, to: id)
    performer.perform()
  }

  /// Replaces the database; see `ActionPerformer.replace`.
  package func replace(
    _ database: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>
  ) {
    performer.replace(database, model: model, configurationNumber: configurationNumber, live: live, matter: [:]) {
      core.databaseWasReplaced(model: model, configurationNumber: configurationNumber)
    }
  }
}
