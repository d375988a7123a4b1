import HAPIP
import HAPLoop
import HAPModel
import HAPPairing

/// Serves one accessory core over TCP: reads into its connections' buffers, and sends the core's responses.
///
/// It runs on one event loop and belongs to that loop's thread, as every handle does; an actor pinned to the loop
/// owns it. A request is answered inside the callback that received it. The responses of a turn are sent together at
/// the end of the turn, after the written values were passed to the store: an answered write survives the process.
/// `ActionPerformer` ensures this.
package final class AccessoryServer {
  package let core: AccessoryCore
  package let performer: ActionPerformer
  package var loop: EventLoop { performer.loop }
  /// The port that all addresses share; 0 before `listen`.
  package internal(set) var port: UInt16 = 0

  /// Receives every input and output of the core; nil: they are not recorded.
  package var recorder: (any CoreRecorder)? {
    get { performer.recorder }
    set { performer.recorder = newValue }
  }
  /// Returns `true` to keep open a connection that the core wants to close. `nil`: never vetoes.
  package var keepsOpen: ((ConnectionID) -> Bool)?
  /// Returns the network conditions of a connection, or nil for none. Called when a connection is accepted, and for
  /// all connections by `reshape`.
  package var shape: ((ConnectionCore) -> (any LinkShaper)?)?
  /// The number of connections at which new ones are closed; nil: the core decides.
  package var refusesBeyond: Int?
  /// Performs the actions that are not the network's.
  package weak var owner: (any AccessoryServerOwner)?
  var listeners: [TCPListener] = []
  var connections: [ConnectionID: ServedConnection] = [:]
  /// Connections with possible output, closing or reading work since the turn began.
  private var touched: [ServedConnection] = []
  private var settling: [ServedConnection] = []
  var isStopped: Bool { performer.isStopped }

  /// - Parameters:
  ///   - performer: the performer of the core's attributes and pairings.
  ///   - openFiles: the number of open files for the connections of this port; nil: the limit of the process.
  package init(_ core: AccessoryCore, _ performer: ActionPerformer, openFiles: Int? = nil) {
    self.core = core
    self.performer = performer
    core.limitConnections(openFiles: openFiles ?? performer.loop.descriptorLimit)
    performer.add(self)
  }

  /// Creates the only server of an accessory.
  /// - Parameter owner: may be set later with `setOwner`, but before the first request.
  package convenience init(
    _ core: AccessoryCore, on loop: EventLoop, owner: (any ActionOwner & AccessoryServerOwner)? = nil
  ) {
    self.init(core, ActionPerformer(core.attributes, core.pairingServer, core.queue, on: loop))
    setOwner(owner)
  }

  /// Sets the owner of the server and of its actions.
  package func setOwner(_ owner: (any ActionOwner & AccessoryServerOwner)?) {
    self.owner = owner
    performer.owner = owner
  }

  /// The time for the core: monotonic, from an arbitrary origin.
  package var now: Duration { performer.now }

  package var connectionCount: Int { connections.count }

  /// The connections in the order in which they were accepted.
  var inOrder: [ServedConnection] { connections.sorted { $0.key < $1.key }.map(\.value) }

  // MARK: Life

  /// Closes every connection and stops listening. Any number of times.
  /// - Parameter withReset: whether connections are reset at once and unsent responses are lost; otherwise they are
  ///   sent first.
  package func stop(withReset: Bool = false) {
    performer.stop(withReset: withReset) { closeConnections(withReset: withReset) }
  }

  /// Closes the connections when the performer stops.
  package func closeConnections(withReset: Bool) {
    for listener in listeners { listener.close() }
    listeners = []
    for connection in inOrder {
      // Delayed data is sent now: an orderly end loses nothing.
      for piece in connection.shaped?.takeAll() ?? [] where !withReset {
        piece.bytes.withUnsafeBytes { connection.stream.write($0) }
      }
      connection.shaped?.close()
      if withReset { connection.stream.reset() } else { connection.stream.closeAfterWriting() }
    }
    for connection in inOrder { core.closed(connection.core) }
    connections = [:]
  }

  /// Closes a connection as if the network had.
  package func disconnect(_ id: ConnectionID) {
    guard let connection = connections[id] else { return }
    drop(connection)
    performer.perform()
  }

  /// Closes connections as if the network had.
  /// - Returns: the number of closed connections.
  package func disconnect(where isMeant: (ConnectionCore) -> Bool) -> Int {
    let meant = inOrder.filter { isMeant($0.core) }
    for connection in meant { drop(connection) }
    performer.perform()
    return meant.count
  }

  /// Closes a connection after its responses have been sent; with a reset, at once.
  package func end(_ id: ConnectionID, withReset: Bool = false) {
    guard let connection = connections[id] else { return }
    if withReset { return drop(connection, withReset: true) }
    connection.isEnding = true
    touch(connection)
  }

  /// Returns the local address of a connection.
  package func localAddress(of id: ConnectionID) -> String? {
    connections[id]?.stream.localAddress.map { "\($0.host)" }
  }

  /// Sends, at the end of this turn, data that was added to connections by code outside the core.
  package func sendAppended() {
    performer.perform()
  }

  // MARK: Connections

  func received(_ event: TCPStream.ReadEvent, on connection: ServedConnection) {
    switch event {
    case .bytes(let count):
      connection.core.incoming.commit(count)
      let now = now
      if let shaped = connection.shaped, shaped.delaysInput {
        let bytes = connection.core.incoming.withReadable { Array(UnsafeRawBufferPointer($0).suffix(count)) }
        connection.core.incoming.removeLast(count)
        shaped.hold(bytes, at: now)
        if shaped.isFull { connection.stream.pauseReading() }
        return
      }
      if let recorder {
        let bytes = connection.core.incoming.withReadable { Array(UnsafeRawBufferPointer($0).suffix(count)) }
        recorder.note(.received(connection.core.id, bytes), at: now)
      }
      performer.collecting { core.received(on: connection.core, at: now) }
      touch(connection)
      performer.perform()
      // Each connection reads once per turn. A flood on one connection then delays the others no more than a flood on
      // many. If the work for a request was computed immediately, the connection has nothing to wait for.
      if count == connection.offered || !connection.core.wantsInput { connection.stream.pauseReading() }
      return
    case .end:
      // The peer may still read, so pending responses are sent first.
      connection.peerHasFinished = true
      touch(connection)
      recorder?.ended(connection.core.id, withReset: false, at: now)
    case .failed:
      recorder?.ended(connection.core.id, withReset: true, at: now)
      drop(connection)
    }
    performer.perform()
  }

  /// Closes a connection at once.
  func drop(_ connection: ServedConnection, withReset: Bool = false) {
    guard connections.removeValue(forKey: connection.core.id) != nil else { return }
    // The resulting actions of the core are performed at the end of the turn at the latest.
    performer.ask()
    connection.shaped?.close()
    if withReset { connection.stream.reset() } else { connection.stream.close() }
    recorder?.note(.closed(connection.core.id), at: now)
    core.closed(connection.core)
    advertiseIfDue(connection)
  }

  func touch(_ connection: ServedConnection) {
    guard !connection.isTouched else { return }
    connection.isTouched = true
    touched.append(connection)
    performer.ask()
  }

  /// Marks all connections in the core's outbox: they have output, or accept requests again.
  func touchAll() {
    core.takeOutbox { written in
      // Usually this is the connection of the request that is being answered.
      if touched.last?.core === written { return }
      if let connection = connections[written.id] { touch(connection) }
    }
  }

  // MARK: The end of a turn

  /// Sends output, then handles everything that waited for the sending.
  private func settle(_ connection: ServedConnection) {
    guard connections[connection.core.id] === connection else { return }
    send(connection)
    if connection.hasRoom, connection.core.wantsInput, connection.core.hasInput {
      // Requests that had to wait for space. Their responses are sent in another round, after the written values are
      // stored.
      let now = now
      recorder?.note(.resumed(connection.core.id), at: now)
      performer.collecting { core.resume(connection.core, at: now) }
      touchAll()
      if !connection.core.outgoing.isEmpty || core.queue.hasActions { return touch(connection) }
    }
    if connection.unsentCount > ServedConnection.queueLimit { return drop(connection) }
    advertiseIfDue(connection)
    // The simulated network also delays the end of a connection.
    if let shaped = connection.shaped {
      let isHeldUp = shaped.unsentCount > 0 || (!connection.isEnding && shaped.holdsInput)
      if connection.isEnding || connection.peerHasFinished, isHeldUp { return connection.stream.pauseReading() }
    }
    if connection.isEnding || (connection.peerHasFinished && connection.core.wantsInput && connection.hasRoom) {
      connections[connection.core.id] = nil
      connection.shaped?.close()
      connection.stream.closeAfterWriting()
      recorder?.note(.closed(connection.core.id), at: now)
      core.closed(connection.core)
    } else if connection.core.wantsInput, connection.hasRoom, !connection.peerHasFinished,
      connection.shaped?.isDeaf != true, connection.shaped?.isFull != true
    {
      connection.stream.resumeReading()
    } else {
      connection.stream.pauseReading()
    }
  }

  private func send(_ connection: ServedConnection) {
    guard !connection.core.outgoing.isEmpty else { return }
    connection.core.outgoing.withReadable { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      recorder?.sent(connection.core.id, bytes, at: now)
      if let shaped = connection.shaped { return shaped.take(Array(bytes), at: now) }
      let taken = connection.stream.tryWrite(bytes)
      guard taken < bytes.count else { return }
      connection.stream.write(UnsafeRawBufferPointer(rebasing: bytes[taken...])) { [weak self] _ in
        // Checks the connection again at the end of the turn: an advertisement, a received request or the closing of
        // the connection may have waited until these bytes were sent.
        self?.touch(connection)
      }
    }
    connection.core.outgoing.removeAll(keepingCapacityUpTo: ServedConnection.keptCapacity)
  }

  /// Advertises the new record when the response that changed it has been sent, or can't be sent any more.
  private func advertiseIfDue(_ connection: ServedConnection) {
    guard let advertisement = connection.advertisement else { return }
    guard connection.stream.isClosed || (connection.unsentCount == 0 && connection.core.outgoing.isEmpty)
    else { return }
    connection.advertisement = nil
    owner?.advertise(advertisement)
  }
}

extension AccessoryServer: TurnServer {
  package func collect() { touchAll() }

  package func perform(_ action: AccessoryAction) {
    switch action {
    case .advertise(let advertisement, let id):
      if let connection = id.flatMap({ connections[$0] }) {
        connection.advertisement = advertisement
        touch(connection)
      } else if !isStopped {
        owner?.advertise(advertisement)
      }
    case .close(let id):
      guard keepsOpen?(id) != true else { return }
      end(id)
    case .evict(let id): end(id, withReset: true)
    case .forward(let request, let id, let ticket): owner?.forward(request, of: id, ticket: ticket)
    case .compute, .store, .identify, .wrote, .read, .report: preconditionFailure("this action is the performer's")
    }
  }

  package func notice(_ report: AccessoryReport) { owner?.notice(report) }

  package var hasUnsent: Bool { !touched.isEmpty }

  package func send() {
    // Swapped, so that both arrays keep their capacity.
    swap(&touched, &settling)
    for connection in settling {
      connection.isTouched = false
      settle(connection)
    }
    settling.removeAll(keepingCapacity: true)
  }
}
