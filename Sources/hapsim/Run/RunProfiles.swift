import HAPCommandLine
import HAPCrypto
import HAPDefects
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPProfile
import HAPReport
import HAPSimulator
import HAPStore
import HAPTransport
import HAPWire

/// Serves the profiles until it is told to stop: by a signal, or by the command `stop`.
func runProfiles(_ options: RunOptions, _ console: Console) -> ExitCode {
  StartMemory.useOneHeap()
  do {
    var scenario: LoadedScenario?
    if let path = options.scenario {
      scenario = loadScenario(path, console)
      if scenario == nil { return .problem }
    }
    let paths = options.profiles.isEmpty ? scenario?.profiles ?? [] : options.profiles
    guard !paths.isEmpty else {
      console.complain("hapsim \(options.command): PROFILE… is missing, and the scenario names none")
      return .usage
    }
    do throws(UsageError) { try options.check(for: paths.count) } catch {
      console.complain("hapsim \(options.command): \(error.message)")
      return .usage
    }
    guard let profiles = loadProfiles(paths, console) else { return .problem }
    let hosts = try ListeningHosts(bind: options.bind, interfaces: options.interfaces)
    let folder = try openState(options.state, console)
    var defect: Defect?
    if let id = options.defect {
      guard let library = loadDefects(options.defectFiles, console) else { return .problem }
      defect = library[id]
      guard defect != nil else {
        console.complain("hapsim \(options.command): \(library.unknown(id))")
        return .usage
      }
    }
    let choices = PreparedAccessory.Choices(
      name: options.name, setupCode: options.setupCode, setupID: options.setupID, renumber: options.renumber,
      conduct: try options.conduct?.conduct(), maximumSessions: options.maximumSessions, defect: defect)
    let prepared = Prepared(
      try profiles.map { try PreparedAccessory($0, in: folder, choices: choices, random: .system) })
    makeRoom(for: prepared.accessories, console)
    if let folder = options.capture { try makePrivateFolder(folder) }
    if scenario == nil, let judging = options.judging, judging.hasTrial {
      do throws(UsageError) {
        scenario = try ControllerTrial(of: prepared.accessories, patience: judging.patience).loaded
      } catch {
        console.complain("hapsim judge: \(error.message)")
        return .usage
      }
    }
    // What was said of the one profile is not said of those that come later.
    var later = choices
    later.name = nil
    later.setupCode = nil
    later.setupID = nil
    return try serve(prepared, in: folder, later, on: hosts, scenario, options, console)
  } catch let error as ProfileErrors {
    // A file with a conduct, or what only shows when ids are given out: they contradict those served before.
    console.complain("\(error)")
    return .problem
  } catch let obstacle as DefectObstacle {
    console.complain("hapsim \(options.command): \(obstacle)")
    return .usage
  } catch {
    console.complain("hapsim: \(error)")
    return .cannotRun
  }
}

/// What is to be served, until it is: then nobody keeps the databases of which accessories were made.
private final class Prepared {
  private(set) var accessories: [PreparedAccessory]

  init(_ accessories: [PreparedAccessory]) { self.accessories = accessories }

  func letGo() { accessories = [] }
}

/// Reads every profile, and tells all problems of all of them before it gives up.
/// - Returns: nil when one of them can't be served.
private func loadProfiles(_ paths: [String], _ console: Console) -> [AccessoryProfile]? {
  let loaded = paths.map { LoadedProfile(file: $0) }
  for line in loaded.problemLines { console.complain(line) }
  return loaded.allSatisfy(\.isServable) ? loaded.compactMap(\.profile) : nil
}

/// Every connection is an open file. What hapsim has open besides is well below a hundred.
private func makeRoom(for prepared: [PreparedAccessory], _ console: Console) {
  let sessions = prepared.reduce(0) { $0 + $1.conduct.maximumSessions }
  let (available, needed) = (raiseDescriptorLimit(to: sessions + 100), sessions + 100)
  guard available < needed else { return }
  console.complain(
    "hapsim: \(sessions) connections are allowed, but the system lets a process have \(available) open files: "
      + "beyond that connections wait. See ulimit -n")
}

private func openState(_ state: RunOptions.State, _ console: Console) throws(StoreError) -> StateFolder {
  switch state {
  case .folder(let path): try StateFolder.open(path: path, report: { console.complain("hapsim: \($0)") })
  case .ephemeral: .ephemeral()
  }
}

/// When all that a start does once has been done: announcing takes a second.
private let startTime = Duration.milliseconds(1250)

private func serve(
  _ prepared: Prepared, in folder: StateFolder, _ later: PreparedAccessory.Choices,
  on hosts: ListeningHosts, _ scenario: LoadedScenario?, _ options: RunOptions, _ console: Console
) throws -> ExitCode {
  nonisolated(unsafe) let recordingFile = try options.recording.map { (path) throws(FileError) in
    try AppendedFile(path, head: ScenarioRecorder.head(profiles: options.profiles, seed: options.seed))
  }
  let loop = EventLoop(name: "hapsim")
  let lines = LineOutput(console, program: "hapsim")
  loop.start()
  defer {
    loop.stop()
    lines.finish()
  }
  let log = EventLog(
    lines, json: options.json, isQuiet: options.quiet,
    alone: prepared.accessories.count == 1 ? prepared.accessories[0].name : nil,
    console.output)
  let stopped = StopRequest()
  let events = EventListeners(log.sink)
  // Made and used on the loop's thread alone.
  nonisolated(unsafe) var responder: (any Responder)?
  nonisolated(unsafe) var control: ControlServer?
  nonisolated(unsafe) var play: ScenarioPlay?
  nonisolated(unsafe) var hasFailed = false
  nonisolated(unsafe) var recording: ScenarioRecording?
  nonisolated(unsafe) let prepared = prepared
  nonisolated(unsafe) var afterStart: LoopTimer?
  nonisolated(unsafe) var observation: ControllerObservation?
  nonisolated(unsafe) var limit: LoopTimer?
  let judgement = options.judging.map { Judgement($0, of: prepared.accessories, options, console) }
  var hasStarted = false
  defer { if !hasStarted { recordingFile?.discard() } }
  let simulation = try loop.performAndWait { () throws -> Simulation in
    let opened = try openResponder(options, on: loop)
    responder = opened?.responder
    var setting = Simulation.Setting(
      folder: folder, places: hosts.places, choices: later, seed: options.seed ?? 0,
      makeAdvertiser: { opened?.responder.makeAdvertiser() }, sink: { events.tell($0) },
      tellsAll: !options.quiet || scenario != nil || options.recording != nil)
    if let captures = options.capture {
      setting.capturePath = { accessory, start in capturePath(in: captures, accessory, start: start) }
    }
    if let judging = options.judging {
      let watching = ControllerObservation(patience: judging.patience, on: loop)
      observation = watching
      if !options.quiet {
        watching.onBreach = { judgement?.tell($0, $1, json: options.json, lines, console.output) }
      }
      setting.observation = watching
      limit = judging.duration.map { duration in
        let timer = LoopTimer(loop)
        timer.onFire = { stopped.request() }
        timer.start(after: duration)
        return timer
      }
    }
    let simulation = Simulation(setting, in: SimulationClock(options.pace, on: loop), on: loop)
    var isServed = false
    defer {
      // What was begun is ended in good order where the rest can't be.
      if !isServed {
        simulation.stop()
        observation?.close()
        limit?.close()
        control?.close()
        responder?.close()
      }
    }
    var started: [StartedAccessory] = []
    for (index, prepared) in prepared.accessories.enumerated() {
      let accessory = try simulation.serve(prepared, port: options.port(ofProfile: index))
      let port = accessory.assumeIsolated { $0.port }
      started.append(StartedAccessory(prepared, address: hosts.shownAddress, port: port))
    }
    prepared.letGo()
    try stopped.watchSignals(loop)
    var dispatcher = CommandDispatcher(
      simulation, readProfile: { try AccessoryProfile(json: try readFile($0), fileName: $0) },
      onAllStopped: { stopped.request() })
    if let recordingFile {
      recording = ScenarioRecording(recordingFile, of: simulation, options) { console.complain("hapsim: \($0)") }
      recording?.listen(to: events, &dispatcher)
    }
    for accessory in simulation.accessories {
      let (name, own) = accessory.assumeIsolated { ($0.name, $0.ownFaults) }
      dispatcher.begin(own + options.faults, at: accessory) { error in
        guard let error else { return }
        console.complain("hapsim: \(name): \(error.message)")
        hasFailed = true
        stopped.request()
      }
    }
    control = openControl(in: folder, dispatcher, on: loop, console)
    // In the same turn of the loop; nothing that happened to an accessory is told before it is known to be ready.
    announce(started, by: opened?.choice, lines, options, console)
    log.open()
    if options.commands { try takeCommands(for: dispatcher, on: loop, lines) }
    afterStart = LoopTimer(loop)
    afterStart?.onFire = StartMemory.giveBack
    afterStart?.start(after: startTime)
    if let scenario {
      let played = ScenarioPlay(scenario, lines, json: options.json, isQuiet: options.quiet, console, stopped)
      play = played
      played.begin(on: simulation, dispatcher, events, seed: options.seed ?? 0)
    }
    isServed = true
    return simulation
  }
  hasStarted = true
  stopped.wait()
  let found = try loop.performAndWait { () -> [RunEvent] in
    // Before the accessories go: that they do is no fault of their controllers'.
    let found = judgement.flatMap { judgement in observation?.events(judgement.header) } ?? []
    observation?.close()
    limit?.close()
    afterStart?.close()
    play?.close()
    control?.close()
    simulation.stop()
    // The goodbyes leave with it.
    if later.defect?.saysGoodbye != false { responder?.close() }
    return found
  }
  if recording?.isWhole == false { return .cannotRun }
  if hasFailed { return .usage }
  let hasPassed = play?.exitCode != .problem
  return judgement?.tell(found, hasPassed: hasPassed, json: options.json, lines, console) ?? play?.exitCode ?? .well
}

/// - Returns: nil when nobody is to announce.
private func openResponder(
  _ options: RunOptions, on loop: EventLoop
) throws(LoopError) -> (responder: any Responder, choice: BackEnd.Choice)? {
  let wanted: BackEnd?
  switch options.bonjour {
  case .off: return nil
  case .auto: wanted = nil
  case .daemon: wanted = .daemon
  case .embedded: wanted = .embedded
  }
  return try BackEnd.open(
    wanted, on: loop, interfaces: options.interfaces, bindsToAddress: options.bind.map { !isAnyAddress($0) } ?? false)
}

private func isAnyAddress(_ text: String) -> Bool { (try? IPAddress(text))?.isUnspecified ?? false }

/// Lets `hapsim ctl` speak to this process. Without a state folder it has no place to; where it can't, that is said, and accessories are served
/// all the same.
private func openControl(
  in folder: StateFolder, _ dispatcher: CommandDispatcher, on loop: EventLoop, _ console: Console
) -> ControlServer? {
  guard let path = folder.path else { return nil }
  let control = ControlFolder(stateFolder: path)
  do throws(LoopError) {
    try control.prepare()
    return try ControlServer(dispatcher, at: control.newPath(), on: loop)
  } catch {
    console.complain("hapsim: 'hapsim ctl' won't find this process: \(error)")
    return nil
  }
}

/// Standard input's lines are commands, each answered on standard output. Its end is no reason to stop.
private func takeCommands(
  for dispatcher: CommandDispatcher, on loop: EventLoop, _ lines: LineOutput
) throws(LoopError) {
  let queue = CommandQueue(dispatcher, on: loop)
  queue.onAnswer = { lines.write($0, isDroppable: false) }
  let reader = try LineReader(loop) { event in
    switch event {
    case .line(let line): queue.take(.line(line))
    case .tooLong(let limit): queue.take(.tooLong(limit: limit))
    case .end: break
    }
  }
  // Whoever sends more than is carried out waits.
  queue.onBusy = { reader.isHeld = true }
  queue.onIdle = { reader.isHeld = false }
}
