import HAPCommandLine
import HAPCrypto
import HAPDefects
import HAPDiscovery
import HAPFleet
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPReport
import HAPStore
import HAPTransport
import HAPWire

/// Serves the profiles until a signal or the command `stop` ends the run.
func runProfiles(_ options: RunOptions, _ console: Console) -> ExitCode {
  StartMemory.useOneHeap()
  let stopped = StopRequest()
  do {
    // From the first moment: a start of thousands takes seconds, and the first process of a container has no other way to end.
    let signals = try stopped.watchSignals()
    defer { signals.stop() }
    let (run, prepared) = try prepareRun(options, on: SystemHost(), until: stopped, console)
    return try run.serve(prepared)
  } catch { return explain(error, options, console) }
}

/// Reads what a run needs, and makes its accessories ready.
/// - Throws: what `explain` turns into complaints and an exit code; `BadInput` where the complaints were made.
func prepareRun(
  _ options: RunOptions, on host: any RunHost, until stopped: StopRequest, _ console: Console
) throws -> (run: ServedRun, prepared: PreparedAccessories) {
  var options = options
  var scenario = try options.scenario.map { path throws(BadInput) in try loadScenario(path, console) }
  let source = try rosterSource(&options, scenario, console)
  let hosts = try ListeningHosts(host.interfaces(), bind: options.bind, interfaces: options.interfaces)
  let folder = try openState(options.state, on: host, console)
  let defect = try chosenDefect(options, console)
  let choices = PreparedAccessory.Choices(
    name: options.name, setupCode: options.setupCode, setupID: options.setupID, renumber: options.renumber,
    conduct: try options.conduct?.conduct(), maximumSessions: options.maximumSessions, defect: defect)
  let roster = try source.roster(options, choices)
  guard makeRoom(for: roster, listeningAt: hosts.places.count, on: host, console) else {
    throw BadInput(code: .cannotRun)
  }
  let prepared = PreparedAccessories(try roster.prepare(in: folder, host.random, until: stopped))
  prepared.shareOpenFiles(makeRoom(for: prepared.accessories, listeningAt: hosts.places.count, on: host, console))
  if let folder = options.capture { try makePrivateFolder(folder) }
  if scenario == nil, let judging = options.judging, judging.hasTrial {
    scenario = try ControllerTrial(of: prepared.accessories, patience: judging.patience).loaded
  }
  // The options for the one profile don't apply to profiles that are served later.
  var later = choices
  later.name = nil
  later.setupCode = nil
  later.setupID = nil
  let run = ServedRun(
    folder, later, on: hosts, scenario, options, for: prepared.accessories.count, until: stopped, on: host, console)
  return (run, prepared)
}

/// Complains about what kept a run from being served.
func explain(_ error: any Error, _ options: RunOptions, _ console: Console) -> ExitCode {
  func complain(_ text: String) { console.complain("hapsim \(options.command): \(text)") }
  switch error {
  case is StoppedEarly: return .well
  case let bad as BadInput: return bad.code
  case let error as UsageError:
    complain(error.message)
    return .usage
  case let problem as FleetProblem:
    console.complain("\(problem)")
    return .problem
  case let error as ProfileErrors:
    // A file with a conduct, or what only shows when ids are given out: they contradict those served before.
    console.complain("\(error)")
    return .problem
  case let misfit as ScenarioMisfit:
    for problem in misfit.problems { console.complain("\(problem)") }
    return .problem
  case let conflict as IdentityConflict:
    complain("\(conflict)")
    return .usage
  case let obstacle as DefectObstacle:
    complain("\(obstacle)")
    return .usage
  default:
    console.complain("hapsim: \(error)")
    return .cannotRun
  }
}

private func rosterSource(
  _ options: inout RunOptions, _ scenario: LoadedScenario?, _ console: Console
) throws -> RosterSource {
  if let path = options.fleet {
    let fleet = try LoadedFleet.load(path, hasIdentity: options.identity != nil, console)
    options.seed = options.seed ?? fleet.fleet.seed
    return .fleet(fleet)
  }
  let paths = options.profiles.isEmpty ? scenario?.profiles ?? [] : options.profiles
  guard !paths.isEmpty else { throw UsageError("PROFILE… is missing, and the scenario names none") }
  try options.check(for: paths.count)
  return .profiles(try loadProfiles(paths, console))
}

private func chosenDefect(_ options: RunOptions, _ console: Console) throws -> Defect? {
  guard let id = options.defect else { return nil }
  let library = try loadDefects(options.defectFiles, console)
  guard let defect = library[id] else { throw UsageError(library.unknown(id)) }
  return defect
}

/// The accessories that will be served. They are released when they are served, with the databases that they were made of.
final class PreparedAccessories: Sendable {
  private let stored: Guarded<[PreparedAccessory]>
  var accessories: [PreparedAccessory] { stored.withLock { $0 } }

  init(_ accessories: [PreparedAccessory]) { stored = Guarded(accessories) }

  /// Divides the open files of the process among the ports of the accessories.
  func shareOpenFiles(_ count: Int) {
    stored.withLock { accessories in
      for index in accessories.indices { accessories[index].openFiles = count / accessories.count }
    }
  }

  func letGo() { stored.withLock { $0 = [] } }
}

/// The source of accessories.
private enum RosterSource {
  case profiles([AccessoryProfile])
  case fleet(LoadedFleet)

  func roster(_ options: RunOptions, _ choices: PreparedAccessory.Choices) throws -> Roster {
    switch self {
    case .profiles(let profiles):
      guard let count = options.count else { return Roster(profiles, choices: choices) }
      try options.checkIdentity(options.identity)
      return try Roster(profiles, copies: count, choices: choices, options)
    case .fleet(let fleet):
      try options.checkIdentity(options.identity ?? fleet.fleet.identity)
      try options.checkPorts(for: fleet.fleet.groups.reduce(0) { $0 + $1.count })
      return try fleet.roster(options, choices: choices)
    }
  }
}

/// Reads every profile, and prints all problems of all profiles before it throws.
private func loadProfiles(_ paths: [String], _ console: Console) throws(BadInput) -> [AccessoryProfile] {
  let loaded = paths.map { LoadedProfile(operand: $0) }
  for line in loaded.problemLines { console.complain(line) }
  guard loaded.exitCode == .well else { throw BadInput(code: loaded.exitCode) }
  return loaded.compactMap(\.profile)
}

/// Every accessory listens in each place, which takes an open file each: without them nothing can be served.
private func makeRoom(for roster: Roster, listeningAt places: Int, on host: any RunHost, _ console: Console) -> Bool {
  let needed = roster.entries.count * places + 100
  let available = host.makeRoom(forFiles: needed)
  guard available < needed else { return true }
  console.complain(
    "hapsim: \(roster.entries.count) accessories take \(needed) open files, and the system lets a process have \(available): raise its hard limit (ulimit -Hn, LimitNOFILE=), or divide them by --shard"
  )
  return false
}

/// Every connection is an open file. hapsim's other open files are well below a hundred.
/// - Returns: how many open files the process may have.
private func makeRoom(
  for prepared: [PreparedAccessory], listeningAt places: Int, on host: any RunHost, _ console: Console
) -> Int {
  let sessions = prepared.reduce(0) { $0 + $1.conduct.maximumSessions }
  let needed = sessions + prepared.count * places + 100
  // A port uses at most half of its open files for slots, and a quarter for connections that wait.
  let waiting = 16 * AccessoryServer.mostWaiting
  let available = host.makeRoom(forFiles: 2 * needed + waiting)
  guard available < needed else { return available }
  console.complain(
    "hapsim: \(sessions) connections are allowed, but the system lets a process have \(available) open files: "
      + "beyond that connections wait. See ulimit -n")
  return available
}

private func openState(_ state: RunOptions.State, on host: any RunHost, _ console: Console) throws(StoreError)
  -> StateFolder
{
  switch state {
  case .folder(let path):
    try StateFolder.open(path: path, files: host.files, report: { console.complain("hapsim: \($0)") })
  case .ephemeral: .ephemeral()
  }
}
