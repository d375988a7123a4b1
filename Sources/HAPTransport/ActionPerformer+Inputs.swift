import HAPAttributes
import HAPIP
import HAPModel
import HAPPairing

/// Passes inputs to the accessory, except those of connections.
extension ActionPerformer {
  /// The device changed values, all at the same time.
  package func change(_ changes: [(id: AttributeID, value: Value)]) {
    let now = now
    for (id, value) in changes {
      recorder?.note(.changed([id: value]), at: now)
      attributes.change(id, to: value, at: now)
    }
    perform()
  }

  /// The device answers a `read` for one characteristic.
  package func answerRead(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket) {
    let now = now
    recorder?.note(.read(id, result, ticket), at: now)
    attributes.read(id, result, ticket: ticket, at: now)
    perform()
  }

  /// The device answers a pending write.
  package func answerWrite(_ number: UInt64, _ verdict: WriteVerdict) {
    let now = now
    recorder?.note(.judged(number, verdict), at: now)
    attributes.judged(number, verdict, at: now)
    perform()
  }

  /// An accessory of a bridge became unreachable or reachable again; see `AttributeServer.setReachable`.
  package func setReachable(_ isReachable: Bool, aid: UInt64) {
    let now = now
    recorder?.note(.reachable(aid: aid, isReachable), at: now)
    attributes.setReachable(isReachable, aid: aid, at: now)
    perform()
  }

  /// Removes pairings manually; see `PairingServer.unpair`.
  package func unpair(_ identifiers: [[UInt8]], done: @escaping (Bool) -> Void) {
    recorder?.note(.unpaired(identifiers), at: now)
    pairingServer.unpair(identifiers, done: done)
    perform()
  }

  /// Replaces the database; see `AttributeServer.replace`.
  /// - Parameters:
  ///   - model: the model of aid 1.
  ///   - configurationNumber: 1...65535; must already be durable.
  ///   - matter: the choices of the profile about its Matter side, for the record.
  ///   - announce: called after the attributes have the new database, and before events are sent.
  package func replace(
    _ database: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>,
    matter: MatterChoices, _ announce: () -> Void
  ) {
    let now = now
    recorder?.note(
      .replaced(
        database.accessories, model: model, configurationNumber: configurationNumber, live: Array(live),
        judges: attributes.writer != nil, matter: matter), at: now)
    attributes.replace(database, live: live, at: now)
    announce()
    attributes.sendDueEvents(at: now)
    perform()
  }
}
