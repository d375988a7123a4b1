import HAPCommandLine
import HAPDiscovery
import HAPLoop
import HAPProfile
import HAPReport
import HAPSimulator
import HAPStore

/// Accessories that this process serves, and all that goes with them: who announces them, who commands them, what happens to them, and who is told.
///
/// What it has is made, used and ended on the loop's thread; the thread that called waits.
final class ServedRun: @unchecked Sendable {  // see above
  private let folder: StateFolder
  private let choices: PreparedAccessory.Choices
  private let hosts: ListeningHosts
  private let scenario: LoadedScenario?
  private let options: RunOptions
  private let console: Console
  private let loop = EventLoop(name: "hapsim")
  private let lines: LineOutput
  private let stopped = StopRequest()

  private var responder: (any Responder)?
  private var simulation: Simulation?
  private var control: ControlServer?
  private var live: LiveControl?
  private var play: ScenarioPlay?
  private var recording: ScenarioRecording?
  private var observation: ControllerObservation?
  private var timers: [LoopTimer] = []
  /// A fault that accessories are to have from their start can't be.
  private var hasFailed = false

  /// When all that a start does once has been done: announcing takes a second.
  private static let startTime = Duration.milliseconds(1250)

  /// - Parameter choices: for accessories that come later.
  init(
    _ folder: StateFolder, _ choices: PreparedAccessory.Choices, on hosts: ListeningHosts, _ scenario: LoadedScenario?,
    _ options: RunOptions, _ console: Console
  ) {
    self.folder = folder
    self.choices = choices
    self.hosts = hosts
    self.scenario = scenario
    self.options = options
    self.console = console
    lines = LineOutput(console, program: "hapsim")
  }

  /// Serves until it is told to stop.
  /// - Throws: what keeps it from being served; nothing is, then.
  func serve(_ prepared: PreparedAccessories) throws -> ExitCode {
    let file = try options.recording.map { (path) throws(FileError) in
      try AppendedFile(path, head: ScenarioRecorder.head(profiles: options.profiles, seed: options.seed))
    }
    loop.start()
    defer {
      loop.stop()
      lines.finish()
    }
    let log = EventLog(
      lines, json: options.json, isQuiet: options.quiet,
      alone: prepared.accessories.count == 1 ? prepared.accessories[0].name : nil, console.output)
    let judgement = options.judging.map { Judgement($0, of: prepared.accessories, options, console) }
    do {
      nonisolated(unsafe) let (prepared, file) = (prepared, file)
      try loop.performAndWait { [self] in try begin(prepared, log, judgement, file) }
    } catch {
      // What was begun ends in good order where the rest can't be.
      try? loop.performAndWait { [self] in end() }
      file?.discard()
      throw error
    }
    stopped.wait()
    let found = try loop.performAndWait { [self] () -> [RunEvent] in
      // Before the accessories go: that they do is no fault of their controllers'.
      let found = judgement.flatMap { judgement in observation?.events(judgement.header) } ?? []
      end()
      return found
    }
    if recording?.isWhole == false { return .cannotRun }
    if hasFailed { return .usage }
    let hasPassed = play?.exitCode != .problem
    return judgement?.tell(found, hasPassed: hasPassed, json: options.json, lines, console) ?? play?.exitCode ?? .well
  }

  private func begin(
    _ prepared: PreparedAccessories, _ log: EventLog, _ judgement: Judgement?, _ file: AppendedFile?
  ) throws {
    let events = EventListeners(log.sink)
    let opened = try openResponder(options, on: loop)
    responder = opened?.responder
    observe(judgement)
    let simulation = Simulation(
      setting(opened?.responder, events), in: SimulationClock(options.pace, on: loop), on: loop)
    self.simulation = simulation
    var started: [StartedAccessory] = []
    for (index, prepared) in prepared.accessories.enumerated() {
      let accessory = try simulation.serve(prepared, port: options.port(ofProfile: index))
      started.append(
        StartedAccessory(prepared, address: hosts.shownAddress, port: accessory.assumeIsolated { $0.port }))
    }
    prepared.letGo()
    try stopped.watchSignals(loop)
    var dispatcher = CommandDispatcher(
      simulation, readProfile: { try AccessoryProfile(json: try readFile($0), fileName: $0) },
      onAllStopped: { [stopped] in stopped.request() })
    if let file {
      recording = ScenarioRecording(file, of: simulation, options) { [console] in console.complain("hapsim: \($0)") }
      recording?.listen(to: events, &dispatcher)
    }
    beginFaults(dispatcher)
    control = openControl(in: folder, dispatcher, on: loop, console)
    try openLive(simulation, dispatcher, events)
    // In the same turn of the loop; nothing that happened to an accessory is told before it is known to be ready.
    announce(started, by: opened?.choice, control: live?.url, lines, options, console)
    log.open()
    if options.commands { try takeCommands(for: dispatcher, on: loop, lines) }
    after(Self.startTime, StartMemory.giveBack)
    guard let scenario else { return }
    let play = ScenarioPlay(scenario, lines, json: options.json, isQuiet: options.quiet, console, stopped)
    self.play = play
    live?.follow(play)
    play.begin(on: simulation, dispatcher, events, seed: options.seed ?? 0)
  }

  private func setting(_ responder: (any Responder)?, _ events: EventListeners) -> Simulation.Setting {
    var setting = Simulation.Setting(
      folder: folder, places: hosts.places, choices: choices, seed: options.seed ?? 0,
      makeAdvertiser: { responder?.makeAdvertiser() }, sink: { events.tell($0) },
      tellsAll: !options.quiet || scenario != nil || options.recording != nil || options.control.place != nil)
    if let captures = options.capture {
      setting.capturePath = { accessory, start in capturePath(in: captures, accessory, start: start) }
    }
    setting.observation = observation
    setting.tellsRequests = options.control.place != nil
    return setting
  }

  /// Where nobody asked for it and it can't be, that is said, and accessories are served all the same.
  private func openLive(
    _ simulation: Simulation, _ dispatcher: CommandDispatcher, _ events: EventListeners
  ) throws(LoopError) {
    guard let place = options.control.place else { return }
    do throws(LoopError) {
      let live = try LiveControl(
        at: place, token: options.control.token, of: simulation, dispatcher, seed: options.seed ?? 0, on: loop)
      self.live = live
      events.add { [clock = simulation.clock] in live.hear($0, now: clock.now) }
    } catch {
      guard !options.control.isGiven else { throw error }
      console.complain("hapsim: there is no control API: \(error)")
    }
  }

  private func observe(_ judgement: Judgement?) {
    guard let judgement, let judging = options.judging else { return }
    let observation = ControllerObservation(patience: judging.patience, on: loop)
    self.observation = observation
    if !options.quiet {
      observation.onBreach = { [lines, options, console] in
        judgement.tell($0, $1, json: options.json, lines, console.output)
      }
    }
    if let duration = judging.duration { after(duration) { [stopped] in stopped.request() } }
  }

  private func beginFaults(_ dispatcher: CommandDispatcher) {
    for accessory in simulation?.accessories ?? [] {
      let (name, own) = accessory.assumeIsolated { ($0.name, $0.ownFaults) }
      dispatcher.begin(own + options.faults, at: accessory) { [self] error in
        guard let error else { return }
        console.complain("hapsim: \(name): \(error.message)")
        hasFailed = true
        stopped.request()
      }
    }
  }

  private func after(_ time: Duration, _ body: @escaping () -> Void) {
    let timer = LoopTimer(loop)
    timer.onFire = body
    timer.start(after: time)
    timers.append(timer)
  }

  /// Whatever there is; any number of times.
  private func end() {
    for timer in timers { timer.close() }
    observation?.close()
    play?.close()
    control?.close()
    live?.close()
    simulation?.stop()
    // The goodbyes leave with it.
    if choices.defect?.saysGoodbye != false { responder?.close() }
  }
}
