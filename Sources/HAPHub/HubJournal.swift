import HAPAccessoryPort
import HAPAlmanac
import HAPController
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPStore

/// What is to be stored: the records of the engine and of the hub, and commands, which change the model. One
/// transaction is stored at a time. Records come first. They are applied to the model before they are stored.
///
/// From the arrival of a command until it is stored, the engine gets no input. So a command starts with a model that is
/// stored, and nothing changes the model while it is being stored. A command begins when the engine has all inputs that
/// waited, and all its actions were performed: one of them may be a record.
struct HubJournal {
  /// Rows that are stored as they are.
  struct Record {
    let rows: [HomeRowChange]
    /// Called with the reason if they could not be stored.
    let done: (StoreError?) -> Void
  }

  /// A change of the model.
  struct Command {
    /// The app that gets the answer, and no event.
    let app: HubClient?
    /// Rows that are stored in the same transaction.
    let rows: [HomeRowChange]
    /// Whether it may change homes of other hubs.
    let editsCopies: Bool
    let plan: (inout HubDraft) throws(HomeError) -> Void
    let done: (Result<[HomeChange], HomeError>) -> Void
  }

  private var records: [Record] = []
  private var commands: [Command] = []
  /// Whether a transaction is being stored.
  var isStoring = false
  /// Whether it is that of a command.
  var isChanging = false
  /// Whether the next transactions are being begun.
  var isAdvancing = false
  /// Called when nothing is being stored.
  var idle: [CheckedContinuation<Void, Never>] = []
  /// Rows of records that could not be stored, by table and ID: the next transaction begins with them.
  private(set) var unstored: [String: HomeRowChange] = [:]
  /// Whether the last transaction could not be stored.
  var hasFailed = false
  /// The identity with which the hub pairs; nil: it has not paired yet. It is stored with the first pairing.
  var identity: ControllerIdentity?
  /// The pairings of devices that are in no home.
  var unused: [DeviceID: DevicePairing] = [:]

  /// Whether the engine gets no input.
  var holdsEngine: Bool { isChanging || !commands.isEmpty }

  /// The number of records and commands that wait or are being stored.
  var count: Int { records.count + commands.count + (isStoring ? 1 : 0) }

  mutating func add(_ record: Record) { records.append(record) }
  mutating func add(_ command: Command) { commands.append(command) }
  mutating func takeRecord() -> Record? { records.isEmpty ? nil : records.removeFirst() }
  mutating func takeCommand() -> Command? { commands.isEmpty ? nil : commands.removeFirst() }

  /// Keeps rows that could not be stored.
  mutating func repeatLater(_ rows: [HomeRowChange]) { for row in rows { unstored[row.place] = row } }

  /// Whether the row of a person could not be stored.
  func hasUnstored(_ person: HomeObjectID) -> Bool { unstored["people \(person.description)"] != nil }

  /// Rows that were repeated are stored now. A row may have been replaced meanwhile.
  mutating func repeated(_ rows: [String: HomeRowChange]) {
    for (place, row) in rows where unstored[place] == row { unstored[place] = nil }
  }

  mutating func takeCommands() -> [Command] {
    defer { commands = [] }
    return commands
  }

  mutating func takeRecords() -> [Record] {
    defer { records = [] }
    return records
  }

  mutating func resumeIdle() {
    let waiters = idle
    idle = []
    for waiter in waiters { waiter.resume() }
  }
}

/// A model with changes that are not stored yet.
struct HubDraft {
  private(set) var model: HomeModel
  private(set) var changes: [HomeChange] = []
  /// Stored in the same transaction.
  var extraRows: [HomeRowChange] = []
  private let context: HomeContext
  private var random: LoopRandom

  init(_ model: HomeModel, _ context: HomeContext, _ random: LoopRandom) {
    (self.model, self.context, self.random) = (model, context, random)
  }

  @discardableResult
  mutating func perform(_ command: HomeCommand) throws(HomeError) -> [HomeChange] {
    let new = try model.perform(command, in: context, using: &random)
    changes += new
    return new
  }

  /// Applies changes that no command makes. They have to fit the model.
  mutating func apply(_ new: [HomeChange]) {
    model.apply(new)
    changes += new
  }
}

extension HomeHub {
  // MARK: Commands

  /// Makes a change, after all earlier ones: stores it, then applies it to the model, then reports it to the other apps
  /// and calls `done`. If it is refused or can't be stored, nothing has changed.
  /// - Parameters:
  ///   - app: the app that gets the answer.
  ///   - rows: stored in the same transaction.
  ///   - editsCopies: whether homes of other hubs may be changed, although an app asks for it.
  func change(
    for app: HubClient?, with rows: [HomeRowChange] = [], editsCopies: Bool = false,
    _ plan: @escaping (inout HubDraft) throws(HomeError) -> Void,
    done: @escaping (Result<[HomeChange], HomeError>) -> Void = { _ in }
  ) {
    guard phase == .running else { return done(.failure(.hubEnds)) }
    journal.add(
      HubJournal.Command(app: app, rows: rows, editsCopies: editsCopies || app == nil, plan: plan, done: done))
    // Not now: the engine may be in the middle of its actions, which change the model.
    loop.later { self.storeNext() }
  }

  /// Makes a change and waits until it is stored.
  /// - Parameter answer: called with the changes, before all later events.
  func changeAndWait(
    for app: HubClient?, with rows: [HomeRowChange] = [], editsCopies: Bool = false,
    _ plan: @escaping (inout HubDraft) throws(HomeError) -> Void, answer: @escaping ([HomeChange]) -> Void
  ) async throws(HomeError) {
    try await withCheckedContinuation { continuation in
      change(for: app, with: rows, editsCopies: editsCopies, plan) { result in
        if case .success(let changes) = result { answer(changes) }
        continuation.resume(returning: result.map { _ in })
      }
    }.get()
  }

  /// Records changes of the engine or of the hub itself: they are in the model at once. If they can't be stored, each
  /// transaction repeats their rows; there is one at least every 10 s, until the disk works again.
  /// - Parameters:
  ///   - rows: stored with the changes.
  ///   - done: called with the reason if they could not be stored.
  func record(_ changes: [HomeChange], with rows: [HomeRowChange], done: @escaping (StoreError?) -> Void) {
    precondition(!journal.isChanging, "the engine gets no input while a command is being stored")
    let before = model
    model.apply(changes)
    let rows = HomeRowUpdate.updates(for: changes, from: before, to: model).map(HomeRowChange.init) + rows
    if rows.isEmpty { return }
    store(rows) { error in
      if let error {
        self.note("a record could not be stored: \(error)")
        self.journal.repeatLater(rows)
        // They count nevertheless, so the apps have to have them.
        if !changes.isEmpty { self.publish(.changed(changes, app: nil)) }
      }
      done(error)
    }
  }

  /// Stores rows, after all earlier records and before all commands that wait.
  func store(_ rows: [HomeRowChange], done: @escaping (StoreError?) -> Void) {
    guard phase == .running else { return done(StoreError(.failed, path: folder, detail: "the hub has ended")) }
    journal.add(HubJournal.Record(rows: rows, done: done))
    storeNext()
  }

  /// Stores rows and waits until they are on the disk.
  func storeAndWait(_ rows: [HomeRowChange]) async throws(HomeError) {
    let error = await withCheckedContinuation { continuation in
      store(rows) { continuation.resume(returning: $0) }
    }
    if let error { throw HomeError(error) }
  }

  /// Stores what waits, until a transaction is being stored. A call within another one leaves the rest to that one.
  func storeNext() {
    guard !journal.isAdvancing else { return }
    journal.isAdvancing = true
    defer { journal.isAdvancing = false }
    while !journal.isStoring {
      if let record = journal.takeRecord() {
        commit(record.rows, then: record.done)
      } else if phase == .running, !automation.isBusy, let command = journal.takeCommand() {
        begin(command)
      } else {
        return journal.resumeIdle()
      }
    }
  }

  /// The pause before another attempt to store what could not be stored.
  private static let storePause = Duration.seconds(10)

  /// Tries again to store the records that could not be stored.
  func storeTimerFired() { if journal.hasFailed { store([]) { _ in } } }

  /// Waits until nothing is being stored. Records that could not be stored get one more attempt.
  func storeRest() async {
    await storedAll()
    // The process of a simulated world may have ended meanwhile.
    if journal.hasFailed, store != nil { commit([]) { _ in } }
    await storedAll()
  }

  /// Waits until nothing is being stored.
  private func storedAll() async {
    await withCheckedContinuation { continuation in
      // Checked here, because other code of the hub may run before this closure.
      if journal.isStoring { journal.idle.append(continuation) } else { continuation.resume() }
    }
  }

  private func begin(_ command: HubJournal.Command) {
    var context = HomeContext(now: wall, zoneRules: zoneRules)
    context.editsCopies = command.editsCopies
    context.user = command.app?.app.user
    var draft = HubDraft(model, context, LoopRandom(loop))
    do throws(HomeError) { try command.plan(&draft) } catch {
      command.done(.failure(error))
      return releaseEngine()
    }
    let owed = owedChanges(by: draft)
    let rows =
      command.rows + draft.extraRows + draft.rows(from: model) + removedAuthorizations(by: draft) + owed.map(\.row)
    guard !rows.isEmpty else { return finish(command, draft, owed) }
    journal.isChanging = true
    commit(rows) { error in
      self.journal.isChanging = false
      if let error {
        command.done(.failure(HomeError(error)))
        self.releaseEngine()
      } else {
        self.finish(command, draft, owed)
      }
    }
  }

  private func finish(_ command: HubJournal.Command, _ draft: HubDraft, _ owed: [OwedChange]) {
    let changes = draft.changes
    let own = changes.ofOwnHomes(model, draft.model)
    if !changes.isEmpty {
      model = draft.model
      modelChanged(by: changes)
      publish(.changed(changes, app: command.app?.name), except: command.app)
    }
    apply(owed)
    command.done(.success(changes))
    releaseEngine { own.isEmpty ? [] : engine.changed(own, model.ownHomes) }
  }

  private func commit(_ rows: [HomeRowChange], then done: @escaping (StoreError?) -> Void) {
    guard let store else { preconditionFailure("the store is closed before the last transaction") }
    journal.isStoring = true
    let again = journal.unstored
    let all = again.sorted { $0.key < $1.key }.map(\.value) + rows
    loop.offload { () -> StoreError? in
      do throws(StoreError) {
        try store.commit(all)
        return nil
      } catch { return error }
    } then: { error in
      self.journal.isStoring = false
      self.journal.hasFailed = error != nil
      if error == nil { self.journal.repeated(again) } else { self.storeTimer.value?.start(after: Self.storePause) }
      done(error)
      self.storeNext()
    }
  }
}

extension HubDraft {
  /// The changes of the stored rows, also of the states of triggers and persons that are removed.
  fileprivate func rows(from before: HomeModel) -> [HomeRowChange] {
    guard !changes.isEmpty else { return [] }
    var rows = HomeRowUpdate.updates(for: changes, from: before, to: model).map(HomeRowChange.init)
    for change in changes {
      switch change.detail {
      case .triggerRemoved(let id): rows.append(.remove(.triggerStates, id: id.description))
      case .userRemoved(let id):
        rows += [.remove(.people, id: id.description), .remove(.pageTokens, id: id.description)]
      case .homeRemoved:
        guard let home = before.home(change.home) else { continue }
        rows += home.triggers.map { .remove(.triggerStates, id: $0.id.description) }
        rows += home.users.flatMap { user in
          [.remove(.people, id: user.id.description), .remove(.pageTokens, id: user.id.description)]
        }
      default: continue
      }
    }
    return rows
  }
}

extension HomeRowChange {
  /// The table and the ID of the row.
  fileprivate var place: String {
    switch self {
    case .keep(.object(let row)): "objects \(row.id)"
    case .keep(.triggerState(let row)): "trigger_states \(row.id)"
    case .keep(.person(let row)): "people \(row.id)"
    case .keep(.authorization(let row)): "authorizations \(row.id)"
    case .keep(.owedPairing(let row)): "owed_pairings \(row.id)"
    case .keep(.pageToken(let row)): "page_tokens \(row.id)"
    case .keep(.controller(let row)): "controllers \(row.id)"
    case .keep(.pairing(let row)): "pairings \(row.device)"
    case .keep(.database(let row)): "databases \(row.device)"
    case .remove(let table, let id): "\(table.rawValue) \(id)"
    case .removeHome(let id): "home \(id)"
    }
  }

  init(_ update: HomeRowUpdate) {
    switch update {
    case .keep(let row):
      self = .keep(
        .object(HomeObjectRow(id: row.id, home: row.home, kind: row.kind, name: row.name, json: row.json)))
    case .remove(let id): self = .remove(.objects, id: id)
    case .removeHome(let id): self = .removeHome(id: id)
    }
  }
}
