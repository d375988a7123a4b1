import HAPCommandLine
import HAPController
import HAPStore

extension Command {
  private static let watching = Flag(
    "watch", "run until Ctrl-C, and mark new (+), changed (~) and removed (-) accessories")
  private static let time = Option<Int>(
    "timeout", "SEC", in: 1...3600, "seconds to search (default: 3; with --watch, until Ctrl-C)")

  /// `hapctl discover`
  static let discover = Command(
    "discover", "find the accessories on the network",
    options: [
      watching.definition, CommonOptions.json.definition, CommonOptions.interface.definition, time.definition,
      CommonOptions.state.definition,
    ],
    discussion: [
      "Each accessory is printed when it is found: name, model and category, device ID, address, whether it is paired, and its alias. "
        + "The search ends if no new accessory is found for one second. With --json, each accessory is an object on a separate line.",
      "Errors in an accessory's advertisement are printed to standard error.",
    ],
    examples: [
      ("hapctl discover", "lists the accessories"),
      ("hapctl discover --watch --interface eth0", "shows changes on eth0"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let folder = try stateFolder(arguments, console)
    let interfaces = try arguments.all(CommonOptions.interface)
    let (isWatching, isJSON) = (arguments[watching], arguments[CommonOptions.json])
    let seconds = try arguments.value(time) ?? (isWatching ? nil : 3)
    return withLoop("discover", console) { loop in
      let store = try ControllerStore(folder: folder)
      let search = AccessorySearch(
        on: loop, interfaces: interfaces, limit: seconds.map { .seconds($0) }, quiet: isWatching ? nil : .seconds(1),
        endsOnSignal: isWatching)
      defer { search.close() }
      var report = DiscoveryReport(isWatching: isWatching, isJSON: isJSON)
      for await event in search.events {
        let pairings = try store.pairings()
        let lines = report.take(event) { $0.pairing(among: pairings)?.alias }
        for line in lines.out { console.print(line) }
        for line in lines.errors { console.complain(line) }
      }
      if let trouble = report.trouble { throw Failure(.cannotRun, "accessories can't be discovered: \(trouble)") }
      if !report.hasFound, !isWatching { console.complain("No accessory was found.") }
      return .well
    }
  }
}
