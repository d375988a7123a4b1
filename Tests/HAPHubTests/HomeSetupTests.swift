#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPWire
  import Testing

  @testable import HAPHomeControl
  @testable import HAPHub

  /// The addition of accessories in steps over HTTP.
  @Suite("Setups of the API of homes") struct HomeSetupTests {
    /// A hub with a home, and a lamp that is not paired.
    private static func withNewLamp(
      _ body: @escaping @Sendable (HubBench, ServedHomeAPI) async throws -> Void
    ) async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let served = try await ServedHomeAPI(bench.hub)
        try await served.node("POST", "/v1/homes", #"{"name": "Home", "timeZone": "UTC", "owner": "Ann"}"#)
        try await served.node(
          "POST", "/v1/homes/commands",
          #"{"command": "add-room", "home": "\#(try await home(served))", "name": "Hall"}"#)
        try await body(bench, served)
        await served.api.close()
      }
    }

    private static func home(_ served: ServedHomeAPI) async throws -> String {
      let homes = try await served.node("GET", "/v1/homes")["homes"]?.elements
      return try #require(homes?.first?["id"]?.stringValue)
    }

    private static func begin(_ served: ServedHomeAPI, _ body: String = "{}") async throws -> String {
      let setup = try await served.node("POST", "/v1/homes/setups", body)
      return try #require(setup["id"]?.stringValue)
    }

    private static func answer(_ served: ServedHomeAPI, _ id: String, _ body: String) async throws -> JSONNode {
      try await served.node("POST", "/v1/homes/setups/\(id)/answers", body)
    }

    private static func state(_ served: ServedHomeAPI, _ id: String) async throws -> JSONNode {
      try await served.node("GET", "/v1/homes/setups/\(id)")
    }

    private static func appear(_ bench: HubBench) async {
      await bench.port.report(
        .seen(
          SeenDevice(
            device: Script.id(1), name: "Lamp", model: "L", category: 5, isPaired: false, setupHash: nil,
            configurationNumber: 1, addresses: [])))
      await bench.settle()
    }

    @Test("Code, choice, name and room: each step is shown, and is an event") func whole() async throws {
      try await Self.withNewLamp { bench, served in
        let id = try await Self.begin(served)
        #expect(try await Self.state(served, id)["step"]?.stringValue == "code")
        let wrong = try await Self.answer(served, id, #"{"code": "12"}"#)
        #expect(wrong["step"]?.stringValue == "code" && wrong["problem"]?["code"]?.integerValue == 3)
        let other = try await Self.answer(served, id, #"{"code": "111-22-333"}"#)
        #expect(other["step"]?.stringValue == "choose" && other["candidates"]?.elements?.isEmpty == true)
        await Self.appear(bench)
        #expect(try await Self.state(served, id)["candidates"]?.elements?.count == 1)
        #expect(try await Self.answer(served, id, #"{"back": true}"#)["step"]?.stringValue == "code")
        _ = try await Self.answer(served, id, #"{"code": "111-22-333"}"#)
        let chosen = try await Self.answer(served, id, #"{"choose": "AA:00:00:00:00:01"}"#)
        #expect(chosen["step"]?.stringValue == "verifying")
        await bench.settle()
        let refused = try await Self.state(served, id)
        #expect(refused["step"]?.stringValue == "code" && refused["problem"]?["code"]?.integerValue == 18)
        _ = try await Self.answer(served, id, #"{"code": "\#(ScriptedPort.code)"}"#)
        await bench.settle()
        let page = try #require(try await Self.state(served, id)["page"])
        #expect(page["typeName"]?.stringValue == "Light Bulb" && page["asksRoom"]?.boolValue == true)
        // An answer to another step changes nothing.
        #expect(try await Self.answer(served, id, #"{"code": "1"}"#)["step"]?.stringValue == "page")
        _ = try await Self.answer(served, id, #"{"name": "Desk Lamp", "newRoom": "Study"}"#)
        await bench.settle()
        let done = try await Self.state(served, id)
        #expect(done["step"]?.stringValue == "done" && done["accessories"]?.elements?.count == 1)
        let home = try await served.node("GET", "/v1/homes/Home")
        let lamp = try #require(home["accessories"]?.elements?.first)
        let study = home["rooms"]?.elements?.first { $0["name"]?.stringValue == "Study" }
        #expect(lamp["name"]?.stringValue == "Desk Lamp" && lamp["room"]?.stringValue == study?["id"]?.stringValue)
        let steps = try await served.events().compactMap { $0["setup"]?["step"]?.stringValue }
        #expect(steps.filter { $0 == "verifying" }.count == 2 && steps.last == "done")
        // The code is not in any event.
        let log = try await served.ask("GET", "/v1/homes/log")
        let text = String(decoding: log.body, as: UTF8.self)
        // An error message has the code of the examples in the documentation, which is that of the tests.
        #expect(!text.contains("111-22-333") && text.ranges(of: ScriptedPort.code).count == 1)
      }
    }

    @Test("A cancelled setup removes the pairing that was made") func cancel() async throws {
      try await Self.withNewLamp { bench, served in
        let id = try await Self.begin(served, #"{"home": "home", "device": "AA:00:00:00:00:01"}"#)
        _ = try await Self.answer(served, id, #"{"code": "\#(ScriptedPort.code)"}"#)
        await bench.settle(.seconds(1))
        #expect(try await Self.state(served, id)["step"]?.stringValue == "page")
        try await served.node("DELETE", "/v1/homes/setups/\(id)")
        await bench.settle(.seconds(1))
        #expect(try await served.refusal("GET", "/v1/homes/setups/\(id)").hasPrefix("404"))
        let steps = try await served.events().compactMap { $0["setup"]?["step"]?.stringValue }
        #expect(steps.suffix(2) == ["cancelling", "cancelled"])
        #expect(bench.devices[0].removed.count == 1)
        #expect(try await served.node("GET", "/v1/homes/Home")["accessories"]?.elements?.isEmpty == true)
      }
    }

    @Test("A setup that no client continues is cancelled, and forgotten later") func abandoned() async throws {
      try await Self.withNewLamp { bench, served in
        let id = try await Self.begin(served)
        await bench.settle(.seconds(601))
        let steps = try await served.events().compactMap { $0["setup"]?["step"]?.stringValue }
        #expect(steps == ["cancelled"])
        await bench.settle(.seconds(601))
        #expect(try await served.refusal("GET", "/v1/homes/setups/\(id)").hasPrefix("404 not-found"))
      }
    }

    @Test("If a setup is abandoned after the pairing, the accessory stays in the home") func abandonedLater()
      async throws
    {
      try await Self.withNewLamp { bench, served in
        let id = try await Self.begin(served, #"{"device": "AA:00:00:00:00:01"}"#)
        _ = try await Self.answer(served, id, #"{"code": "\#(ScriptedPort.code)"}"#)
        await bench.settle(.seconds(601))
        #expect(try await served.refusal("GET", "/v1/homes/setups/\(id)").hasPrefix("404 not-found"))
        let home = try await served.node("GET", "/v1/homes/Home")
        #expect(home["accessories"]?.elements?.count == 1 && bench.devices[0].removed.isEmpty)
      }
    }

    @Test("The number of setups is limited; one that is over makes room") func limit() async throws {
      try await Self.withNewLamp { _, served in
        let ids = try await (0..<16).asyncMap { _ in try await Self.begin(served) }
        #expect(try await served.refusal("POST", "/v1/homes/setups", "{}").hasPrefix("409 too-many-setups"))
        try await served.node("DELETE", "/v1/homes/setups/\(ids[3])")
        let next = try await Self.begin(served)
        #expect(next == "17")
        #expect(try await served.refusal("GET", "/v1/homes/setups/\(ids[3])").hasPrefix("404"))
      }
    }

    @Test(
      "Wrong answers are refused",
      arguments: [
        "{}", "[]", #"{"code": 1}"#, #"{"code": "1", "choose": "AA:00:00:00:00:01"}"#, #"{"choose": "x"}"#,
        #"{"name": "A"}"#, #"{"name": "A", "room": "x"}"#, #"{"back": false}"#, #"{"home": "Home"}"#,
        #"{"name": "A", "newRoom": "B", "room": "869784B4-84D9-41C6-9671-7BE5B0F29D62"}"#, #"{"room": "A"}"#,
      ])
    func wrong(_ body: String) async throws {
      try await Self.withNewLamp { _, served in
        let id = try await Self.begin(served)
        let refusal = try await served.refusal("POST", "/v1/homes/setups/\(id)/answers", body)
        #expect(refusal.hasPrefix("422 invalid-body"), "\(refusal)")
        for other in ["0", "+1", "01", "x"] {
          #expect(try await served.refusal("GET", "/v1/homes/setups/\(other)").hasPrefix("404"), "\(other)")
        }
      }
    }
  }

  extension Range<Int> {
    fileprivate func asyncMap<T>(_ body: (Int) async throws -> T) async rethrows -> [T] {
      var all: [T] = []
      for number in self { all.append(try await body(number)) }
      return all
    }
  }
#endif
