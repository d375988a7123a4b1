import HAPCommandLine
import HAPCommands
import HAPControl
import HAPHost
import HAPLoop
import HapsimInputs

/// The control API and the page of this process: their address, and their journal of events.
///
/// Belongs to the loop's thread.
final class LiveControl {
  private let page: ServedControlPage
  /// The scenario player; nil if there are several loops, because a scenario needs all accessories on one loop.
  private let scenarios: ScenarioPlayer?
  private let choice: ControlChoice
  private let clock: SimulationClock

  /// - Parameters:
  ///   - parts: the accessories of each loop, with this loop first.
  ///   - taker: receives commands that name no accessory.
  /// - Throws: if it can't listen.
  init(
    at host: IPAddress, _ choice: ControlChoice, of parts: [ControlledPart], _ taker: any CommandTaker, seed: UInt64,
    on loop: EventLoop
  ) throws(LoopError) {
    self.choice = choice
    clock = parts[0].simulation.clock
    var player: ScenarioPlayer?
    page = try ServedControlPage(
      at: host, choice.ports, token: choice.token, of: parts, taker,
      scenarios: { journal in
        player = parts.count == 1 ? ScenarioPlayer(parts[0], journal, seed: seed) : nil
        return player
      }, on: loop)
    scenarios = player
  }

  var journal: ControlJournal { page.journal }
  var url: String { page.url }
  var address: String { page.address }

  /// The reason why the port is not the default one; nil if it is.
  var portNote: String? {
    guard !choice.isPortGiven, page.port != ControlChoice.standardPort else { return nil }
    return "port \(ControlChoice.standardPort) is in use"
  }

  func hear(_ event: SimulatorEvent) {
    journal.append(.simulator(event), now: clock.now)
    if !event.isRequest { scenarios?.hear(event) }
  }

  /// Follows the scenario from the command line.
  func follow(_ play: ScenarioPlay) { scenarios?.first = play }

  func close() {
    scenarios?.close()
    page.close()
  }
}
