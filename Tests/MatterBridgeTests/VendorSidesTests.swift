import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail if a vendor's attribute is written without the limits of its characteristic, and if its value
/// has another type.
@Suite("Matter: each vendor's attribute from both sides", .serialized) struct VendorSidesTests {
  private struct Case {
    let home: MappedHome
    let path: AttributePath
    let slot: Int
    let isWritable: Bool

    var characteristic: Characteristic { home.server.database.characteristics[slot] }
    var name: Comment { "\(characteristic.type.shown) at \(path)" }
  }

  /// Every attribute of a vendor's cluster, except the description.
  private func cases(_ home: MappedHome) throws -> [Case] {
    var cases: [Case] = []
    for endpoint in home.node.endpoints {
      for cluster in home.node.parts[endpoint]?.clusters ?? [] where ClusterName.isOwn(cluster.id) {
        for attribute in cluster.shape.description.attributes where attribute.number != 0x4000 {
          let type = try #require(cluster.shape.attribute(attribute.number)?.sources.first)
          let slot = try #require(
            home.server.database.services[cluster.service].slots.first {
              home.server.database.characteristics[$0].type == type
            })
          cases.append(
            Case(
              home: home, path: AttributePath(endpoint, cluster.id, attribute.number), slot: slot,
              isWritable: attribute.write != nil))
        }
      }
    }
    return cases
  }

  /// A value as the reference describes its type.
  private func element(_ value: Value, _ format: Format) -> Element.Value {
    switch value {
    case .bool(let isTrue): .bool(isTrue)
    case .integer(let number): format == .int ? .signed(Int64(number)) : .unsigned(UInt64(number))
    case .float(let number): .double(number)
    case .string(let text): .text(text)
    case .data(let bytes): .octets(bytes)
    case .null: .null
    }
  }

  /// HAP rounds numbers to the step of a characteristic.
  private func isEqual(_ value: Element.Value?, _ expected: Element.Value) -> Bool {
    if case .double(let number)? = value, case .double(let other) = expected { return abs(number - other) < 1e-9 }
    return value == expected
  }

  /// The ends of an integer characteristic, and its step.
  private func limits(_ characteristic: Characteristic) -> (low: Int128, high: Int128, step: Int128)? {
    guard let range = characteristic.format.integerRange else { return nil }
    let limits = characteristic.constraints
    func integer(_ value: Value?) -> Int128? { if case .integer(let number)? = value { number } else { nil } }
    return (
      integer(limits.minValue) ?? range.lowerBound, integer(limits.maxValue) ?? range.upperBound,
      integer(limits.minStep) ?? 1
    )
  }

  /// Values that a characteristic accepts: the ends, what is next to them, and the middle.
  private func accepted(_ characteristic: Characteristic) -> [Value] {
    let constraints = characteristic.constraints
    switch characteristic.format {
    case .string:
      return ["", "a", String(repeating: "x", count: constraints.maxLen ?? 64)].map { .string($0) }
    case .data:
      // Longer ones do not fit into a message of Matter.
      let count = min(constraints.maxDataLen ?? 1000, 1000)
      return [.data([]), .data([0]), .data([UInt8](repeating: 7, count: count))]
    case .tlv8: return [.data([]), .data([1, 1, 5])]
    default: break
    }
    if let values = constraints.validValues { return values.map { .integer(Int128($0)) } }
    if let range = constraints.validValuesRange {
      return [.integer(Int128(range.lowerBound)), .integer(Int128(range.upperBound))]
    }
    guard let (low, high, step) = limits(characteristic) else {
      return characteristic.sampleNumbers.map { characteristic.value($0) }
    }
    let middle = low + (high - low) / 2 / step * step
    return [low, low + step, middle, high - step, high].filter { (low...high).contains($0) }.map { .integer($0) }
  }

  /// Values that are just outside.
  private func refused(_ characteristic: Characteristic) -> [Element.Value] {
    let (format, constraints) = (characteristic.format, characteristic.constraints)
    if format == .string { return [.text(String(repeating: "x", count: (constraints.maxLen ?? 64) + 1))] }
    if format == .data {
      guard let limit = constraints.maxDataLen, limit < 1000 else { return [] }
      return [.octets([UInt8](repeating: 0, count: limit + 1))]
    }
    guard let (low, high, step) = limits(characteristic) else {
      let ends = [constraints.minValue?.doubleValue.map { $0 - 1 }, constraints.maxValue?.doubleValue.map { $0 + 1 }]
      return format == .float ? ends.compactMap { $0 ?? nil }.map { .double($0) } : []
    }
    var outside = [low - step, high + step]
    if let values = constraints.validValues { outside += (0...255).filter { !values.contains($0) }.map { Int128($0) } }
    if let range = constraints.validValuesRange {
      outside += [Int128(range.lowerBound) - 1, Int128(range.upperBound) + 1]
    }
    return outside.compactMap { number in
      format == .int ? Int64(exactly: number).map { .signed($0) } : UInt64(exactly: number).map { .unsigned($0) }
    }
  }

  @Test("A vendor's attribute follows its characteristic", arguments: MappedHome.profiles)
  func fromHAP(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    for one in try cases(home) {
      for value in accepted(one.characteristic) {
        let before = initiator.read(one.path)
        #expect(home.changeThroughHAP(one.slot, to: value) == .success, one.name)
        let expected = element(value, one.characteristic.format)
        let reported = initiator.report()[one.path]
        #expect(isEqual(initiator.read(one.path), expected), one.name)
        if expected != before, one.characteristic.perms.contains(.events) {
          #expect(isEqual(reported, expected), one.name)
        }
      }
    }
  }

  @Test("A value that does not fit into a message can't be read")
  func long() throws {
    let home = try MappedHome("coffee-machine")
    let initiator = try Initiator(home)
    let one = try #require(try cases(home).first { $0.characteristic.format == .data })
    for (count, isRead) in [(1000, true), (1200, false)] {
      home.server.change(
        home.server.database.id(ofSlot: one.slot), to: .data([UInt8](repeating: 7, count: count)), at: .zero)
      _ = initiator.report()
      #expect((initiator.read(one.path) != nil) == isRead)
      #expect((initiator.readAll()[one.path] != nil) == isRead && !initiator.readAll().isEmpty)
    }
  }

  @Test("A write of a vendor's attribute arrives unchanged, or is refused", arguments: MappedHome.profiles)
  func fromMatter(_ name: String) throws {
    let home = try MappedHome(name)
    let initiator = try Initiator(home)
    for one in try cases(home) {
      guard one.isWritable else {
        #expect(initiator.write(one.path, .null) == .unsupportedWrite, one.name)
        continue
      }
      for value in accepted(one.characteristic).reversed() {
        let written = element(value, one.characteristic.format)
        #expect(initiator.write(one.path, written) == .success, "\(one.name): \(value)")
        #expect(isEqual(element(home.server.database[slot: one.slot], one.characteristic.format), written), one.name)
        #expect(isEqual(initiator.read(one.path), written), one.name)
        _ = initiator.report()
      }
      for value in refused(one.characteristic) {
        let before = home.server.database[slot: one.slot]
        #expect(initiator.write(one.path, value) == .constraintError, "\(one.name): \(value)")
        #expect(home.server.database[slot: one.slot] == before && initiator.report()[one.path] == nil, one.name)
      }
    }
  }
}
