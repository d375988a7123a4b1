import HAPCommandLine
import HAPControl
import HAPLoop
import HAPSimulator

/// The control API and the page of this process: where they are, and the journal that they tell of.
///
/// Belongs to the loop's thread.
final class LiveControl {
  let journal: EventJournal
  private let listener: ControlListener
  /// nil where there are several loops: a scenario needs all accessories on one.
  private let scenarios: ScenarioPlayer?
  private let token: String?
  private let clock: SimulationClock

  /// - Parameters:
  ///   - parts: of each loop, this one first.
  ///   - taker: carries out what is for no accessory in particular.
  /// - Throws: it can't listen there.
  init(
    at place: SocketAddress, token: String?, of parts: [ControlledPart], _ taker: any CommandTaker, seed: UInt64,
    on loop: EventLoop
  ) throws(LoopError) {
    self.token = token
    clock = parts[0].simulation.clock
    let journal = EventJournal { WallClock.now }
    self.journal = journal
    let scenarios = parts.count == 1 ? ScenarioPlayer(parts[0], journal, seed: seed) : nil
    self.scenarios = scenarios
    // All of it is of this very loop.
    nonisolated(unsafe) let (commands, told) = (taker, journal)
    let api = ControlAPI(parts, commands, told, scenarios: scenarios, on: loop)
    listener = try ControlListener(at: place.host, port: place.port, AccessRules(token: token), journal, on: loop) {
      api.answer($0, then: $1)
    }
  }

  /// "http://127.0.0.1:41234/"; the page takes the token from behind the "#", which browsers send to nobody.
  var url: String {
    var address = listener.address
    if address.host.isUnspecified { address.host = .loopbackV4 }
    return "http://\(address)/" + (token.map { "#token=\($0)" } ?? "")
  }

  func hear(_ event: SimulatorEvent) {
    journal.append(.simulator(event), now: clock.now)
    if !event.isRequest { scenarios?.hear(event) }
  }

  /// The scenario that the process was started with.
  func follow(_ play: ScenarioPlay) { scenarios?.first = play }

  func close() {
    scenarios?.close()
    listener.close()
  }
}
