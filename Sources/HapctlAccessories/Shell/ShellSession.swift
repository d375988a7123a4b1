import HAPController
import HAPModel
import HAPTransport

/// Runs the commands of a shell in a session, and prints its events.
struct ShellSession: Sendable {
  let session: AccessorySession
  let screen: ShellScreen

  /// The database for completion, read on the line editor's thread.
  var database: AttributeDatabase { session.snapshot.database }

  /// Prints events until the session ends, then ends the input.
  func showEvents() async {
    var complaints = NewsComplaints()
    while let report = await session.nextReport() {
      if let complaint = complaints.complaint(about: report.news) { screen.complain(complaint) }
      switch report.news {
      case .values(let entries, _, _):
        for entry in entries { screen.show(text(entry.id, status: entry.status, database)) }
      case .database:
        if report.hasOtherStructure { screen.show(Self.hasOtherDatabase) }
      // This session doesn't reconnect, so its end follows a lost connection.
      case .unreadable, .connected, .lost, .gaveUp: break
      }
    }
    screen.finish(because: "the accessory closed the connection")
  }

  private static let hasOtherDatabase = "The accessory's database has changed."

  /// - Returns: whether the accessory carried out the whole command.
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
    guard !ids.isEmpty else { throw Failure(.problem, "the accessory has no characteristic with events") }
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

/// Reports unreadable news. It reports equal errors in a row only once, because the session retries an unreadable
/// database.
struct NewsComplaints {
  private var last: String?

  /// - Returns: nil if the news is readable, or if the last complaint was the same.
  mutating func complaint(about news: SessionNews) -> String? {
    guard case .unreadable(let error) = news else {
      last = nil
      return nil
    }
    var reason = "\(error)"
    if case .body(let problem, _, _) = error { reason = problem.message }
    let complaint = "a message from the accessory can't be read: \(reason)"
    defer { last = complaint }
    return complaint == last ? nil : complaint
  }
}
