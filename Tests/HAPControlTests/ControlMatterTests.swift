import HAPMatter
import HAPWire
import Testing

@testable import HAPControl

@Suite("The control API: accessories as Matter nodes") struct ControlMatterTests {
  private let node = "/v1/accessories/1/matter"
  private static let settings = {
    var settings = MatterSettings()
    (settings.passcode, settings.discriminator) = (20_202_021, 3840)
    return settings
  }()

  @Test("The state has the codes and the window, and is also part of the accessory") func state() async throws {
    try await controlled(Profiles.lamp, matter: Self.settings) { (control) async throws in
      let state = try await control.node("GET", node)
      #expect(state["payload"]?.stringValue == "MT:Y.K90AFN00KA0648G00")
      #expect(state["manualCode"]?.stringValue == "34970112332" && state["discriminator"]?.integerValue == 3840)
      #expect(state["commissioned"]?.boolValue == false && state["fabrics"]?.elements == [])
      #expect(state["window"]?["kind"]?.stringValue == "basic" && state["window"]?["seconds"]?.isNull == true)
      #expect((state["port"]?.integerValue ?? 0) > 0)
      #expect(try await control.node("GET", "/v1/accessories/1")["matter"] == state)
      let image = try await control.ask("GET", node + "/setup.svg")
      #expect(image.contentType == "image/svg+xml")
      #expect(try await control.ask("GET", node + "/window/setup.svg").body == image.body)
    }
  }

  @Test("A window is opened with its codes, and closed; its events are in the log") func window() async throws {
    try await controlled(Profiles.lamp, matter: Self.settings) { (control) async throws in
      let path = node + "/window"
      #expect(try await control.refusal("POST", path).hasPrefix("409 not-possible: a commissioning window of \"Lamp\""))
      #expect(try await control.ask("DELETE", path).status == 204)
      #expect(
        try await control.refusal("DELETE", path).hasPrefix("409 not-possible: no commissioning window of \"Lamp\""))
      #expect(try await control.refusal("GET", path + "/setup.svg").hasPrefix("404 no-such-window"))
      #expect(try await control.node("GET", node)["window"]?.isNull == true)

      let basic = try #require(try await control.node("POST", path)["window"])
      #expect(basic["kind"]?.stringValue == "basic" && basic["seconds"]?.integerValue == 180)
      _ = try await control.ask("DELETE", path)
      let body = #"{"kind": "enhanced", "seconds": 300}"#
      let enhanced = try #require(try await control.node("POST", path, body)["window"])
      #expect(enhanced["kind"]?.stringValue == "enhanced" && enhanced["seconds"]?.integerValue == 300)
      #expect(enhanced["payload"]?.stringValue?.hasPrefix("MT:") == true && enhanced["payload"] != basic["payload"])
      let image = try await control.ask("GET", path + "/setup.svg")
      #expect(image.status == 200)
      #expect(try await control.ask("GET", node + "/setup.svg").body != image.body)

      let log = try await control.node("GET", "/v1/log?event=window-opened,window-closed")
      let texts = log["events"]?.elements?.compactMap { $0["text"]?.stringValue }
      let closed = "commissioning window closed: a command has closed it"
      #expect(
        texts == [
          closed, "commissioning window opened: basic, for 180 s", closed,
          "commissioning window opened: enhanced, for 300 s",
        ])
    }
  }

  @Test("Wrong bodies and fabrics are refused with a reason, and change nothing") func wrong() async throws {
    try await controlled(Profiles.lamp, matter: Self.settings) { (control) async throws in
      _ = try await control.ask("DELETE", node + "/window")
      for (body, reason) in [
        (#"{"kind": "open"}"#, "422 invalid-body: basic or enhanced is expected"),
        (#"{"seconds": 179}"#, "422 invalid-body: 179 is not in 180...900"),
        (#"{"seconds": 1e3}"#, "422 invalid-body"), (#"{"accessory": "Lamp"}"#, "422 invalid-body"), ("[]", "422"),
      ] {
        #expect(try await control.refusal("POST", node + "/window", body).hasPrefix(reason), "\(body)")
      }
      #expect(try await control.node("GET", node)["window"]?.isNull == true)
      let fabric = node + "/fabrics/"
      #expect(
        try await control.refusal("DELETE", fabric + "1")
          == "404 no-such-fabric: \"Lamp\" has no such fabric: it is in no fabric")
      for index in ["0", "255", "256", "-1", "x"] {
        #expect(try await control.refusal("DELETE", fabric + index).hasPrefix("404"), "\(index)")
      }
    }
  }

  @Test("Without Matter, each request is refused with the way to serve it") func without() async throws {
    try await controlled(Profiles.lamp) { (control) async throws in
      let reason = "409 not-possible: \"Lamp\" is not served over Matter: start hapsim with --matter"
      for (method, path) in [
        ("GET", node), ("GET", node + "/setup.svg"), ("POST", node + "/window"), ("DELETE", node + "/window"),
        ("GET", node + "/window/setup.svg"), ("DELETE", node + "/fabrics/1"),
      ] {
        #expect(try await control.refusal(method, path) == reason, "\(method) \(path)")
      }
      #expect(try await control.node("GET", "/v1/accessories/1")["matter"] == nil)
    }
  }
}
