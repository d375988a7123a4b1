import HAPWire

extension EventJournal {
  /// Answers a request for the log: the latest events of a filter, oldest first, with the query parameters `after` and `limit`.
  package func log<Operation>(
    _ call: WebCall<Operation>, _ filter: EventStreamStart
  ) throws(WebProblem) -> WebAnswer {
    let after = try call.number("after", in: 0...WebCall<Operation>.mostExact) ?? 0
    let limit = try call.number("limit", in: 1...UInt64(Self.room)) ?? UInt64(Self.room)
    let entries = entries(after: after, limit: Int(limit), where: filter.admits)
    return .json { json in
      json.object { json in
        json.key("last")
        json.integer(lastNumber)
        json.key("events")
        json.array { json in for entry in entries { entry.write(to: &json) } }
      }
    }
  }

  /// Answers a request for an event stream, with the query parameter `after`.
  package func stream<Operation>(
    _ call: WebCall<Operation>, _ filter: EventStreamStart
  ) throws(WebProblem) -> WebAnswer {
    var start = filter
    if let number = try call.number("after", in: 0...WebCall<Operation>.mostExact) { start.place = .behind(number) }
    // A browser that reconnects sends the ID of its last event.
    if let id = call.request[field: "last-event-id"] { start.place = place(ofID: id) }
    var answer = WebAnswer(200, contentType: "text/event-stream")
    answer.stream = start
    return answer
  }
}

extension WebCall {
  /// Returns the names in the query parameter `event`; empty if it is missing.
  package func eventNames(of all: [String]) throws(WebProblem) -> Set<String> {
    var names: Set<String> = []
    for name in list("event") {
      guard all.contains(name) else {
        let meant = nearestName(to: name, in: all).map { ": did you mean \"\($0)\"?" } ?? ""
        throw WebProblem(400, "bad-query", "there is no event \"\(name.prefix(100))\"\(meant)")
      }
      names.insert(name)
    }
    return names
  }
}
