import HapsimInputs
import HapsimObservation
import HapsimFiles
import HAPPreparation
import HAPCommandLine
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPStore

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
  let source = try RosterSource(&options, of: scenario?.profiles, console)
  let hosts = try ListeningHosts(host.interfaces(), bind: options.bind, interfaces: options.interfaces)
  let folder = try options.state.open(on: host, console)
  let defect = try options.chosenDefect(console)
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
  let waiting = 16 * Simulation.mostWaitingConnections
  let available = host.makeRoom(forFiles: 2 * needed + waiting)
  guard available < needed else { return available }
  console.complain(
    "hapsim: \(sessions) connections are allowed, but the system lets a process have \(available) open files: "
      + "beyond that connections wait. See ulimit -n")
  return available
}

/// Complains about what kept a run from being served.
func explain(_ error: any Error, _ options: RunOptions, _ console: Console) -> ExitCode {
  guard let misfit = error as? ScenarioMisfit else { return explainInputs(error, options, console) }
  for problem in misfit.problems { console.complain("\(problem)") }
  return .problem
}
