import Foundation
import HAPHomeKit
import HAPHomeKitTesting
import Testing

/// Triggers of an app in virtual time: they fire in the hub, also while no app is attached (M12).
@Suite("Triggers of an app") struct TriggerTests {
  private struct Stage {
    let world: HomeWorld
    let home: HMHome
    let other: HMHome
    let recorder: Recorder
    let set: HMActionSet
    let managers: [HMHomeManager]

    func characteristic(_ type: String, of accessory: String) throws -> HMCharacteristic {
      let found = home.accessories.first { $0.name == accessory }?.services.flatMap(\.characteristics)
      return try #require(found?.first { $0.characteristicType == type })
    }

    func lampIsSwitched(_ isOn: Bool, within time: Duration = .seconds(5)) async throws {
      let lamp = try world.accessory("Lamp")
      if isOn {
        try await lamp.written("On", true, within: time)
      } else {
        try await lamp.notWritten("On", true, within: time)
      }
      try await lamp.set("On", to: false)
      lamp.forgetEvents()
    }
  }

  /// A home in Berlin at noon of 2026-06-01, with a lamp, a motion sensor and a set that switches the lamp on.
  private func stage() async throws -> Stage {
    var options = HomeWorld.Options()
    options.timeZone = "Europe/Berlin"
    options.location = (52.52, 13.4)
    options.date = ISO8601DateFormatter().date(from: "2026-06-01T10:00:00Z")
    let world = try await HomeWorld.start(
      accessories: [
        .init("Lamp", .new("LightBulb:Brightness")), .init("Motion", .new("motion-sensor")),
        .init("Thermometer", .new("temperature-sensor")),
      ], options: options)
    let (manager, watcher) = (try await world.makeManager(), try await world.makeManager())
    let recorder = Recorder()
    recorder.watch(watcher)
    let home = try #require(manager.homes.first)
    let set = try await home.addActionSet(named: "Light On")
    let on = try #require(
      home.servicesWithTypes([HMServiceTypeLightbulb])?[0].characteristics.first {
        $0.characteristicType == HMCharacteristicTypePowerState
      })
    try await set.addAction(HMCharacteristicWriteAction(characteristic: on, targetValue: NSNumber(value: true)))
    await world.advance(by: .seconds(1))
    _ = recorder.calls
    return Stage(
      world: world, home: home, other: try #require(watcher.homes.first), recorder: recorder, set: set,
      managers: [manager, watcher])
  }

  @Test("A timer fires each day, is changed, disabled and removed") func timer() async throws {
    let stage = try await stage()
    defer { stage.world.end() }
    let date = try #require(ISO8601DateFormatter().date(from: "2026-06-01T17:00:00Z"))
    let timer = HMTimerTrigger(name: "Lights On", fireDate: date, recurrence: DateComponents(day: 1))
    #expect(!timer.isEnabled && timer.actionSets.isEmpty && timer.fireDate == date)
    #expect(await thrown { try await timer.enable(true) } == 12)
    try await stage.home.addTrigger(timer)
    #expect(stage.home.triggers == [timer], "the app's object is the home's")
    #expect(await thrown { try await stage.home.addTrigger(timer) } == 13)
    #expect(await thrown { try await timer.enable(true) } == 26)
    try await timer.addActionSet(stage.set)
    #expect(await thrown { try await timer.addActionSet(stage.set) } == 1)
    try await timer.enable(true)
    #expect(timer.isEnabled && timer.actionSets == [stage.set])
    await stage.world.advance(by: .seconds(7 * 3600))
    try await stage.lampIsSwitched(true)
    await stage.world.advance(by: .seconds(86_400))
    try await stage.lampIsSwitched(true)
    #expect(Old(timer).lastFireDate.map { $0 >= date } == true)
    try await timer.updateFireDate(date.addingTimeInterval(86_400 + 3600))
    try await timer.updateRecurrence(DateComponents(hour: 1))
    #expect(timer.recurrence == DateComponents(hour: 1))
    #expect(await thrown { try await timer.updateRecurrence(DateComponents(minute: 1)) } == 42)
    try await timer.updateRecurrence(nil)
    try await timer.updateName("Evening Lights")
    try await timer.enable(false)
    await stage.world.advance(by: .seconds(6 * 3600))
    try await stage.lampIsSwitched(false)
    try await timer.removeActionSet(stage.set)
    #expect(await thrown { try await timer.removeActionSet(stage.set) } == 2)
    try await stage.home.removeTrigger(timer)
    #expect(stage.home.triggers.isEmpty)
    #expect(await thrown { try await stage.home.removeTrigger(timer) } == 12)
    await stage.world.settle()
    let calls = stage.recorder.calls
    #expect(calls.first == "trigger+ Lights On" && calls.last == "trigger- Evening Lights")
    #expect(calls.contains("trigger= Evening Lights") && calls.contains("trigger Lights On true"))
  }

  @Test("A characteristic event fires only while the predicate is true") func predicate() async throws {
    let stage = try await stage()
    defer { stage.world.end() }
    let motion = try stage.characteristic(HMCharacteristicTypeMotionDetected, of: "Motion")
    let event = HMCharacteristicEvent(characteristic: motion, triggerValue: NSNumber(value: true))
    let trigger = HMEventTrigger(
      name: "Movement", events: [event],
      predicate: HMEventTrigger.predicateForEvaluatingTrigger(occurringBefore: DateComponents(hour: 18, minute: 0)))
    try await stage.home.addTrigger(trigger)
    try await trigger.addActionSet(stage.set)
    try await trigger.enable(true)
    #expect(trigger.triggerActivationState == .enabled && trigger.predicate != nil)
    let device = try stage.world.accessory("Motion")
    await stage.world.advance(by: .seconds(5))
    try await device.set("MotionDetected", to: true)
    try await stage.lampIsSwitched(true)
    try await device.set("MotionDetected", to: false)
    await stage.world.advance(by: .seconds(7 * 3600))
    try await device.set("MotionDetected", to: true)
    try await stage.lampIsSwitched(false)
    try await device.set("MotionDetected", to: false)
    try await trigger.updatePredicate(nil)
    #expect(trigger.predicate == nil)
    await stage.world.advance(by: .seconds(5))
    try await device.set("MotionDetected", to: true)
    try await stage.lampIsSwitched(true)
    try await device.set("MotionDetected", to: false)
    try await trigger.updateExecuteOnce(true)
    #expect(trigger.executeOnce)
    await stage.world.advance(by: .seconds(5))
    try await device.set("MotionDetected", to: true)
    try await stage.lampIsSwitched(true)
    await stage.world.advance(by: .seconds(5))
    #expect(!trigger.isEnabled && trigger.triggerActivationState == .disabled)
  }

  @Test("A threshold, a calendar time and sunset fire") func kinds() async throws {
    let stage = try await stage()
    defer { stage.world.end() }
    let temperature = try stage.characteristic(HMCharacteristicTypeCurrentTemperature, of: "Thermometer")
    let trigger = HMEventTrigger(
      name: "Any",
      events: [
        HMCharacteristicThresholdRangeEvent(
          characteristic: temperature, thresholdRange: HMNumberRange(minValue: NSNumber(value: 30))),
        HMCalendarEvent(fire: DateComponents(hour: 15, minute: 30)),
        HMSignificantTimeEvent(significantEvent: .sunset, offset: DateComponents(minute: -30)),
      ], end: nil, recurrences: nil, predicate: nil)
    try await stage.home.addTrigger(trigger)
    try await trigger.addActionSet(stage.set)
    try await trigger.enable(true)
    #expect(trigger.events.count == 3 && trigger.events.first === trigger.events.first)
    await stage.world.advance(by: .seconds(5))
    try await stage.world.accessory("Thermometer").set("CurrentTemperature", to: 31)
    try await stage.lampIsSwitched(true)
    // 12:00 to 15:30 in Berlin.
    await stage.world.advance(by: .seconds(3 * 3600 + 1850))
    try await stage.lampIsSwitched(true)
    // Sunset is at 21:19 on this day.
    await stage.world.advance(by: .seconds(5 * 3600 + 900))
    try await stage.lampIsSwitched(false)
    await stage.world.advance(by: .seconds(20 * 60))
    try await stage.lampIsSwitched(true)
    try await trigger.updateEvents([HMCalendarEvent(fire: DateComponents(hour: 8))])
    #expect(trigger.events.count == 1 && trigger.events[0] is HMCalendarEvent)
    try await trigger.updateRecurrences([DateComponents(weekday: 2)])
    #expect(trigger.recurrences?.map(\.weekday) == [2])
    try await trigger.updateEndEvents([HMDurationEvent(duration: 60)])
    #expect((trigger.endEvents.first as? HMDurationEvent)?.duration == 60)
    #expect(await thrown { try await trigger.updateEvents([]) } != 0)
  }

  @Test("A trigger fires while no app is attached (M12)") func detached() async throws {
    let stage = try await stage()
    defer { stage.world.end() }
    let date = try #require(ISO8601DateFormatter().date(from: "2026-06-01T17:00:00Z"))
    var manager: HMHomeManager? = try await stage.world.makeManager()
    let home = try #require(manager?.homes.first)
    let timer = HMTimerTrigger(name: "Alone", fireDate: date, recurrence: nil)
    try await home.addTrigger(timer)
    try await timer.addActionSet(try #require(home.actionSets.first { $0.name == "Light On" }))
    try await timer.enable(true)
    manager = nil
    await stage.world.advance(by: .seconds(8 * 3600))
    try await stage.lampIsSwitched(true)
  }

  @Test("An unknown predicate is refused with 3, and an object of another home with 11") func refusals() async throws {
    let stage = try await stage()
    defer { stage.world.end() }
    let motion = try stage.characteristic(HMCharacteristicTypeMotionDetected, of: "Motion")
    let event = HMCharacteristicEvent(characteristic: motion, triggerValue: NSNumber(value: true))
    let block = NSPredicate { _, _ in true }
    #expect(
      await thrown {
        try await stage.home.addTrigger(HMEventTrigger(name: "Block", events: [event], predicate: block))
      } == 3)
    let cabin = try await stage.managers[0].addHome(named: "Cabin")
    #expect(
      await thrown {
        try await cabin.addTrigger(HMEventTrigger(name: "Far", events: [event], predicate: nil))
      } == 11)
    let early = HMTimerTrigger(name: "Past", fireDate: Date(timeIntervalSince1970: 0), recurrence: nil)
    #expect(await thrown { try await stage.home.addTrigger(early) } == 28)
    let odd = HMTimerTrigger(
      name: "Odd", fireDate: Date(timeIntervalSince1970: 1_780_333_230), recurrence: nil)
    #expect(await thrown { try await stage.home.addTrigger(odd) } == 70)
  }
}
