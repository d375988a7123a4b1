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
    // Watch signals from the first moment: the start of thousands of accessories takes seconds, and the first process
    // of a container has no default signal handling.
    let signals = try stopped.watchSignals()
    defer { signals.stop() }
    let (run, prepared) = try prepareRun(options, on: SystemHost(), until: stopped, console)
    return try run.serve(prepared)
  } catch { return explain(error, options, console) }
}

/// Reads the inputs of a run, and prepares its accessories.
/// - Throws: an error that `explain` turns into messages and an exit status; `BadInput` if the messages were already
///   printed.
func prepareRun(
  _ options: RunOptions, on host: any RunHost, until stopped: StopRequest, _ console: Console
) throws -> (run: ServedRun, prepared: PreparedAccessories) {
  var options = options
  var scenario = try options.scenario.map { path throws(BadInput) in try loadScenario(path, console) }
  let source = try ServePlanSource(&options, of: scenario?.profiles, console)
  let hosts = try ListeningHosts(host.interfaces(), bind: options.bind, interfaces: options.interfaces)
  let folder = try options.state.open(on: host, console)
  let defect = try options.chosenDefect(console)
  let choices = PreparedAccessory.Choices(
    name: options.name, setupCode: options.setupCode, setupID: options.setupID, renumber: options.renumber,
    quirks: try options.quirks?.quirks(), maximumSessions: options.maximumSessions, defect: defect,
    matterVendor: options.matter?.vendor)
  let plan = try source.plan(options, choices)
  let listenerCount = options.listenerCount(at: hosts.places)
  guard makeRoom(for: plan, listeners: listenerCount, on: host, console) else {
    throw BadInput(code: .cannotRun)
  }
  let prepared = PreparedAccessories(try plan.prepare(in: folder, host, until: stopped))
  let openFiles = makeRoom(for: prepared.accessories, listeners: listenerCount, on: host, console)
  prepared.shareOpenFiles(openFiles, listeners: listenerCount)
  if let folder = options.capture { try makePrivateFolder(folder) }
  if scenario == nil, let judging = options.judging, judging.hasTrial {
    scenario = try ControllerTrial(of: prepared.accessories, patience: judging.patience).loaded
  }
  // The options for the only profile don't apply to profiles that are served later.
  var later = choices
  later.name = nil
  later.setupCode = nil
  later.setupID = nil
  let run = ServedRun(
    folder, later, on: hosts, scenario, options, for: prepared.accessories.count, until: stopped, on: host, console)
  return (run, prepared)
}

/// Raises the limit of open files for the listeners.
/// - Parameter listeners: the number of each accessory.
private func makeRoom(for plan: ServePlan, listeners: Int, on host: any RunHost, _ console: Console) -> Bool {
  let needed = plan.entries.count * listeners + 100
  let available = host.makeRoom(forFiles: needed)
  guard available < needed else { return true }
  console.complain(
    "hapsim: \(plan.entries.count) accessories need \(needed) open files, but the process can have only \(available): raise the hard limit (ulimit -Hn, LimitNOFILE=), or divide the accessories with --shard"
  )
  return false
}

/// Raises the limit of open files for the connections. hapsim's other open files are well below a hundred.
/// - Parameter listeners: the number of each accessory.
/// - Returns: the number of open files that the process may have.
private func makeRoom(
  for prepared: [PreparedAccessory], listeners: Int, on host: any RunHost, _ console: Console
) -> Int {
  let sessions = prepared.reduce(0) { $0 + $1.quirks.maximumSessions }
  let needed = sessions + prepared.count * listeners + 100
  // A port uses at most half of its open files for sessions, and a quarter for waiting connections.
  let waiting = 16 * Simulation.mostWaitingConnections
  let available = host.makeRoom(forFiles: 2 * needed + waiting)
  guard available < needed else { return available }
  console.complain(
    "hapsim: \(sessions) connections are allowed, but the process can have only \(available) open files: "
      + "further connections wait. See ulimit -n")
  return available
}

/// Prints the reason why a run could not be served.
func explain(_ error: any Error, _ options: RunOptions, _ console: Console) -> ExitCode {
  guard let misfit = error as? ScenarioMisfit else { return explainInputs(error, options, console) }
  for problem in misfit.problems { console.complain("\(problem)") }
  return .problem
}
