import Foundation
import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHomeKit

/// A home in UTC with one characteristic of each format, a second home with the same accessory, and an app.
struct TriggerBench {
  let hub: ModelHub
  let manager: HMHomeManager
  let home: HMHome
  let other: HMHome
  let set: HMActionSet

  var session: AppSession { manager.session }
  /// The record of the home, as the app sees it.
  var record: Home { home.record }

  static func start() async throws -> TriggerBench {
    let hub = ModelHub()
    let manager = HMHomeManager(hub)
    let home = try await manager.addHome(named: "Home")
    let other = try await manager.addHome(named: "Cabin")
    let bench = TriggerBench(
      hub: hub, manager: manager, home: home, other: other, set: try await home.addActionSet(named: "Scene"))
    let place = try #require(Coordinate(latitude: 52.52, longitude: 13.4))
    try await bench.perform(.setLocation(home: home.handle.id, place))
    for (number, home) in [home, other].enumerated() {
      try await bench.perform(.addDevice(home: home.handle.id, device(UInt8(number))))
    }
    let on = HMCharacteristicWriteAction(
      characteristic: bench.characteristic(.bool), targetValue: NSNumber(value: true))
    try await bench.set.addAction(on)
    _ = hub.takeCommands()
    return bench
  }

  /// Sends a command of the app.
  func perform(_ command: HomeCommand) async throws {
    try await awaiting { done in session.ask(.perform(command)) { done($0.error) } }
  }

  /// The app of the same homes after a relaunch.
  func relaunched() async throws -> (HMHomeManager, HMHome) {
    let manager = HMHomeManager(ModelHub(hub.model))
    // The answer to a request follows the homes.
    _ = try await manager.addHome(named: "Another")
    return (manager, try #require(manager.homes.first))
  }

  func characteristic(_ format: Format, in home: HMHome? = nil) -> HMCharacteristic {
    let all = (home ?? self.home).accessories.flatMap(\.services).flatMap(\.characteristics)
    guard let found = all.first(where: { $0.record.rules.format == format && $0.record.permissions.contains(.events) })
    else { preconditionFailure("the device has each format") }
    return found
  }

  /// Returns the error of a conversion; nil: it succeeded.
  func refusal(_ predicate: NSPredicate) -> HMError? {
    do throws(HMError) {
      _ = try Condition(predicate, in: record)
      return nil
    } catch { return error }
  }

  private static func device(_ number: UInt8) -> DeviceDescription {
    let all: Permissions = [.pairedRead, .pairedWrite, .events]
    let formats = Format.allCases.enumerated().map { index, format in
      Characteristic(
        iid: UInt64(20 + index), type: TypeID(apple: UInt32(0x1000 + index)), format: format, perms: all,
        value: value(format))
    }
    let silent = Characteristic(iid: 90, type: 0x8, format: .int, perms: [.pairedRead], value: 0)
    let name = Characteristic(iid: 2, type: 0x23, format: .string, perms: [.pairedRead], value: "Device")
    return DeviceDescription(
      device: DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, number])!, configurationNumber: 1, category: 1,
      accessories: [
        Accessory(
          aid: 1,
          services: [
            Service(iid: 1, type: 0x3E, characteristics: [name]),
            Service(iid: 10, type: 0x43, characteristics: formats + [silent]),
          ])
      ])
  }

  private static func value(_ format: Format) -> Value {
    switch format {
    case .bool: false
    case .uint8, .uint16, .uint32, .uint64, .int: 0
    case .float: 0.0
    case .string: ""
    case .tlv8, .data: .data([])
    }
  }
}

/// Random events and conditions of a home, which the facade shows without loss.
struct RandomTriggers {
  var generator: SeededGenerator
  let bench: TriggerBench

  init(seed: UInt64, _ bench: TriggerBench) { (generator, self.bench) = (SeededGenerator(seed: seed), bench) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  mutating func flag() -> Bool { Bool.random(using: &generator) }
  mutating func pick<T>(_ list: [T]) -> T { list.randomElement(using: &generator)! }
  mutating func optional<T>(_ value: T) -> T? { flag() ? value : nil }

  mutating func value(_ format: Format) -> Value {
    if let range = format.integerRange { return .integer(Int128.random(in: range, using: &generator)) }
    return switch format {
    case .bool: .bool(flag())
    case .float: .float(Double(number(-1000...1000)) / 8)
    case .string: .string(pick(["", "a", "Küche 灯"]))
    default: .data(generator.bytes(number(0...5)))
    }
  }

  mutating func parts() -> DateParts {
    let weekday = optional(pick(Weekday.allCases))
    return try! DateParts(
      year: optional(number(1...9999)), month: optional(number(1...12)), day: optional(number(1...31)),
      weekday: weekday, hour: optional(number(0...23)), minute: optional(number(0...59)),
      second: optional(number(0...59)))
  }

  mutating func moment() -> SunMoment {
    SunMoment(pick(SunEvent.allCases), offset: pick([0, -1800, 3600, 43_200, number(-43_200...43_200)]))!
  }

  mutating func presence() -> PresenceEvent {
    PresenceEvent(
      pick(PresenceEvent.Kind.allCases), of: pick([.currentUser, .homeUsers, .users([bench.record.users[0].id])]))
  }

  /// - Parameter kind: 0 to 9, one for each kind of condition.
  mutating func condition(_ kind: Int, depth: Int) -> Condition {
    func parts(_ random: inout RandomTriggers) -> [Condition] {
      guard depth > 1 else { return [] }
      return (0..<random.number(0...3)).map { _ in random.condition(depth: depth - 1) }
    }
    switch kind {
    case 0: return .all(parts(&self))
    case 1: return .any(parts(&self))
    case 2: return depth > 1 ? .not(condition(depth: depth - 1)) : .unknown
    case 3:
      let characteristic = bench.characteristic(pick(Format.allCases))
      return .characteristic(characteristic.id, pick(Comparison.allCases), value(characteristic.record.rules.format))
    case 4: return pick([.time(.before(self.parts())), .time(.after(self.parts()))])
    case 5: return .time(.on(self.parts()))
    case 6: return .time(.between(self.parts(), self.parts()))
    case 7: return pick([.sun(.before(moment())), .sun(.after(moment()))])
    case 8: return .sun(.between(moment(), moment()))
    default: return pick([.presence(presence()), .unknown])
    }
  }

  mutating func condition(depth: Int) -> Condition { condition(number(0...9), depth: depth) }

  /// - Parameter kind: 0 to 6, one for each kind of event.
  mutating func event(_ kind: Int) -> HomeEvent {
    switch kind {
    case 0:
      let characteristic = bench.characteristic(pick(Format.allCases))
      return .characteristic(characteristic.id, equals: optional(value(characteristic.record.rules.format)))
    case 1:
      let ranges = [
        ThresholdRange(min: nil, max: 0.1), ThresholdRange(min: -5, max: nil), ThresholdRange(min: 20, max: 25),
      ]
      return .threshold(bench.characteristic(.float).id, pick(ranges)!)
    case 2: return .calendar(parts())
    case 3: return .sun(moment())
    case 4: return .presence(presence())
    case 5:
      let centre = Coordinate(latitude: Double(number(-90...90)), longitude: Double(number(-1800...1800)) / 10)!
      return .location(Region(centre: centre, radius: pick([0.5, 1_000_000]))!, onEntry: flag(), onExit: flag())
    default: return .duration(seconds: number(1...3_000_000))
    }
  }
}
