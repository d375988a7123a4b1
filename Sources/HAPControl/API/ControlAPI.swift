import HAPCommands
import HAPDevices
import HAPDeviations
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPVocabulary
import HAPWeb
import HAPWire

/// Answers HTTP requests about running accessories.
///
/// Each change is a `SimulatorCommand`, as on standard input, so it is recorded like one and has the same limits. Profiles are sent in the
/// body. The API reads no files of this machine.
///
/// An actor on the loop that listens. The accessories may belong to other loops.
package actor ControlAPI: WebAPI {
  package nonisolated let loop: EventLoop
  private static let page = WebPage(EmbeddedPage.files + CommonPage.files)
  let parts: [ControlledPart]
  let journal: ControlJournal
  private let taker: any CommandTaker
  let scenarios: (any ControlledScenarios)?
  private let readerPatience: Duration
  /// Runs while all events are reported.
  private var readerTimer: LoopTimer?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Must be called on the loop.
  /// - Parameters:
  ///   - parts: one for each loop; the first one belongs to `loop`.
  ///   - taker: performs commands that aren't for a particular accessory.
  ///   - scenarios: plays scenarios; nil: none can be played.
  ///   - readerPatience: time without a reader of events after which the accessories report only as at the start.
  package init(
    _ parts: [ControlledPart], _ taker: any CommandTaker, _ journal: LoopBound<ControlJournal>,
    scenarios: (any ControlledScenarios)? = nil, readerPatience: Duration = .seconds(600), on loop: EventLoop
  ) {
    precondition(parts.first?.loop === loop, "the first part is of this loop")
    self.parts = parts
    self.taker = taker
    self.journal = journal.value
    self.scenarios = scenarios
    self.readerPatience = readerPatience
    self.loop = loop
  }

  /// Returns all served accessories, ordered by number.
  private func accessories() async -> [SimulatedAccessory] {
    var all: [SimulatedAccessory] = []
    for part in parts { all += await part.look { $0.simulation.accessories } }
    return parts.count == 1 ? all : all.sorted { $0.number < $1.number }
  }

  var clock: SimulationClock { parts[0].simulation.clock }

  /// Answers any request.
  package func answer(_ request: WebRequest) async -> WebAnswer {
    do throws(WebProblem) {
      if request.path.first != "v1" { return try Self.page.answer(request) }
      return try await answer(try await parsed(request) { () throws(WebProblem) in try ControlCall(request) })
    } catch { return error.answer }
  }

  /// Makes the accessories report every event, because a client reads them or plays a scenario, which waits for some.
  func tellEverything() async {
    if !journal.hasReader {
      journal.hasReader = true
      for part in parts { await part.look { $0.simulation.tellEverything() } }
    }
    // After the accessories report: otherwise the timer could fire before they do, and they would report forever.
    let timer = readerTimer ?? LoopTimer(loop) { [weak self] in self?.assumeIsolated { $0.endReportingIfUnread() } }
    readerTimer = timer
    timer.start(after: readerPatience)
  }

  /// Makes the accessories report as at the start, unless an event stream is open or a scenario runs. Without a reader, events are only a
  /// cost.
  func endReportingIfUnread() {
    guard !journal.hasListeners, scenarios?.isPlaying != true else {
      readerTimer?.start(after: readerPatience)
      return
    }
    readerTimer?.close()
    readerTimer = nil
    journal.hasReader = false
    for part in parts { part.onLoop { $0.simulation.tellAsAtStart() } }
  }

  /// Stops the timer. Must be called on the loop, before the loop ends.
  package nonisolated func close() {
    assumeIsolated { api in
      api.readerTimer?.close()
      api.readerTimer = nil
    }
  }

  private func answer(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    switch call.operation {
    case .showIndex: await index()
    case .showDescription:
      WebAnswer(200, contentType: "application/json", body: Array(ControlDescription.text.utf8))
    case .listAccessories: try await listAccessories(call)
    case .addAccessory: try await addAccessory(call)
    case .showAccessory: try await showAccessory(call)
    case .changeAccessory: try await changeAccessory(call)
    case .removeAccessory: try await removeAccessory(call)
    case .restartAccessory: try await restartAccessory(call)
    case .identify: try await identify(call)
    case .makeProfile: try makeProfile(call)
    case .showProfile: try await showProfile(call)
    case .replaceProfile: try await replaceProfile(call)
    case .showSetupImage: try await showSetupImage(call)
    case .showQuirks: try await showQuirks(call)
    case .setQuirks: try await setQuirks(call)
    case .listQuirksPresets: listQuirksPresets()
    case .showCharacteristic: try await showCharacteristic(call)
    case .setCharacteristic: try await setCharacteristic(call)
    case .stallCharacteristic: try await stallCharacteristic(call)
    case .act: try await act(call)
    case .changeBridged: try await changeBridged(call)
    case .listPairings: try await listPairings(call)
    case .removePairings: try await removePairings(call)
    case .removePairing: try await removePairing(call)
    case .listConnections: try await listConnections(call)
    case .closeConnections: try await closeConnections(call)
    case .closeConnection: try await closeConnection(call)
    case .showMatter: try await showMatter(call)
    case .showMatterImage: try await showMatterImage(call)
    case .openWindow: try await openWindow(call)
    case .closeWindow: try await closeWindow(call)
    case .showWindowImage: try await showWindowImage(call)
    case .removeFabric: try await removeFabric(call)
    case .listActiveFaults: try await listActiveFaults(call)
    case .switchFaultOn: try await switchFaultOn(call)
    case .switchFaultOff: try await switchFaultOff(call)
    case .listFaults: listFaults()
    case .showCatalogue: showCatalogue()
    case .showClock: showClock()
    case .advanceClock: try await advanceClock(call)
    case .showScenario: showScenario()
    case .startScenario: try await startScenario(call)
    case .stopScenario: try stopScenario()
    case .showLog: try await showLog(call)
    case .followEvents: try await followEvents(call)
    case .performCommand: try await performCommand(call)
    }
  }

  /// Performs an action at an accessory.
  /// - Parameter aid: a bridged accessory; nil: all of the bridge.
  @discardableResult
  func perform(
    _ action: SimulatorCommand.Action, at subject: SimulatedAccessory, aid: UInt64? = nil
  ) async throws(WebProblem) -> CommandResult {
    // By its name, because a recorded command has no subject.
    let accessory: AccessorySelector
    if let aid {
      accessory = await ownName(ofAid: aid, behind: subject).map { .name($0) } ?? .aid(aid)
    } else {
      accessory = .name(await subject.name)
    }
    let command = SimulatorCommand(accessory: accessory, action)
    guard let part = parts.first(where: { $0.loop === subject.loop }) else {
      preconditionFailure("every accessory is of one of the loops")
    }
    let outcome = await withCheckedContinuation { continuation in
      part.onLoop { part in
        var dispatcher = part.dispatcher
        dispatcher.subject = subject
        dispatcher.take(command) { continuation.resume(returning: $0) }
      }
    }
    do throws(CommandError) { return try outcome.get() } catch { throw WebProblem(error) }
  }

  /// Performs a command that names its accessory itself, or needs none.
  @discardableResult
  func perform(_ command: SimulatorCommand) async throws(WebProblem) -> CommandResult {
    let outcome = await withCheckedContinuation { continuation in
      taker.take(command) { continuation.resume(returning: $0) }
    }
    do throws(CommandError) { return try outcome.get() } catch { throw WebProblem(error) }
  }

  /// Returns the name of a bridged accessory; nil if another accessory of the process has it too.
  private func ownName(ofAid aid: UInt64, behind subject: SimulatedAccessory) async -> String? {
    let name = await subject.look { $0.bridgedName(ofAid: aid) }
    guard let name else { return nil }
    var count = 0
    for part in parts { count += await part.look { $0.dispatcher.matchCount(.name(name)) } }
    return count == 1 ? name : nil
  }

  /// Serves another accessory, on the loop with the fewest accessories.
  func add(_ profile: AccessoryProfile) async -> Result<SimulatedAccessory, CommandError> {
    var counts: [Int] = []
    for part in parts { counts.append(await part.look { $0.simulation.accessories.count }) }
    let part = parts[counts.firstIndex(of: counts.min() ?? 0) ?? 0]
    return await withCheckedContinuation { continuation in
      part.onLoop { $0.dispatcher.add({ profile }) { continuation.resume(returning: $0) } }
    }
  }

  // MARK: Selection

  /// Returns the accessory named in the path by its number, device ID or name.
  func accessory(_ call: ControlCall) async throws(WebProblem) -> SimulatedAccessory {
    let text = call.parameter("accessory")
    let number = text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    if let number {
      for part in parts {
        let found = await part.look { $0.simulation.accessories.first { $0.number == number } }
        if let found { return found }
      }
    }
    let selector = AccessorySelector.name(text)
    var found: [SimulatedAccessory] = []
    var names: [String] = []
    for accessory in await accessories() {
      let (isMeant, isNamed, name) = await accessory.look { accessory in
        (
          accessory.prepared.deviceID.text == text,
          selector.matches(name: accessory.name, aid: 0), accessory.name
        )
      }
      if isMeant { return accessory }
      if isNamed { found.append(accessory) }
      names.append(name)
    }
    guard let accessory = found.first else {
      let meant = nearestName(to: text, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
      throw WebProblem(404, "no-such-accessory", "there is no accessory \"\(text.prefix(100))\"\(meant)")
    }
    guard found.count == 1 else {
      throw WebProblem(409, "ambiguous", "\(found.count) accessories have this name; use the number")
    }
    return accessory
  }
}

extension SimulatedAccessory {
  /// Runs `body` on the accessory's loop.
  package func look<R: Sendable>(_ body: @Sendable (isolated SimulatedAccessory) -> R) -> R { body(self) }
}

extension WebAnswer {
  /// An object with the members of a command's answer.
  static func result(_ result: CommandResult) -> WebAnswer {
    .json { json in json.object { result.write(to: &$0) } }
  }
}
