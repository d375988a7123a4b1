import HAPLoop
import HAPWire

extension MDNSObserver {
  /// Returns the services according to the packets received after a mark. Sends no query.
  package func services(after mark: Mark = start) -> [ServiceInstance] {
    ServicePicture(of: type, from: packets(after: mark)).instances
  }

  /// Browses for services during `time`.
  /// - Parameter mark: packets after it count too. nil: only packets from now on.
  /// - Returns: the services found, in the order of their first packet, resolved or not.
  /// - Throws: if no query could be sent.
  package func browse(within time: Duration, after mark: Mark? = nil) async throws(LoopError) -> [ServiceInstance] {
    var search = Search(of: type, after: mark ?? self.mark)
    _ = try await run(&search, within: time) { _ in nil }
    return search.picture.instances
  }

  /// Browses for a service until its port, TXT record and an address are known.
  /// - Parameter mark: packets after it count too. nil: only packets from now on.
  /// - Returns: nil on timeout.
  /// - Throws: if no query could be sent.
  package func find(
    _ target: ServiceTarget, within time: Duration, after mark: Mark? = nil
  ) async throws(LoopError) -> ServiceInstance? {
    try await find(within: time, after: mark) { target.matches($0) }
  }

  /// Browses for a resolved service that fulfils `matches`. Calls `matches` on the loop, and only with resolved services.
  package func find(
    within time: Duration, after mark: Mark? = nil, where matches: @Sendable (ServiceInstance) -> Bool
  ) async throws(LoopError) -> ServiceInstance? {
    var search = Search(of: type, after: mark ?? self.mark)
    return try await run(&search, within: time) { picture in picture.instances.first { $0.isResolved && matches($0) } }
  }

  /// Queries the records of an instance until its port, TXT record and an address are known.
  /// - Returns: on timeout, the records known so far, possibly incomplete; nil if none is known.
  /// - Throws: if no query could be sent.
  package func resolve(
    instance name: DNSName, within time: Duration, after mark: Mark? = nil
  ) async throws(LoopError) -> ServiceInstance? {
    var search = Search(of: type, after: mark ?? self.mark, only: name)
    return try await run(&search, within: time) { picture in
      picture.instance(name).flatMap { $0.isResolved ? $0 : nil }
    } ?? search.picture.instance(name)
  }

  /// State of a search: the records received, and the time of each query.
  private struct Search {
    var picture: ServicePicture
    var mark: Mark
    let instance: DNSName?
    private var asked: [DNSQuestion: (last: Duration, times: Int)] = [:]
    private var nextBrowse = Duration.zero
    private var hasBrowsed = false
    /// RFC 6762 §5.2: one second at first, then at least twice the previous interval.
    private var pause = Duration.seconds(1)

    init(of type: DNSName, after mark: Mark, only instance: DNSName? = nil) {
      picture = ServicePicture(of: type)
      self.mark = mark
      self.instance = instance
      browseQuestion = DNSQuestion(type, DNSType.ptr)
    }

    private let browseQuestion: DNSQuestion

    /// Returns the questions to send now, at most 64, and the latest time of the next call.
    mutating func due(_ now: Duration) -> (questions: [DNSQuestion], next: Duration) {
      var questions: [DNSQuestion] = []
      if now >= nextBrowse {
        if instance == nil {
          var question = browseQuestion
          question.wantsUnicast = !hasBrowsed
          hasBrowsed = true
          questions.append(question)
        }
        nextBrowse = now + pause
        pause = pause * 2
      }
      let unknown = instance.map { [picture.instance($0) ?? ServiceInstance(name: $0)] } ?? picture.instances
      for plain in unknown.lazy.flatMap(\.missingQuestions) where questions.count < 64 {
        let former = asked[plain]
        // A responder multicasts a record at most once per second (RFC 6762 §6). The first question therefore requests a unicast response
        // (§5.4), which has no such limit. A responder that doesn't support such questions is asked again soon.
        let pause: Duration = former?.times == 1 ? .milliseconds(350) : .milliseconds(1050)
        if let former, now - former.last < pause { continue }
        asked[plain] = (now, (former?.times ?? 0) + 1)
        var question = plain
        question.wantsUnicast = former == nil
        questions.append(question)
      }
      return (questions, min(nextBrowse, now + .milliseconds(250)))
    }
  }

  /// Sends queries and receives answers until `found` returns an instance, or until timeout.
  private func run(
    _ search: inout Search, within time: Duration, found: (ServicePicture) -> ServiceInstance?
  ) async throws(LoopError) -> ServiceInstance? {
    let deadline = now + time
    while true {
      for packet in packets(after: search.mark) { search.picture.take(packet) }
      search.mark = mark
      if let instance = found(search.picture) { return instance }
      let now = now
      if now >= deadline || Task.isCancelled || absence == "it was closed" { return nil }
      let (questions, next) = search.due(now)
      for start in stride(from: 0, to: questions.count, by: 16) {
        try query(Array(questions[start..<min(start + 16, questions.count)]))
      }
      let heard = await first(after: search.mark, within: min(next, deadline) - now) {
        !$0.isOwn && $0.message.isResponse
      }
      // The records of a service arrive in quick succession, so the search waits for the rest before it looks again.
      if heard != nil { _ = await first(after: mark, within: .milliseconds(5)) { _ in false } }
    }
  }

  /// The machine's clock. The observer's clock may be any, for example a simulated one.
  private var now: Duration { .nanoseconds(Int64(loop.readClock())) }
}
