import HAPAttributes
import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPWire

/// A shell around an `AccessoryCore` without sockets, files or clock. It does the transport's work at once, in memory.
///
/// Slow work and stores are done at once unless they are held; each action is recorded.
package final class MemoryAccessory {
  package enum Mode { case atOnce, held, failing }

  package let core: AccessoryCore
  package private(set) var now: Duration = .seconds(1000)
  /// The handling of `store` actions.
  package var storing = Mode.atOnce
  /// The handling of `compute` actions; `failing` is not allowed here.
  package var computing = Mode.atOnce

  package private(set) var stored: [StoredChange] = []
  package private(set) var identified: [UInt64] = []
  package private(set) var wrote: [(id: AttributeID, value: Value)] = []
  /// The writes of `wrote`, grouped by service as the device gets them.
  package private(set) var groups: [ServiceWrite] = []
  /// Reads of the device that `answer` has not answered yet.
  package private(set) var reads: [(ids: [AttributeID], ticket: Ticket)] = []
  package private(set) var slow: [[AttributeID]] = []
  /// Forwarded requests, which `answer(_:ticket:)` answers.
  package private(set) var forwarded: [(request: ControllerRequest, connection: ConnectionID, ticket: Ticket)] = []
  package private(set) var refusals: [String] = []
  /// The records to advertise, each with the number of bytes that were sent before it on the connection that the action
  /// names.
  package private(set) var advertised: [(record: Advertisement, bytesBefore: Int)] = []

  /// The largest size of an outgoing buffer at the end of a turn.
  package private(set) var mostUnsent = 0

  private struct Link {
    let connection: ConnectionCore
    let controller: MemoryController
    var isClosing = false
  }
  private var links: [ConnectionID: Link] = [:]
  private var heldStores: [(change: StoredChange, ticket: Ticket)] = []
  private var heldWork: [(work: SlowWork, ticket: Ticket)] = []
  private var nextController: UInt64 = 100

  package init(core: AccessoryCore) {
    // Tests repeat the same exponentiations.
    PowerTable.use()
    self.core = core
  }

  // MARK: Connections

  /// A new connection, unverified, or `nil` if the core refuses it.
  /// - Parameter peer: its remote address with a port; `nil` means a unique address.
  package func connect(_ identity: ControllerIdentity, from peer: String? = nil) -> MemoryController? {
    nextController += 1
    guard let connection = core.open(peer: peer ?? "controller-\(nextController)", at: now) else { return nil }
    let controller = MemoryController(identity, random: .seeded(nextController))
    links[connection.id] = Link(connection: connection, controller: controller)
    controller.deliver = { [unowned self, id = connection.id] in receive($0, on: id) }
    settle()
    return controller
  }

  /// The controller closes its side.
  package func disconnect(_ controller: MemoryController) {
    guard let link = links.values.first(where: { $0.controller === controller }) else { return }
    links[link.connection.id] = nil
    core.closed(link.connection)
    controller.isClosed = true
    settle()
  }

  private func receive(_ bytes: [UInt8], on id: ConnectionID) {
    guard let link = links[id] else { return }  // the connection is closed, so its bytes are dropped
    link.connection.incoming.append(bytes)
    core.received(on: link.connection, at: now)
    settle()
  }

  // MARK: Time and the device

  /// Advances time; calls the core at each deadline on the way.
  package func advance(_ duration: Duration) {
    let end = now + duration
    while let deadline = core.attributes.nextDeadline, deadline <= end {
      now = max(now, deadline)
      core.attributes.advance(to: now)
      settle()
      guard core.attributes.nextDeadline.map({ $0 > now }) ?? true else { break }  // a deadline that stays in the past
    }
    now = end
    core.attributes.advance(to: now)
    settle()
  }

  /// The device reports a value.
  package func change(_ id: AttributeID, to value: Value) {
    core.attributes.change(id, to: value, at: now)
    settle()
  }

  /// The device answers a read.
  package func answer(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket) {
    core.attributes.read(id, result, ticket: ticket, at: now)
    settle()
  }

  /// The device answers a pending write.
  package func judge(_ number: UInt64, _ verdict: WriteVerdict) {
    core.attributes.judged(number, verdict, at: now)
    settle()
  }

  /// The device behind the proxy answers a forwarded request.
  package func answer(_ answer: LinkMessage?, ticket: Ticket, closing: Bool = false) {
    core.forwarded(answer, ticket: ticket, closing: closing, at: now)
    settle()
  }

  /// The device behind the proxy sends an event.
  package func tell(_ event: LinkMessage, to connection: ConnectionID) {
    core.forwardEvent(event, to: connection)
    settle()
  }

  package func replace(
    _ accessories: [Accessory], configurationNumber: UInt16, live: [AttributeID] = []
  ) throws {
    core.replace(
      try AttributeDatabase(accessories), model: "T-1", configurationNumber: configurationNumber, live: live, at: now)
    settle()
  }

  // MARK: Held work

  /// Performs the held stores, oldest first.
  package func releaseStores(succeeded: Bool = true) {
    let held = heldStores
    heldStores = []
    for (change, ticket) in held {
      if succeeded { stored.append(change) }
      core.pairingServer.stored(ticket, succeeded: succeeded, at: now)
      settle()
    }
  }

  package func releaseWork() {
    let held = heldWork
    heldWork = []
    for (work, ticket) in held {
      core.pairingServer.computed(work.perform(), ticket: ticket, at: now)
      settle()
    }
  }

  package var heldStoreCount: Int { heldStores.count }
  package var heldWorkCount: Int { heldWork.count }

  // MARK: A turn of the loop

  /// Performs actions and moves bytes until there is no more work.
  private func settle() {
    repeat {
      for action in core.takeActions() { perform(action) }
      flush()
      // Work that waited for buffer space continues now.
      for link in links.values.sorted(by: { $0.connection.id < $1.connection.id }) {
        core.resume(link.connection, at: now)
      }
    } while core.hasActions || links.values.contains { !$0.connection.outgoing.isEmpty }
    core.takeOutbox { _ in }  // all connections are handled here
    closeWhatIsDone()
  }

  private func perform(_ action: AccessoryAction) {
    switch action {
    case .compute(let work, let ticket):
      if computing == .held { return heldWork.append((work, ticket)) }
      core.pairingServer.computed(work.perform(), ticket: ticket, at: now)
    case .store(let change, let ticket):
      switch storing {
      case .held: heldStores.append((change, ticket))
      case .failing: core.pairingServer.stored(ticket, succeeded: false, at: now)
      case .atOnce:
        stored.append(change)
        core.pairingServer.stored(ticket, succeeded: true, at: now)
      }
    case .advertise(let record, let connection):
      flush()
      advertised.append((record, connection.flatMap { links[$0] }?.controller.raw.count ?? 0))
    case .close(let connection), .evict(let connection): links[connection]?.isClosing = true
    case .identify(let aid): identified.append(aid)
    case .wrote(let write):
      groups.append(write)
      wrote += write.entries.map { ($0.id, $0.value) }
    case .read(let ids, let ticket): reads.append((ids, ticket))
    case .forward(let request, let connection, let ticket): forwarded.append((request, connection, ticket))
    case .report(.refused(_, let request, let reason)): refusals.append("\(request): \(reason)")
    case .report(.slow(let ids)): slow.append(ids)
    case .report: break
    }
  }

  /// Sends one write for each connection with output.
  private func flush() {
    for link in links.values.sorted(by: { $0.connection.id < $1.connection.id }) {
      let connection = link.connection
      guard connection.outgoing.readableCount > 0 else { continue }
      mostUnsent = max(mostUnsent, connection.outgoing.readableCount)
      let bytes = connection.outgoing.withReadable { Array($0) }
      connection.outgoing.consume(bytes.count)
      link.controller.receive(bytes)
    }
  }

  private func closeWhatIsDone() {
    for link in Array(links.values) where link.isClosing {
      links[link.connection.id] = nil
      link.controller.isClosed = true
      core.closed(link.connection)
    }
    if core.hasActions { settle() }
  }
}
