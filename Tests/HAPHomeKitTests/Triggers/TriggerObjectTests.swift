import Foundation
import HAPAlmanac
import HAPHome
import HAPModel
import Testing

@testable import HAPHomeKit

@Suite("Objects of triggers") struct TriggerObjectTests {
  private let fireDate = Date(timeIntervalSince1970: 1_780_003_200)

  private func code(_ body: () async throws -> Void) async -> HMError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? HMError)?.code }
  }

  // MARK: Drafts

  @Test("A trigger that is in no home has its content, and refuses requests with 12") func drafts() async throws {
    let bench = try await TriggerBench.start()
    let timer = HMTimerTrigger(name: "Timer", fireDate: fireDate, recurrence: DateComponents(day: 1))
    let event = HMCalendarEvent(fire: DateComponents(hour: 6))
    let night = HMEventTrigger.predicateForEvaluatingTrigger(occurringAfter: DateComponents(hour: 22))
    let events = HMEventTrigger(
      name: "Events", events: [event], end: [HMDurationEvent(duration: 60)], recurrences: [DateComponents(weekday: 1)],
      predicate: night)
    for trigger in [timer, events] {
      #expect(!trigger.isEnabled && trigger.actionSets.isEmpty && trigger.handle == nil)
      #expect(trigger.uniqueIdentifier == trigger.uniqueIdentifier)
      #expect(await code { try await trigger.updateName("X") } == .objectNotAssociatedToAnyHome)
      #expect(await code { try await trigger.addActionSet(bench.set) } == .objectNotAssociatedToAnyHome)
      #expect(await code { try await trigger.removeActionSet(bench.set) } == .objectNotAssociatedToAnyHome)
      #expect(await code { try await trigger.enable(true) } == .objectNotAssociatedToAnyHome)
    }
    #expect(timer.name == "Timer" && timer.fireDate == fireDate && timer.recurrence == DateComponents(day: 1))
    #expect(events.events == [event] && events.endEvents.count == 1 && events.predicate === night)
    #expect(events.recurrences == [DateComponents(weekday: 1)] && !events.executeOnce)
    #expect(events.triggerActivationState == .disabled)
    #expect(await code { try await timer.updateFireDate(Date()) } == .objectNotAssociatedToAnyHome)
    #expect(await code { try await timer.updateRecurrence(nil) } == .objectNotAssociatedToAnyHome)
    #expect(await code { try await events.updateEvents([]) } == .objectNotAssociatedToAnyHome)
    #expect(await code { try await events.updateEndEvents([]) } == .objectNotAssociatedToAnyHome)
    #expect(await code { try await events.updatePredicate(nil) } == .objectNotAssociatedToAnyHome)
    #expect(await code { try await events.updateRecurrences(nil) } == .objectNotAssociatedToAnyHome)
    #expect(await code { try await events.updateExecuteOnce(true) } == .objectNotAssociatedToAnyHome)
    #expect(bench.hub.takeCommands().isEmpty)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("The old initializer of a timer has a zone and the Gregorian calendar") @available(*, deprecated)
  func zones() async throws {
    let bench = try await TriggerBench.start()
    func timer(_ zone: TimeZone?, _ calendar: Calendar?) -> HMTimerTrigger {
      HMTimerTrigger(
        name: "Old", fireDate: fireDate, timeZone: zone, recurrence: DateComponents(weekOfYear: 1),
        recurrenceCalendar: calendar)
    }
    let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
    let old = timer(tokyo, Calendar(identifier: .gregorian))
    #expect(old.timeZone == tokyo && old.recurrenceCalendar?.identifier == .gregorian)
    try await bench.home.addTrigger(old)
    #expect(old.timeZone == tokyo && old.recurrence == DateComponents(weekOfYear: 1) && old.fireDate == fireDate)
    try await old.updateTimeZone(nil)
    #expect(old.timeZone == nil)
    #expect(await code { try await old.updateTimeZone(TimeZone(secondsFromGMT: 3600)) } == nil)
    #expect(old.timeZone?.secondsFromGMT() == 3600 && old.lastFireDate == nil)
    let buddhist = timer(nil, Calendar(identifier: .buddhist))
    #expect(await code { try await bench.home.addTrigger(buddhist) } == .invalidParameter)
    withExtendedLifetime(bench.manager) {}
  }

  // MARK: Triggers of a home

  @Test("Changes that follow each other without waiting are all kept") func order() async throws {
    let bench = try await TriggerBench.start()
    let timer = HMTimerTrigger(name: "Timer", fireDate: fireDate, recurrence: DateComponents(day: 1))
    try await bench.home.addTrigger(timer)
    _ = bench.hub.takeCommands()
    let later = fireDate.addingTimeInterval(3600)
    let errors: [HMError.Code?] = await withCheckedContinuation { continuation in
      var errors: [HMError.Code?] = []
      func done(_ error: (any Error)?) {
        errors.append((error as? HMError)?.code)
        if errors.count == 5 { continuation.resume(returning: errors) }
      }
      timer.updateFireDate(later, completionHandler: done)
      timer.updateRecurrence(DateComponents(minute: 1), completionHandler: done)
      timer.updateRecurrence(DateComponents(hour: 2), completionHandler: done)
      timer.addActionSet(bench.set, completionHandler: done)
      timer.enable(true, completionHandler: done)
    }
    #expect(errors == [nil, .recurrenceTooSmall, nil, nil, nil])
    #expect(timer.fireDate == later && timer.recurrence == DateComponents(hour: 2))
    #expect(timer.isEnabled && timer.actionSets == [bench.set])
    #expect(bench.hub.takeCommands().count == 5)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A hub that makes a trigger another kind by mistake can't stop an app") func otherKinds() async throws {
    let bench = try await TriggerBench.start()
    let timer = HMTimerTrigger(name: "Timer", fireDate: fireDate, recurrence: nil)
    let morning = HMCalendarEvent(fire: DateComponents(hour: 6))
    let events = HMEventTrigger(name: "Events", events: [morning], predicate: nil)
    try await bench.home.addTrigger(timer)
    try await bench.home.addTrigger(events)
    let home = bench.hub.model.homes[0]
    var (first, second) = (home.triggers[0], home.triggers[1])
    (first.kind, second.kind) = (second.kind, first.kind)
    bench.hub.report([HomeChange(home.id, .triggerUpdated(first)), HomeChange(home.id, .triggerUpdated(second))])
    // Its answer comes after the report.
    try await bench.home.updateName("House")
    _ = bench.hub.takeCommands()
    #expect(await code { try await timer.updateFireDate(Date()) } == .unexpectedError)
    #expect(await code { try await timer.updateRecurrence(nil) } == .unexpectedError)
    #expect(await code { try await events.updateEvents([]) } == .unexpectedError)
    #expect(await code { try await events.updatePredicate(nil) } == .unexpectedError)
    #expect(timer.fireDate == fireDate && timer.recurrence == nil && events.events.count == 1, "as the app made them")
    #expect(bench.hub.takeCommands().isEmpty)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("An object that is made from an earlier record has the present one") func lateObjects() async throws {
    let bench = try await TriggerBench.start()
    let session = bench.session
    let home = bench.home.handle.id
    try await bench.perform(.addRoom(home: home, name: "Study"))
    let record = try #require(bench.record.rooms.last)
    try await bench.perform(.rename(record.id, "Library"))
    // No object of this app has been made for the parts of the other home's accessory.
    let cabin = bench.other.record
    let device = try #require(cabin.accessories.first)
    let service = try #require(device.services.last)
    try await bench.perform(.rename(service.id, "Oven"))
    #expect(session.room(record, in: home).name == "Library")
    #expect(session.service(service, of: device.id, in: cabin.id).name == "Oven")
    withExtendedLifetime(bench.manager) {}
  }

  @Test("Events of a trigger keep their objects and identifiers") func identity() async throws {
    let bench = try await TriggerBench.start()
    let on = bench.characteristic(.bool)
    let calendar = HMCalendarEvent(fire: DateComponents(hour: 6))
    let typed = HMCharacteristicEvent(characteristic: on, triggerValue: NSNumber(value: true))
    let copying = HMCharacteristicEvent<NSCopying>(characteristic: on, triggerValue: NSNumber(value: false))
    let trigger = HMEventTrigger(name: "T", events: [calendar, typed, copying], predicate: nil)
    try await bench.home.addTrigger(trigger)
    let events = trigger.events
    #expect(events[0] === calendar && events[2] === copying, "the objects of the app")
    let shown = try #require(events[1] as? HMCharacteristicEvent<NSCopying>, "apps cast to this type")
    #expect(shown.characteristic === on && shown.triggerValue as? NSNumber == true)
    #expect(shown.uniqueIdentifier == typed.uniqueIdentifier && trigger.events == events)
    #expect(Set(events.map(\.uniqueIdentifier)).count == 3)

    let (manager, home) = try await bench.relaunched()
    let again = try #require(home.triggers.first as? HMEventTrigger)
    #expect(again.uniqueIdentifier == trigger.uniqueIdentifier)
    #expect(again.events.map(\.uniqueIdentifier) == events.map(\.uniqueIdentifier))

    // The same event in another list and in another trigger has another identifier.
    let second = HMEventTrigger(
      name: "U", events: events, end: [events[2]], recurrences: nil, predicate: nil)
    try await bench.home.addTrigger(second)
    #expect(Set((second.events + second.endEvents + events).map(\.uniqueIdentifier)).count == 7)
    #expect(trigger.events == events && second.events[0] !== calendar)
    withExtendedLifetime((bench.manager, manager)) {}
  }

  @Test("The deprecated changes of events replace, add and remove them") @available(*, deprecated)
  func deprecatedChanges() async throws {
    let bench = try await TriggerBench.start()
    let number = bench.characteristic(.uint8)
    let event = HMCharacteristicEvent<NSCopying>(characteristic: number, triggerValue: NSNumber(value: 1))
    #expect(await code { try await event.updateTriggerValue(NSNumber(value: 2)) } == .objectNotAssociatedToAnyHome)
    let trigger = HMEventTrigger(name: "T", events: [event], predicate: nil)
    try await bench.home.addTrigger(trigger)
    let before = event.uniqueIdentifier
    let errors: [HMError.Code?] = await withCheckedContinuation { continuation in
      var errors: [HMError.Code?] = []
      func done(_ error: (any Error)?) {
        errors.append((error as? HMError)?.code)
        if errors.count == 3 { continuation.resume(returning: errors) }
      }
      event.updateTriggerValue(NSNumber(value: 2), completionHandler: done)
      event.updateTriggerValue(NSNumber(value: 3), completionHandler: done)
      trigger.addEvent(HMCalendarEvent(fire: DateComponents(hour: 1)), completionHandler: done)
    }
    #expect(errors == [nil, nil, nil])
    #expect(trigger.events.count == 2 && trigger.events[0] === event && event.triggerValue as? NSNumber == 3)
    #expect(event.uniqueIdentifier != before)
    #expect(await code { try await event.updateTriggerValue(NSNumber(value: 256)) } == .valueHigherThanMaximum)
    #expect(event.triggerValue as? NSNumber == 3)
    let same = HMCharacteristicEvent(characteristic: number, triggerValue: 3)
    try await trigger.removeEvent(same)
    #expect(trigger.events.count == 1)
    #expect(await code { try await trigger.removeEvent(event) } == .notFound)
    #expect(await code { try await event.updateTriggerValue(NSNumber(value: 4)) } == .notFound)
    #expect(await code { try await trigger.removeEvent(trigger.events[0]) } == .invalidParameter)

    let center = CLLocationCoordinate2D(latitude: 52, longitude: 13)
    let location = HMLocationEvent(region: CLCircularRegion(center: center, radius: 100, identifier: "A"))
    try await trigger.updateEvents([location])
    let region = CLCircularRegion(center: center, radius: 200, identifier: "B")
    try await location.updateRegion(region)
    #expect(trigger.events == [location] && location.region === region)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A mutable event is added as it is at that time") func mutables() async throws {
    let bench = try await TriggerBench.start()
    let event = HMMutableCalendarEvent(fire: DateComponents(hour: 1))
    let trigger = HMEventTrigger(name: "T", events: [event], predicate: nil)
    try await bench.home.addTrigger(trigger)
    event.fireDateComponents = DateComponents(hour: 2)
    let shown = try #require(trigger.events.first as? HMCalendarEvent)
    #expect(
      shown !== event && !(shown is HMMutableCalendarEvent) && shown.fireDateComponents == DateComponents(hour: 1))
    try await trigger.updateEvents([event])
    #expect((trigger.events.first as? HMCalendarEvent)?.fireDateComponents == DateComponents(hour: 2))
    withExtendedLifetime(bench.manager) {}
  }

  @Test("The predicate is one object as long as the condition is the same") func predicate() async throws {
    let bench = try await TriggerBench.start()
    let early = HMEventTrigger.predicateForEvaluatingTrigger(occurringBefore: DateComponents(hour: 6))
    let trigger = HMEventTrigger(name: "T", events: [HMCalendarEvent(fire: DateComponents(hour: 1))], predicate: early)
    try await bench.home.addTrigger(trigger)
    let first = try #require(trigger.predicate)
    #expect(trigger.predicate === first)
    try await trigger.updatePredicate(NSCompoundPredicate(type: .and, subpredicates: [early]))
    let second = try #require(trigger.predicate as? NSCompoundPredicate)
    #expect(second.subpredicates.count == 1 && second !== first)
    try await trigger.updateName("U")
    try await trigger.updateExecuteOnce(true)
    #expect(trigger.predicate === second && trigger.executeOnce && trigger.name == "U")
    try await trigger.updatePredicate(nil)
    #expect(trigger.predicate == nil)
    #expect(await code { try await trigger.updatePredicate(NSPredicate(value: true)) } == .invalidParameter)
    try await trigger.updateRecurrences([DateComponents(weekday: 7)])
    #expect(trigger.recurrences == [DateComponents(weekday: 7)])
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A trigger lists the sets that it executes, also its own ones, and takes none of another home")
  func sets() async throws {
    let bench = try await TriggerBench.start()
    let trigger = HMEventTrigger(name: "T", events: [HMCalendarEvent(fire: DateComponents(hour: 1))], predicate: nil)
    try await bench.home.addTrigger(trigger)
    try await trigger.addActionSet(bench.set)
    let id = try #require(trigger.handle?.id)
    let action = HomeAction(bench.characteristic(.bool).id, true)
    try await bench.perform(.addOwnedActionSet(trigger: id, [action]))
    #expect(trigger.actionSets.map(\.actionSetType) == [HMActionSetTypeUserDefined, HMActionSetTypeTriggerOwned])
    #expect(!bench.home.actionSets.contains(trigger.actionSets[1]))
    let foreign = try await bench.other.addActionSet(named: "Far")
    #expect(await code { try await trigger.addActionSet(foreign) } == .objectAssociatedToAnotherHome)
    #expect(await code { try await trigger.removeActionSet(foreign) } == .objectAssociatedToAnotherHome)
    try await trigger.removeActionSet(trigger.actionSets[1])
    #expect(trigger.actionSets == [bench.set])
    try await bench.home.removeTrigger(trigger)
    #expect(trigger.name == "T" && trigger.events.count == 1)
    #expect(await code { try await trigger.enable(true) } == .objectNotAssociatedToAnyHome)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("The activation state gives the reason why an enabled trigger is not active") func state() async throws {
    let bench = try await TriggerBench.start()
    let sunset = HMSignificantTimeEvent(significantEvent: .sunset, offset: nil)
    let trigger = HMEventTrigger(name: "T", events: [sunset], predicate: nil)
    try await bench.home.addTrigger(trigger)
    #expect(trigger.triggerActivationState == .disabled)
    try await trigger.addActionSet(bench.set)
    try await trigger.enable(true)
    #expect(trigger.triggerActivationState == .enabled)
    try await bench.perform(.setLocation(home: bench.home.handle.id, nil))
    #expect(trigger.triggerActivationState == .disabledNoLocationServicesAuthorization)
    bench.session.state.withLock { $0.connection = .lost(.sessionEnded) }
    #expect(trigger.triggerActivationState == .disabledNoHomeHub)
    withExtendedLifetime(bench.manager) {}
  }
}
