import HapsimObservation
import HapsimInputs
import HapsimFiles
import HAPPreparation
import HAPCommandLine
import HAPCommands
import HAPControl
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPStore
import Synchronization

/// The served accessories of this process, with their responder, their commands, their scenario and the listeners to
/// their events.
///
/// All parts are created, used and ended on the first loop's thread, while the calling thread waits. Accessories can
/// also be on other loops.
// Safe: `begin`, `end` and the callbacks that use variables run on the first loop, whose timers and listeners trap on
// any other thread. Work on the other loops uses only constants and atomics. `start` and `finish` are called one after
// the other, and wait for the loop by `performAndWait` before they read its results.
final class ServedRun: @unchecked Sendable {
  private let folder: StateFolder
  private let choices: PreparedAccessory.Choices
  private let hosts: ListeningHosts
  private let scenario: LoadedScenario?
  private let options: RunOptions
  private let console: Console
  private let host: any RunHost
  private let loop: EventLoop
  /// The loops of the accessories, with this loop first.
  private let loops: [ServingLoop]
  private let lines: LineOutput
  private let stopped: StopRequest

  private var responder: (any Responder)?
  /// The responder for several loops, instead of `responder`.
  private var distantResponder: CrossLoopResponder?
  private var simulation: Simulation? { loops[0].openSimulation }
  private var control: ControlServer?
  private var live: LiveControl?
  private var browser: PageOpening?
  private var play: ScenarioPlay?
  private var recording: ScenarioRecording?
  private var timers: [LoopTimer] = []
  /// Whether an initial fault of an accessory was refused.
  private let hasFailed = Atomic(false)

  /// Whether ordinary events are printed to an output that can be read.
  private var hasReader: Bool { !options.quiet && !console.output.isDiscarded }

  /// The time after which the one-time work of a start is finished. Announcing takes one second.
  private static let startTime = Duration.milliseconds(1250)
  /// The maximum time that a process stopped by a signal waits for the reader of its output.
  private static let patience = Duration.seconds(2)

  private var file: AppendedFile?
  private var judged: JudgedRun?

  /// - Parameters:
  ///   - choices: the settings for accessories that are added later.
  ///   - count: the initial number of accessories.
  ///   - stopped: the request to stop, which already watches signals.
  init(
    _ folder: StateFolder, _ choices: PreparedAccessory.Choices, on hosts: ListeningHosts, _ scenario: LoadedScenario?,
    _ options: RunOptions, for count: Int, until stopped: StopRequest, on host: any RunHost, _ console: Console
  ) {
    self.stopped = stopped
    self.host = host
    loop = host.makeLoop("hapsim")
    let number = ServingLoop.count(options, for: count)
    loops = [ServingLoop(loop)] + (1..<number).map { ServingLoop(host.makeLoop("hapsim \($0 + 1)")) }
    self.folder = folder
    self.choices = choices
    self.hosts = hosts
    self.scenario = scenario
    self.options = options
    self.console = console
    lines = LineOutput(console, program: "hapsim", on: host.makeLoop("output"))
  }

  /// Serves until stopped.
  /// - Throws: the reason why nothing is served.
  func serve(_ prepared: PreparedAccessories) throws -> ExitCode {
    try start(prepared)
    stopped.wait()
    return try finish()
  }

  /// Starts to serve.
  /// - Throws: the reason why nothing is served.
  func start(_ prepared: PreparedAccessories) throws {
    file = try options.recording.map { (path) throws(FileError) in
      try AppendedFile(path, head: ScenarioRecorder.head(profiles: options.profiles, seed: options.seed))
    }
    for one in loops { one.loop.start() }
    let log = EventLog(
      lines, json: options.json, isQuiet: !hasReader,
      alone: prepared.accessories.count == 1 ? prepared.accessories[0].name : nil, console.output)
    judged = options.judging.map { JudgedRun($0, of: prepared.accessories, options) }
    do {
      try loop.performAndWait { [self] in try begin(prepared, log) }
    } catch {
      // If a part of the start fails, end the others cleanly.
      try? loop.performAndWait { [self] in end() }
      file?.discard()
      stopLoops()
      throw error
    }
  }

  /// Ends everything that `start` began.
  func finish() throws -> ExitCode {
    defer { stopLoops() }
    try loop.performAndWait { [self] in
      judged?.conclude()
      end()
    }
    if recording?.isWhole == false { return .cannotRun }
    if hasFailed.load(ordering: .relaxed) { return .usage }
    let hasPassed = play?.exitCode != .problem
    return judged?.report(hasPassed: hasPassed, json: options.json, lines, console) ?? play?.exitCode ?? .well
  }

  private func stopLoops() {
    // Stop the other loops first, because their last work may be for the first loop.
    for one in loops.reversed() { one.loop.stop() }
    lines.finish(patience: stopped.isSignalled ? Self.patience : nil)
  }

  private func begin(_ prepared: PreparedAccessories, _ log: EventLog) throws {
    let events = EventListeners(log.sink, on: loop)
    let choice = try openResponder()
    observe()
    let started = try serve(prepared, events)
    prepared.letGo()
    var dispatcher = dispatcher(of: loops[0], onAllStopped: { [stopped] in stopped.request() })
    if let scenario, let simulation { try scenario.check(on: simulation, dispatcher) }
    if let file, let simulation {
      recording = ScenarioRecording(file, of: simulation, options) { [console] in console.complain("hapsim: \($0)") }
      recording?.listen(to: events, &dispatcher)
    }
    let taker: any CommandTaker = loops.count == 1 ? dispatcher : fleetDispatcher()
    beginFaults(dispatcher)
    control = openControl(in: folder, taker, on: loop, console)
    try openLive(taker, dispatcher, events)
    // The announcement and the log are opened in one turn of the loop, so no event is reported before the ready line.
    announce(started, by: choice, control: live?.url, note: live?.portNote, lines, options, console)
    log.open()
    if options.control.opensPage, let live { browser = PageOpening(live.address, on: loop, console) }
    if options.commands {
      try takeCommands(from: host, for: taker, on: loop, lines) { [self] in
        if !options.keepsRunning { endAfterScenario() }
      }
    }
    after(Self.startTime, StartMemory.giveBack)
    if let duration = options.duration { after(duration) { [stopped] in stopped.request() } }
    guard let scenario, let simulation else { return }
    let play = ScenarioPlay(scenario, lines, json: options.json, isQuiet: options.quiet, console, stopped)
    self.play = play
    live?.follow(play)
    play.begin(on: simulation, dispatcher, events, seed: options.seed ?? 0)
  }

  /// Stops now, or at the end of the scenario, whose result is the exit status.
  private func endAfterScenario() {
    if let play, play.exitCode == nil { play.stopsAtEnd = true } else { stopped.request() }
  }

  // MARK: Accessories and their loops

  /// - Returns: the announcer and the reason for it; nil if accessories are not announced.
  private func openResponder() throws -> BackEnd.Choice? {
    if loops.count > 1 {
      let opened = try CrossLoopResponder.open(options, on: host)
      distantResponder = opened?.responder
      return opened?.choice
    }
    let opened = try HapsimProgram.openResponder(options, on: loop)
    responder = opened?.responder
    return opened?.choice
  }

  /// Serves the accessories, distributed round-robin over the loops.
  private func serve(_ prepared: PreparedAccessories, _ events: EventListeners) throws -> [StartedAccessory] {
    let accessories = prepared.accessories
    let count = loops.count
    let origin = loop.now
    let numbers = NumberSource(after: accessories.count)
    var started: [(index: Int, accessory: StartedAccessory)] = []
    for (offset, one) in loops.enumerated() {
      let share = Array(stride(from: offset, to: accessories.count, by: count))
      let work = { @Sendable [self] () throws -> [(index: Int, accessory: StartedAccessory)] in
        one.open(setting(on: one.loop, events, numbers), SimulationClock(options.pace, on: one.loop, origin: origin))
        return try share.map { index in
          if stopped.isRequested { throw StoppedEarly() }
          let accessory = try options.explainingPort(ofProfile: index) {
            try one.simulation.serve(accessories[index], port: options.port(ofProfile: index), number: index + 1)
          }
          let (port, matter) = accessory.assumeIsolated { ($0.port, $0.matterIntroduction) }
          var started = StartedAccessory(
            accessories[index], address: hosts.shownAddress, port: port,
            isCopy: options.count ?? 1 > 1 || options.fleet != nil)
          started.matter = matter
          if let matter { started.trustAnchor = try options.storeTrustAnchor(matter, of: started.deviceID) }
          return (index, started)
        }
      }
      started += try one.loop.isOnLoop ? work() : one.loop.performAndWait(work)
    }
    return started.sorted { $0.index < $1.index }.map(\.accessory)
  }

  private func setting(on loop: EventLoop, _ events: EventListeners, _ numbers: NumberSource) -> Simulation.Setting {
    // `responder` belongs to the only loop; several loops share a cross-loop one.
    let responder = responder.map { LoopBound(here: loop, $0) }
    let distant = distantResponder
    var setting = Simulation.Setting(
      folder: folder, places: hosts.places, choices: choices, seed: options.seed ?? 0,
      makeAdvertiser: { responder?.value.makeAdvertiser() ?? distant?.makeAdvertiser(for: loop) },
      sink: { events.tell($0) },
      tellsAll: hasReader || scenario != nil || options.recording != nil || options.control.isGiven)
    if let captures = options.capture { setting.capture(in: captures) }
    judged?.observe(in: &setting)
    // No log prints requests. Without --control they are reported only after a client has asked for events or the log,
    // so an idle page costs nothing.
    setting.tellsRequests = options.control.place != nil && options.control.isGiven
    options.chooseFrontEnds(in: &setting)
    setting.nextNumber = { numbers.next() }
    return setting
  }

  /// Opens the control API. If it fails and the user did not ask for it, an error is printed, and the accessories are
  /// served nevertheless.
  /// - Parameter dispatcher: the dispatcher of the first loop, with the observer for a recording.
  private func openLive(
    _ taker: any CommandTaker, _ dispatcher: CommandDispatcher, _ events: EventListeners
  ) throws(LoopError) {
    guard let place = options.control.place, let simulation else { return }
    var parts = loops.map { ControlledPart($0.simulation, self.dispatcher(of: $0, onAllStopped: {})) }
    parts[0] = ControlledPart(simulation, dispatcher)
    do throws(LoopError) {
      let live = try LiveControl(
        at: place.host, options.control, of: parts, taker, seed: options.seed ?? 0, on: loop)
      self.live = live
      simulation.pageAddress = live.url
      // Without --control, only the events of `.unasked` are recorded before a client reads, so an event costs only its
      // printing.
      // Weak, because the accessories retain their listeners; a strong reference would form a cycle.
      let unread: EventListeners.Selection = options.control.isGiven ? .all : .unasked
      let listener = events.add(unread) { [weak live] in live?.hear($0) }
      live.journal.onReader = { [weak events] in events?.select($0 ? .all : unread, for: listener) }
    } catch {
      guard !options.control.isGiven else {
        throw LoopError(error.code, "\(error.detail): \(options.control.demand(after: error))")
      }
      console.complain("hapsim: the control API is not available: \(error)")
    }
  }

  private func dispatcher(
    of one: ServingLoop, onAllStopped: @escaping @Sendable () -> Void
  ) -> CommandDispatcher {
    CommandDispatcher(
      one.simulation, readProfile: { try readProfile($0) },
      onAllStopped: onAllStopped)
  }

  /// Returns the dispatcher for the accessories of all loops.
  private func fleetDispatcher() -> FleetDispatcher {
    FleetDispatcher(
      loops.map { dispatcher(of: $0, onAllStopped: {}) }, onAllStopped: { [stopped] in stopped.request() })
  }

  private func observe() {
    guard let judged, let judging = options.judging else { return }
    judged.begin(
      on: loop, reportingTo: options.quiet ? nil : lines, json: options.json, console.output)
    if let duration = judging.duration { after(duration) { [stopped] in stopped.request() } }
  }

  private func beginFaults(_ dispatcher: CommandDispatcher) {
    beginFaults(dispatcher, of: loops[0])
    for one in loops.dropFirst() {
      try? one.loop.performAndWait { [self] in beginFaults(self.dispatcher(of: one, onAllStopped: {}), of: one) }
    }
  }

  /// Switches on the initial faults of a loop's accessories. Call it on that loop.
  private func beginFaults(_ dispatcher: CommandDispatcher, of one: ServingLoop) {
    for accessory in one.simulation.accessories {
      let (name, own) = accessory.assumeIsolated { ($0.name, $0.ownFaults) }
      dispatcher.begin(own + options.faults, at: accessory) { [self] error in
        guard let error else { return }
        console.complain("hapsim: \(name): \(error.message)")
        hasFailed.store(true, ordering: .relaxed)
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

  /// Closes everything that is open. Can be called any number of times.
  private func end() {
    for timer in timers { timer.close() }
    judged?.close()
    play?.close()
    control?.close()
    live?.close()
    browser?.close()
    let saysGoodbye = choices.defect?.saysGoodbye != false
    // Close the responder before the accessories are stopped. Otherwise each of them would request a separate goodbye.
    distantResponder?.close(sayingGoodbye: saysGoodbye)
    distantResponder = nil
    for one in loops.dropFirst() { try? one.loop.performAndWait { one.openSimulation?.stop() } }
    simulation?.stop()
    // Closing the responder sends the goodbyes.
    if saysGoodbye { responder?.close() }
  }
}

/// A source of numbers for accessories that are added later, on any loop.
private final class NumberSource: Sendable {
  private let last: Atomic<Int>
  init(after last: Int) { self.last = Atomic(last) }
  func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
