import HAPCommandLine
import HAPController
import HAPIP
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

extension Command {
  private static let count = Option<Int>("count", "N", in: 1...1_000_000, "stop after N events")

  private static let once = Flag("once", "exit when the connection ends, instead of reconnecting")

  /// `hapctl watch`
  static let watch = Command(
    "watch", "subscribe to events, and print them until Ctrl-C",
    operands: .some(label: "TARGET[/CHARACTERISTIC]…", count: 1...1000),
    options: [count.definition, once.definition, CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "Without a characteristic, all characteristics with events are watched. With --json, each change is an object on a separate line.",
      "If the connection is lost, hapctl reconnects after 1 s, 2 s, 4 s and so on, up to one minute. It then prints and marks the values that changed meanwhile. A value that "
        + "changed and changed back is not reported.",
    ],
    examples: [
      ("hapctl watch garage", "prints all events"), ("hapctl watch button --count 1", "waits for a button press"),
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
      guard !ids.isEmpty else { throw Failure(.problem, "the accessory has no characteristic with events") }
      let refused = try await session.subscribe(to: ids)
      for result in refused { console.complain("hapctl watch: \(cantBeWatched(result))") }
      guard refused.count < ids.count else { return .problem }
      if !isJSON {
        console.print("Watching \(ids.count - refused.count) characteristics of \(shown(session.name)).")
      }
      var watch = ValueWatch(
        visit, session, FollowedSelection(in: database) { $0.watched(paths) }, most: most, isJSON: isJSON)
      while let report = await session.nextReport() {
        visit.note(report.remarks)
        if try await watch.take(report.news) { return .well }
      }
      throw Failure(.cannotRun, "the accessory closed the connection")
    }
  }
}

/// Prints session news when they arrive.
private struct ValueWatch {
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

  /// - Throws: if the session has ended.
  /// - Returns: whether enough events were printed.
  mutating func take(_ news: SessionNews) async throws -> Bool {
    switch news {
    case .values(let entries, let isCatchUp, _): return show(entries, isCatchUp)
    case .unreadable(let error):
      console.complain("hapctl watch: \(error)")
      if visit.isVerbose { for line in error.excerpt?.lines ?? [] { console.complain(line) } }
    case .connected(let isAgain, let refused, _):
      if isAgain { console.complain("hapctl watch: reconnected") }
      for entry in refused {
        console.complain("hapctl watch: \(cantBeWatched(.init(id: entry.id, value: nil, status: entry.status ?? 0)))")
      }
      await subscribe()
    case .lost(let error, let nextTry):
      console.complain("hapctl watch: connection lost: \(error); reconnecting in \(nextTry.inSeconds)")
    case .gaveUp(let error): throw error
    case .database(let mirror):
      if selection.take(mirror.database) {
        console.complain("hapctl watch: the accessory's database has changed")
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
  /// Returns the characteristics that the paths select. A path that selects none is skipped.
  fileprivate func watched(_ paths: [String]) -> [AttributeID] {
    guard !paths.isEmpty else { return (try? ids(forPaths: [], else: .events)) ?? [] }
    return paths.flatMap { (try? ids(forPaths: [$0], else: .events)) ?? [] }
  }
}

func cantBeWatched(_ result: CharacteristicResult) -> String {
  "\(result.id) can't be watched: status \(result.status)"
}

extension Duration {
  /// The duration as text, such as "2 s" or "0.8 s".
  var inSeconds: String {
    let tenths = Int((self / .milliseconds(100)).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
