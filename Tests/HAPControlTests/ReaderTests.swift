import HAPScenario
import HAPWeb
import HAPWire
import Testing

@testable import HAPControl

@Suite("Events and their readers") struct ReaderTests {
  /// A scenario that is played until `isPlaying` is false.
  private final class Playing: ControlledScenarios, @unchecked Sendable {  // used on the loop's thread alone
    var isPlaying = true
    static func read(_ text: String) throws(WebProblem) -> Scenario { throw WebProblem(422, "none", text) }
    func begin(_ scenario: Scenario) throws(WebProblem) {}
    func stop() throws(WebProblem) { isPlaying = false }
    func write(to json: inout JSONWriter) {}
  }

  private func reading(
    patience: Duration = .seconds(600), reportsAll: Bool = false, scenarios: Playing? = nil,
    _ body: (ServedControl) async throws -> Void
  ) async throws {
    let served = try await ServedControl(
      [Profiles.lamp], reportsAll: reportsAll, readerPatience: patience, scenarios: scenarios)
    do {
      try await body(served)
      try await served.stop()
    } catch {
      try await served.stop()
      throw error
    }
  }

  /// Whether a change of a value is recorded.
  private func isRecorded(in served: ServedControl) async throws -> Bool {
    let last = try await served.look { $1.lastNumber }
    for value in [10, 20] {
      _ = try await served.node("PUT", "/v1/accessories/1/characteristics/Brightness", "{\"value\": \(value)}")
    }
    return try await served.look { $1.lastNumber } > last
  }

  @Test("Nothing is recorded before a client reads, nor after the last event stream has closed") func stream()
    async throws
  {
    try await reading { served in
      #expect(try await !isRecorded(in: served))
      _ = try await served.node("GET", "/v1/log")
      #expect(try await isRecorded(in: served))
      let listener = try await served.look { $1.listen {} }
      try await served.look { api, _ in api.endReportingIfUnread() }
      #expect(try await isRecorded(in: served))
      try await served.look { $1.stopListening(listener) }
      #expect(try await isRecorded(in: served))
      try await served.look { api, _ in api.endReportingIfUnread() }
      #expect(try await !isRecorded(in: served))
      _ = try await served.ask("GET", "/v1/events")
      #expect(try await isRecorded(in: served))
    }
  }

  @Test("Recording continues while a scenario is played") func scenario() async throws {
    let playing = Playing()
    try await reading(scenarios: playing) { served in
      _ = try await served.node("GET", "/v1/log")
      try await served.look { api, _ in api.endReportingIfUnread() }
      #expect(try await isRecorded(in: served))
      try await served.look { _, _ in playing.isPlaying = false }
      try await served.look { api, _ in api.endReportingIfUnread() }
      #expect(try await !isRecorded(in: served))
    }
  }

  @Test("The journal shows whether a client reads") func reader() async throws {
    try await reading { served in
      #expect(try await !served.look { $1.hasReader })
      _ = try await served.node("GET", "/v1/log")
      #expect(try await served.look { $1.hasReader })
      try await served.look { api, _ in api.endReportingIfUnread() }
      #expect(try await !served.look { $1.hasReader })
    }
  }

  @Test("Recording ends by itself if no client reads again") func patience() async throws {
    try await reading(patience: .zero) { served in
      _ = try await served.node("GET", "/v1/log")
      while try await isRecorded(in: served) { await Task.yield() }
    }
  }

  @Test("Events that were recorded at the start are recorded without a reader, too") func atStart() async throws {
    try await reading(reportsAll: true) { served in
      _ = try await served.node("GET", "/v1/log")
      try await served.look { api, _ in api.endReportingIfUnread() }
      #expect(try await isRecorded(in: served))
    }
  }
}
