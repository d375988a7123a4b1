import HAPCommands
import HAPHost
import HAPModel
import HAPVocabulary
import HAPWeb
import HAPWire

extension ControlAPI {
  func showClock() -> WebAnswer {
    return .json { json in
      json.object { json in
        json.members(of: clock)
        json.key("pace")
        json.string(clock.pace.word)
      }
    }
  }

  func advanceClock(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let (duration, text) = try call.reading { (node) throws(JSONProblem) -> (Duration, String) in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["duration"])
      let duration = try node.required("duration")
      let text = try duration.asString()
      guard let time = Duration(long: text) else {
        throw duration.problem("a duration such as \"500ms\", \"12s\", \"1.5min\", \"2h\" or \"30d\" is expected")
      }
      guard time <= .longestAdvance else { throw duration.problem("time is advanced by 10y at most") }
      return (time, text)
    }
    try await perform(SimulatorCommand(.advance(duration)))
    let members: [(name: String, value: JSONNode)] = [
      ("event", .text("clock")), ("text", .text("time was advanced by \(text)")),
      ("pace", .text(clock.pace.word)),
    ]
    journal.append(.other(.object(members)), now: clock.now)
    return showClock()
  }

  // MARK: Log

  func showLog(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let filter = try filter(call)
    await tellEverything()
    return try journal.log(call, filter)
  }

  func followEvents(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let answer = try journal.stream(call, filter(call))
    await tellEverything()
    return answer
  }

  /// Returns the filter of the query.
  private func filter(_ call: ControlCall) throws(WebProblem) -> EventStreamStart {
    let number = try call.number("accessory", in: 1...ControlCall.mostExact)
    return EventStreamStart(subject: number.map(String.init), names: try call.eventNames(of: ControlEvent.names))
  }

  // MARK: Commands

  /// Performs a command. `add` and `replace` name files, so they are refused; other requests accept the profile in their body.
  func performCommand(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let (name, node) = try call.reading { (node) throws(JSONProblem) -> (CommandName, JSONNode) in
      _ = try node.asObject()
      return (try node.required("command").choice(of: CommandName.allCases, named: \.rawValue), node)
    }
    if CommandForm[name].namesFile {
      let path = name == .add ? "POST /v1/accessories" : "PUT /v1/accessories/{accessory}/profile"
      throw WebProblem(
        422, "not-here",
        "\"\(name.rawValue)\" names a file of this machine, which the API doesn't read; send the profile with \(path)"
      )
    }
    let command: SimulatorCommand
    do throws(CommandRefusal) { command = try SimulatorCommand(node) } catch { throw WebProblem(error.error) }
    return .result(try await perform(command))
  }
}

extension SimulationClock.Pace {
  fileprivate var word: String {
    switch self {
    case .running: "running"
    case .standing: "standing"
    case .jumping: "jumping"
    }
  }
}
