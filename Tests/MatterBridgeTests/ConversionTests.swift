import Foundation
import HAPModel
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

@Suite("Matter: conversions") struct ConversionTests {
  @Test("Each brightness 1...100 comes back from its level, and 0 is the lowest level")
  func brightness() {
    for brightness in 1...100 {
      let level = LightLevel.level(brightness: Double(brightness))
      #expect(LightLevel.range.contains(level))
      #expect(LightLevel.brightness(level: level) == Double(brightness))
    }
    #expect(LightLevel.level(brightness: 0) == 1 && LightLevel.level(brightness: 100) == 254)
    #expect(LightLevel.level(brightness: 50) == 127 && LightLevel.level(brightness: 1) == 3)
  }

  @Test("Each level is a brightness of 1...100, in order, and at most 2 levels away from that of the brightness")
  func levels() {
    var last = 0.0
    for level in LightLevel.range {
      let brightness = LightLevel.brightness(level: level)
      #expect((1...100).contains(brightness) && brightness >= last)
      last = brightness
      #expect(abs(Int(LightLevel.level(brightness: brightness)) - Int(level)) <= 2)
    }
    #expect(LightLevel.brightness(level: 1) == 1 && LightLevel.brightness(level: 254) == 100)
  }

  @Test("Each hue 0...254 and each saturation 0...254 comes back, and the ends are the ends")
  func hueAndSaturation() {
    for byte in UInt64(0)...254 {
      #expect(LightLevel.hue(degrees: LightLevel.degrees(hue: byte)) == byte)
      #expect(LightLevel.saturation(percent: LightLevel.percent(saturation: byte)) == byte)
    }
    #expect(LightLevel.hue(degrees: 360) == 254 && LightLevel.hue(degrees: 180) == 127)
    #expect(LightLevel.saturation(percent: 100) == 254 && LightLevel.saturation(percent: 0) == 0)
    for degrees in 0...360 {
      let back = LightLevel.degrees(hue: LightLevel.hue(degrees: Double(degrees)))
      #expect(abs(back - Double(degrees)) <= 0.71)
    }
  }

  @Test("The primaries and white of sRGB have their chromaticities")
  func primaries() {
    let expected: [(hue: Double, saturation: Double, x: Double, y: Double)] = [
      (0, 100, 0.64, 0.33), (120, 100, 0.30, 0.60), (240, 100, 0.15, 0.06), (0, 0, 0.3127, 0.3290),
      (200, 0, 0.3127, 0.329),
    ]
    for colour in expected {
      let chromaticity = Chromaticity(hue: colour.hue, saturation: colour.saturation)
      #expect(abs(chromaticity.x - colour.x) < 0.001 && abs(chromaticity.y - colour.y) < 0.001, "\(colour)")
    }
    #expect(Chromaticity(hue: 360, saturation: 100) == Chromaticity(hue: 0, saturation: 100))
  }

  @Test("Each hue and saturation comes back from the integers of its chromaticity")
  func chromaticity() {
    for hue in 0..<360 {
      for saturation in stride(from: 20.0, through: 100, by: 20) {
        let (x, y) = Chromaticity(hue: Double(hue), saturation: saturation).integers
        let back = Chromaticity(x: x, y: y).hueAndSaturation
        let turn = abs(back.hue - Double(hue))
        #expect(min(turn, 360 - turn) < 0.5 && abs(back.saturation - saturation) < 0.5, "\(hue) \(saturation)")
      }
    }
  }

  @Test("Any x and y give a hue and a saturation within their ranges")
  func anyChromaticity() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20000 {
      let x = UInt64.random(in: Chromaticity.range, using: &random)
      let colour = Chromaticity(x: x, y: UInt64.random(in: Chromaticity.range, using: &random))
      let (hue, saturation) = colour.hueAndSaturation
      #expect((0..<360).contains(hue) && (0...100.001).contains(saturation))
      #expect((1...1000).contains(colour.mireds))
    }
    for (x, y) in [(0, 0), (65279, 0), (0, 65279), (65279, 65279)] as [(UInt64, UInt64)] {
      #expect((0...100.001).contains(Chromaticity(x: x, y: y).hueAndSaturation.saturation))
    }
  }

  @Test("Colour temperatures come back from their chromaticity within 2 %")
  func mireds() {
    for mireds in 100...500 {
      let back = Chromaticity(mireds: Double(mireds)).mireds
      #expect(abs(back - Double(mireds)) <= Double(mireds) * 0.02, "\(mireds) \(back)")
    }
    #expect(Chromaticity(mireds: 0) == Chromaticity(mireds: 40))
    #expect(Chromaticity(mireds: 60000) == Chromaticity(mireds: 1_000_000 / 1667))
  }

  @Test("Illuminance is 10000 log lux + 1, 0 in the dark, and at most FFFE")
  func illuminance() {
    #expect(Measurement.illuminance(lux: 1) == 1 && Measurement.illuminance(lux: 100) == 20001)
    #expect(Measurement.illuminance(lux: 0.0001) == 0 && Measurement.illuminance(lux: 0) == 0)
    #expect(Measurement.illuminance(lux: 100_000) == 50001 && Measurement.illuminance(lux: 1e9) == 0xFFFE)
    #expect(Measurement.illuminance(lux: .nan) == 0 && Measurement.illuminance(lux: .infinity) == 0xFFFE)
  }

  @Test("A number is moved to the nearest step within the limits")
  func nearest() {
    func characteristic(_ format: Format, _ low: Value?, _ high: Value?, _ step: Value?) -> Characteristic {
      Characteristic(
        iid: 1, type: 0x8, format: format, perms: [],
        constraints: Constraints(minValue: low, maxValue: high, minStep: step))
    }
    #expect(characteristic(.int, 0, 100, 1).nearest(to: 54.6) == 55)
    #expect(characteristic(.int, 10, 100, 20).nearest(to: 44) == 50)
    #expect(characteristic(.int, 10, 99, 20).nearest(to: 99) == 90)
    #expect(characteristic(.uint8, 0, 100, nil).nearest(to: -5) == 0)
    #expect(characteristic(.float, 10, 38, 0.5).nearest(to: 21.3) == 21.5)
    #expect(characteristic(.float, nil, nil, 2).nearest(to: 3.1) == .float(4))
    #expect(characteristic(.uint8, 0, 100, 1).nearest(to: .infinity) == 100)
    #expect(characteristic(.uint32, nil, nil, nil).nearest(to: .nan) == 0)
  }

  @Test("The nearest number keeps all rules of the value at once")
  func nearestOfAllRules() {
    func nearest(_ number: Double, _ format: Format, _ constraints: Constraints, isOn: Bool = false) -> Value {
      Characteristic(iid: 1, type: 0x8, format: format, perms: [], constraints: constraints)
        .nearest(to: number, isOn: isOn)
    }
    let listed = Constraints(maxValue: 3, validValues: [0, 1, 2, 3, 7], validValuesRange: 1...2)
    #expect(nearest(0, .uint8, listed) == 1 && nearest(9, .uint8, listed) == 2)
    #expect(nearest(6, .uint8, Constraints(validValues: [], validValuesRange: 2...4)) == 4)
    // Steps are counted from the minimum, also within a range that is not on a step.
    let offset = Constraints(minValue: 3, maxValue: 20, minStep: 5, validValuesRange: 5...16)
    #expect(nearest(0, .uint8, offset) == 8 && nearest(11, .uint8, offset) == 13 && nearest(99, .uint8, offset) == 13)
    let negative = Constraints(minValue: -7, maxValue: 9, minStep: 5)
    #expect(nearest(-9, .int, negative) == -7 && nearest(9, .int, negative) == 8 && nearest(0.4, .int, negative) == -2)
    let fraction = Constraints(minValue: .float(0.5), maxValue: .float(3.2), minStep: .float(1))
    #expect(nearest(3.2, .float, fraction) == .float(2.5) && nearest(0, .float, fraction) == .float(0.5))
    #expect(nearest(.infinity, .float, fraction) == .float(2.5))
  }

  @Test("A number above 0 of something that is on becomes a value above 0, if there is one")
  func nearestAboveZero() {
    func nearest(_ number: Double, _ format: Format, _ constraints: Constraints) -> Value {
      Characteristic(iid: 1, type: 0x8, format: format, perms: [], constraints: constraints)
        .nearest(to: number, isOn: true)
    }
    let steps = Constraints(minValue: 0, maxValue: 100, minStep: 20)
    #expect(nearest(1, .int, steps) == 20 && nearest(35, .int, steps) == 40 && nearest(0, .int, steps) == 0)
    #expect(nearest(1, .float, steps) == .float(20) && nearest(0, .float, steps) == .float(0))
    let negative = Constraints(minValue: -10, maxValue: 10, minStep: 6)
    #expect(nearest(0.5, .int, negative) == 2 && nearest(0.5, .float, negative) == .float(2))
    // -0.3 and three steps are not exactly 0 in binary fractions.
    let tenths = Constraints(minValue: .float(-0.3), maxValue: .float(1), minStep: .float(0.1))
    #expect(nearest(0.02, .float, tenths) == .float(0.1))
    #expect(nearest(1, .uint8, Constraints(validValues: [0, 50, 100])) == 50)
    #expect(nearest(1, .uint8, Constraints(validValues: [0])) == 0)
    #expect(nearest(4, .uint8, Constraints(minValue: 0, maxValue: 5, minStep: 10)) == 0)
    #expect(nearest(4, .float, Constraints(minValue: 0, maxValue: 5, minStep: 10)) == .float(0))
  }

  @Test("Each format accepts only its own elements")
  func formats() throws {
    let elements: [Element.Value] = [
      .bool(true), .unsigned(UInt64(7)), .signed(-7), .single(1.5), .double(2.5), .text("a"), .octets([1]), .null,
      .list([]),
    ]
    let accepted: [Format: [Value]] = [
      .bool: [true], .uint8: [7, -7], .uint16: [7, -7], .uint32: [7, -7], .uint64: [7, -7], .int: [7, -7],
      .float: [1.5, 2.5], .string: ["a"], .tlv8: [.data([1])], .data: [.data([1])],
    ]
    for format in Format.allCases {
      let values = elements.compactMap { try? format.value(of: $0) }
      #expect(values == accepted[format], "\(format)")
    }
    #expect(Format.int.element(of: 5) == .signed(5) && Format.uint8.element(of: 5) == .unsigned(UInt64(5)))
    #expect(Format.uint64.element(of: .integer(Int128(UInt64.max))) == .unsigned(.max))
    #expect(Format.float.element(of: 1.5) == .double(1.5) && Format.string.element(of: .null) == .null)
  }

  @Test("Each HAP status has a Matter status, and only success has none")
  func statuses() {
    for status in HAPStatus.allCases {
      #expect((InteractionStatus(refusal: status) == nil) == (status == .success))
    }
    #expect(InteractionStatus(refusal: .busy)?.code == .busy)
    #expect(InteractionStatus(refusal: .invalidValue)?.code == .constraintError)
    #expect(InteractionStatus(refusal: .readOnly)?.code == .unsupportedWrite)
    #expect(InteractionStatus(refusal: .unableToCommunicate)?.code == .failure)
    #expect(InteractionStatus(refusal: .timedOut)?.code == .timeout)
    #expect(InteractionStatus(refusal: .notAllowedInCurrentState)?.code == .invalidInState)
  }
}
