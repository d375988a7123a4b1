#if os(Linux)
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPWeb
  import HAPWire
  import Testing

  @testable import HAPHomeControl
  @testable import HAPHub

  /// The API of homes, with scripted accessories.
  @Suite("The API of homes") struct HomeAPITests {
    @Test("A home is shown with its state, and the values follow") func view() async throws {
      try await withAPI { bench, app, served in
        let homes = try await served.node("GET", "/v1/homes")["homes"]?.elements
        #expect(homes?.count == 1 && homes?[0]["role"]?.stringValue == "owner")
        #expect(try await served.values()["Lamp 1/On"]?.isNull == true)
        await bench.settle()
        // A change at the accessory is an event, and is in the next view.
        bench.devices[0].event(AttributeID(aid: 1, iid: 11), .bool(true))
        await bench.settle()
        #expect(try await served.values()["Lamp 1/On"]?.boolValue == true)
        let event = try #require(try await served.events().last { $0["event"]?.stringValue == "values" })
        #expect(event["values"]?.elements?.first?["value"]?.boolValue == true)
        bench.devices[1].lose()
        await bench.settle(.seconds(60))
        let home = try await served.node("GET", "/v1/homes/\(app.home.id)")
        #expect(home["accessories"]?.elements?.map { $0["reachable"]?.boolValue } == [true, false])
        #expect(home["accessories"]?.elements?[1]["why"]?.stringValue == "no answer")
      }
    }

    @Test("A write reaches the accessory; a refused one names the reason, and nothing is sent") func write()
      async throws
    {
      try await withAPI { bench, app, served in
        let path = "/v1/homes/home/characteristics"
        let on = try app.id("Lamp 1", .on)
        #expect(try await served.node("PUT", "\(path)/Lamp 1%2FOn", #"{"value": "on"}"#)["value"]?.boolValue == true)
        #expect(try await served.node("GET", "\(path)/\(on)")["value"]?.boolValue == true)
        #expect(bench.devices[0].values[AttributeID(aid: 1, iid: 11)] == .bool(true))
        try await served.node("PUT", "\(path)/Lamp 1%2FBrightness", #"{"value": 40}"#)
        #expect(bench.devices[0].puts.count == 2)
        for (target, body, error) in [
          ("Lamp 1%2FBrightness", #"{"value": 99999999999}"#, "422 value-higher-than-maximum 45"),
          ("Lamp 1%2FBrightness", #"{"value": "dim"}"#, "422 invalid-body"),
          ("Lamp 1%2FOn", #"{"value": null}"#, "422 invalid-value-type 43"),
          ("Lamp 1%2FOn", #"{"valeu": true}"#, "422 invalid-body"),
          ("Lamp 1%2FOn", "[", "400 malformed"),
          ("Lamp 3%2FOn", #"{"value": true}"#, "404 not-found"),
          ("Lamp 1", #"{"value": true}"#, "404 not-found"),
        ] {
          let refusal = try await served.refusal("PUT", "\(path)/\(target)", body)
          #expect(refusal.hasPrefix(error + ":"), "\(target) \(body): \(refusal)")
        }
        #expect(bench.devices[0].puts.count == 2)
        bench.devices[0].lose()
        await bench.settle()
        let lost = try await served.refusal("PUT", "\(path)/\(on)", #"{"value": true}"#)
        #expect(lost.hasPrefix("503 accessory-not-reachable 4:"), "\(lost)")
        #expect(
          try await served.refusal("PUT", "/v1/homes/Hoem/characteristics/x", #"{"value": 1}"#)
            == "404 not-found: there is no home \"Hoem\": did you mean \"Home\"?")
      }
    }

    @Test("A scene is executed, and several writes are one execution") func scenes() async throws {
      try await withAPI { bench, app, served in
        try await app.addSet("Evening", (1...2).map { HomeAction(try app.id("Lamp \($0)", .on), .bool(true)) })
        let result = try await served.node("POST", "/v1/homes/Home/scenes/evening/execute")["result"]
        #expect(result?["actions"]?.elements?.map { $0["outcome"]?.stringValue } == ["done", "done"])
        bench.devices[1].lose()
        await bench.settle()
        let partial = try await served.node("POST", "/v1/homes/Home/scenes/Evening/execute")["result"]
        #expect(partial?["error"]?["code"]?.integerValue == 64)
        let writes =
          #"{"actions": [{"characteristic": "Lamp 1/On", "value": false}, {"characteristic": "Lamp 1/Brightness", "value": 5}]}"#
        try await served.node("POST", "/v1/homes/Home/writes", writes)
        #expect(bench.devices[0].puts.last?.entries.count == 2)
        let twice =
          #"{"actions": [{"characteristic": "Lamp 1/On", "value": 1}, {"characteristic": "Lamp 1/On", "value": 0}]}"#
        #expect(try await served.refusal("POST", "/v1/homes/Home/writes", twice).hasPrefix("422 invalid-body"))
        #expect(try await served.refusal("POST", "/v1/homes/Home/scenes/Morning/execute").hasPrefix("404 not-found"))
        // The execution of another app is an event, too.
        try await app.ask(.execute([try app.set("Evening")]))
        let executed = try await served.events().filter { $0["event"]?.stringValue == "executed" }
        #expect(executed.count == 4)
      }
    }

    @Test("A trigger shows its next time, is fired, and explains itself") func triggers() async throws {
      try await withAPI { bench, app, served in
        try await app.addSet("Evening", [HomeAction(try app.id("Lamp 1", .on), .bool(true))])
        let next = "2026-01-02T19:00:00Z"
        let day = #"{"command": "add-trigger", "home": "\#(app.home.id)", "name": "dusk", "at": "\#(next)"}"#
        try await served.node("POST", "/v1/homes/commands", day)
        await bench.settle()
        let (trigger, set) = (try app.trigger("dusk").id, try app.set("Evening"))
        for command in ["add-action-set-to-trigger", "enable-trigger"] {
          let member = command == "enable-trigger" ? "" : #", "actionSet": "\#(set)""#
          try await served.node(
            "POST", "/v1/homes/commands", #"{"command": "\#(command)", "trigger": "\#(trigger)"\#(member)}"#)
        }
        await bench.settle()
        let shown = try await served.node("GET", "/v1/homes/Home")["triggers"]?.elements?.first
        #expect(shown?["next"]?.stringValue == next && shown?["runs"]?.elements?.count == 1)
        #expect(shown?["lastEvaluation"] == nil)
        let fired = try await served.node("POST", "/v1/homes/Home/triggers/dusk/fire")["evaluation"]
        #expect(fired?["outcome"]?.stringValue == "executed")
        let why = try await served.node("GET", "/v1/homes/Home/triggers/dusk/evaluations")["evaluations"]
        #expect(why?.elements?.count == 1)
        let after = try await served.node("GET", "/v1/homes/Home")["triggers"]?.elements?.first
        #expect(after?["lastEvaluation"]?["outcome"]?.stringValue == "executed")
        let unknown = try await served.refusal("POST", "/v1/homes/commands", #"{"command": "add-rom"}"#)
        #expect(unknown.contains("did you mean \"add-room\"?"))
      }
    }

    @Test("The place of a user is set; wrong places are refused") func places() async throws {
      try await withAPI { _, _, served in
        for place in [#""home""#, #""away""#, "[37.33, -122.03]"] {
          try await served.node("PUT", "/v1/homes/Home/users/Ann/place", #"{"place": \#(place)}"#)
          let users = try await served.node("GET", "/v1/homes/Home")["users"]?.elements
          #expect(users?.first?["place"] != nil)
        }
        for wrong in [#""hom""#, "[91, 0]", "[1]", "{}"] {
          let refusal = try await served.refusal("PUT", "/v1/homes/Home/users/Ann/place", #"{"place": \#(wrong)}"#)
          #expect(refusal.hasPrefix("422 invalid-body"), "\(wrong): \(refusal)")
        }
      }
    }

    @Test("Values are subscribed while a client reads, and not afterwards") func readers() async throws {
      try await withAPI(patience: .seconds(60)) { bench, _, served in
        #expect(bench.devices[0].subscriptions.last ?? [] == [])
        _ = try await served.values()
        await bench.settle()
        #expect(bench.devices[0].subscriptions.last?.isEmpty == false)
        await bench.settle(.seconds(61))
        #expect(bench.devices[0].subscriptions.last == [])
        _ = try await served.ask("GET", "/v1/homes/events")
        await bench.settle()
        #expect(bench.devices[0].subscriptions.last?.isEmpty == false)
      }
    }

    @Test("A value that is read counts, also if the accessory did not report its change") func reads() async throws {
      try await withAPI { bench, _, served in
        _ = try await served.values()
        await bench.settle()
        bench.devices[0].event(AttributeID(aid: 1, iid: 11), .bool(true))
        await bench.settle()
        bench.devices[0].values[AttributeID(aid: 1, iid: 11)] = .bool(false)
        #expect(try await served.values()["Lamp 1/On"]?.boolValue == true)
        let read = try await served.node("GET", "/v1/homes/home/characteristics/Lamp 1%2FOn")
        #expect(read["value"]?.boolValue == false)
        #expect(try await served.values()["Lamp 1/On"]?.boolValue == false)
        let event = try #require(try await served.events().last { $0["event"]?.stringValue == "values" })
        #expect(event["values"]?.elements?.first?["value"]?.boolValue == false)
      }
    }

    @Test(
      "The removal of an accessory before the subscription does not end that to the others", arguments: [false, true])
    func removal(isEventFirst: Bool) async throws {
      try await withAPI { bench, app, served in
        await served.api.close()
        let (hub, gone) = (bench.hub, try app.accessory("Lamp 2").id)
        let late = LateHub(hub) {
          try await app.perform(.removeAccessory(gone))
          if isEventFirst { try await hub.loop.sleep(for: .milliseconds(100)) }
        }
        let served = try await ServedHomeAPI(hub, late: late)
        _ = try await served.values()
        await bench.settle(.seconds(1))
        bench.devices[0].event(AttributeID(aid: 1, iid: 11), .bool(true))
        await bench.settle()
        #expect(try await served.values()["Lamp 1/On"]?.boolValue == true)
        await served.api.close()
      }
    }

    @Test("A request after the end of the hub is refused") func ended() async throws {
      try await withAPI { bench, _, served in
        await bench.hub.stop()
        #expect(try await served.refusal("GET", "/v1/homes").hasPrefix("503 no-home-hub 91"))
        let refusal = try await served.refusal(
          "POST", "/v1/homes", #"{"name": "B", "timeZone": "UTC", "owner": "Ann"}"#)
        #expect(refusal.hasPrefix("503 no-home-hub 91"))
      }
    }
  }
#endif
