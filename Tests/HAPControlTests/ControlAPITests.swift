import HAPModel
import HAPProfile
import HAPWeb
import HAPWire
import Testing

@testable import HAPControl

@Suite("The control API") struct ControlAPITests {
  private let door = "/v1/accessories/1/characteristics/TargetDoorState"

  @Test("A value set by hand takes effect; value names of the catalogue are accepted") func set() async throws {
    try await controlled(Profiles.garage) { (control) async throws in
      let answer = try await control.node("PUT", door, #"{"value": "open"}"#)
      #expect(answer["value"]?.integerValue == 0 && answer["word"]?.stringValue == "open")
      let current = "/v1/accessories/1/characteristics/CurrentDoorState"
      #expect(try await control.node("GET", current)["word"]?.stringValue == "opening")
      #expect(
        try await control.node("POST", "/v1/clock/advance", #"{"duration": "10s"}"#)["now"]?.numberValue?.double == 10)
      #expect(try await control.node("GET", current)["word"]?.stringValue == "open")
    }
  }

  @Test("An invalid value, body, name or method is refused with a reason and its place") func refusals() async throws {
    try await controlled(Profiles.garage) { (control) async throws in
      #expect(
        try await control.refusal("PUT", door, #"{"value": 7}"#)
          == "422 invalid-value: Target Door State can't be 7: maxValue is 1")
      #expect(
        try await control.refusal("PUT", door, #"{"value": "ajar"}"#).hasPrefix(
          "422 invalid-value: no value of Target Door State is named \"ajar\""))
      #expect(try await control.refusal("PUT", door, #"{"value": [1]}"#).hasPrefix("422 invalid-value"))
      #expect(try await control.refusal("PUT", door, "{\n \"value\":").hasPrefix("400 malformed: "))
      #expect(try await control.refusal("PUT", door, "{\n \"value\":").hasSuffix("( 2:10)"))
      #expect(
        try await control.refusal("PUT", door, "{\n  \"valu\": 1}")
          == "422 invalid-body: there is no member \"valu\" here: did you mean \"value\"? (valu 2:3)")
      #expect(try await control.refusal("PUT", door, "[]").hasPrefix("422 invalid-body: an object is expected"))
      #expect(try await control.refusal("PUT", door, "{}").hasPrefix("422 invalid-body"))
      #expect(try await control.refusal("PUT", door).hasPrefix("400 no-body"))
      #expect(try await control.refusal("PUT", door, #"{"value": 1}"#, type: "text/plain").hasPrefix("415 wrong-type"))
      #expect(try await control.refusal("PUT", door, #"{"value": 1, "x-more": 2}"#).hasPrefix("422 invalid-body"))
      #expect(
        try await control.refusal("GET", door + "?ait=1").hasPrefix(
          "400 bad-query: there is no query parameter \"ait\" here: did you mean \"aid\"?"))
      #expect(try await control.refusal("GET", door + "?aid=1&aid=1").hasPrefix("400 bad-query"))
      for aid in ["0", "-1", "x", "9007199254740992", "99999999999999999999999"] {
        #expect(try await control.refusal("GET", door + "?aid=" + aid).hasPrefix("400 bad-query"), "\(aid)")
      }
      #expect(try await control.refusal("GET", door + "?aid=2").hasPrefix("404 no-such-characteristic"))
      #expect(
        try await control.refusal("GET", "/v1/accessories/1/characteristics/TargetDorState").contains("did you mean"))
      #expect(try await control.refusal("GET", "/v1/accessories/Garag").contains("did you mean \"Garage\"?"))
      #expect(try await control.refusal("GET", "/v1/accessories/2").hasPrefix("404 no-such-accessory"))
      #expect(try await control.refusal("GET", "/v2").hasPrefix("404"))
      #expect(try await control.refusal("GET", "/v1/").hasPrefix("404") == false)
      #expect(try await control.refusal("GET", "/v1/nothing").hasPrefix("404 no-such-path"))
      let wrong = try await control.ask("POST", "/v1/accessories/1")
      #expect(wrong.status == 405)
      #expect(wrong.fields.contains(HTTPField("Allow", "DELETE, GET, PATCH, HEAD")))
      #expect(try await control.ask("POST", "/index.html").status == 405)
      #expect(try await control.node("GET", door)["word"]?.stringValue == "closed", "no value has changed")
    }
  }

  @Test("An accessory is named by its number, its device ID or its name") func names() async throws {
    try await controlled(Profiles.garage, Profiles.lamp) { (control) async throws in
      let lamp = try await control.node("GET", "/v1/accessories/2")
      let id = try #require(lamp["deviceID"]?.stringValue)
      for name in ["2", id, "lamp", "LAMP"] {
        #expect(try await control.node("GET", "/v1/accessories/\(name)")["number"]?.integerValue == 2)
      }
      let list = try await control.node("GET", "/v1/accessories")
      #expect(list["accessories"]?.elements?.compactMap { $0["name"]?.stringValue } == ["Garage", "Lamp"])
    }
  }

  @Test("A profile in the body is served once; a deleted accessory leaves nothing, and its number is not reused")
  func adding() async throws {
    try await controlled(Profiles.garage) { (control) async throws in
      let added = try await control.ask("POST", "/v1/accessories", Profiles.lamp)
      #expect(added.status == 201 && added.fields.contains(HTTPField("Location", "/v1/accessories/2")))
      #expect(try await control.refusal("POST", "/v1/accessories", Profiles.lamp).hasPrefix("409 not-possible"))
      #expect(try await control.ask("DELETE", "/v1/accessories/Lamp").status == 204)
      #expect(try await control.ask("DELETE", "/v1/accessories/2").status == 404)
      #expect(try await control.node("POST", "/v1/accessories", Profiles.lamp)["number"]?.integerValue == 3)
      let log = try await control.node("GET", "/v1/log")
      let names = log["events"]?.elements?.compactMap { $0["event"]?.stringValue }
      #expect(names?.filter { ["added", "removed"].contains($0) } == ["added", "removed", "added"])
      // The error contains each problem with its place.
      let bad = try await control.ask(
        "POST", "/v1/accessories",
        "{\"format\": \"hasaccessory/1\", \"name\": \"\",\n\"category\": \"lamp\", \"services\": [{\"type\": \"LightBulbb\"}]}"
      )
      let error = try #require(try JSONNode.parse(bad.body)["error"])
      #expect(bad.status == 422 && error["code"]?.stringValue == "invalid-profile" && error["line"]?.integerValue == 1)
      #expect((error["others"]?.elements?.count ?? 0) >= 2)
      #expect(try await control.refusal("POST", "/v1/accessories", "{").hasPrefix("400"))
    }
  }

  @Test("Files that behaviours in a body name are never read") func files() async throws {
    try await controlled(Profiles.garage) { (control) async throws in
      let profile = """
        {"format": "hasaccessory/1", "name": "Sensor", "category": "sensor", "services": [{"type": "TemperatureSensor", "primary": true,
          "behaviour": {"CurrentTemperature": {"replay": "Package.swift"}}}]}
        """
      #expect(try await control.refusal("POST", "/v1/accessories", profile).hasPrefix("422 invalid-profile"))
      for command in ["add", "replace"] {
        let line = "{\"command\": \"\(command)\", \"profile\": \"Profiles/lock.hasaccessory\"}"
        #expect(try await control.refusal("POST", "/v1/commands", line).hasPrefix("422 not-here"))
      }
    }
  }

  @Test("A minimal profile can be edited and served; a replaced profile keeps its ids and raises c#")
  func profiles() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      let made = try await control.ask(
        "POST", "/v1/profiles", #"{"services": ["LightBulb:Hue", "Outlet"], "name": "Desk"}"#)
      #expect(
        try await control.node("POST", "/v1/accessories", String(decoding: made.body, as: UTF8.self))["name"]?
          .stringValue == "Desk")
      #expect(try await control.refusal("POST", "/v1/profiles", #"{"services": ["LightBulp"]}"#).contains("LightBulb"))
      for wrong in [
        #"{}"#, #"{"services": []}"#, #"{"services": "LightBulb"}"#, #"{"services": ["Switch"], "name": ""}"#,
        #"{"services": ["Switch"], "category": "lampe"}"#,
      ] {
        #expect(try await control.refusal("POST", "/v1/profiles", wrong).hasPrefix("422 invalid-body"), "\(wrong)")
      }

      let text = try await control.ask("GET", "/v1/accessories/1/profile")
      #expect(String(decoding: text.body, as: UTF8.self) == Profiles.lamp)
      #expect(text.fields.contains(HTTPField("Content-Disposition", "attachment; filename=\"Lamp.hasaccessory\"")))
      let before = try await control.node("GET", "/v1/accessories/1/characteristics/Brightness")["iid"]?.integerValue
      let more = Profiles.lamp.replacing(
        #""characteristics": ["#,
        with:
          #""characteristics": [{"type": "A1B2C3D4-0000-4000-8000-001122334455", "description": "Fade Rate", "format": "uint16", "perms": ["pr", "pw", "ev"], "value": 5},"#
      )
      #expect(
        try await control.node("PUT", "/v1/accessories/1/profile", more)["configurationNumber"]?.integerValue == 2)
      #expect(
        try await control.node("GET", "/v1/accessories/1/characteristics/Brightness")["iid"]?.integerValue == before)
      #expect(
        try await control.node("PUT", "/v1/accessories/1/characteristics/FadeRate", #"{"value": 9}"#)["value"]?
          .integerValue == 9)
      #expect(String(decoding: try await control.ask("GET", "/v1/accessories/1/profile").body, as: UTF8.self) == more)
    }
  }

  @Test("Actions go to the service that supports them") func actions() async throws {
    try await controlled(Profiles.garage, Profiles.button, Profiles.bridge) { (control) async throws in
      func act(_ accessory: Int, _ body: String) async throws -> String {
        try await control.refusal("POST", "/v1/accessories/\(accessory)/actions", body)
      }
      #expect(try await act(1, #"{"action": "obstruct"}"#) == "204")
      #expect(
        try await control.node("GET", "/v1/accessories/1/characteristics/ObstructionDetected")["value"]?.boolValue
          == true)
      #expect(try await act(2, #"{"action": "press", "kind": "double"}"#) == "204")
      #expect(try await act(1, #"{"action": "press"}"#).hasPrefix("409 not-possible"))
      #expect(
        try await act(2, #"{"action": "press", "kind": "triple"}"#).hasPrefix(
          "422 invalid-body: single, double or long"))
      #expect(try await act(2, #"{"action": "pres"}"#).contains("did you mean \"press\"?"))
      #expect(try await act(1, #"{"action": "obstruct", "kind": "single"}"#).hasPrefix("422 invalid-body"))
      #expect(try await act(1, #"{"action": "battery", "value": 101}"#).hasPrefix("422 invalid-body"))
      #expect(try await act(1, #"{"action": "obstruct", "service": 99}"#).hasPrefix("404 no-such-service"))
      let services = try await control.node("GET", "/v1/accessories/2")["accessories"]?.elements?.first?["services"]?
        .elements
      #expect(services?.last?["actions"]?.elements?.map(\.stringValue) == ["press"])
      // Behind a bridge.
      #expect(try await control.ask("PATCH", "/v1/accessories/3/bridged/3", #"{"online": false}"#).status == 204)
      let bridged = try await control.node("GET", "/v1/accessories/3")["accessories"]?.elements?.map {
        $0["online"]?.boolValue
      }
      #expect(bridged == [true, true, false])
      #expect(try await control.refusal("PATCH", "/v1/accessories/3/bridged/9", #"{"online": false}"#).hasPrefix("404"))
      #expect(try await control.refusal("PATCH", "/v1/accessories/3/bridged/x", #"{"online": false}"#).hasPrefix("404"))
      #expect(try await control.refusal("PATCH", "/v1/accessories/1/bridged/1", #"{"online": false}"#).hasPrefix("409"))
      #expect(
        try await control.refusal("PUT", "/v1/accessories/3/characteristics/On", #"{"value": true}"#).hasPrefix(
          "409 ambiguous"))
      #expect(
        try await control.node("PUT", "/v1/accessories/3/characteristics/On?aid=2", #"{"value": true}"#)["value"]?
          .boolValue == true)
    }
  }

  @Test("Faults are started with their parameters, and ended") func faults() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      let latency = "/v1/accessories/1/faults/latency"
      let on = try await control.node("PUT", latency, #"{"by": "2s"}"#)
      #expect(on["faults"]?.elements?.map { $0["text"]?.stringValue } == ["latency:by=2s"])
      #expect(try await control.node("PUT", latency)["faults"]?.elements?.count == 1)
      #expect(try await control.refusal("PUT", latency, #"{"bi": "2s"}"#).contains("did you mean \"by\"?"))
      #expect(try await control.refusal("PUT", latency, #"{"fault": "trickle"}"#).hasPrefix("422 invalid-body"))
      #expect(try await control.refusal("PUT", latency, #"{"by": 7}"#).hasPrefix("422 invalid-body"))
      #expect(
        try await control.refusal("PUT", "/v1/accessories/1/faults/latenci").contains("did you mean \"latency\"?"))
      #expect(try await control.ask("DELETE", latency).status == 204)
      #expect(try await control.refusal("DELETE", latency).hasPrefix("409 not-possible"))
      #expect((try await control.node("GET", "/v1/faults")["faults"]?.elements?.count ?? 0) > 40)
    }
  }

  @Test("The network, restarts and the clock are controllable") func world() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      #expect(try await control.node("PATCH", "/v1/accessories/1", #"{"radio": false}"#)["radio"]?.boolValue == false)
      #expect(
        try await control.node("PATCH", "/v1/accessories/1", #"{"radio": true, "announced": false}"#)["radio"]?
          .boolValue == true)
      #expect(try await control.node("GET", "/v1/accessories/1")["announced"]?.boolValue == false)
      let before = try await control.node("GET", "/v1/accessories/1")["deviceID"]?.stringValue
      #expect(
        try await control.node("POST", "/v1/accessories/1/restart", #"{"kind": "reboot"}"#)["deviceID"]?.stringValue
          == before)
      #expect(
        try await control.node("POST", "/v1/accessories/1/restart", #"{"kind": "factory-reset"}"#)["deviceID"]?
          .stringValue != before)
      #expect(try await control.refusal("POST", "/v1/accessories/1/restart", #"{"kind": "remove"}"#).hasPrefix("422"))
      #expect(try await control.ask("POST", "/v1/accessories/1/identify").status == 204)
      #expect(try await control.ask("POST", "/v1/accessories/1/identify", #"{"aid": 1}"#).status == 204)
      #expect(try await control.refusal("POST", "/v1/accessories/1/identify", #"{"aid": 0}"#).hasPrefix("422"))
      #expect(try await control.node("GET", "/v1/clock")["pace"]?.stringValue == "standing")
      for wrong in [#""1""#, "1", #""1 s""#, #""11y""#, #""-1s""#] {
        #expect(
          try await control.refusal("POST", "/v1/clock/advance", "{\"duration\": \(wrong)}").hasPrefix("422"),
          "\(wrong)")
      }
      #expect(try await control.node("DELETE", "/v1/accessories/1/pairings")["pairings"]?.integerValue == 0)
      #expect(
        try await control.refusal("DELETE", "/v1/accessories/1/pairings/phone").hasPrefix("404 no-such-controller"))
      #expect(try await control.node("DELETE", "/v1/accessories/1/connections")["connections"]?.integerValue == 0)
      #expect(
        try await control.refusal("DELETE", "/v1/accessories/1/connections/7").hasPrefix("404 no-such-connection"))
      #expect(try await control.ask("GET", "/v1/accessories/1/setup.svg").contentType == "image/svg+xml")
      #expect(try await control.node("GET", "/v1/accessories/1/quirks")["maximumSessions"]?.integerValue == 17)
    }
    try await controlled(Profiles.lamp, pace: .running(scale: 1)) { (control) async throws in
      #expect(try await control.refusal("POST", "/v1/clock/advance", #"{"duration": "1s"}"#).hasPrefix("409"))
    }
  }

  @Test("New quirks apply from the next start; malformed quirks are refused with a reason")
  func quirks() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      let path = "/v1/accessories/1/quirks"
      #expect(try await control.node("PUT", path, #"{"maximumSessions": 3}"#)["maximumSessions"]?.integerValue == 3)
      #expect(try await control.node("GET", path)["maximumSessions"]?.integerValue == 3)
      #expect(
        try await control.node("GET", "/v1/log?event=restarted")["events"]?.elements?.first?["by"]?.stringValue
          == "reboot")
      // These quirks are kept from now on.
      _ = try await control.node("POST", "/v1/accessories/1/restart", #"{"kind": "factory-reset"}"#)
      #expect(try await control.node("GET", path)["maximumSessions"]?.integerValue == 3)
      let presets = try await control.node("GET", "/v1/quirks")
      for name in presets["presets"]?.members?.map(\.name) ?? [] {
        let now = try await control.node("PUT", path, "\"\(name)\"")
        #expect(now.compactText == presets["presets"]?[name]?.compactText, "\(name)")
      }
      #expect(presets["fields"]?.elements?.count == QuirksField.all.count)
      #expect(
        try await control.refusal("PUT", path, #""hap-node""#)
          == #"422 invalid-quirks: there is no preset "hap-node": did you mean "hap-nodejs"? ( 1:1)"#)
      #expect(
        try await control.refusal("PUT", path, "{\n \"maximumSessions\": 0}").hasSuffix("(maximumSessions 2:21)"))
      #expect(try await control.refusal("PUT", path, "[]").hasPrefix("422 invalid-quirks"))
      #expect(try await control.refusal("PUT", path, #"{"x-mine": 1}"#).hasPrefix("422 invalid-body"))
    }
  }

  @Test("A stopped accessory and a withdrawn record are reported as events") func stopped() async throws {
    try await controlled(Profiles.lamp, Profiles.garage) { (control) async throws in
      _ = try await control.node("PATCH", "/v1/accessories/1", #"{"announced": false}"#)
      _ = try await control.node("POST", "/v1/commands", #"{"command": "stop", "accessory": "Lamp"}"#)
      _ = try await control.node("POST", "/v1/clock/advance", #"{"duration": "2s"}"#)
      let events = try await control.node("GET", "/v1/log?event=announced,stopped,clock")["events"]?.elements ?? []
      #expect(events.compactMap { $0["event"]?.stringValue } == ["announced", "stopped", "clock"])
      #expect(events[0]["on"]?.boolValue == false && events[1]["number"]?.integerValue == 1)
    }
  }

  @Test("The API accepts the commands of standard input") func commands() async throws {
    try await controlled(Profiles.garage) { (control) async throws in
      let answer = try await control.node("POST", "/v1/commands", #"{"id": 7, "command": "list"}"#)
      #expect(answer["accessories"]?.elements?.count == 1 && answer["id"] == nil)
      #expect(
        try await control.refusal("POST", "/v1/commands", #"{"command": "lst"}"#).contains("did you mean \"list\"?"))
      #expect(try await control.refusal("POST", "/v1/commands", #"{"command": "set"}"#).hasPrefix("422"))
      #expect(
        try await control.refusal(
          "POST", "/v1/commands", #"{"command": "set", "accessory": "x", "characteristic": "On", "value": 1}"#
        ).hasPrefix("404"))
    }
  }

  @Test("The log returns the latest events, the events after a number, or the last few") func log() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      for value in [1, 2, 3] {
        _ = try await control.node("PUT", "/v1/accessories/1/characteristics/Brightness", "{\"value\": \(value)}")
      }
      let log = try await control.node("GET", "/v1/log")
      let last = try #require(log["last"]?.integerValue)
      let values = log["events"]?.elements?.filter { $0["event"]?.stringValue == "changed" }.compactMap {
        $0["value"]?.integerValue
      }
      #expect(values?.suffix(3) == [1, 2, 3])
      #expect(try await control.node("GET", "/v1/log?limit=1")["events"]?.elements?.first?["seq"]?.integerValue == last)
      #expect(try await control.node("GET", "/v1/log?after=\(last)")["events"]?.elements?.isEmpty == true)
      for wrong in ["after=x", "after=-1", "limit=0", "limit=2001", "after="] {
        #expect(try await control.refusal("GET", "/v1/log?" + wrong).hasPrefix("400 bad-query"), "\(wrong)")
      }
      let stream = try await control.ask("GET", "/v1/events?after=1&accessory=2&event=wrote,changed")
      #expect(stream.stream == EventStreamStart(.behind(1), subject: "2", names: ["wrote", "changed"]))
      #expect(try await control.ask("GET", "/v1/events").stream == EventStreamStart())
      for path in ["log", "events"] {
        #expect(
          try await control.refusal("GET", "/v1/\(path)?event=wrotee")
            == "400 bad-query: there is no event \"wrotee\": did you mean \"wrote\"?")
        for list in ["", ",", "wrote,"] {
          let refusal = try await control.refusal("GET", "/v1/\(path)?event=\(list)")
          #expect(refusal.hasPrefix("400 bad-query: there is no event \"\""), "\(list)")
        }
      }
      let changes = try await control.node("GET", "/v1/log?event=changed&accessory=1&limit=2")["events"]?.elements
      #expect(changes?.compactMap { $0["value"]?.integerValue } == [2, 3])
      #expect(try await control.node("GET", "/v1/log?accessory=2")["events"]?.elements?.isEmpty == true)
    }
  }

  @Test("The page and its resources are served, with security headers for browsers") func page() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      for file in EmbeddedPage.files {
        let answer = try await control.ask("GET", "/" + file.name)
        #expect(answer.status == 200 && !answer.contentType.hasPrefix("application/octet-stream"), "\(file.name)")
      }
      let text = String(decoding: try await control.ask("GET", "/").bytes(hasBody: false, closes: true), as: UTF8.self)
      #expect(text.contains("script-src 'self'") && !text.contains("unsafe-inline"))
      #expect(text.contains("Connection: close\r\n") && text.hasSuffix("\r\n\r\n"))
    }
  }
}
