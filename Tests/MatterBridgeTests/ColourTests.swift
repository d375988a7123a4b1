import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

private let colour: ClusterID = 0x300
private let rest: [Element.Value] = [.unsigned(0), .unsigned(0)]

/// Checked: these tests fail if colour temperatures are not limited, and if a change of the hue leaves the mode.
@Suite("Matter: colours") struct ColourTests {
  private func light(_ profile: String = "light-colour") throws -> MappedHome {
    let home = try MappedHome(profile)
    #expect(home.invoke(1, 6, 1) == .success)
    _ = home.node.takeChanges()
    return home
  }

  @Test("Each hue and each saturation sets the characteristic, within half a step of it")
  func hueAndSaturation() throws {
    let home = try light()
    for byte in UInt64(0)...254 {
      #expect(home.invoke(1, colour, 0, fields: [.unsigned(byte), .unsigned(0), .unsigned(0)] + rest) == .success)
      let hue = try #require(try home.value(.hue).doubleValue)
      #expect(abs(hue - LightLevel.degrees(hue: byte)) <= 0.5)
      #expect(try home.read(1, colour, 0) == .unsigned(byte))
      #expect(home.invoke(1, colour, 3, fields: [.unsigned(byte), .unsigned(0)] + rest) == .success)
      let saturation = try #require(try home.value(.saturation).doubleValue)
      #expect(abs(saturation - LightLevel.percent(saturation: byte)) <= 0.5)
      #expect(try home.read(1, colour, 1) == .unsigned(LightLevel.saturation(percent: saturation)))
    }
  }

  @Test("Hue and saturation together are one write, and the mode follows each command")
  func modes() throws {
    let home = try light()
    let writes = home.written.count
    #expect(home.invoke(1, colour, 6, fields: [.unsigned(127), .unsigned(127), .unsigned(0)] + rest) == .success)
    #expect(home.written.count == writes + 1 && home.written.last?.others.count == 1)
    #expect(try home.value(.hue) == .float(180) && home.value(.saturation) == .float(50))
    #expect(try home.read(1, colour, 8) == .unsigned(0))
    let changes = Set(home.node.takeChanges())
    #expect(changes == Set([0, 1, 3, 4, 7].map { AttributePath(1, colour, $0) }))
    #expect(home.invoke(1, colour, 7, fields: [.unsigned(20000), .unsigned(20000), .unsigned(0)] + rest) == .success)
    #expect(try home.read(1, colour, 8) == .unsigned(1))
    #expect(Set(home.node.takeChanges()).isSuperset(of: [8, 0x4001].map { AttributePath(1, colour, $0) }))
    #expect(home.invoke(1, colour, 0x0A, fields: [.unsigned(400), .unsigned(0)] + rest) == .success)
    #expect(try home.read(1, colour, 8) == .unsigned(2))
    #expect(try home.read(1, colour, 7) == .unsigned(400))
    try home.change(.hue, to: .float(10))
    #expect(try home.read(1, colour, 0x4001) == .unsigned(0))
  }

  @Test("A chromaticity sets hue and saturation, and reads as nearly the same chromaticity")
  func chromaticity() throws {
    let home = try light()
    for (x, y) in [(0.5, 0.4), (0.25, 0.3), (0.3127, 0.329), (0.4, 0.2)] {
      let (sentX, sentY) = Chromaticity(x: x, y: y).integers
      #expect(home.invoke(1, colour, 7, fields: [.unsigned(sentX), .unsigned(sentY), .unsigned(0)] + rest) == .success)
      let readX = try home.read(1, colour, 3).unsigned(in: Chromaticity.range)
      let readY = try home.read(1, colour, 4).unsigned(in: Chromaticity.range)
      #expect(abs(Double(readX) / 65536 - x) < 0.01 && abs(Double(readY) / 65536 - y) < 0.01)
    }
  }

  @Test("A colour temperature is limited to the range of the light, at both ends")
  func mireds() throws {
    let home = try light("light-adaptive")
    let constraints = home.server.database.characteristics[try home.slot(.colourTemperature)].constraints
    let low = try home.read(1, colour, 0x400B).unsigned(in: Chromaticity.range)
    let high = try home.read(1, colour, 0x400C).unsigned(in: Chromaticity.range)
    #expect(constraints.minValue == .integer(Int128(low)) && constraints.maxValue == .integer(Int128(high)))
    for (sent, expected) in [(low, low), (high, high), (0, low), (low - 1, low), (high + 1, high), (65279, high)] {
      #expect(home.invoke(1, colour, 0x0A, fields: [.unsigned(sent), .unsigned(0)] + rest) == .success)
      #expect(try home.read(1, colour, 7) == .unsigned(expected))
      #expect(try home.value(.colourTemperature) == .integer(Int128(expected)))
    }
    let move: [Element.Value] = [.unsigned(3), .unsigned(9), .unsigned(0), .unsigned(0)]
    #expect(home.invoke(1, colour, 0x4B, fields: move + rest) == .success)
    #expect(try home.read(1, colour, 7) == .unsigned(low))
    let step: [Element.Value] = [.unsigned(1), .unsigned(20), .unsigned(0), .unsigned(0), .unsigned(low + 10)]
    #expect(home.invoke(1, colour, 0x4C, fields: step + rest) == .success)
    #expect(try home.read(1, colour, 7) == .unsigned(low + 10))
    #expect(home.invoke(1, colour, 0x47, fields: rest) == .success)
  }

  @Test("A light with colours only shows the nearest colour of the usual range for a colour temperature")
  func convertedMireds() throws {
    let home = try light()
    #expect(try home.read(1, colour, 0x400B) == .unsigned(153) && home.read(1, colour, 0x400C) == .unsigned(500))
    for (sent, shown) in [(0, 153), (153, 153), (300, 300), (500, 500), (65279, 500)] as [(UInt64, UInt64)] {
      #expect(home.invoke(1, colour, 0x0A, fields: [.unsigned(sent), .unsigned(0)] + rest) == .success)
      #expect(try home.read(1, colour, 7) == .unsigned(shown))
      let expected = Chromaticity(mireds: Double(shown)).hueAndSaturation
      #expect(try home.value(.hue).doubleValue == expected.hue.rounded())
      #expect(try home.value(.saturation).doubleValue == expected.saturation.rounded())
    }
  }

  @Test("Steps turn the hue in a circle, and end at the limits of the saturation")
  func steps() throws {
    let home = try light()
    func hue(_ start: Double, _ mode: UInt64, _ size: UInt64) throws -> Element.Value {
      try home.change(.hue, to: .float(start))
      let fields: [Element.Value] = [.unsigned(mode), .unsigned(size), .unsigned(0)]
      #expect(home.invoke(1, colour, 2, fields: fields + rest) == .success)
      return try home.read(1, colour, 0)
    }
    #expect(try hue(0, 3, 5) == .unsigned(250) && hue(360, 1, 5) == .unsigned(4) && hue(180, 1, 255) == .unsigned(127))
    #expect(home.invoke(1, colour, 1, fields: [.unsigned(1), .unsigned(10)] + rest) == .success)
    #expect(try home.read(1, colour, 0) == .unsigned(137))
    #expect(home.invoke(1, colour, 1, fields: [.unsigned(0), .unsigned(0)] + rest) == .success)
    try home.change(.saturation, to: .float(50))
    #expect(home.invoke(1, colour, 5, fields: [.unsigned(1), .unsigned(255), .unsigned(0)] + rest) == .success)
    #expect(try home.value(.saturation) == .float(100))
    #expect(home.invoke(1, colour, 5, fields: [.unsigned(3), .unsigned(54), .unsigned(0)] + rest) == .success)
    #expect(try home.read(1, colour, 1) == .unsigned(201))
    #expect(home.invoke(1, colour, 4, fields: [.unsigned(3), .unsigned(1)] + rest) == .success)
    #expect(try home.value(.saturation) == .float(0))
    #expect(home.invoke(1, colour, 9, fields: [.signed(2000), .signed(-3000), .unsigned(0)] + rest) == .success)
    #expect(try home.value(.saturation) != .float(0))
    #expect(home.invoke(1, colour, 8, fields: [.signed(32767), .signed(-32768)] + rest) == .success)
  }

  @Test("While the light is off, a colour counts only with ExecuteIfOff")
  func off() throws {
    let home = try MappedHome("light-colour")
    let before = try home.value(.hue)
    #expect(home.invoke(1, colour, 0, fields: [.unsigned(200), .unsigned(0), .unsigned(0)] + rest) == .success)
    #expect(try home.value(.hue) == before)
    let forced: [Element.Value] = [.unsigned(200), .unsigned(0), .unsigned(0), .unsigned(1), .unsigned(1)]
    #expect(home.invoke(1, colour, 0, fields: forced) == .success)
    #expect(try home.read(1, colour, 0) == .unsigned(200))
  }

  private static let good: [(CommandNumber, [Element.Value])] = [
    (0, [.unsigned(1), .unsigned(1), .unsigned(1)]), (1, [.unsigned(1), .unsigned(1)]),
    (2, [.unsigned(1), .unsigned(1), .unsigned(1)]), (3, [.unsigned(1), .unsigned(1)]),
    (4, [.unsigned(1), .unsigned(1)]), (5, [.unsigned(1), .unsigned(1), .unsigned(1)]),
    (6, [.unsigned(1), .unsigned(1), .unsigned(1)]), (7, [.unsigned(9000), .unsigned(9000), .unsigned(1)]),
    (8, [.signed(1), .signed(1)]), (9, [.signed(1), .signed(1), .unsigned(1)]),
    (0x0A, [.unsigned(200), .unsigned(1)]), (0x47, []),
    (0x4B, [.unsigned(1), .unsigned(1), .unsigned(200), .unsigned(300)]),
    (0x4C, [.unsigned(1), .unsigned(1), .unsigned(1), .unsigned(200), .unsigned(300)]),
  ]

  @Test("A wrong or missing field is refused", arguments: good)
  func wrongFields(_ command: CommandNumber, _ fields: [Element.Value]) throws {
    let home = try light()
    #expect(home.invoke(1, colour, command, fields: fields + rest) == .success)
    try expectRefusals(home, colour, command, fields + rest)
    // Modes and directions outside of their values, hues above 254, and rates of 0.
    let wrong: [CommandNumber: ([Element.Value], InteractionStatus.Code)] = [
      0: ([.unsigned(1), .unsigned(4), .unsigned(1)], .constraintError),
      1: ([.unsigned(1), .unsigned(0)], .invalidCommand),
      2: ([.unsigned(0), .unsigned(1), .unsigned(1)], .constraintError),
      3: ([.unsigned(255), .unsigned(1)], .constraintError), 4: ([.unsigned(2), .unsigned(1)], .constraintError),
      5: ([.unsigned(1), .unsigned(0), .unsigned(1)], .invalidCommand),
      6: ([.unsigned(1), .unsigned(255), .unsigned(1)], .constraintError),
      7: ([.unsigned(65280), .unsigned(1), .unsigned(1)], .constraintError),
      8: ([.signed(32768), .signed(1)], .constraintError),
      9: ([.signed(1), .signed(-32769), .unsigned(1)], .constraintError),
      0x0A: ([.unsigned(65280), .unsigned(1)], .constraintError),
      0x4B: ([.unsigned(1), .unsigned(0), .unsigned(200), .unsigned(300)], .invalidCommand),
      0x4C: ([.unsigned(0), .unsigned(1), .unsigned(1), .unsigned(200), .unsigned(300)], .constraintError),
    ]
    guard let (fields, code) = wrong[command] else { return }
    #expect(home.invoke(1, colour, command, fields: fields + rest) == code)
  }

  @Test("A light with white shades only has the commands and attributes of the colour temperature alone")
  func white() throws {
    let home = try light("light-adaptive")
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == colour })
    let hasHue = home.server.database.characteristics.contains { $0.type == .hue }
    #expect(cluster.features == (hasHue ? 0x19 : 0x10))
    #expect(cluster.commands.contains { $0.number == 0 } == hasHue)
  }

  @Test("Options and the start-up temperature are stored within their ranges")
  func stored() throws {
    let home = try light()
    #expect(home.write(1, colour, 0x0F, .unsigned(1)) == .success)
    #expect(home.write(1, colour, 0x0F, .unsigned(2)) == .constraintError)
    #expect(home.write(1, colour, 0x4010, .unsigned(0)) == .constraintError)
    #expect(home.write(1, colour, 0x4010, .unsigned(65279)) == .success)
    #expect(home.write(1, colour, 0, .unsigned(1)) == .unsupportedWrite)
  }
}
