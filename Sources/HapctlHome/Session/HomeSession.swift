import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeFile
import HAPHubLink
import HAPLoop
import HAPWire

/// One command with its link: the homes, the options that all commands have, and the output.
struct HomeSession: Sendable {
  let surroundings: HomeSurroundings
  let console: Console
  /// The words of the command, such as "room add".
  let name: String
  let isJSON: Bool
  /// The name or identifier of `--home`; nil: the primary home.
  let homeText: String?
  let folder: String

  var link: any HomeLink { surroundings.link }
  var loop: EventLoop { surroundings.loop }

  /// The hub's homes and their state.
  var snapshot: HubSnapshot {
    get throws(HomeFailure) {
      guard let snapshot = link.replica.snapshot else {
        throw HomeFailure(.cannotRun, "the hub has ended, or lost the connection: run the command again")
      }
      return snapshot
    }
  }

  /// The time of the loop.
  var now: Instant {
    let time = loop.readWallClock().components
    return Instant(seconds: time.seconds, nanosecond: time.attoseconds / 1_000_000_000)
  }

  // MARK: The home

  /// The home that the command is about: `--home`, or else the primary home.
  var home: Home {
    get throws(HomeFailure) {
      let model = try snapshot.model
      if let homeText { return try model.home(named: homeText) }
      guard let home = model.primaryHome.flatMap({ model.home($0) }) ?? model.homes.first else {
        throw HomeFailure("there is no home: add one with 'hapctl home new NAME --zone ZONE'")
      }
      return home
    }
  }

  /// The names of the home's objects.
  var lookup: HomeLookup { get throws(HomeFailure) { HomeLookup(try home) } }

  /// The rules of a home's zone; UTC if the machine does not have the zone.
  func zoneRules(of home: Home) -> ZoneRules { surroundings.zoneRules(home.zone) ?? .utc }

  // MARK: Requests

  /// Performs a command.
  func perform(_ command: HomeCommand) async throws -> [HomeChange] {
    guard case .changed(let changes) = try await link.ask(.perform(command)) else { throw wrongAnswer }
    return changes
  }

  /// Whether no hub runs, so that this process is the hub until the command ends.
  var isHub: Bool {
    get async throws {
      guard case .status(let status) = try await link.ask(.status) else { throw wrongAnswer }
      return status.processID == Int(loop.localSocketFiles.processID)
    }
  }

  /// The error for an answer that does not belong to its request: a hub of another version.
  var wrongAnswer: HomeFailure {
    HomeFailure(.cannotRun, "the hub gave an answer of another request: restart the hub, it may have another version")
  }

  /// Performs commands one after the other, and prints their changes. If one is refused, the ones before stay performed
  /// and are printed.
  func change(_ commands: [HomeCommand]) async throws -> ExitCode {
    let before = try snapshot.model
    var changes: [HomeChange] = []
    do {
      for command in commands { changes += try await perform(command) }
    } catch {
      if !changes.isEmpty { report(changes, since: before) }
      throw error
    }
    report(changes, since: before)
    await noteMissingHub(changes, since: before)
    return .well
  }

  /// Prints the changes of a command.
  func report(_ changes: [HomeChange], since before: HomeModel) {
    if isJSON { return print(.object([("changes", .list(changes.map(\.node)))])) }
    var text = ChangeText(before)
    for line in changes.flatMap({ text.lines($0) }) { print(line.capitalizedSentence) }
    if changes.isEmpty { print("Nothing changed.") }
  }

  /// Prints that triggers need a hub, if a trigger was added or enabled and no hub runs.
  func noteMissingHub(_ changes: [HomeChange], since before: HomeModel) async {
    let concerns = changes.contains { change in
      switch change.detail {
      case .triggerAdded: true
      case .triggerUpdated(let trigger):
        trigger.isEnabled && before.home(change.home)?.triggers.find(trigger.id)?.isEnabled != true
      default: false
      }
    }
    guard concerns, !isJSON, (try? await isHub) == true else { return }
    print("No hub runs: triggers fire only while 'hapctl hub run' runs.")
  }

  // MARK: Output

  func print(_ node: JSONNode) { console.print(node.compactText) }

  /// Prints a line of text. Names of accessories can have characters that move the cursor: these are escaped.
  func print(_ line: String) { console.print(line.visible) }

  func complain(_ text: String) { console.complain("hapctl home \(name): \(text.visible)") }

  /// Asks a question without blocking the loop; nil without a terminal, or after the end of input.
  func ask(_ question: String) async -> String? {
    let console = console
    return await loop.offload { console.ask(question) }
  }
}

extension Int {
  /// The number with a noun: "1 action", "2 actions".
  func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
  /// The phrase as a sentence: with a capital and a period.
  var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() + "." }

  /// The text in quotes and in one line, for a message.
  var quoted: String { "\"\(oneLine)\"" }
}
