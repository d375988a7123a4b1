import Foundation
import HAPLoop
import HAPSuite
import HAPVocabulary
import HAPWire
import Testing

@testable import HAPTarget

@Suite("Hooks of a hapsim") struct SimulatorHooksTests {
  private static let full = HookCall(
    .press, aid: 2, iid: 9, service: .iid(8), characteristic: "On", value: .integer(50), kind: "double")
  private static let profile: @Sendable (HookName) throws(HookFailure) -> String = { hook throws(HookFailure) in
    hook == .addAccessory ? "more" : "less"
  }

  private func line(
    _ hook: HookCall, accessory: String? = nil,
    profile: (@Sendable (HookName) throws(HookFailure) -> String)? = profile
  ) async -> String {
    await withRealLoop { loop in
      let hooks = SimulatorHooks(AccessoryProcess("true", on: loop), accessory: accessory, profile: profile)
      do throws(HookFailure) {
        let (name, members) = try hooks.command(for: hook)
        return name + " " + (text(JSONNode.object(members)) ?? "")
      } catch { return error.message }
    }
  }

  @Test("Each hook becomes a command with its members") func commands() async throws {
    var wanted: [HookName: String] = [
      .reboot: "reboot {}", .powerCut: "power-cut {}", .factoryReset: "factory-reset {}",
      .press: #"press {"kind":"double","service":8,"accessory":2}"#, .trigger: #"trigger {"service":8,"accessory":2}"#,
      .set: #"set {"characteristic":"2.9","value":50}"#, .obstruct: #"obstruct {"value":50,"service":8,"accessory":2}"#,
      .jam: #"jam {"value":50,"service":8,"accessory":2}"#,
      .battery: #"battery {"value":50,"service":8,"accessory":2}"#,
      .offline: #"offline {"accessory":2}"#, .online: #"online {"accessory":2}"#, .stop: #"radio {"value":false}"#,
      .start: #"radio {"value":true}"#, .radio: #"radio {"value":50}"#, .addAccessory: #"replace {"profile":"more"}"#,
      .removeAccessory: #"replace {"profile":"less"}"#,
    ]
    wanted[.identified] = "hook \"identified\": hapsim reports it with events, not with a command"
    wanted[.stall] = #"stall {"characteristic":"2.9","value":50}"#
    for name in HookName.allCases {
      var hook = Self.full
      hook.name = name
      #expect(await line(hook) == wanted[name])
    }
  }

  @Test("Absent members are omitted, and missing required members are reported") func bare() async {
    #expect(await line(HookCall(.press)) == "press {}")
    #expect(await line(HookCall(.obstruct, value: JSONNode(.bool(false)))) == #"obstruct {"value":false}"#)
    #expect(await line(HookCall(.trigger, service: .name("MotionSensor"))) == #"trigger {"service":"MotionSensor"}"#)
    #expect(await line(HookCall(.set, iid: 9, value: .text("open"))) == #"set {"characteristic":"1.9","value":"open"}"#)
    #expect(
      await line(HookCall(.set, aid: 3, service: .name("Lock"), characteristic: "LockTargetState", value: .integer(1)))
        == #"set {"characteristic":"LockTargetState","value":1,"service":"Lock","accessory":3}"#)
    for name in [HookName.battery, .radio, .set] {
      #expect(await line(HookCall(name, iid: 9)) == "hook \"\(name.rawValue)\": it needs a value")
    }
    #expect(await line(HookCall(.set, value: .integer(1))).contains("it needs a characteristic"))
    #expect(await line(HookCall(.stall)).contains("it needs a characteristic"))
    #expect(
      await line(HookCall(.stall, aid: 3, service: .name("Lock"), characteristic: "LockTargetState"))
        == #"stall {"characteristic":"LockTargetState","service":"Lock","accessory":3}"#)
    #expect(await line(HookCall(.addAccessory), profile: nil).contains("another profile"))
  }

  @Test("With several servers, the command names the intended accessory") func several() async {
    #expect(await line(HookCall(.reboot), accessory: "Lamp") == #"reboot {"accessory":"Lamp"}"#)
    #expect(await line(HookCall(.press), accessory: "Lamp") == #"press {"accessory":"Lamp"}"#)
    #expect(await line(HookCall(.press, aid: 2), accessory: "Lamp") == #"press {"accessory":2}"#)
    #expect(
      await line(HookCall(.set, aid: 2, iid: 9, value: .integer(1)), accessory: "Lamp")
        == #"set {"characteristic":"2.9","value":1,"accessory":"Lamp"}"#)
  }

  @Test("hapsim has each command, and each member of it") func vocabulary() async throws {
    let known = Dictionary(
      uniqueKeysWithValues: CommandForm.all.map { ($0.name.rawValue, Set($0.members.map(\.name))) })
    await withRealLoop { [known] loop in
      let hooks = SimulatorHooks(AccessoryProcess("true", on: loop), accessory: "Lamp", profile: Self.profile)
      // The hook `identified` only reads events and sends no command.
      for name in HookName.allCases where hooks.isAvailable(name) && name != .identified {
        var hook = Self.full
        hook.name = name
        for hook in [hook, HookCall(name, characteristic: "On", value: .integer(1))] {
          guard let (command, members) = try? hooks.command(for: hook) else {
            Issue.record("\(name) is available but has no command")
            continue
          }
          let unknown = Set(members.map(\.name)).subtracting(known[command] ?? [])
          #expect(known[command] != nil && unknown.isEmpty, "\(command) \(unknown)")
        }
      }
      #expect(!SimulatorHooks(AccessoryProcess("true", on: loop)).isAvailable(.addAccessory))
    }
  }
}
