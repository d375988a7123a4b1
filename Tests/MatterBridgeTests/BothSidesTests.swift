import HAPAttributes
import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Each attribute of each profile, changed by a HAP controller or the device, and by our own initiator, with the limits of
/// its conversion.
///
/// Checked: these tests fail if a conversion is rounded down, if a range is one too large or too small, if an attribute is
/// not marked, and if a written value is not fitted to `valid-values`.
@Suite("Matter: each attribute from both sides", .serialized) struct BothSidesTests {
  /// A rule for one attribute of an endpoint.
  private struct Case {
    let rule: SideRule
    let place: SidePlace

    var path: AttributePath { AttributePath(place.endpoint, rule.cluster, rule.attribute) }
    var name: Comment {
      "attribute \(rule.attribute.digits) of \(rule.cluster.digits), endpoint \(place.endpoint), \(type.shown)"
    }
    var type: TypeID { place.characteristic.type }

    /// Sets the other characteristics.
    func prepare() {
      for (type, value) in rule.prepare {
        guard let slot = place.slot(type), place.home.server.database[slot: slot] != value else { continue }
        place.home.server.change(place.home.server.database.id(ofSlot: slot), to: value, at: .zero)
      }
    }
  }

  private func cases(_ home: MappedHome) -> [Case] {
    var cases: [Case] = []
    // Of many copies of an accessory, some are enough.
    var counts: [[TypeID]: Int] = [:]
    for endpoint in home.node.endpoints {
      for cluster in home.node.parts[endpoint]?.clusters ?? [] {
        let slots = home.server.database.services[cluster.service].slots
        let types = slots.map { home.server.database.characteristics[$0].type }
        counts[types, default: 0] += 1
        for attribute in cluster.shape.description.attributes where counts[types, default: 0] <= 20 {
          if let found = Self.rule(cluster.id, attribute.number, slots, home) {
            let place = SidePlace(home: home, endpoint: endpoint, slots: slots, slot: found.slot)
            cases.append(Case(rule: found.rule, place: place))
          }
        }
      }
    }
    return cases
  }

  /// The first rule whose characteristic a service has.
  private static func rule(
    _ cluster: ClusterID, _ attribute: AttributeNumber, _ slots: Range<Int>, _ home: MappedHome
  ) -> (rule: SideRule, slot: Int)? {
    for rule in SideRule.all where rule.cluster == cluster && rule.attribute == attribute {
      for type in rule.types {
        if let slot = slots.first(where: { home.server.database.characteristics[$0].type == type }) {
          return (rule, slot)
        }
      }
    }
    return nil
  }

  @Test("Each attribute that is computed of characteristics has a rule", arguments: MappedHome.profiles)
  func complete(_ name: String) throws {
    let home = try MappedHome(name)
    for endpoint in home.node.endpoints {
      for cluster in home.node.parts[endpoint]?.clusters ?? [] where !ClusterName.isOwn(cluster.id) {
        let slots = home.server.database.services[cluster.service].slots
        let types = Set(slots.map { home.server.database.characteristics[$0].type })
        for attribute in cluster.shape.description.attributes {
          let binding = try #require(cluster.shape.attribute(attribute.number))
          guard binding.conversion != nil, !types.isDisjoint(with: binding.characteristics) else { continue }
          let isElsewhere = SideRule.elsewhere[cluster.id]?.contains(attribute.number) == true
          #expect(
            isElsewhere || Self.rule(cluster.id, attribute.number, slots, home) != nil,
            "attribute \(attribute.number.digits) of \(cluster.id.digits) has no rule")
        }
      }
    }
  }

  // MARK: From HAP

  @Test("A change through HAP is reported with the converted value", arguments: MappedHome.profiles)
  func fromHAP(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    for one in cases(home) {
      one.prepare()
      _ = initiator.report()
      for number in one.place.characteristic.sampleNumbers {
        let before = initiator.read(one.path)
        #expect(
          home.changeThroughHAP(one.place.slot, to: one.place.characteristic.value(number)) == .success, one.name)
        let expected = one.rule.shown(number, one.place)
        let reported = initiator.report()[one.path]
        #expect(initiator.read(one.path) == expected, "\(one.name) of \(number)")
        if expected != before { #expect(reported == expected, "\(one.name) of \(number)") }
      }
    }
  }

  // MARK: From Matter

  /// Sends a value.
  private func send(
    _ value: Int64, _ one: Case, _ change: SideChange, _ initiator: Initiator
  ) -> InteractionStatus.Code? {
    switch change.way {
    case .write(let isSigned):
      return initiator.write(one.path, isSigned ? .signed(value) : .unsigned(UInt64(clamping: value)))
    case .command(let number, let others):
      return initiator.invoke(
        CommandPath(one.place.endpoint, one.rule.cluster, number), [.unsigned(UInt64(clamping: value))] + others)
    case .commands(let commands):
      guard let number = commands[value] else { return nil }
      return initiator.invoke(CommandPath(one.place.endpoint, one.rule.cluster, number), [])
    }
  }

  @Test("A change by a controller arrives, or is refused with ConstraintError", arguments: MappedHome.profiles)
  func fromMatter(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    for one in cases(home) {
      guard let change = one.rule.change, isWritable(one, change) else { continue }
      let slot = try #require(one.place.slot(change.target ?? one.type), one.name)
      let target = home.server.database.characteristics[slot]
      one.prepare()
      _ = initiator.report()
      let values = change.values(one.place)
      for value in values.accepted {
        let (before, old) = (initiator.read(one.path), home.server.database[slot: slot])
        #expect(send(value, one, change, initiator) == .success, "\(one.name): \(value)")
        let expected = target.fitted(change.number(value, one.place))
        let arrived = try #require(home.server.database[slot: slot].doubleValue)
        #expect(abs(arrived - expected) < 1e-6, "\(one.name): \(value) arrives as \(arrived), not \(expected)")
        // Reported, and equal up to the rounding, unless a limit of the device counts.
        let (report, after) = (initiator.report(), initiator.read(one.path))
        if change.target == nil, let after {
          if after != before { #expect(report[one.path] == after, one.name) }
          if after == before, home.server.database[slot: slot] == old { #expect(report[one.path] == nil, one.name) }
          let isLimited =
            abs(expected - change.number(value, one.place)) > (target.constraints.minStep?.doubleValue ?? 1)
          let step = target.constraints.minStep?.doubleValue ?? 1
          if let read = after.integer, !isLimited {
            let difference = Double(abs(read - max(value, change.least)))
            #expect(
              difference <= max(change.loss, change.loss * step / 2 + 1),
              "\(one.name): \(value) is read as \(read)")
          }
        }
      }
      for value in values.refused where value >= 0 || isSigned(change) {
        let before = home.server.database[slot: slot]
        #expect(send(value, one, change, initiator) == .constraintError, "\(one.name): \(value)")
        #expect(home.server.database[slot: slot] == before && initiator.report()[one.path] == nil, one.name)
      }
    }
  }

  private func isSigned(_ change: SideChange) -> Bool {
    if case .write(isSigned: true) = change.way { true } else { false }
  }

  private func isWritable(_ one: Case, _ change: SideChange) -> Bool {
    guard let slot = one.place.slot(change.target ?? one.type) else { return false }
    return one.place.home.server.database.characteristics[slot].perms.contains(.pairedWrite)
  }

  @Test("A value of HAP comes back from Matter, up to the rounding of Matter's type", arguments: MappedHome.profiles)
  func roundTrip(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    for one in cases(home) {
      guard let change = one.rule.change, change.target == nil, isWritable(one, change) else { continue }
      one.prepare()
      let target = one.place.characteristic
      for number in target.sampleNumbers {
        _ = home.changeThroughHAP(one.place.slot, to: target.value(number))
        let shown = initiator.read(one.path)
        guard let value = shown?.integer ?? (shown == .bool(true) ? 1 : shown == .bool(false) ? 0 : nil) else {
          continue
        }
        // 0 % is off, which Matter writes to another characteristic.
        let isOff = number == 0 && [8, 0x202].contains(one.rule.cluster)
        // A setpoint of HAP can be outside of the limits that all characteristics of the thermostat have.
        let range = change.values(one.place).refused
        if range.contains(value) || range.count == 2 && !(range[0]...range[1]).contains(value) || isOff { continue }
        #expect(send(value, one, change, initiator) == .success, "\(one.name): \(value)")
        let back = try #require(home.server.database[slot: one.place.slot].doubleValue)
        // The step of Matter's type, in the unit of HAP; an exact type loses nothing.
        let coarse = change.loss > 0 && change.loss < 1 ? 1 / change.loss : 0
        // A mode of a fan is a range of speeds.
        let isMode = one.path.cluster == 0x202 && one.path.attribute == 0
        #expect(isMode || abs(back - number) <= coarse + 1e-6, "\(one.name): \(number) comes back as \(back)")
      }
    }
  }
}

extension Element.Value {
  /// The number of an integer.
  var integer: Int64? {
    switch self {
    case .signed(let number): number
    case .unsigned(let number): Int64(exactly: number)
    default: nil
    }
  }
}
