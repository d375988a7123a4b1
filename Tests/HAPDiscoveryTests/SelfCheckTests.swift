import HAPLoop
import Testing
import WorldTestSupport

@testable import HAPDiscovery

private final class Owner {}

/// A self-check on a loop, and its reports: "unseen door", and "browse" or "rest".
private final class Station: @unchecked Sendable {  // confined to the world's thread
  let loop: EventLoop
  let reports: AsyncStream<String>
  private(set) var check: SelfCheck!
  let owners = (0..<3).map { _ in Owner() }
  private let report: AsyncStream<String>.Continuation
  private let patience: Duration

  init(_ host: TestHost, patience: Duration = .milliseconds(1)) throws {
    loop = try host.makeLoop("self-check")
    self.patience = patience
    (reports, report) = AsyncStream.makeStream(of: String.self)
    try loop.performAndWait {
      self.check = SelfCheck(self.loop, patience: patience) { self.report.yield($0 ? "browse" : "rest") }
    }
  }

  /// Runs on the loop's thread.
  func look(for name: String, _ owner: Int = 0, then: @escaping () -> Void = {}) {
    check.look(for: name, onBehalfOf: owners[owner]) { outcome in
      switch outcome {
      case .seen: self.report.yield("seen \(name)")
      case .unseen(let time): self.report.yield(time == self.patience ? "unseen \(name)" : "unseen after \(time)")
      }
      then()
    }
  }

  func mark(_ text: String) { report.yield(text) }

  func with(_ body: @escaping @Sendable (Station) -> Void) throws { try loop.performAndWait { body(self) } }

  func next(_ count: Int) async -> [String] {
    var found: [String] = []
    for await report in reports {
      found.append(report)
      if found.count == count { break }
    }
    return found
  }

  /// A closed handle is released after three turns.
  func openHandleCount() throws -> Int {
    for _ in 0..<2 { try with { _ in } }
    return try loop.performAndWait { self.loop.openHandleCount }
  }

  /// Ends the searches, and checks that there are no further reports and no timers.
  func close() async throws {
    try with { station in
      station.mark("end")
      for owner in station.owners { station.check.cancel(owner) }
    }
    #expect(await next(1) == ["end"])
    #expect(try openHandleCount() == 0)
    try with { $0.check = nil }
    loop.stop()
  }
}

@Suite("The self-check, in a simulated world") struct SelfCheckTests {
  @Test("A name that is not found is reported once, and the search continues until it is seen") func unseen()
    async throws
  {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { $0.look(for: "door") }
      #expect(await station.next(2) == ["browse", "unseen door"])
      #expect(try station.openHandleCount() == 0)
      try station.with { $0.check.appeared("door") }
      #expect(await station.next(2) == ["seen door", "rest"])
      try await station.close()
    }
  }

  @Test("A name that is seen in time is never reported as unseen") func seen() async throws {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { station in
        station.look(for: "door", 0)
        station.look(for: "lamp", 1)
        station.look(for: "lock", 2)
        station.check.appeared("door")
        station.check.seen(station.owners[1])
      }
      #expect(await station.next(4) == ["browse", "seen door", "seen lamp", "unseen lock"])
      try await station.close()
    }
  }

  @Test("A name that is already visible is seen at once, and one that disappeared is not") func visible() async throws {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { station in
        station.look(for: "lock", 0)
        for _ in 0..<2 { station.check.appeared("door") }
        station.check.disappeared("door")
        station.look(for: "door", 1)
        station.check.disappeared("door")
        station.look(for: "door", 2)
      }
      #expect(await station.next(4) == ["browse", "seen door", "unseen lock", "unseen door"])
      try await station.close()
    }
  }

  @Test("An owner's new search replaces its old one") func renewed() async throws {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { station in
        station.look(for: "lock", 1)
        station.look(for: "door")
        station.look(for: "lamp")
        station.check.appeared("door")
      }
      #expect(await station.next(3) == ["browse", "unseen lock", "unseen lamp"])
      try await station.close()
    }
  }

  @Test("A search that begins after the first deadline has a separate deadline") func second() async throws {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { station in
        station.look(for: "door", 0) {
          station.look(for: "lamp", 1)
          station.loop.schedule { station.mark("turn") }
        }
      }
      #expect(await station.next(4) == ["browse", "unseen door", "turn", "unseen lamp"])
      try station.with { $0.look(for: "lock", 2) }
      #expect(await station.next(1) == ["unseen lock"])
      try await station.close()
    }
  }

  @Test("Finished searches keep no timer, even while another search is open") func overSearches() async throws {
    try await withTestHost { host in
      let station = try Station(host, patience: .milliseconds(100))
      try station.with { station in
        station.look(for: "door", 0) {
          // Their deadlines come after this one.
          for number in 0..<1000 { station.look(for: "lamp \(number)", 1) }
          station.check.cancel(station.owners[1])
        }
      }
      #expect(await station.next(2) == ["browse", "unseen door"])
      #expect(try station.openHandleCount() == 0)
      try await station.close()
    }
  }

  @Test("The self-check browses while a search is open, and doesn't report a cancelled search") func cancelled()
    async throws
  {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { station in
        station.look(for: "door", 0)
        station.look(for: "lamp", 1)
        station.check.cancel(station.owners[0])
        station.check.cancel(station.owners[1])
        station.check.cancel(station.owners[1])
        station.check.appeared("lamp")
      }
      #expect(await station.next(2) == ["browse", "rest"])
      #expect(try station.openHandleCount() == 0)
      try station.with { $0.look(for: "lamp", 1) }
      #expect(await station.next(2) == ["browse", "unseen lamp"])
      try await station.close()
    }
  }

  @Test("Two owners of one name each get a report") func shared() async throws {
    try await withTestHost { host in
      let station = try Station(host)
      try station.with { station in
        for owner in 0..<3 { station.look(for: "door", owner) }
        station.check.cancel(station.owners[1])
      }
      #expect(await station.next(3) == ["browse", "unseen door", "unseen door"])
      try station.with { $0.check.appeared("door") }
      #expect(await station.next(3) == ["seen door", "seen door", "rest"])
      try await station.close()
    }
  }
}
