import HapsimInputs
import HAPCommandLine
import HAPCommands
import HAPControl
import HAPHost
import HAPLoop

/// The control API and the page of this process: their address, and their journal of events.
///
/// Belongs to the loop's thread.
final class LiveControl {
  let journal: EventJournal
  private let api: ControlAPI
  private let listener: ControlListener
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
    let journal = EventJournal(on: loop) { loop.readWallClock() }
    self.journal = journal
    let scenarios = parts.count == 1 ? ScenarioPlayer(parts[0], journal, seed: seed) : nil
    self.scenarios = scenarios
    let api = ControlAPI(parts, taker, LoopBound(here: loop, journal), scenarios: scenarios, on: loop)
    self.api = api
    let rules = AccessRules(token: choice.token, hostName: loop.machineName)
    listener = try Self.firstFree(of: choice.ports) { (port) throws(LoopError) in
      try ControlListener(at: host, port: port, rules, journal, on: loop) { api.answer($0, then: $1) }
    }
  }

  /// Opens the first port that no other program uses.
  private static func firstFree<Opened>(
    of ports: [UInt16], _ open: (UInt16) throws(LoopError) -> Opened
  ) throws(LoopError) -> Opened {
    for port in ports.dropLast() {
      do throws(LoopError) { return try open(port) } catch { guard error.code == .addressInUse else { throw error } }
    }
    return try open(ports.last ?? 0)
  }

  /// The URL, such as "http://127.0.0.1:9427/". The page takes the token from the part after "#", which browsers never
  /// send.
  var url: String { address + (choice.token.map { "#token=\(percentEncoded($0))" } ?? "") }

  /// The reason why the port is not the default one; nil if it is.
  var portNote: String? {
    guard !choice.isPortGiven, listener.address.port != ControlChoice.standardPort else { return nil }
    return "port \(ControlChoice.standardPort) is in use"
  }

  /// The address without the token, for another process's arguments, which every user of the machine can read.
  var address: String {
    var address = listener.address
    if address.host.isUnspecified { address.host = .loopbackV4 }
    return "http://\(address)/"
  }

  func hear(_ event: SimulatorEvent) {
    journal.append(.simulator(event), now: clock.now)
    if !event.isRequest { scenarios?.hear(event) }
  }

  /// Follows the scenario from the command line.
  func follow(_ play: ScenarioPlay) { scenarios?.first = play }

  func close() {
    scenarios?.close()
    listener.close()
    api.close()
  }
}

/// Encodes all but the unreserved characters (RFC 3986 §2.3), so that the page reads the same text: it reads "+" as a space.
private func percentEncoded(_ text: String) -> String {
  text.utf8.map { byte in
    let character = Character(Unicode.Scalar(byte))
    if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
      return String(character)
    }
    let digits = String(byte, radix: 16, uppercase: true)
    return "%" + (digits.count == 1 ? "0" : "") + digits
  }.joined()
}
