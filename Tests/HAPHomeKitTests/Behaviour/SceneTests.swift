import Foundation
import HAPHomeKit
import HAPHomeKitTesting
import Testing

/// Action sets. home.md M10, M11, S1 to S4.
@Suite("Action sets") struct SceneTests {
  private func withHome(
    _ body: (HomeWorld, HMHome, HMHome, Recorder) async throws -> Void
  ) async throws {
    let world = try await HomeWorld.start(
      accessories: ["One", "Two", "Three"].map { .init($0, .new("LightBulb:Brightness")) })
    defer { world.end() }
    let (manager, watcher) = (try await world.makeManager(), try await world.makeManager())
    let recorder = Recorder()
    recorder.watch(watcher)
    await world.advance(by: .seconds(1))
    _ = recorder.calls
    try await body(world, try #require(manager.homes.first), try #require(watcher.homes.first), recorder)
    withExtendedLifetime((manager, watcher)) {}
  }

  private func characteristics(_ type: String, _ home: HMHome) -> [HMCharacteristic] {
    home.accessories.flatMap(\.services).flatMap(\.characteristics).filter { $0.characteristicType == type }
  }

  @Test("A set gets actions, is executed and removed") func life() async throws {
    try await withHome { world, home, other, recorder in
      let set = try await home.addActionSet(named: "Evening")
      #expect(set.actionSetType == HMActionSetTypeUserDefined && set.actions.isEmpty && set.lastExecutionDate == nil)
      #expect(await thrown { try await home.executeActionSet(set) } == 25)
      let brightness = characteristics(HMCharacteristicTypeBrightness, home)
      for characteristic in brightness {
        try await set.addAction(
          HMCharacteristicWriteAction(characteristic: characteristic, targetValue: NSNumber(value: 30)))
      }
      #expect(set.actions.count == 3)
      for action in set.actions {
        let write = try #require(action as? HMCharacteristicWriteAction<NSCopying>)
        #expect(write.targetValue as? NSNumber == 30 && brightness.contains(write.characteristic))
      }
      try await home.executeActionSet(set)
      for name in ["One", "Two", "Three"] { try await world.accessory(name).written("Brightness", 30) }
      #expect(brightness.allSatisfy { $0.value as? Int == 30 })
      #expect(!set.isExecuting)
      // The hub stores the date after the completion.
      await world.settle()
      #expect(set.lastExecutionDate != nil)
      try await set.updateName("Late Evening")
      try await home.removeActionSet(set)
      #expect(await thrown { try await home.executeActionSet(set) } == 12)
      await world.settle()
      #expect(
        recorder.calls == [
          "set+ Evening", "actions Evening 1", "actions Evening 2", "actions Evening 3", "set= Late Evening",
          "set- Late Evening",
        ])
    }
  }

  @Test("Actions are refused by the rules of their set") func refusals() async throws {
    try await withHome { world, home, other, recorder in
      let (set, second) = (try await home.addActionSet(named: "A"), try await home.addActionSet(named: "B"))
      let on = characteristics(HMCharacteristicTypePowerState, home)[0]
      let action = HMCharacteristicWriteAction(characteristic: on, targetValue: NSNumber(value: true))
      try await set.addAction(action)
      #expect(await thrown { try await second.addAction(action) } == 30)
      #expect(
        await thrown {
          try await set.addAction(HMCharacteristicWriteAction(characteristic: on, targetValue: NSNumber(value: false)))
        } == 1)
      let brightness = characteristics(HMCharacteristicTypeBrightness, home)[0]
      for (value, number) in [(NSNumber(value: 101), 45), (NSNumber(value: -1), 44)] {
        #expect(
          await thrown {
            try await set.addAction(HMCharacteristicWriteAction(characteristic: brightness, targetValue: value))
          } == number)
      }
      #expect(
        await thrown {
          try await set.addAction(
            HMCharacteristicWriteAction(characteristic: brightness, targetValue: NSString(string: "x")))
        } == 43)
      let model = characteristics(HMCharacteristicTypeName, home)[0]
      #expect(
        await thrown {
          try await set.addAction(
            HMCharacteristicWriteAction(characteristic: model, targetValue: NSString(string: "x")))
        } == 5)
      let known = try #require(set.actions.first)
      #expect(known === set.actions.first, "an action is one object")
      try await action.updateTargetValue(NSNumber(value: false))
      #expect((known as? HMCharacteristicWriteAction<NSCopying>)?.targetValue as? NSNumber == 0)
      try await set.removeAction(action)
      #expect(set.actions.isEmpty && action.targetValue == NSNumber(value: false))
      #expect(await thrown { try await set.removeAction(action) } == 2)
      try await second.addAction(action)
      #expect(second.actions.count == 1)
    }
  }

  @Test("Built-in sets exist from the start, and can't be removed") func builtIn() async throws {
    try await withHome { world, home, other, recorder in
      for type in [
        HMActionSetTypeWakeUp, HMActionSetTypeSleep, HMActionSetTypeHomeDeparture, HMActionSetTypeHomeArrival,
      ] {
        let set = try #require(home.builtinActionSet(ofType: type))
        #expect(set.actionSetType == type && home.actionSets.contains(set))
        #expect(await thrown { try await home.removeActionSet(set) } == 83)
      }
      #expect(home.builtinActionSet(ofType: HMActionSetTypeUserDefined) == nil)
      #expect(home.builtinActionSet(ofType: "party") == nil)
    }
  }

  @Test("Three slow accessories take as long as one (M10)") func atOnce() async throws {
    try await withHome { world, home, other, recorder in
      let set = try await home.addActionSet(named: "All On")
      for on in characteristics(HMCharacteristicTypePowerState, home) {
        try await set.addAction(HMCharacteristicWriteAction(characteristic: on, targetValue: NSNumber(value: true)))
      }
      for name in ["One", "Two", "Three"] { try await world.accessory(name).switchOn(fault: "latency:by=1s") }
      let begin = world.now
      try await home.executeActionSet(set)
      let time = world.now - begin
      #expect(time > .seconds(1) && time < .seconds(2), "\(time) in \(world)")
    }
  }

  @Test("One of three is unreachable: 64, and the message names it (M11)") func partly() async throws {
    try await withHome { world, home, other, recorder in
      let set = try await home.addActionSet(named: "All On")
      for on in characteristics(HMCharacteristicTypePowerState, home) {
        try await set.addAction(HMCharacteristicWriteAction(characteristic: on, targetValue: NSNumber(value: true)))
      }
      try await world.accessory("Two").setConnected(false)
      await world.advance(by: .seconds(180))
      let error = await #expect(throws: HMError.self) { try await home.executeActionSet(set) }
      #expect(error?.code == .actionSetExecutionPartialSuccess)
      #expect(error?.localizedDescription.contains("\"Two\"") == true, "\(error?.localizedDescription ?? "")")
      try await world.accessory("One").written("On", true)
      try await world.accessory("Three").written("On", true)
    }
  }
}
