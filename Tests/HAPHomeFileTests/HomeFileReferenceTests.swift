import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire
import Testing

@testable import HAPHomeFile

@Suite("References and values of .hashome documents")
struct HomeFileReferenceTests {
  @Test("All references that lead nowhere are reported at once, with their places and a similar name")
  func nowhere() throws {
    let bench = try HomeFileBench.filled()
    #expect(
      bench.problems(
        """
        home: My Home
        zones: { Up: [Hal, Default Room], Down: [Default Roam] }
        accessories:
          A: { device: "AA:BB:CC:00:00:99" }
          B: { device: "AA:BB:CC:00:00:03", aid: 7 }
          C: {}
          Strip: { room: Attic, services: { Middle: X, Outlet: Y, "@20": Left, Left: Left } }
          Strap: { device: "AA:BB:CC:00:00:06" }
        groups: { G: [Strip/Lift, Stripe/Left, Strip/Outlet, Thermostat/Thermostat, Thermostat/@10] }
        scenes: { S: { set: { Stereo Light/Onn: 1, Strip/On: on, Stereo Light/On: onn, A/B@1\\\\/@12: "?", Strip/Left/On: on, Strip/@21: on } } }
        triggers:
          T:
            when: [{ characteristic: Someone/On }, { presence: every-entry, users: [Ann, Ben] }]
            if: { not: { any: [{ characteristic: Strip/On, is: on }, { presence: first-entry, users: [Bob] }] } }
            end: [{ characteristic: Strip/Left/Hue, is: 1 }]
            run: [Good Evening, { set: { Strip/Right/Off: 5 } }]
          U: { at: "2026-06-01T19:00", timeZone: No/Where }
          V: {}
        """) == [
          "2:15: there is no room \"Hal\": add it to rooms",
          "2:42: there is no room \"Default Roam\": did you mean \"Default Room\"?",
          "4:3: the home \"My Home\" has no device AA:BB:CC:00:00:99: add it to the home first",
          "5:3: the home \"My Home\" has no device AA:BB:CC:00:00:03 with an accessory of aid 7: add it to the home first",
          "6:3: the home \"My Home\" has no accessory \"C\": add it to the home first",
          "7:18: there is no room \"Attic\": add it to rooms",
          "7:37: \"Middle\" is not one service of the accessory \"Strip\": use one of @1 (Accessory Information), @20 (Outlet), @40 (Outlet)",
          "7:48: \"Outlet\" is not one service of the accessory \"Strip\": use one of @1 (Accessory Information), @20 (Outlet), @40 (Outlet)",
          "7:72: this is the service in line 7: keep one of the entries",
          "8:3: this is the accessory in line 7: keep one of the entries",
          "9:15: there is no service \"Lift\" in the accessory \"Strip\"; it has \"Left\", \"Right\"",
          "9:27: there is no accessory \"Stripe\" in the home \"My Home\": did you mean \"Strip\"?",
          "9:40: \"Outlet\" is ambiguous in the accessory \"Strip\": use one of the instance IDs @20, @40",
          "9:77: \"Thermostat/@10\" is the service in line 9: keep one of them",
          "10:23: there is no characteristic \"Onn\" in the accessory \"Stereo Light\": did you mean \"On\"?",
          "10:44: \"On\" is ambiguous in the accessory \"Strip\": write ACCESSORY/SERVICE/CHARACTERISTIC, or one of the instance IDs @21, @41",
          "10:75: On has no value \"onn\": did you mean \"on\"?",
          "10:80: there is no accessory \"A\" in the home \"My Home\"",
          "10:117: \"Strip/@21\" is the characteristic in line 10: keep one of them",
          "13:30: triggers.T.when[0].characteristic: there is no accessory \"Someone\" in the home \"My Home\"",
          "13:77: triggers.T.when[1].users[0]: the home \"My Home\" has no user \"Ann\": did you mean \"Anna\"?",
          "14:42: triggers.T.if.not.any[0].characteristic: \"On\" is ambiguous in the accessory \"Strip\": write ACCESSORY/SERVICE/CHARACTERISTIC, or one of the instance IDs @21, @41",
          "14:95: triggers.T.if.not.any[1].users[0]: the home \"My Home\" has no user \"Bob\"",
          "15:29: triggers.T.end[0].characteristic: there is no characteristic \"Hue\" in the service \"Left\" of \"Strip\"",
          "16:11: there is no scene \"Good Evening\": did you mean \"Good Morning\"?",
          "16:34: there is no characteristic \"Off\" in the service \"Right\" of \"Strip\"",
          "17:12: triggers.U.at: this machine has no time zone \"No/Where\": install tzdata or name another",
          "18:3: the trigger \"V\" is new: add a time (at) or events (when)",
        ])
  }

  @Test("Values are names of values, base64, texts and numbers, as the characteristic has them")
  func values() throws {
    var bench = try HomeFileBench.filled()
    let vendor = "A\\/B@1\\\\"
    try bench.apply(
      """
      home: My Home
      scenes:
        S:
          set:
            Stereo Light/On: true
            Stereo Light/Hue: 120
            Front Door Lock/LockTargetState: Secured
            \(vendor)/@11: on
            \(vendor)/@12: AQL/
            \(vendor)/@13: 18446744073709551615
            \(vendor)/\\@10/@14: 7
      """)
    #expect(
      bench.home.actionSets.last?.actions.map(\.value) == [
        true, 120.0, 1, "on", .data([1, 2, 255]), .integer(Int128(UInt64.max)), 7,
      ])
    let set = try #require(bench.file.scenes?.last?.actions)
    #expect(set.map(\.value.value) == ["on", 120, "secured", "on", "AQL/", .integer(Int128(UInt64.max)), 7])
    #expect(
      set.map(\.characteristic.value.description) == [
        "Stereo Light/On", "Stereo Light/Hue", "Front Door Lock/Lock Target State",
        "\(vendor)/1D9E0001-63A1-4C9B-9B5A-0C34A1E0B001", "\(vendor)/1D9E0002-63A1-4C9B-9B5A-0C34A1E0B001",
        "\(vendor)/1D9E0003-63A1-4C9B-9B5A-0C34A1E0B001", "\(vendor)/@14",
      ])
    #expect(
      bench.problems(
        "home: My Home\nscenes: { S: { set: { Stereo Light/Hue: 400, \"\(vendor.replacing("\\", with: "\\\\"))/@12\": x, Strip/Left/On: 3 } } }"
      ).map { $0.prefix(60) } == ["2:65: \"x\" is not base64, which 1D9E0002-63A1-4C9B-9B5A-0C34A"])
  }

  @Test("A base64 text in an event counts as its bytes")
  func base64() throws {
    var bench = try HomeFileBench.filled()
    let id = bench.home.accessories[7].characteristic(12)
    let events = EventTrigger(events: [.characteristic(id, equals: "AQI=")])
    try bench.perform(.addTrigger(home: bench.home.id, name: "T", .event(events)))
    #expect(try bench.plan(bench.file).steps.isEmpty)
  }
}
