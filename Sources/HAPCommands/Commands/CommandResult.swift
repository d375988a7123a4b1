import HAPDeviations
import HAPDevices
import HAPHost
import HAPModel
import HAPVocabulary
import HAPWire

/// The result of a command that was carried out.
package enum CommandResult: Equatable, Sendable {
  case done
  /// The simulated time after `advance`.
  case time(Duration)
  /// The accessory that `add` serves.
  case added(AccessoryIntroduction)
  case configurationNumber(UInt16)
  /// The new device ID after a factory reset.
  case deviceID(String)
  /// The number of connections that were closed.
  case connections(Int)
  /// The number of pairings that were removed.
  case pairings(Int)
  /// A fault was switched on. It has no effect on these protocols of the accessory.
  case fault(withoutEffectOn: [ServedProtocol])
  /// The commissioning window that was opened.
  case window(MatterWindow)
  case list(ProcessListing, [AccessoryListing])
  case status([AccessoryStatus])
}

/// A refused command has an error instead of a result.
package typealias CommandOutcome = Result<CommandResult, CommandError>

/// The part of the answer to `list` that belongs to the process.
package struct ProcessListing: Equatable, Sendable {
  let now: Duration
  /// The ratio of simulated to real time; nil: simulated time is frozen.
  let scale: Double?
  /// The address of the page; nil: no page is served.
  let page: String?

  init(_ simulation: Simulation) {
    now = simulation.clock.now
    scale = simulation.clock.scale
    page = simulation.pageAddress
  }
}

/// The answer to one command: its `id`, and the outcome.
package struct CommandReply: Sendable {
  package let id: SimulatorCommand.ID?
  package let outcome: CommandOutcome

  package init(id: SimulatorCommand.ID?, _ outcome: CommandOutcome) {
    self.id = id
    self.outcome = outcome
  }

  package init(_ refusal: CommandRefusal) { self.init(id: refusal.id, .failure(refusal.error)) }

  /// The reply as one line of JSON, without a newline.
  package var text: String {
    switch outcome {
    case .success(let result): CommandAnswer.success(id: id) { result.write(to: &$0) }
    case .failure(let error): CommandAnswer.failure(id: id, error)
    }
  }
}

extension CommandResult {
  /// Writes the members of the answer's object.
  package func write(to json: inout JSONWriter) {
    switch self {
    case .done: break
    case .time(let now): json.now(now)
    case .added(let introduction): introduction.write(to: &json)
    case .configurationNumber(let number):
      json.key("configurationNumber")
      json.integer(number)
    case .deviceID(let text):
      json.key("deviceID")
      json.string(text)
    case .connections(let count):
      json.key("connections")
      json.integer(count)
    case .pairings(let count):
      json.key("pairings")
      json.integer(count)
    case .fault(let protocols):
      guard !protocols.isEmpty else { break }
      json.key("withoutEffectOn")
      json.array { json in for name in protocols { json.string(name.rawValue) } }
    case .window(let window):
      json.key("window")
      window.write(to: &json)
    case .list(let process, let accessories):
      process.write(to: &json)
      json.key("accessories")
      json.array { json in for accessory in accessories { accessory.write(to: &json) } }
    case .status(let accessories):
      json.key("accessories")
      json.array { json in for accessory in accessories { accessory.write(to: &json) } }
    }
  }
}

extension AccessoryIntroduction {
  fileprivate func write(to json: inout JSONWriter) {
    for (key, value) in [
      ("name", name), ("deviceID", deviceID), ("setupCode", setupCode), ("setupPayload", setupPayload),
      ("category", category),
    ] {
      json.key(key)
      json.string(value)
    }
    json.key("port")
    json.integer(port)
  }
}

extension ProcessListing {
  fileprivate func write(to json: inout JSONWriter) {
    json.key("time")
    json.object { $0.time(now, scale: scale) }
    guard let page else { return }
    json.key("control")
    json.string(page)
  }
}

extension SimulationClock {
  fileprivate var scale: Double? {
    switch pace {
    case .running(let scale): scale
    case .standing, .jumping: nil
    }
  }
}

extension JSONWriter {
  /// Writes the simulated time in seconds and its rate as members of an object.
  package mutating func members(of clock: SimulationClock) { time(clock.now, scale: clock.scale) }

  fileprivate mutating func time(_ now: Duration, scale: Double?) {
    self.now(now)
    key("scale")
    if let scale { double(scale) } else { integer(0) }
  }

  /// Writes the simulated time in seconds.
  fileprivate mutating func now(_ time: Duration) {
    key("now")
    let (seconds, attoseconds) = time.components
    double(Double(seconds) + Double(attoseconds) / 1e18)
  }
}
