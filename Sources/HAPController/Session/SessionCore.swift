import HAPIP
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

/// The work of a session. Its tasks keep it alive until it is closed. `AccessorySession` closes it when its user
/// releases the session.
actor SessionCore: AccessoryRequests {
  /// The session's data about its accessory.
  struct Knowledge: Sendable {
    var mirror: AccessoryMirror
    /// The `c#` of the record when `mirror` was read.
    var databaseNumber: UInt32?
    /// The `c#` of the last received record.
    var recordNumber: UInt32?

    var snapshot: DatabaseSnapshot {
      DatabaseSnapshot(database: mirror.database, configurationNumber: databaseNumber)
    }

    /// Stores a database that was read when the record had this number.
    /// - Returns: whether the structure has changed, and whether the structure or the number has changed.
    mutating func take(_ new: AccessoryMirror, _ number: UInt32?) -> (structure: Bool, any: Bool) {
      let isOther = !new.database.hasStructure(of: mirror.database)
      // The first record's number is not a change.
      let isOtherNumber = databaseNumber != nil && databaseNumber != number
      mirror = new
      databaseNumber = number
      return (isOther, isOther || isOtherNumber)
    }

    /// Stores the entries of an answer or an event.
    /// - Returns: a result for each entry, and the deviations that were tolerated in them.
    mutating func take(
      _ entries: [CharacteristicEntry], of place: String
    ) -> (results: [CharacteristicResult], remarks: [Deviation]) {
      let known = mirror.remarks.count
      let results = mirror.results(of: entries, place)
      return (results, Array(mirror.remarks.dropFirst(known)))
    }
  }

  nonisolated let loop: EventLoop
  nonisolated let pairing: ControllerPairing
  nonisolated let listeners = ChangeListeners()
  nonisolated let known: Guarded<Knowledge>
  private nonisolated let session: PersistentSession
  private nonisolated let closing = Guarded(false)
  private var record: RecordWatch?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ session: PersistentSession, _ pairing: ControllerPairing, _ mirror: AccessoryMirror) {
    self.session = session
    self.pairing = pairing
    known = Guarded(Knowledge(mirror: mirror))
    loop = session.loop
  }

  /// - Parameter readsNews: whether the session reads the news of its connection. If not, its user calls `next`.
  func start(interfaces: [String], readsNews: Bool) {
    if isClosed { return }
    record = RecordWatch(of: pairing, on: loop, interfaces: interfaces) { [weak self] in await self?.saw($0) }
    if readsNews { loop.startTask { while await self.next() != nil {} } }
  }

  /// Whether the user closed the session.
  nonisolated var isClosed: Bool { closing.withLock { $0 } }

  func close() async {
    closing.withLock { $0 = true }
    end()
    await session.close()
  }

  /// Closes the session, for callers that can't wait.
  nonisolated func closeSoon() {
    closing.withLock { $0 = true }
    loop.startTask { await self.close() }
    // A stopped loop doesn't run the task.
    listeners.finish()
  }

  private func end() {
    record?.close()
    record = nil
    listeners.finish()
  }

  var isConnected: Bool { get async { await session.isConnected } }

  nonisolated func answer(to request: ControllerRequest) async throws(ClientError) -> LinkMessage {
    try await session.request(request)
  }

  // MARK: Database

  func readDatabase() async throws(ClientError) -> DatabaseSnapshot {
    let number = known.withLock { $0.recordNumber }
    let mirror = try await session.database()
    let (isOther, snapshot) = known.withLock { ($0.take(mirror, number), $0.snapshot) }
    if isOther.any { listeners.report(.database(snapshot)) }
    return snapshot
  }

  private func saw(_ number: UInt32) async {
    known.withLock { $0.recordNumber = number }
    await session.configurationNumber(is: number)
  }

  // MARK: Characteristics

  func read(_ ids: [AttributeID]) async throws(ClientError) -> [CharacteristicResult] {
    var results: [CharacteristicResult] = []
    for start in stride(from: 0, to: ids.count, by: 100) {
      let entries = try await entries(.read(Array(ids[start..<min(start + 100, ids.count)]))).list
      results += known.withLock { $0.take(entries, of: "GET /characteristics").results }
    }
    return results
  }

  /// - Parameter isTimed: whether to make a timed write; nil: only if a characteristic requires it.
  func write(_ values: [CharacteristicWrite], isTimed: Bool?) async throws -> [CharacteristicResult] {
    guard !values.isEmpty else { return [] }
    let database = known.withLock { $0.mirror.database }
    let needsTimed = values.contains { value in
      database.slot(of: value.id).map { database.characteristics[$0].perms.contains(.timedWrite) } ?? false
    }
    let (entries, httpStatus) = try await writeEntries(
      values.map { .init($0.id, value: $0.value) }, isTimed: isTimed ?? needsTimed)
    let statuses = Dictionary(entries.map { ($0.id, $0.status ?? 0) }) { first, _ in first }
    return try values.map { value in
      // An entry may be missing only if the whole request succeeded.
      guard let status = statuses[value.id] ?? ([200, 204].contains(httpStatus) ? 0 : nil) else {
        throw ControllerError(
          .malformedMessage, pairing.alias,
          "PUT /characteristics was answered \(httpStatus) without an entry for \(value.id)",
          "read the characteristic to see its value")
      }
      return CharacteristicResult(id: value.id, value: status == 0 ? value.value : nil, status: status)
    }
  }

  func subscribe(_ ids: [AttributeID], _ isOn: Bool) async throws(ClientError) -> [CharacteristicResult] {
    Self.refusals(
      isOn ? try await session.subscribe(to: ids) : try await session.unsubscribe(from: ids))
  }

  func identify() async throws { try await identify(in: known.withLock { $0.mirror.database }) }

  private static func refusals(_ entries: [CharacteristicEntry]) -> [CharacteristicResult] {
    entries.map { CharacteristicResult(id: $0.id, value: nil, status: $0.status ?? 0) }
  }

  // MARK: Changes

  /// Processes the next news of the connection, and reports them to the listeners.
  /// - Returns: nil if there are no more.
  func next() async -> SessionReport? {
    guard let news = await session.next() else {
      end()
      return nil
    }
    let (change, report) = take(news)
    if let change { listeners.report(change) }
    return report
  }

  /// - Returns: the change; nil if there is nothing to report.
  private func take(_ news: SessionNews) -> (change: SessionChange?, report: SessionReport) {
    let name = pairing.alias
    var report = SessionReport(news: news)
    let change: SessionChange?
    switch news {
    case .values(let entries, let isCatchUp, let remarks):
      let taken = known.withLock { $0.take(entries, of: "an event") }
      report.remarks = remarks + taken.remarks
      change = .values(taken.results, isCatchUp: isCatchUp)
    case .database(let new):
      let (isOther, snapshot) = known.withLock { ($0.take(new, $0.recordNumber), $0.snapshot) }
      report.remarks = new.remarks
      report.hasOtherStructure = isOther.structure
      change = isOther.any ? .database(snapshot) : nil
    case .connected(_, let refused, let remarks):
      report.remarks = remarks
      change = .connected(refused: Self.refusals(refused))
    case .lost(let error, let nextTry): change = .disconnected(ControllerError(error, name), nextTry: nextTry)
    case .unreadable(let error): change = .unreadable(ControllerError(error, name))
    case .gaveUp(let error): change = .ended(ControllerError(error, name))
    }
    return (change, report)
  }
}

/// One piece of news of a session's connection, for hapctl, which prints more of it than `SessionChange` contains.
package struct SessionReport: Sendable {
  package let news: SessionNews
  /// The deviations from HAP that were tolerated in this news.
  package fileprivate(set) var remarks: [Deviation] = []
  /// Whether the news is a database with a changed structure.
  package fileprivate(set) var hasOtherStructure = false
}
