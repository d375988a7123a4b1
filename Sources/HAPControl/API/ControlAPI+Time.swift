import HAPCommands
import HAPHost
import HAPModel
import HAPVocabulary
import HAPWire

extension ControlAPI {
  func showClock() -> ControlAnswer {
    return .json { json in
      json.object { json in
        json.members(of: clock)
        json.key("pace")
        json.string(clock.pace.word)
      }
    }
  }

  func advanceClock(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
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

  func showLog(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let request = try request(call)
    await tellEverything()
    let after = try call.number("after", in: 0...ControlCall.mostExact) ?? 0
    let limit = try call.number("limit", in: 1...UInt64(EventJournal.room)) ?? UInt64(EventJournal.room)
    let entries = journal.entries(after: after, limit: Int(limit), where: request.admits)
    return .json { json in
      json.object { json in
        json.key("last")
        json.integer(journal.lastNumber)
        json.key("events")
        json.array { json in for entry in entries { entry.write(to: &json) } }
      }
    }
  }

  func followEvents(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    var start = try request(call)
    if let number = try call.number("after", in: 0...ControlCall.mostExact) { start.place = .behind(number) }
    // A browser that reconnects sends the ID of its last event.
    if let id = call.request[field: "last-event-id"] { start.place = journal.place(ofID: id) }
    await tellEverything()
    var answer = ControlAnswer(200, contentType: "text/event-stream")
    answer.stream = start
    return answer
  }

  /// Returns the filter of the query.
  private func request(_ call: ControlCall) throws(ControlProblem) -> EventStreamStart {
    var start = EventStreamStart()
    if let number = try call.number("accessory", in: 1...ControlCall.mostExact) { start.accessory = Int(number) }
    for name in call.list("event") {
      guard JournalEvent.names.contains(name) else {
        let meant = nearestName(to: name, in: JournalEvent.names).map { ": did you mean \"\($0)\"?" } ?? ""
        throw ControlProblem(400, "bad-query", "there is no event \"\(name.prefix(100))\"\(meant)")
      }
      start.names.insert(name)
    }
    return start
  }

  // MARK: Commands

  /// Performs a command. `add` and `replace` name files, so they are refused; other requests accept the profile in their body.
  func performCommand(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let (name, node) = try call.reading { (node) throws(JSONProblem) -> (CommandName, JSONNode) in
      _ = try node.asObject()
      return (try node.required("command").choice(of: CommandName.allCases, named: \.rawValue), node)
    }
    if CommandForm[name].namesFile {
      let path = name == .add ? "POST /v1/accessories" : "PUT /v1/accessories/{accessory}/profile"
      throw ControlProblem(
        422, "not-here",
        "\"\(name.rawValue)\" names a file of this machine, which the API doesn't read; send the profile with \(path)"
      )
    }
    let command: SimulatorCommand
    do throws(CommandRefusal) { command = try SimulatorCommand(node) } catch { throw ControlProblem(error.error) }
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
