import HAPIP
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

/// A session with a paired accessory, which outlives its connections.
///
/// A lost connection is made again after 1 s, 2 s, 4 s … a minute at most, and all subscriptions with it. The database is read again when the
/// `c#` of the accessory's record changes, and after each loss of the connection. Requests wait for a connection until their time is over.
public actor AccessorySession {
  /// The number of changes that may wait to be read in one sequence.
  static let changeRoom = 1000

  /// The name of the pairing.
  public nonisolated let name: String
  private nonisolated let loop: EventLoop
  private let pairing: ControllerPairing
  private let session: PersistentSession
  private var mirror: AccessoryMirror
  private var record: RecordWatch?
  /// `c#` of the record as it was last seen.
  private var recordNumber: UInt32?
  /// `c#` of the record when `mirror` was read.
  private var databaseNumber: UInt32?
  private var listeners: [Int: AsyncStream<SessionChange>.Continuation] = [:]
  private var lastListener = 0
  private var isOver = false

  /// The event loop of the controller.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ session: PersistentSession, _ pairing: ControllerPairing, _ mirror: AccessoryMirror) {
    self.session = session
    self.pairing = pairing
    self.mirror = mirror
    loop = session.loop
    name = pairing.alias
  }

  func start(interfaces: [String]) {
    record = RecordWatch(of: pairing, on: loop, interfaces: interfaces) { [weak self] in await self?.saw($0) }
    loop.startTask { await takeNews() }
  }

  /// Ends the session, and the sequences of its changes. Can be called any number of times.
  public func close() async {
    record?.close()
    await session.close()
  }

  /// Whether there is a verified connection now.
  public var isConnected: Bool { get async { await session.isConnected } }

  // MARK: Database

  /// The database as it was read last, with the values that reads and events brought since.
  public var snapshot: DatabaseSnapshot {
    DatabaseSnapshot(database: mirror.database, configurationNumber: databaseNumber)
  }

  /// Reads the database now.
  public func readDatabase() async throws(ControllerError) -> DatabaseSnapshot {
    let number = recordNumber
    let isOther: Bool
    do { isOther = take(try await session.database(), number) } catch { throw ControllerError(error, name) }
    if isOther { report(.database(snapshot)) }
    return snapshot
  }

  private func saw(_ number: UInt32) async {
    recordNumber = number
    await session.configurationNumber(is: number)
  }

  /// - Returns: whether the database or its number is another one.
  private func take(_ new: AccessoryMirror, _ number: UInt32?) -> Bool {
    let isOther = new.database.structure != mirror.database.structure
    // The number of the first record is no change.
    let isOtherNumber = databaseNumber != nil && databaseNumber != number
    mirror = new
    databaseNumber = number
    return isOther || isOtherNumber
  }

  // MARK: Characteristics

  /// Reads characteristics, at most 100 in one request. HAP R2 §6.7.4.
  /// - Returns: a result for each entry of the answers.
  public func read(_ ids: [AttributeID]) async throws(ControllerError) -> [CharacteristicResult] {
    var results: [CharacteristicResult] = []
    for start in stride(from: 0, to: ids.count, by: 100) {
      let (entries, _) = try await entries(.read(Array(ids[start..<min(start + 100, ids.count)])))
      results += take(entries, of: "GET /characteristics")
    }
    return results
  }

  /// Writes characteristics in one request. HAP R2 §6.7.2.
  /// - Parameter isTimed: whether to make a timed write (HAP R2 §6.7.2.4); nil: if a characteristic requires it.
  /// - Returns: a result for each value, in order.
  public func write(
    _ values: [CharacteristicWrite], isTimed: Bool? = nil
  ) async throws(ControllerError) -> [CharacteristicResult] {
    guard !values.isEmpty else { return [] }
    let database = mirror.database
    let needsTimed = values.contains { value in
      database.slot(of: value.id).map { database.characteristics[$0].perms.contains(.timedWrite) } ?? false
    }
    let pid = isTimed ?? needsTimed ? loop.random.bytes(6).reduce(1) { $0 << 8 | UInt64($1) } : nil
    if let pid {
      let answer: LinkMessage
      do { answer = try await session.request(.prepare(ttl: 5000, pid: pid)) } catch {
        throw ControllerError(error, name)
      }
      guard answer.status == 200 else {
        throw ControllerError(
          .refused, name, "PUT /prepare was answered \(answer.status)", "write again; nothing was written")
      }
    }
    let (entries, httpStatus) = try await entries(.write(values.map { .init($0.id, value: $0.value) }, pid: pid))
    let statuses = Dictionary(entries.map { ($0.id, $0.status ?? 0) }) { first, _ in first }
    var results: [CharacteristicResult] = []
    for value in values {
      // Only a success of the whole request needs no entry.
      guard let status = statuses[value.id] ?? ([200, 204].contains(httpStatus) ? 0 : nil) else {
        throw ControllerError(
          .malformedMessage, name, "PUT /characteristics was answered \(httpStatus) without an entry for \(value.id)",
          "read the characteristic to see its value")
      }
      results.append(CharacteristicResult(id: value.id, value: status == 0 ? value.value : nil, status: status))
    }
    return results
  }

  /// Subscribes to characteristics. The subscriptions are made again with each connection. HAP R2 §6.8.
  /// - Returns: a result for each characteristic that the accessory refused.
  public func subscribe(to ids: [AttributeID]) async throws(ControllerError) -> [CharacteristicResult] {
    do { return Self.refusals(try await session.subscribe(to: ids)) } catch { throw ControllerError(error, name) }
  }

  /// Removes subscriptions.
  /// - Returns: a result for each characteristic that the accessory refused.
  public func unsubscribe(from ids: [AttributeID]) async throws(ControllerError) -> [CharacteristicResult] {
    do { return Self.refusals(try await session.unsubscribe(from: ids)) } catch { throw ControllerError(error, name) }
  }

  /// Makes the accessory identify itself.
  /// - Throws: ``ControllerError/Kind/notSupported``, ``ControllerError/Kind/refused``.
  public func identify() async throws(ControllerError) {
    let id: AttributeID
    do { id = try mirror.database.identifyID() } catch { throw ControllerError(error, name) }
    let entries = try await entries(.write([.init(id, value: .bool(true))]))
    if let status = entries.list.first(where: { !$0.isSuccess })?.status {
      throw ControllerError(AccessError.identifyRefused(status), name)
    }
  }

  private func entries(
    _ request: ControllerRequest
  ) async throws(ControllerError) -> (list: [CharacteristicEntry], httpStatus: Int) {
    do {
      let answer = try await session.request(request)
      var reader = AttributeReader()
      return (try ControllerConnection.entries(.success(answer), request.name, &reader).get(), answer.status)
    } catch { throw ControllerError(error, name) }
  }

  private func take(_ entries: [CharacteristicEntry], of place: String) -> [CharacteristicResult] {
    _ = mirror.take(entries, of: place)
    return entries.map { entry in
      let value = entry.isSuccess && entry.value != nil ? mirror.database[entry.id] : nil
      return CharacteristicResult(id: entry.id, value: value, status: entry.status ?? 0)
    }
  }

  private static func refusals(_ entries: [CharacteristicEntry]) -> [CharacteristicResult] {
    entries.map { CharacteristicResult(id: $0.id, value: nil, status: $0.status ?? 0) }
  }

  // MARK: Pairings

  /// The controllers that the accessory is paired with. The controller must be an admin. HAP R2 §5.12.
  public func pairings() async throws(ControllerError) -> [Pairing] {
    do { return try PairingsMessage.list(try await session.request(.pairings(.listing))) } catch {
      throw ControllerError(error, name)
    }
  }

  /// Adds a controller. HAP R2 §5.10.
  public func addPairing(_ pairing: Pairing) async throws(ControllerError) { try await change(.adding(pairing)) }

  /// Removes a controller. HAP R2 §5.11. For the own pairing, use ``Controller/unpair(_:)``.
  public func removePairing(identifier: String) async throws(ControllerError) {
    try await change(.removing(Array(identifier.utf8)))
  }

  private func change(_ message: TLV) async throws(ControllerError) {
    do { _ = try PairingsMessage.reply(try await session.request(.pairings(message))) } catch {
      throw ControllerError(error, name)
    }
  }

  // MARK: Changes

  /// A sequence of the changes from now on. There can be several.
  ///
  /// It ends with the session, and when 1,000 changes wait to be read.
  public func changes() -> AsyncStream<SessionChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SessionChange.self, bufferingPolicy: .bufferingOldest(Self.changeRoom))
    guard !isOver else {
      continuation.finish()
      return stream
    }
    lastListener += 1
    let number = lastListener
    listeners[number] = continuation
    continuation.onTermination = { [weak self, loop] _ in
      loop.startTask { await self?.removeListener(number) }
    }
    return stream
  }

  private func removeListener(_ number: Int) { listeners[number] = nil }

  private func takeNews() async {
    while let news = await session.next() {
      if let change = change(by: news) { report(change) }
    }
    isOver = true
    record?.close()
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener.finish() }
    listeners = [:]
  }

  private func report(_ change: SessionChange) {
    for (number, listener) in listeners.sorted(by: { $0.key < $1.key }) {
      guard case .dropped = listener.yield(change) else { continue }
      listeners[number] = nil
      listener.finish()
    }
  }

  /// - Returns: nil: nothing to report.
  private func change(by news: SessionNews) -> SessionChange? {
    switch news {
    case .values(let entries, let isCatchUp, _): .values(take(entries, of: "an event"), isCatchUp: isCatchUp)
    case .database(let new): take(new, recordNumber) ? .database(snapshot) : nil
    case .connected(_, let refused, _): .connected(refused: Self.refusals(refused))
    case .lost(let error, let nextTry): .disconnected(ControllerError(error, name), nextTry: nextTry)
    case .unreadable(let error): .unreadable(ControllerError(error, name))
    case .gaveUp(let error): .ended(ControllerError(error, name))
    }
  }
}
