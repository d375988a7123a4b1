import HapsimFiles
import HAPCommandLine
import HAPCommands
import HAPLoop
import HAPVocabulary
import HAPWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  private static let accessoryOption = Option<String>(
    "accessory", "NAME", "the accessory: its name, or the aid of a bridged one; needed if there are several")
  private static let serviceOption = Option<String>(
    "service", "NAME", "the service: a type, a name or an iid; needed if several match")

  private static let json = Flag("json", "print the answer unchanged, one JSON object per line")

  /// `hapsim ctl`
  static let ctl = Command(
    "ctl", "send a command to running accessories",
    operands: .some(label: "COMMAND…", count: 1...4), candidates: ["COMMAND": CommandName.words],
    options: [
      CommonOptions.state.definition, accessoryOption.definition, serviceOption.definition,
      json.definition,
    ],
    discussion: [
      "COMMAND is one of: \(ControlWords.usage.joined(separator: ", ")).",
      "The command goes to the hapsim process that runs the accessory with this state folder. A process with --ephemeral has no state folder, so it can't be found. "
        + "docs/reference/command-reference.md describes the commands. Put -- before a value that begins with -.",
    ],
    examples: [
      ("hapsim ctl set \"Target Door State\" open", "opens the door, like a person at the door"),
      ("hapsim ctl press double --accessory Button", "presses the button of one of several accessories"),
      ("hapsim ctl advance 1h", "advances frozen time by an hour (hapsim run --virtual-time)"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let words = try ControlWords(
      arguments.operands, accessory: try arguments.value(accessoryOption), service: try arguments.value(serviceOption),
      folder: currentFolder())
    let state = try stateFolder(arguments, console)
    let isJSON = arguments[json]
    do {
      return try CommandPlace.current.run("hapsim ctl") { loop in
        do {
          let running = try await RunningProcess.all(
            in: ControlFolder(stateFolder: state, loop.localSocketFiles), on: loop)
          let code = try await send(words, to: running, state, asJSON: isJSON, console)
          for process in running { await process.close() }
          return code
        } catch {
          console.complain("hapsim ctl: \((error as? RunningProcess.Silence)?.message ?? "\(error)")")
          return .cannotRun
        }
      }
    } catch {
      console.complain("hapsim ctl: \(error)")
      return .cannotRun
    }
  }
}

/// Sends a command to the processes that it is for, and prints their answers.
private func send(
  _ words: ControlWords, to running: [RunningProcess], _ state: String, asJSON isJSON: Bool, _ console: Console
) async throws -> ExitCode {
  guard !running.isEmpty else {
    console.complain("hapsim ctl: no hapsim process runs with the state in \(state)")
    return .cannotRun
  }
  let chosen: [RunningProcess]
  switch try await choice(of: running, for: words, state) {
  case .these(let processes): chosen = processes
  case .nobody(let message):
    console.complain("hapsim ctl: \(message)")
    return .problem
  case .unclear(let message):
    console.complain("hapsim ctl: \(message)")
    return .usage
  }
  var code = ExitCode.well
  for process in chosen {
    let answer = try await process.ask(words.json)
    if !tell(answer, to: words, asJSON: isJSON, console) { code = .problem }
  }
  return code
}

/// The processes that a command is for.
private enum Choice {
  case these([RunningProcess])
  /// No process serves the named accessory.
  case nobody(String)
  /// The command must name an accessory.
  case unclear(String)
}

private func choice(
  of running: [RunningProcess], for words: ControlWords, _ state: String
) async throws -> Choice {
  guard running.count > 1 else { return .these(running) }
  if words.accessory == nil, [.list, .status].contains(words.name) { return .these(running) }
  var known: [(process: RunningProcess, served: [RunningProcess.Served])] = []
  for process in running { known.append((process, try await process.served())) }
  let list = known.map { entry in
    "process \(entry.process.pid) (\(entry.served.map { shown($0.name) }.joined(separator: ", ")))"
  }.joined(separator: ", ")
  guard let accessory = words.accessory else {
    return .unclear(
      "\(running.count) hapsim processes run with the state in \(state): \(list); select an accessory with --accessory")
  }
  let found = known.filter { $0.served.contains { $0.matches(accessory) } }
  if found.count > 1 { return .unclear("\(found.count) hapsim processes have an accessory \(accessory): \(list)") }
  guard let process = found.first?.process else {
    var hint = "; there are \(list)"
    if case .name(let name) = accessory {
      let names = known.flatMap { $0.served.flatMap { [$0.name] + $0.bridged.map(\.name) } }
      if let meant = nearestName(to: name, in: names) { hint = ": did you mean \(shown(meant))?" }
    }
    return .nobody("no accessory \(accessory) is served with the state in \(state)\(hint)")
  }
  return .these([process])
}

/// - Returns: whether the command was carried out.
private func tell(_ answer: String, to words: ControlWords, asJSON: Bool, _ console: Console) -> Bool {
  let node = try? JSONNode.parse(Array(answer.utf8))
  let isDone = node?["ok"]?.boolValue == true
  if asJSON {
    console.print(answer)
  } else if let node, isDone {
    for line in answerLines(node, to: words.name, console.output) { console.print(line) }
  } else {
    console.complain("hapsim ctl: \(node?["error"]?["message"]?.stringValue.map { $0 } ?? "the answer can't be read")")
  }
  return isDone
}

/// Returns the base of relative paths; "." if it can't be determined.
private func currentFolder() -> String {
  guard let path = getcwd(nil, 0) else { return "." }
  defer { free(path) }
  return String(cString: path)
}
