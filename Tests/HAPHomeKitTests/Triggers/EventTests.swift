import Foundation
import HAPAlmanac
import HAPHome
import HAPModel
import Testing

@testable import HAPHomeKit

@Suite("Events of HomeKit") struct EventTests {
  private func refusal(_ event: HMEvent, _ bench: TriggerBench) -> HMError? {
    do throws(HMError) {
      _ = try event.record(in: bench.record)
      return nil
    } catch { return error }
  }

  @Test("Each event of a home gives an object, from which the same event is read") func property() async throws {
    let bench = try await TriggerBench.start()
    for seed in 0..<400 {
      var random = RandomTriggers(seed: UInt64(seed), bench)
      let record = random.event(seed % 7)
      let event = try #require(bench.session.event(record, in: bench.record))
      #expect(try event.record(in: bench.record) == record, "seed \(seed)")
      let copy = try #require((event as? any NSCopying)?.copy(with: nil) as? HMEvent)
      #expect(copy === event, "an event of a home never changes")
      let mutable = try #require((event as? any NSMutableCopying)?.mutableCopy(with: nil) as? HMEvent)
      #expect(try mutable.record(in: bench.record) == record && mutable.uniqueIdentifier != event.uniqueIdentifier)
      let frozen = try #require((mutable as? any NSCopying)?.copy(with: nil) as? HMEvent)
      #expect(try frozen.record(in: bench.record) == record && type(of: frozen) == type(of: event))
    }
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A mutable event changes, and its copies do not") func mutables() async throws {
    let bench = try await TriggerBench.start()
    let calendar = HMMutableCalendarEvent(fire: DateComponents(hour: 1))
    let frozen = try #require(calendar.copy() as? HMCalendarEvent)
    let second = try #require(calendar.mutableCopy() as? HMMutableCalendarEvent)
    calendar.fireDateComponents = DateComponents(hour: 2)
    second.fireDateComponents = DateComponents(hour: 3)
    #expect([calendar, frozen, second].map(\.fireDateComponents.hour) == [2, 1, 3])

    let sun = HMMutableSignificantTimeEvent(significantEvent: .sunrise, offset: nil)
    #expect(sun.offset == DateComponents() && (sun as HMSignificantTimeEvent).offset == DateComponents())
    (sun.significantEvent, sun.offset) = (.sunset, DateComponents(minute: 5))
    #expect(try sun.record(in: bench.record) == .sun(SunMoment(.sunset, offset: 300)!))

    let duration = HMMutableDurationEvent(duration: 60)
    duration.duration = 90
    #expect(try duration.record(in: bench.record) == .duration(seconds: 90))

    let presence = HMMutablePresenceEvent(presenceEventType: .everyEntry, presenceUserType: .currentUser)
    (presence.presenceEventType, presence.presenceUserType) = (.lastExit, .homeUsers)
    #expect(try presence.record(in: bench.record) == .presence(PresenceEvent(.lastExit, of: .homeUsers)))

    let region = CLCircularRegion(center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "R")
    let location = try #require(HMLocationEvent(region: region).mutableCopy() as? HMMutableLocationEvent)
    location.region = nil
    #expect(refusal(location, bench)?.code == .invalidParameter)

    let on = bench.characteristic(.bool)
    let value = HMMutableCharacteristicEvent(characteristic: on, triggerValue: NSNumber(value: true))
    (value.characteristic, value.triggerValue) = (bench.characteristic(.int), nil)
    #expect(try value.record(in: bench.record) == .characteristic(bench.characteristic(.int).id, equals: nil))

    let range = HMMutableCharacteristicThresholdRangeEvent(
      characteristic: on, thresholdRange: HMNumberRange(minValue: 1))
    (range.characteristic, range.thresholdRange) = (bench.characteristic(.float), HMNumberRange(maxValue: 2.5))
    #expect(
      try range.record(in: bench.record)
        == .threshold(bench.characteristic(.float).id, ThresholdRange(min: nil, max: 2.5)!))
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A characteristic event takes a value of the characteristic's format") func values() async throws {
    let bench = try await TriggerBench.start()
    let (on, number) = (bench.characteristic(.bool), bench.characteristic(.uint8))
    func record<Value>(_ characteristic: HMCharacteristic, _ value: Value?) throws(HMError) -> HomeEvent {
      try HMCharacteristicEvent(characteristic: characteristic, triggerValue: value).record(in: bench.record)
    }
    #expect(try record(on, NSNumber(value: true)) == .characteristic(on.id, equals: true))
    #expect(try record(on, true as NSNumber as any NSCopying) == .characteristic(on.id, equals: true))
    #expect(try record(number, 7) == .characteristic(number.id, equals: 7))
    #expect(try record(number, nil as NSNumber?) == .characteristic(number.id, equals: nil))
    #expect(try record(number, NSNull()) == .characteristic(number.id, equals: nil))
    let text = bench.characteristic(.string)
    #expect(try record(text, "on" as NSString) == .characteristic(text.id, equals: "on"))
    #expect(throws: HMError(.valueHigherThanMaximum)) { try record(number, 256) }
    #expect(throws: HMError(.invalidValueType)) { try record(on, "on") }
    let foreign = HMCharacteristicEvent(
      characteristic: bench.characteristic(.bool, in: bench.other), triggerValue: true)
    #expect(refusal(foreign, bench)?.code == .objectAssociatedToAnotherHome)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A characteristic without notifications is a mistake of the app (rule T7)") func silent() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bench = try await TriggerBench.start()
      let all = bench.home.accessories.flatMap(\.services).flatMap(\.characteristics)
      let silent = try #require(all.first { $0.record.iid == 90 })
      _ = HMCharacteristicEvent(characteristic: silent, triggerValue: NSNumber(value: 1))
    }
    #expect(
      result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?.contains("does not report changes")
        == true)
  }

  @Test("A number range has at least one end, and the lowest number is not above the highest") func ranges() throws {
    let cases: [(HMNumberRange, ThresholdRange?)] = [
      (HMNumberRange(minValue: 1, maxValue: 2.5), ThresholdRange(min: 1, max: 2.5)),
      (HMNumberRange(minValue: -3), ThresholdRange(min: -3, max: nil)),
      (HMNumberRange(maxValue: 7), ThresholdRange(min: nil, max: 7)),
      (HMNumberRange(minValue: 2, maxValue: 2), ThresholdRange(min: 2, max: 2)),
      (HMNumberRange(minValue: 3, maxValue: 2), nil), (HMNumberRange(minValue: NSNumber(value: Double.nan)), nil),
      (HMNumberRange(maxValue: NSNumber(value: Double.infinity)), nil),
    ]
    for (range, expected) in cases {
      guard let expected else {
        #expect(throws: HMError(.invalidParameter)) { try ThresholdRange(range) }
        continue
      }
      #expect(try ThresholdRange(range) == expected)
      #expect(HMNumberRange(expected).minValue == range.minValue && HMNumberRange(expected).maxValue == range.maxValue)
    }
  }

  @Test("A region is a circle with valid numbers") func regions() async throws {
    let bench = try await TriggerBench.start()
    func event(_ latitude: Double, _ longitude: Double, _ radius: Double) -> HMLocationEvent {
      let center = CLLocationCoordinate2DMake(latitude, longitude)
      return HMLocationEvent(region: CLCircularRegion(center: center, radius: radius, identifier: "R"))
    }
    let region = CLCircularRegion(center: CLLocationCoordinate2DMake(52, 13), radius: 100, identifier: "R")
    #expect(region.notifyOnEntry && region.notifyOnExit)
    region.notifyOnExit = false
    let record = HomeEvent.location(
      Region(centre: Coordinate(latitude: 52, longitude: 13)!, radius: 100)!, onEntry: true, onExit: false)
    #expect(try HMLocationEvent(region: region).record(in: bench.record) == record)
    let copy = try #require(region.copy() as? CLCircularRegion)
    #expect(!copy.notifyOnExit && copy.radius == 100 && copy.identifier == "R")
    for wrong in [event(91, 0, 1), event(0, .nan, 1), event(0, 0, 0), event(0, 0, 1_000_001), event(0, 0, .nan)] {
      #expect(refusal(wrong, bench)?.code == .invalidParameter)
    }
    #expect(
      CLLocationCoordinate2DIsValid(region.center) && !CLLocationCoordinate2DIsValid(.init(latitude: 0, longitude: 181))
    )
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A duration is a finite number of seconds, rounded") func durations() async throws {
    let bench = try await TriggerBench.start()
    #expect(try HMDurationEvent(duration: 90.4).record(in: bench.record) == .duration(seconds: 90))
    for wrong in [Double.nan, .infinity, 1e300] {
      #expect(refusal(HMDurationEvent(duration: wrong), bench)?.code == .invalidParameter)
    }
    withExtendedLifetime(bench.manager) {}
  }

  @Test("Users of a presence event that an app can't name are kept, also by a mutable copy") func users() async throws {
    let bench = try await TriggerBench.start()
    let custom = HMPresenceEvent(presenceEventType: .everyExit, presenceUserType: .customUsers)
    #expect(refusal(custom, bench)?.code == .invalidParameter)
    let presence = PresenceEvent(.firstEntry, of: .users([bench.record.users[0].id]))
    let event = HMPresenceEvent(presence)
    #expect(event.presenceUserType == .customUsers && event.presenceEventType == .atHome)
    let mutable = try #require(event.mutableCopy() as? HMMutablePresenceEvent)
    mutable.presenceEventType = .notAtHome
    #expect(try mutable.record(in: bench.record) == .presence(PresenceEvent(.lastExit, of: presence.users)))
    withExtendedLifetime(bench.manager) {}
  }

  @Test("Events of the sun and of regions need the location of the home") func support() async throws {
    let bench = try await TriggerBench.start()
    let types: [HMEvent.Type] = [HMSignificantTimeEvent.self, HMLocationEvent.self]
    let others: [HMEvent.Type] = [
      HMCalendarEvent.self, HMDurationEvent.self, HMPresenceEvent.self, HMCharacteristicEvent<NSNumber>.self,
      HMCharacteristicThresholdRangeEvent.self,
    ]
    #expect(
      types.allSatisfy { $0.isSupported(for: bench.home) } && others.allSatisfy { $0.isSupported(for: bench.home) })
    #expect(
      types.allSatisfy { !$0.isSupported(for: bench.other) } && others.allSatisfy { $0.isSupported(for: bench.other) })
    withExtendedLifetime(bench.manager) {}
  }
}
