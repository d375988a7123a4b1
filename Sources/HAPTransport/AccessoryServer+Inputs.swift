import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel

/// Gives the core its inputs, except those of connections.
extension AccessoryServer {
  // MARK: Inputs from the device

  /// The device changed values, all at one moment.
  package func change(_ changes: [(id: AttributeID, value: Value)]) {
    let now = now
    for (id, value) in changes {
      recorder?.note(.changed([id: value]), at: now)
      core.attributes.change(id, to: value, at: now)
    }
    touchAll()
    perform()
  }

  /// The device answers a `read` of the owner, one characteristic at a time.
  package func answerRead(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket) {
    let now = now
    recorder?.note(.read(id, result, ticket), at: now)
    core.attributes.read(id, result, ticket: ticket, at: now)
    touchAll()
    perform()
  }

  /// The device answers a write that it took its time for.
  package func answerWrite(_ number: UInt64, _ verdict: WriteVerdict) {
    let now = now
    recorder?.note(.judged(number, verdict), at: now)
    core.attributes.judged(number, verdict, at: now)
    touchAll()
    perform()
  }

  /// An accessory of a bridge is lost, or found again; see `AttributeServer.setReachable`.
  package func setReachable(_ isReachable: Bool, aid: UInt64) {
    let now = now
    recorder?.note(.reachable(aid: aid, isReachable), at: now)
    core.attributes.setReachable(isReachable, aid: aid, at: now)
    touchAll()
    perform()
  }

  /// Removes pairings by hand; see `PairingServer.unpair`.
  package func unpair(_ identifiers: [[UInt8]], done: @escaping (Bool) -> Void) {
    recorder?.note(.unpaired(identifiers), at: now)
    core.pairingServer.unpair(identifiers, done: done)
    touchAll()
    perform()
  }

  // MARK: Inputs from the accessory that a proxy forwards to

  /// Answers a `forward` of the owner; see `AccessoryCore.forwarded`. No recorder hears of it: a core that forwards isn't replayed.
  package func forwarded(_ answer: LinkMessage?, ticket: Ticket, closing: Bool = false) {
    core.forwarded(answer, ticket: ticket, closing: closing, at: now)
    touchAll()
    perform()
  }

  package func forwardEvent(_ event: LinkMessage, to id: ConnectionID) {
    core.forwardEvent(event, to: id)
    touchAll()
    perform()
  }

  /// Serves another database from now on; see `AccessoryCore.replace`.
  package func replace(
    _ database: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>
  ) {
    let now = now
    recorder?.note(
      .replaced(
        database.accessories, model: model, configurationNumber: configurationNumber, live: Array(live),
        judges: core.attributes.writer != nil), at: now)
    core.replace(database, model: model, configurationNumber: configurationNumber, live: live, at: now)
    touchAll()
    perform()
  }
}
