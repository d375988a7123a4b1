import HAPCommandLine
import HAPController
import HAPIP
import HAPModel
import HAPTransport
import HAPWire
import Synchronization

/// One verified session that a shell's lines are performed on, and whose events it shows.
actor ShellSession {
  private let accessory: OpenAccessory
  private let screen: ShellScreen
  private var mirror: AccessoryMirror
  /// What completion looks at, from the line editor's thread.
  nonisolated let known: KnownDatabase

  /// A database that other threads may look at.
  final class KnownDatabase: Sendable {
    private let current: Mutex<AttributeDatabase>
    init(_ database: AttributeDatabase) { current = Mutex(database) }
    var database: AttributeDatabase { current.withLock { $0 } }
    fileprivate func replace(by database: AttributeDatabase) { current.withLock { $0 = database } }
  }

  init(_ accessory: OpenAccessory, _ screen: ShellScreen) async throws {
    self.accessory = accessory
    self.screen = screen
    mirror = try await accessory.mirror()
    known = KnownDatabase(mirror.database)
  }

  /// Reads the database again, and reports another one.
  func readDatabase() async throws {
    let structure = mirror.database.structure
    mirror = try await accessory.mirror()
    known.replace(by: mirror.database)
    if structure != mirror.database.structure { screen.show("The accessory has another database now.") }
  }

  /// Shows events until the session ends; nothing is to be read any more then.
  func showEvents() async {
    for await event in accessory.client.events {
      var reader = AttributeReader()
      do throws(JSONProblem) {
        let entries = try CharacteristicEntry.list(event.body, &reader)
        _ = mirror.take(entries, of: "an event")
        for entry in entries { screen.show(text(entry, mirror.database)) }
      } catch {
        screen.complain("an event can't be read: \(error.message)")
      }
    }
    screen.finish(because: "the accessory closed the connection")
  }

  /// - Returns: whether the accessory did all of it.
  func perform(_ command: ShellCommand) async throws -> Bool {
    switch command {
    case .accessories(let withMeta):
      try await readDatabase()
      for line in tree(mirror.database, withMeta: withMeta) { screen.show(line) }
      return true
    case .get(let paths):
      let ids = try mirror.database.ids(forPaths: paths, else: .pairedRead)
      let entries = try await accessory.read(ids)
      _ = mirror.take(entries, of: "GET /characteristics")
      for entry in entries { screen.show(text(entry, mirror.database)) }
      return entries.allSatisfy(\.isSuccess)
    case .put(let assignments):
      return told(
        try await accessory.write(assignments, in: mirror.database).refused.map { mirror.database.refusal($0) })
    case .watch(let paths): return try await watch(paths, true)
    case .unwatch(let paths): return try await watch(paths, false)
    case .identify:
      try await accessory.identify(in: mirror.database)
      return true
    case .help:
      for line in ShellCommand.helpText { screen.show(line) }
      return true
    case .quit: return true
    }
  }

  private func watch(_ paths: [String], _ isOn: Bool) async throws -> Bool {
    let ids = try mirror.database.ids(forPaths: paths, else: .events)
    guard !ids.isEmpty else { throw Failure(.problem, "the accessory has nothing that can be watched") }
    let refused = try await accessory.subscribe(ids, isOn)
    let count = ids.count - refused.count
    if count > 0 { screen.show("\(isOn ? "Watching" : "No longer watching") \(count) characteristics.") }
    return told(refused.map(cantBeWatched))
  }

  private func told(_ refusals: [String]) -> Bool {
    for refusal in refusals { screen.complain(refusal) }
    return refusals.isEmpty
  }
}
