import HAPController
import HAPHome
import HAPHomeEngine
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire

/// A kept connection with one paired device: an accessory, or a bridge with the accessories behind it. An actor on its
/// loop, which its tasks retain until it is closed.
actor HAPDeviceConnection: DeviceConnection, AccessoryRequests {
  /// The time limits of a connection.
  struct Limits: Sendable {
    /// For connecting.
    var connect: Duration = .seconds(10)
    /// For each answer while the connection is made, and to a read.
    var answer: Duration = .seconds(10)
    /// For the answer to a write. The hub decides earlier that an answer is overdue, and calls `drop`.
    var write: Duration = .seconds(15)
    /// For a connection, before a request fails because there is none. home.md §9.
    var wait: Duration = .seconds(2)
    /// For the record of the device, before its database is read without one.
    var record: Duration = .seconds(2)
    /// For other connections that are being made, before a known database is read again.
    var others: Duration = .seconds(2)
  }

  nonisolated let loop: EventLoop
  let pairing: DevicePairing
  private let isNew: Bool
  let limits: Limits
  let session: PersistentSession
  private let search: SharedSearch
  private let route: DeviceRoute
  private nonisolated let outbox: NewsOutbox
  private var watch: UInt64?
  private var isClosed = false
  private var hasGivenUp = false

  /// The number of connections so far.
  private(set) var connectionCount = 0
  private(set) var isReady = false
  private var why = "no connection was made yet"
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter: UInt64 = 0

  /// The database with the last known values; nil: it was not read yet.
  var mirror: AccessoryMirror?
  /// The last record of the device.
  private(set) var record: FoundAccessory?
  /// `c#` of the record when `mirror` was read.
  private var databaseNumber: UInt32?
  private var isReadingDatabase = false
  private var described: DescriptionKey?

  /// The subscriptions that the hub wants, those that the session restores, and the refusals on this connection.
  var wanted: Set<AttributeID> = []
  var applied: Set<AttributeID> = []
  var refused: Set<AttributeID> = []
  var isSubscribing = false
  /// Those who wait for the answer of the accessory.
  var subscribers: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(
    _ pairing: DevicePairing, number: UInt64, isNew: Bool, _ search: SharedSearch, _ gate: HandshakeGate,
    _ limits: Limits,
    onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) {
    let loop = search.loop
    let route = DeviceRoute(number, to: pairing.device, knowing: pairing.addresses, search, gate)
    (self.loop, self.pairing, self.isNew, self.limits) = (loop, pairing, isNew, limits)
    (self.search, self.route) = (search, route)
    outbox = NewsOutbox(loop, onNews: onNews)
    session = PersistentSession(
      on: loop, identity: pairing.identity.credentials, with: pairing.accessory, connectTimeout: limits.connect,
      requestTimeout: limits.answer,
      // The wait for a place in the gate is a part of the search, and may be long.
      searchTimeout: .seconds(86_400), attemptEnded: { route.attemptEnded() }
    ) { await route.nextAddresses() }
  }

  /// Begins to connect.
  func start() async {
    if isClosed { return }
    await search.begin()
    if isClosed { return await search.end() }
    let (number, present) = await search.watch(pairing.device) { [weak self] in await self?.saw($0) }
    watch = number
    if isClosed { return await release() }
    loop.startTask { await self.readNews() }
    if let present { await saw(present) }
  }

  var isOver: Bool { isClosed || hasGivenUp }

  func close() async {
    if isClosed { return }
    isClosed = true
    await end()
  }

  private func end() async {
    isReady = false
    if isClosed { outbox.close() }
    wake()
    await session.close()
    route.attemptEnded()
    await release()
  }

  private func release() async {
    guard let watch else { return }
    self.watch = nil
    await search.unwatch(pairing.device, watch)
    await search.end()
  }

  // MARK: News

  /// Passes news to the hub, and waits until it has taken it: a slow hub slows down the accessory.
  func report(_ news: DeviceNews) async { await outbox.send(news).value }

  /// Passes a violation to the hub.
  func reportViolation(_ error: ClientError) { outbox.send(.violation("\(error)")) }

  private func readNews() async { while let news = await session.next() { await take(news) } }

  private func take(_ news: SessionNews) async {
    if isOver { return }
    switch news {
    case .connected(_, let refused, _): await connected(refused)
    case .lost(let error, _): await lost(error)
    case .gaveUp: await giveUp()
    case .values(let entries, let isCatchUp, _):
      await report(.values(values(of: entries, "an event"), isCatchUp: isCatchUp))
    case .database(let new): await take(new, recordNumber)
    case .unreadable(let error): await report(.violation("\(error)"))
    }
  }

  private func connected(_ refusals: [CharacteristicEntry]) async {
    connectionCount += 1
    isReady = true
    refused = Set(refusals.map(\.id))
    let address = await session.peer.map { "\($0)" } ?? ""
    wake()
    await report(.connected(address: address))
    if !refusals.isEmpty { await report(.values(values(of: refusals, "an answer"), isCatchUp: false)) }
    if let recordNumber { await session.configurationNumber(is: recordNumber) }
    readDatabaseSoon()
    subscribeSoon()
  }

  private func lost(_ error: ClientError) async {
    isReady = false
    why = "\(error)"
    if error.isViolation { await report(.violation(why)) }
    if await wasReset(error) { return await giveUp() }
    await report(.lost(why: why))
  }

  private func giveUp() async {
    hasGivenUp = true
    why = "the device was reset, or it has removed the pairing: remove the accessory, and add it again"
    await report(.gaveUp(why: why))
    await end()
  }

  /// Whether the device was reset to factory settings. It has another device ID then, so Pair Verify is answered by a
  /// stranger. Any other accessory may also have got the device's address. So the stranger must have no pairing, and a
  /// record with the device's former name and model, while there is no record of the device.
  private func wasReset(_ error: ClientError) async -> Bool {
    guard case .pairing(let failure) = error, case .otherAccessory(let identifier) = failure.cause,
      let other = DeviceID(String(decoding: identifier, as: UTF8.self)), let record,
      let found = await search.record(of: other), await search.record(of: pairing.device) == nil
    else { return false }
    return found.isPaired == false && found.name == record.name && found.model == record.model
  }

  // MARK: Record and database

  private var recordNumber: UInt32? { record?.configurationNumber }

  private func saw(_ found: FoundAccessory) async {
    let isElsewhere = record?.addresses != found.addresses
    record = found
    if let number = found.configurationNumber { await session.configurationNumber(is: number) }
    // A device that was announced again has probably returned, or has moved.
    route.appeared()
    if !isReady, isElsewhere || connectionCount > 0 {
      await session.tryAddresses(found.socketAddresses)
      await session.hint()
    }
    // A slow hub must not delay the records of other devices.
    describe()
  }

  private func readDatabaseSoon() {
    guard mirror == nil, !isReadingDatabase else { return }
    isReadingDatabase = true
    loop.startTask { await self.readDatabase() }
  }

  /// Reads the database for the first time. Afterwards, the session reads it when it may have changed.
  private func readDatabase() async {
    // At the start of a hub, the events of all devices come before the databases, which seldom have changed.
    if !isNew { await route.waitForOthers(atMost: limits.others) }
    // Without `c#`, the database would be read again when the record arrives.
    if record == nil, let found = await search.record(of: pairing.device, within: limits.record), record == nil {
      await saw(found)
    }
    await retry { () async throws(ClientError) in
      if self.mirror == nil { try await self.readFirstDatabase() }
    }
    isReadingDatabase = false
  }

  @discardableResult
  func readFirstDatabase() async throws(ClientError) -> AttributeDatabase {
    // `c#` can change during the read.
    let number = recordNumber
    let new = try await session.database(timeout: limits.answer)
    await take(new, number)
    return new.database
  }

  /// Repeats work until it succeeds, or the connection is lost. The next connection begins the work again.
  func retry(_ body: () async throws(ClientError) -> Void) async {
    var backOff = BackOff()
    while isReady, !isOver {
      let count = connectionCount
      do throws(ClientError) { return try await body() } catch {
        if error.isAnswer {
          if error.isViolation { reportViolation(error) }
          do { try await loop.sleep(for: backOff.delay()) } catch { return }
        } else if count == connectionCount {
          return
        }
      }
    }
  }

  func take(_ new: AccessoryMirror, _ number: UInt32?) async {
    // A characteristic that was refused may exist now; before the first database, an unknown one may be the reason.
    if mirror?.database.hasStructure(of: new.database) != true { refused = [] }
    mirror = new
    databaseNumber = number
    // The session drops the subscriptions of characteristics that no longer exist.
    applied = applied.filter { new.database.slot(of: $0) != nil }
    await describe()?.value
    subscribeSoon()
  }

  /// Reports the database if it differs from the last report.
  /// - Returns: a task that ends when the hub has it.
  @discardableResult
  private func describe() -> Task<Void, Never>? {
    guard let mirror else { return nil }
    let description = DeviceDescription(
      device: pairing.device, configurationNumber: databaseNumber ?? 1, category: category(in: mirror),
      accessories: mirror.database.accessories)
    let key = DescriptionKey(description, mirror.database)
    if let described, key.isSame(as: described) { return nil }
    described = key
    return outbox.send(.database(description))
  }

  /// `ci` of the record. Without a record, a device with several accessories is a bridge, and others have no category.
  private func category(in mirror: AccessoryMirror) -> UInt8 {
    record?.categoryNumber ?? (mirror.database.accessoryEntries.count > 1 ? 2 : 1)
  }

  // MARK: Waiting

  /// Waits for a connection for a short time.
  /// - Throws: 4.
  func waitUntilReady() async throws(HomeError) {
    await withCheckedContinuation { continuation in
      // Checked here, because other code of the connection may run before this closure.
      if isReady || isOver { return continuation.resume() }
      lastWaiter += 1
      let number = lastWaiter
      waiters[number] = continuation
      loop.startTask {
        try? await self.loop.sleep(for: self.limits.wait)
        self.wake(number)
      }
    }
    if isReady { return }
    throw HomeError(
      .accessoryNotReachable, nil,
      isClosed ? "the connection with the device \(pairing.device) is closed" : "the device \(pairing.device): \(why)")
  }

  private func wake(_ number: UInt64) { waiters.removeValue(forKey: number)?.resume() }

  private func wake() { for number in waiters.keys.sorted() { wake(number) } }
}

extension DevicePairing {
  var accessory: PairedAccessory { PairedAccessory(identifier: accessoryID, publicKey: accessoryKey) }
}
