import HAPController
import HAPModel
import HAPTransport

/// Performs the lines of a shell in a session, and shows its events.
struct ShellSession: Sendable {
  let session: AccessorySession
  let screen: ShellScreen

  /// What completion looks at, from the line editor's thread.
  var database: AttributeDatabase { session.snapshot.database }

  /// Shows events until the session ends; nothing is to be read any more then.
  func showEvents() async {
    var complaints = NewsComplaints()
    while let report = await session.nextReport() {
      if let complaint = complaints.complaint(about: report.news) { screen.complain(complaint) }
      switch report.news {
      case .values(let entries, _, _):
        for entry in entries { screen.show(text(entry.id, status: entry.status, database)) }
      case .database:
        if report.hasOtherStructure { screen.show(Self.hasOtherDatabase) }
      // A session that is lost does not connect again, so its end follows.
      case .unreadable, .connected, .lost, .gaveUp: break
      }
    }
    screen.finish(because: "the accessory closed the connection")
  }

  private static let hasOtherDatabase = "The accessory has another database now."

  /// - Returns: whether the accessory did all of it.
  func perform(_ command: ShellCommand) async throws -> Bool {
    switch command {
    case .accessories(let withMeta):
      let structure = database.structure
      let new = try await session.readDatabase().database
      if new.structure != structure { screen.show(Self.hasOtherDatabase) }
      for line in tree(new, withMeta: withMeta) { screen.show(line) }
      return true
    case .get(let paths):
      let results = try await session.read(try database.ids(forPaths: paths, else: .pairedRead))
      let database = database
      for result in results { screen.show(text(result.id, status: result.status, database)) }
      return results.allSatisfy(\.isSuccess)
    case .put(let assignments):
      let database = database
      return told(try await session.write(assignments, in: database).refused.map { database.refusal($0) })
    case .watch(let paths): return try await watch(paths, true)
    case .unwatch(let paths): return try await watch(paths, false)
    case .identify:
      try await session.identify()
      return true
    case .help:
      for line in ShellCommand.helpText { screen.show(line) }
      return true
    case .quit: return true
    }
  }

  private func watch(_ paths: [String], _ isOn: Bool) async throws -> Bool {
    let ids = try database.ids(forPaths: paths, else: .events)
    guard !ids.isEmpty else { throw Failure(.problem, "the accessory has nothing that can be watched") }
    let refused = isOn ? try await session.subscribe(to: ids) : try await session.unsubscribe(from: ids)
    let count = ids.count - refused.count
    if count > 0 { screen.show("\(isOn ? "Watching" : "No longer watching") \(count) characteristics.") }
    return told(refused.map(cantBeWatched))
  }

  private func told(_ refusals: [String]) -> Bool {
    for refusal in refusals { screen.complain(refusal) }
    return refusals.isEmpty
  }
}

/// Complains about news that can't be read, once about the same: the session reads a database that it can't read again and again.
struct NewsComplaints {
  private var last: String?

  /// - Returns: nil: the news can be read, or the last complaint was the same.
  mutating func complaint(about news: SessionNews) -> String? {
    guard case .unreadable(let error) = news else {
      last = nil
      return nil
    }
    var reason = "\(error)"
    if case .body(let problem, _, _) = error { reason = problem.message }
    let complaint = "a message of the accessory can't be read: \(reason)"
    defer { last = complaint }
    return complaint == last ? nil : complaint
  }
}
