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
    let paths = references.compactMap(\.path)
    return visit.withSession(reconnects: !isOnce) { session in
      let database = session.snapshot.database
      let ids = try database.ids(forPaths: paths, else: .events)
      guard !ids.isEmpty else { throw Failure(.problem, "the accessory has nothing that can be watched") }
      let refused = try await session.subscribe(to: ids)
      for result in refused { console.complain("hapctl watch: \(cantBeWatched(result))") }
      guard refused.count < ids.count else { return .problem }
      if !isJSON {
        console.print("Watching \(ids.count - refused.count) characteristics of \(shown(session.name)).")
      }
      var watch = Watch(
        visit, session, FollowedSelection(in: database) { $0.watched(paths) }, most: most, isJSON: isJSON)
      while let report = await session.nextReport() {
        visit.note(report.remarks)
        if try await watch.take(report.news) { return .well }
      }
      throw Failure(.cannotRun, "the accessory closed the connection")
    }
  }
}

/// Shows news as they come.
private struct Watch {
  let visit: Visit
  let session: AccessorySession
  private var selection: FollowedSelection
  let most: Int?
  let isJSON: Bool
  private var seen = 0
  private var console: Console { visit.console }

  init(_ visit: Visit, _ session: AccessorySession, _ selection: FollowedSelection, most: Int?, isJSON: Bool) {
    (self.visit, self.session, self.selection, self.most, self.isJSON) = (visit, session, selection, most, isJSON)
  }

  /// - Throws: when there is nothing more to come.
  /// - Returns: whether enough was seen.
  mutating func take(_ news: SessionNews) async throws -> Bool {
    switch news {
    case .values(let entries, let isCatchUp, _): return show(entries, isCatchUp)
    case .unreadable(let error):
      console.complain("hapctl watch: \(error)")
      if visit.isVerbose { for line in error.excerpt?.lines ?? [] { console.complain(line) } }
    case .connected(let isAgain, let refused, _):
      if isAgain { console.complain("hapctl watch: connected again") }
      for entry in refused {
        console.complain("hapctl watch: \(cantBeWatched(.init(id: entry.id, value: nil, status: entry.status ?? 0)))")
      }
      await subscribe()
    case .lost(let error, let nextTry):
      console.complain("hapctl watch: lost: \(error); trying again in \(nextTry.inSeconds)")
    case .gaveUp(let error): throw error
    case .database(let mirror):
      if selection.take(mirror.database) {
        console.complain("hapctl watch: the accessory has another database now")
      }
      await subscribe()
    }
    return false
  }

  /// Subscribes to new characteristics. If that fails, they stay pending until the next connection or database.
  private mutating func subscribe() async {
    let (refused, error) = await selection.subscribe { [session] ids throws(ControllerError) in
      try await session.subscribe(to: ids)
    }
    for result in refused { console.complain("hapctl watch: \(cantBeWatched(result))") }
    if let error {
      console.complain("hapctl watch: the new characteristics are not watched yet: \(error.causeText)")
    }
  }

  private mutating func show(_ entries: [CharacteristicEntry], _ isCatchUp: Bool) -> Bool {
    let database = session.snapshot.database
    for entry in entries {
      console.print(
        isJSON
          ? JSONWriter.text { write(entry, database, isMeanwhile: isCatchUp, to: &$0) }
          : text(entry.id, status: entry.status, database) + (isCatchUp ? "  (meanwhile)" : ""))
      seen += 1
      if seen == most { return true }
    }
    return false
  }
}

extension AttributeDatabase {
  /// What the paths mean in the database; a path that means nothing there is skipped.
  fileprivate func watched(_ paths: [String]) -> [AttributeID] {
    guard !paths.isEmpty else { return (try? ids(forPaths: [], else: .events)) ?? [] }
    return paths.flatMap { (try? ids(forPaths: [$0], else: .events)) ?? [] }
  }
}

func cantBeWatched(_ result: CharacteristicResult) -> String {
  "\(result.id) can't be watched: status \(result.status)"
}

extension Duration {
  /// "2 s", "0.8 s".
  var inSeconds: String {
    let tenths = Int((self / .milliseconds(100)).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
