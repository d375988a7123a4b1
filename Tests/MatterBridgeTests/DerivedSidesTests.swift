import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

@Suite("Matter: limits and chromaticities of each profile", .serialized) struct DerivedSidesTests {
  @Test("The limits of a measurement are those of its characteristic, converted", arguments: MappedHome.profiles)
  func limits(_ name: String) throws {
    let home = try MappedHome(name)
    for endpoint in home.node.endpoints {
      for cluster in home.node.parts[endpoint]?.clusters ?? [] {
        guard SideRule.elsewhere[cluster.id] == [1, 2] else { continue }
        let type = try #require(cluster.shape.attribute(0)?.sources.first)
        let slots = home.server.database.services[cluster.service].slots
        let slot = try #require(slots.first { home.server.database.characteristics[$0].type == type })
        let place = SidePlace(home: home, endpoint: endpoint, slots: slots, slot: slot)
        let rule = try #require(SideRule.all.first { $0.cluster == cluster.id && $0.types.contains(type) })
        let constraints = place.characteristic.constraints
        for (attribute, limit) in [(1, constraints.minValue), (2, constraints.maxValue)] as [(AttributeNumber, Value?)]
        {
          guard let number = limit?.doubleValue else { continue }
          var expected = rule.shown(number, place)
          // A measurement of light begins with 1, because 0 is too dark to be measured.
          if expected == .unsigned(UInt64(0)), cluster.id == 0x400 { expected = .unsigned(UInt64(1)) }
          #expect(try home.read(endpoint, cluster.id, attribute) == expected, "\(cluster.id.digits)")
        }
      }
    }
  }

  @Test("Chromaticities are within their range, and out of it refused", arguments: MappedHome.profiles)
  func chromaticity(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    for endpoint in home.node.endpoints {
      guard let cluster = home.node.parts[endpoint]?.cluster(0x300), cluster.shape.description.features & 8 != 0 else {
        continue
      }
      let slots = home.server.database.services[cluster.service].slots
      let (x, y) = (AttributePath(endpoint, 0x300, 3), AttributePath(endpoint, 0x300, 4))
      func move(_ x: UInt64, _ y: UInt64) -> InteractionStatus.Code? {
        let number = Element.Value.unsigned(UInt64(1))
        return initiator.invoke(
          CommandPath(endpoint, 0x300, 7), [.unsigned(x), .unsigned(y), .unsigned(UInt64(0)), number, number])
      }
      for (xIn, yIn) in [(20493, 21561), (0, 0), (65279, 0), (0, 65279), (65279, 65279), (41943, 21627)]
        as [(UInt64, UInt64)]
      {
        #expect(move(xIn, yIn) == .success)
        for type in [TypeID.hue, .saturation] {
          let slot = try #require(slots.first { home.server.database.characteristics[$0].type == type })
          #expect(home.server.database.characteristics[slot].allows(home.server.database[slot: slot]), "\(xIn) \(yIn)")
        }
        #expect((0...65279).contains(try #require(initiator.read(x)?.integer)))
        #expect((0...65279).contains(try #require(initiator.read(y)?.integer)))
        #expect(initiator.read(AttributePath(endpoint, 0x300, 8)) == .unsigned(UInt64(1)))
        _ = initiator.report()
      }
      // The last one is the red of sRGB, which comes back.
      #expect(abs(try #require(initiator.read(x)?.integer) - 41943) < 400)
      #expect(move(65280, 0) == .constraintError && move(0, 65280) == .constraintError)
      // Another hue of HAP is another chromaticity, and the mode is that of hue and saturation.
      let hue = try #require(slots.first { home.server.database.characteristics[$0].type == .hue })
      #expect(home.changeThroughHAP(hue, to: .float(240)) == .success)
      let report = initiator.report()
      #expect(report[AttributePath(endpoint, 0x300, 8)] == .unsigned(UInt64(0)))
      #expect(abs(try #require(report[x]?.integer) - 9830) < 400)
      #expect(abs(try #require(report[y]?.integer) - 3932) < 400)
    }
  }

  @Test(
    "The limits of a thermostat are those of its characteristics, and can be narrowed", arguments: MappedHome.profiles)
  func thermostat(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    let sides: [(absolute: AttributeNumber, minimum: AttributeNumber, types: [TypeID])] = [
      (3, 0x15, [.targetTemperature, .heatingThreshold]), (5, 0x17, [.targetTemperature, .coolingThreshold]),
    ]
    for endpoint in home.node.endpoints {
      guard let cluster = home.node.parts[endpoint]?.cluster(0x201) else { continue }
      let slots = home.server.database.services[cluster.service].slots
      let place = SidePlace(home: home, endpoint: endpoint, slots: slots, slot: slots.lowerBound)
      func path(_ attribute: AttributeNumber) -> AttributePath { AttributePath(endpoint, 0x201, attribute) }
      func write(_ attribute: AttributeNumber, _ value: Int64) -> InteractionStatus.Code? {
        initiator.write(path(attribute), .signed(value))
      }
      for (absolute, minimum, types) in sides where cluster.shape.attribute(absolute) != nil {
        let limits = types.filter(place.has).map { place.limits($0, else: 7...35) }
        let low = Int64(((limits.map(\.lowerBound).max() ?? 7) * 100).rounded())
        let high = Int64(((limits.map(\.upperBound).min() ?? 35) * 100).rounded())
        let maximum = minimum + 1
        for (first, value) in [(absolute, low), (absolute + 1, high), (minimum, low), (maximum, high)] {
          #expect(initiator.read(path(first)) == .signed(value), "\(first)")
        }
        for outside in [low - 1, high + 1] {
          #expect(write(minimum, outside) == .constraintError && write(maximum, outside) == .constraintError)
        }
        _ = initiator.report()
        let middle = (low + high) / 2
        #expect(write(minimum, middle) == .success && write(maximum, middle) == .success)
        let report = initiator.report()
        #expect(report[path(minimum)] == .signed(middle) && report[path(maximum)] == .signed(middle))
        #expect(write(minimum, middle + 1) == .constraintError && write(maximum, middle - 1) == .constraintError)
        #expect(write(minimum, low) == .success && write(maximum, high) == .success)
      }
    }
  }
}
