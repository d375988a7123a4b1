import HAPCommandLine
import HAPController
import HAPIP
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

extension Command {
  private static let count = Option<Int>("count", "N", in: 1...1_000_000, "end after so many events")

  private static let once = Flag("once", "end when the connection ends, instead of connecting again")

  /// `hapctl watch`
  static let watch = Command(
    "watch", "subscribe, and show every event until Ctrl-C",
    operands: .some(label: "TARGET[/CHARACTERISTIC]…", count: 1...1000),
    options: [count.definition, once.definition, CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "Without a characteristic, all that have events are watched. With --json each change is an object on a line of its own.",
      "A connection that is lost is made again, after 1 s, 2 s, 4 s … a minute at most. What changed meanwhile is shown then, and marked as such; what "
        + "changed and changed back isn't known.",
    ],
    examples: [
      ("hapctl watch garage", "everything that happens"), ("hapctl watch button --count 1", "waits for a press"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let references = arguments.operands.map(Reference.init)
    let visit = try Visit("watch", to: try oneTarget(references), arguments, console)
    let most = try arguments.value(count)
    let isJSON = arguments[CommonOptions.json]
    let isOnce = arguments[once]
    return visit.withSession { session, pairing in
      let mirror = try await session.database()
      visit.note(mirror.remarks)
      let ids = try mirror.database.ids(forPaths: references.compactMap(\.path), else: .events)
      guard !ids.isEmpty else { throw Failure(.problem, "the accessory has nothing that can be watched") }
      let refused = try await session.subscribe(to: ids)
      for entry in refused { console.complain("hapctl watch: \(cantBeWatched(entry))") }
      guard refused.count < ids.count else { return .problem }
      if !isJSON {
        console.print("Watching \(ids.count - refused.count) characteristics of \(shown(pairing.alias)).")
      }
      var watch = Watch(visit, mirror: mirror, most: most, isJSON: isJSON, isOnce: isOnce)
      while let news = await session.next() {
        if case .database(let mirror) = news {
          watch.take(mirror, references.compactMap(\.path))
          try await watch.subscribe(on: session)
        } else if try watch.take(news) {
          return .well
        } else if case .connected = news {
          try await watch.subscribe(on: session)
        }
      }
      throw Failure(.cannotRun, "the accessory closed the connection")
    }
  }
}

/// Shows news as they come.
private struct Watch {
  let visit: Visit
  var mirror: AccessoryMirror
  let most: Int?
  let isJSON: Bool
  let isOnce: Bool
  private var pending = PendingSubscriptions()
  private var seen = 0
  private var console: Console { visit.console }

  init(_ visit: Visit, mirror: AccessoryMirror, most: Int?, isJSON: Bool, isOnce: Bool) {
    (self.visit, self.mirror, self.most, self.isJSON, self.isOnce) = (visit, mirror, most, isJSON, isOnce)
  }

  /// - Throws: when there is nothing more to come.
  /// - Returns: whether enough was seen.
  mutating func take(_ news: SessionNews) throws -> Bool {
    switch news {
    case .values(let entries, let isCatchUp, let remarks):
      visit.note(remarks)
      return show(entries, isCatchUp)
    case .unreadable(let error):
      console.complain("hapctl watch: \(error)")
      if visit.isVerbose { for line in error.excerpt?.lines ?? [] { console.complain(line) } }
    case .connected(let isAgain, let refused, let remarks):
      visit.note(remarks)
      if isAgain { console.complain("hapctl watch: connected again") }
      for entry in refused { console.complain("hapctl watch: \(cantBeWatched(entry))") }
    case .lost(let error, let nextTry):
      guard !isOnce else { throw error }
      console.complain("hapctl watch: lost: \(error); trying again in \(nextTry.inSeconds)")
    case .gaveUp(let error): throw error
    case .database: preconditionFailure("it needs the session")
    }
    return false
  }

  /// Takes a database that was read again. `subscribe` subscribes to its new characteristics.
  mutating func take(_ mirror: AccessoryMirror, _ paths: [String]) {
    visit.note(mirror.remarks)
    let known = Set(watched(paths, in: self.mirror))
    let wanted = watched(paths, in: mirror)
    let hasChanged = self.mirror.database.structure != mirror.database.structure
    self.mirror = mirror
    guard hasChanged else { return }
    console.complain("hapctl watch: the accessory has another database now")
    pending.add(wanted.filter { !known.contains($0) }, in: mirror.database)
  }

  /// Subscribes to new characteristics. If that fails, they stay pending until the next connection or database.
  mutating func subscribe(on session: PersistentSession) async throws {
    let (refused, error) = try await pending.subscribe { try await session.subscribe(to: $0) }
    for entry in refused { console.complain("hapctl watch: \(cantBeWatched(entry))") }
    if let error { console.complain("hapctl watch: the new characteristics are not watched yet: \(error)") }
  }

  /// What the paths mean in a database; a path that means nothing there is skipped.
  private func watched(_ paths: [String], in mirror: AccessoryMirror) -> [AttributeID] {
    guard !paths.isEmpty else { return (try? mirror.database.ids(forPaths: [], else: .events)) ?? [] }
    return paths.flatMap { (try? mirror.database.ids(forPaths: [$0], else: .events)) ?? [] }
  }

  private mutating func show(_ entries: [CharacteristicEntry], _ isCatchUp: Bool) -> Bool {
    let known = mirror.remarks.count
    _ = mirror.take(entries, of: "an event")
    visit.note(Array(mirror.remarks.dropFirst(known)))
    for entry in entries {
      console.print(
        isJSON
          ? JSONWriter.text { write(entry, mirror.database, isMeanwhile: isCatchUp, to: &$0) }
          : text(entry, mirror.database) + (isCatchUp ? "  (meanwhile)" : ""))
      seen += 1
      if seen == most { return true }
    }
    return false
  }
}

func cantBeWatched(_ entry: CharacteristicEntry) -> String {
  "\(entry.id) can't be watched: status \(entry.status ?? 0)"
}

extension Duration {
  /// "2 s", "0.8 s".
  var inSeconds: String {
    let tenths = Int((self / .milliseconds(100)).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
