import HAPModel
import HAPSimulator
import HAPWire

extension ControlAPI {
  func showClock() -> ControlAnswer {
    return .json { json in
      json.object { json in
        json.key("now")
        json.double(clock.now / .seconds(1))
        json.key("scale")
        switch clock.pace {
        case .running(let scale): json.double(scale)
        case .standing, .jumping: json.integer(0)
        }
        json.key("pace")
        switch clock.pace {
        case .running: json.string("running")
        case .standing: json.string("standing")
        case .jumping: json.string("jumping")
        }
      }
    }
  }

  func advanceClock(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let duration = try call.reading { (node) throws(JSONProblem) -> JSONNode in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["duration"])
      let duration = try node.required("duration")
      guard let time = Duration(long: try duration.asString()) else {
        throw duration.problem("a duration such as \"500ms\", \"12s\", \"1.5min\", \"2h\" or \"30d\" is expected")
      }
      guard time <= SimulationClock.longestAdvance else { throw duration.problem("time is advanced by 10y at most") }
      return duration
    }
    _ = try await perform("advance", [("duration", duration)])
    return showClock()
  }

  // MARK: The log

  func showLog(_ call: ControlCall) throws(ControlProblem) -> ControlAnswer {
    let after = try call.number("after", in: 0...ControlCall.mostExact) ?? 0
    let limit = try call.number("limit", in: 1...UInt64(EventJournal.room)) ?? UInt64(EventJournal.room)
    let entries = journal.entries(after: after, limit: Int(limit))
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
    var start = EventStreamStart(after: try call.number("after", in: 0...ControlCall.mostExact))
    // A browser that comes back says where it was.
    if let last = call.request[field: "last-event-id"], let number = UInt64(last) { start.after = number }
    if let number = try call.number("accessory", in: 1...ControlCall.mostExact) { start.accessory = Int(number) }
    if let names = call.query("event") { start.names = Set(names.split(separator: ",").map(String.init)) }
    var answer = ControlAnswer(200, contentType: "text/event-stream")
    answer.stream = start
    return answer
  }

  // MARK: Commands

  /// Files are named by `add` and `replace`: those come with their profile in the body of another request instead.
  func performCommand(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let command = try call.reading { (node) throws(JSONProblem) -> String in
      _ = try node.asObject()
      let names = SimulatorCommand.vocabulary.map(\.name)
      return try node.required("command").word(of: names)
    }
    let instead = ["add": "POST /v1/accessories", "replace": "PUT /v1/accessories/{accessory}/profile"]
    if let path = instead[command] {
      throw ControlProblem(
        422, "not-here",
        "\"\(command)\" names a file of this machine, which is read for nobody here: \(path) takes the profile itself")
    }
    return .members(try Self.success(await reply(to: call.bytes, at: nil)))
  }
}
