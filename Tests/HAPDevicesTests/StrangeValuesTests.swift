import HAPModel
import Testing

@testable import HAPDevices

/// Copies of devices are exact: their characteristics may have any format, and illegal values.
@Suite("Behaviours of services with unusual characteristics") struct StrangeValuesTests {
  private static let values: [Value] = [
    .null, .bool(true), .integer(0), .integer(1), .integer(-1), .integer(Int128(UInt64.max)), .integer(.max),
    .integer(.min),
    .float(1e300), .float(-1e300), .float(.leastNonzeroMagnitude), .float(0.5), .string("x"), .data([1, 16, 0]),
    .data([]),
  ]

  @Test("No value traps a behaviour", arguments: BehaviourRegistry.standard.kinds.compactMap { $0.service?.type })
  func strange(type: TypeID) throws {
    guard let definition = Catalogue.service(type) else { return }
    var random = SimulationRandom(seed: UInt64(type.appleShort ?? 0))
    for _ in 0..<60 {
      var iid: UInt64 = 10
      let characteristics = (definition.required + definition.optional).map { type in
        iid += 1
        let format =
          Bool.random(using: &random)
          ? Catalogue.characteristic(type)?.format : Format.allCases.randomElement(using: &random)
        return Characteristic(
          iid: iid, type: type, format: format ?? .float, perms: [.pairedRead, .pairedWrite, .events],
          value: Self.values.randomElement(using: &random) ?? .null)
      }
      let service = Service(iid: 10, type: type, characteristics: characteristics)
      let world = VirtualWorld(try AttributeDatabase([Accessory(aid: 1, services: [service])]))
      for _ in 0..<30 {
        guard let target = characteristics.randomElement(using: &random) else { continue }
        let value = Self.values.randomElement(using: &random) ?? .null
        let id = AttributeID(aid: 1, iid: target.iid)
        if Bool.random(using: &random) { world.write(id, value) } else { try? world.setByHand(id, value) }
        for token in 0..<4 { world.fire(token) }
        try? world.physical(
          [.trigger, .jam(true), .jam(false), .battery(50), .press(.single), .tamper(true)].randomElement(
            using: &random) ?? .trigger)
      }
    }
  }
}
