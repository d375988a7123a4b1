import HAPModel
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

@Suite("Matter: hostile requests") struct HostileTests {
  @Test("Random writes and commands never trap, and leave each attribute readable", arguments: MappedHome.profiles)
  func random(_ profile: String) throws {
    let home = try MappedHome(profile)
    var random = SeededGenerator(seed: 5)
    let endpoints = home.node.endpoints
    for round in 0..<600 {
      let endpoint = try #require(endpoints.randomElement(using: &random))
      let cluster = try #require(home.node.clusters(of: endpoint).randomElement(using: &random))
      if round % 2 == 0, let attribute = cluster.attributes.randomElement(using: &random) {
        _ = home.write(endpoint, cluster.id, attribute.number, value(&random, depth: 0))
      } else if let command = cluster.commands.randomElement(using: &random) {
        let fields = (0..<Int.random(in: 0...7, using: &random)).map { _ in value(&random, depth: 1) }
        _ = home.invoke(endpoint, cluster.id, command.number, fields: fields)
      }
      if round % 50 == 0 { _ = home.node.advance(to: .milliseconds(round * 100)) }
    }
    for endpoint in endpoints {
      for cluster in home.node.clusters(of: endpoint) {
        for attribute in cluster.attributes where attribute.read != nil {
          #expect(throws: Never.self) { _ = try home.read(endpoint, cluster.id, attribute.number) }
        }
      }
    }
    for slot in home.server.database.characteristics.indices {
      let characteristic = home.server.database.characteristics[slot]
      #expect(characteristic.value == .null || characteristic.allows(characteristic.value), "\(characteristic)")
    }
  }

  private func value(_ random: inout SeededGenerator, depth: Int) -> Element.Value {
    let numbers: [UInt64] = [0, 1, 2, 3, 5, 99, 100, 254, 255, 500, 10000, 65535, 1 << 31, .max]
    let number = numbers.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<(depth < 2 ? 16 : 12), using: &random) {
    case 0...6: return .unsigned(number)
    case 7: return .signed(Int64(truncatingIfNeeded: number))
    case 8: return .bool(number > 9)
    case 9: return .double([0, -1, 21.5, .nan, .infinity, 1e300].randomElement(using: &random) ?? 0)
    case 10: return .text(String(repeating: "ä", count: Int(number % 300)))
    case 11: return .null
    case 12: return .octets(random.bytes(Int(number % 40)))
    default:
      let members = (0..<3).map { Element(.context(UInt8($0)), value(&random, depth: depth + 1)) }
      return .container([.array, .structure, .list].randomElement(using: &random) ?? .array, members)
    }
  }

  @Test("Values of the device that no rule allows are shown within the ranges of Matter")
  func device() throws {
    for number in [-1e300, -1, 1e300, .infinity, -.infinity, .nan] as [Double] {
      #expect(LightLevel.range.contains(LightLevel.level(brightness: number)))
      #expect(LightLevel.hue(degrees: number) <= 254 && LightLevel.saturation(percent: number) <= 254)
      #expect(Covering.closed(position: number) <= 10000 && Covering.closed(angle: number) <= 10000)
      #expect(Chromaticity(x: number, y: number).integers.x <= 65279)
      #expect(Chromaticity(mireds: number).integers.y <= 65279)
      #expect(try Element.Value.temperature(number).signed(in: -27315...32767) >= -27315)
    }
    #expect(UInt8(nearest: 254.5, in: 0...255) == 255 && UInt8(nearest: 0.4, in: 0...255) == 0)
    #expect(Int64(nearest: -3.5, in: -10...10) == -4 && Int64(nearest: .nan, in: -10...10) == -10)
  }
}
