import HAPLoop
import HAPWire

extension MDNSObserver {
  /// What the packets after a mark say of the services, without asking.
  package func services(after mark: Mark = start) -> [ServiceInstance] {
    ServicePicture(of: type, from: packets(after: mark)).instances
  }

  /// Looks for services for as long as `time`.
  /// - Parameter mark: what was heard after it counts too; nil: what comes from now on alone.
  /// - Returns: those there are, in the order in which they were heard of; whole or not.
  /// - Throws: when nothing could be sent.
  package func browse(within time: Duration, after mark: Mark? = nil) async throws(LoopError) -> [ServiceInstance] {
    var search = Search(of: type, after: mark ?? self.mark)
    _ = try await run(&search, within: time) { _ in nil }
    return search.picture.instances
  }

  /// Looks for a service until its port, TXT record and an address are known.
  /// - Parameter mark: what was heard after it counts too; nil: what comes from now on alone.
  /// - Returns: nil when the time is over.
  /// - Throws: when nothing could be sent.
  package func find(
    _ target: ServiceTarget, within time: Duration, after mark: Mark? = nil
  ) async throws(LoopError) -> ServiceInstance? {
    try await find(within: time, after: mark) { target.matches($0) }
  }

  /// The same for one that fulfils `matches`, which is asked on the loop about whole ones alone.
  package func find(
    within time: Duration, after mark: Mark? = nil, where matches: @Sendable (ServiceInstance) -> Bool
  ) async throws(LoopError) -> ServiceInstance? {
    var search = Search(of: type, after: mark ?? self.mark)
    return try await run(&search, within: time) { picture in picture.instances.first { $0.isResolved && matches($0) } }
  }

  /// Asks for the records of an instance until its port, TXT record and an address are known.
  /// - Returns: what is known when the time is over, perhaps not all; nil for nothing at all.
  /// - Throws: when nothing could be sent.
  package func resolve(
    instance name: DNSName, within time: Duration, after mark: Mark? = nil
  ) async throws(LoopError) -> ServiceInstance? {
    var search = Search(of: type, after: mark ?? self.mark, only: name)
    return try await run(&search, within: time) { picture in
      picture.instance(name).flatMap { $0.isResolved ? $0 : nil }
    } ?? search.picture.instance(name)
  }

  /// A search under way: what was heard, and what was asked when.
  private struct Search {
    var picture: ServicePicture
    var mark: Mark
    let instance: DNSName?
    private var asked: [DNSQuestion: (last: Duration, times: Int)] = [:]
    private var nextBrowse = Duration.zero
    private var hasBrowsed = false
    /// RFC 6762 §5.2: a second at first, then each at least twice the one before.
    private var pause = Duration.seconds(1)

    init(of type: DNSName, after mark: Mark, only instance: DNSName? = nil) {
      picture = ServicePicture(of: type)
      self.mark = mark
      self.instance = instance
      browseQuestion = DNSQuestion(type, DNSType.ptr)
    }

    private let browseQuestion: DNSQuestion

    /// What is to be asked now, 64 questions at most, and when to look again at the latest.
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
        // A record is multicast once in a second at most, RFC 6762 §6; so the first question asks for an answer to us alone (§5.4), which
        // is not held up. Who doesn't know such questions is asked again soon.
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

  /// Asks and listens until `found` has something, or the time is over.
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
      // The records of a service come one after the other: no need to look at each alone.
      if heard != nil { _ = await first(after: mark, within: .milliseconds(5)) { _ in false } }
    }
  }

  /// The machine's, not the observer's: that one may be anything.
  private var now: Duration { .nanoseconds(Int64(loop.readClock())) }
}
