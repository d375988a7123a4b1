import CMath

/// A colour without its brightness, in the diagram of CIE 1931. Matter writes x and y multiplied by 65536.
struct Chromaticity: Equatable {
  static let range: ClosedRange<UInt64> = 0...65279

  var x: Double
  var y: Double

  init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  init(x: UInt64, y: UInt64) { self.init(x: Double(x) / 65536, y: Double(y) / 65536) }

  var integers: (x: UInt64, y: UInt64) { (Self.integer(x), Self.integer(y)) }

  private static func integer(_ part: Double) -> UInt64 { UInt64(nearest: part * 65536, in: range) }

  // MARK: Hue and saturation

  /// The colour of a hue and a saturation at full brightness, with the primaries and the transfer function of sRGB (IEC
  /// 61966-2-1).
  /// - Parameters:
  ///   - hue: 0...360°.
  ///   - saturation: 0...100 %.
  init(hue: Double, saturation: Double) {
    func part(_ offset: Double) -> Double {
      let place = (offset + hue / 60).truncatingRemainder(dividingBy: 6)
      return Self.linear(1 - saturation / 100 * max(0, min(place, 4 - place, 1)))
    }
    let (red, green, blue) = (part(5), part(3), part(1))
    let cieX = 0.4124 * red + 0.3576 * green + 0.1805 * blue
    let cieY = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    let cieZ = 0.0193 * red + 0.1192 * green + 0.9505 * blue
    let sum = cieX + cieY + cieZ
    self.init(x: cieX / sum, y: cieY / sum)
  }

  /// The hue (0..<360°) and the saturation (0...100 %) of the nearest colour that sRGB can show.
  var hueAndSaturation: (hue: Double, saturation: Double) {
    // The division by y is possible for all values that a controller can send.
    let y = max(self.y, 1.0 / 65536)
    let (cieX, cieZ) = (x / y, (1 - x - y) / y)
    let linear = [
      3.2406 * cieX - 1.5372 - 0.4986 * cieZ, -0.9689 * cieX + 1.8758 + 0.0415 * cieZ,
      0.0557 * cieX - 0.2040 + 1.0570 * cieZ,
    ].map { max(0, $0) }
    let most = linear.max() ?? 0
    guard most > 0 else { return (0, 0) }
    let parts = linear.map { Self.companded($0 / most) }
    let least = parts.min() ?? 0
    let span = 1 - least
    guard span > 1e-9 else { return (0, 0) }
    let (red, green, blue) = (parts[0], parts[1], parts[2])
    let sector: Double =
      if red >= green && red >= blue {
        (green - blue) / span
      } else if green >= blue {
        2 + (blue - red) / span
      } else {
        4 + (red - green) / span
      }
    return ((sector * 60 + 360).truncatingRemainder(dividingBy: 360), span * 100)
  }

  private static func linear(_ part: Double) -> Double {
    part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
  }

  private static func companded(_ part: Double) -> Double {
    part <= 0.003_130_8 ? part * 12.92 : 1.055 * pow(part, 1 / 2.4) - 0.055
  }

  // MARK: Colour temperature

  /// The colour of a black body, by the cubic approximation of Kim et al. (US patent 7024034), which is valid from
  /// 1667 K to 25000 K; outside, the nearest temperature is used.
  /// - Parameter mireds: 1 000 000 K divided by the temperature.
  init(mireds: Double) {
    let kelvin = min(max(1_000_000 / max(mireds, 1), 1667), 25000)
    let (one, two, three) = (1e3 / kelvin, 1e6 / (kelvin * kelvin), 1e9 / (kelvin * kelvin * kelvin))
    let x =
      kelvin <= 4000
      ? -0.2661239 * three - 0.2343589 * two + 0.8776956 * one + 0.179910
      : -3.0258469 * three + 2.1070379 * two + 0.2226347 * one + 0.240390
    let (square, cube) = (x * x, x * x * x)
    let y: Double =
      if kelvin <= 2222 {
        -1.1063814 * cube - 1.34811020 * square + 2.18555832 * x - 0.20219683
      } else if kelvin <= 4000 {
        -0.9549476 * cube - 1.37418593 * square + 2.09137015 * x - 0.16748867
      } else {
        3.0817580 * cube - 5.87338670 * square + 3.75112997 * x - 0.37001483
      }
    self.init(x: x, y: y)
  }

  /// The mireds of the nearest black body, by McCamy's formula (1992).
  var mireds: Double {
    let slope = (x - 0.3320) / (0.1858 - y == 0 ? 1e-9 : 0.1858 - y)
    let kelvin = 449 * slope * slope * slope + 3525 * slope * slope + 6823.3 * slope + 5520.33
    return 1_000_000 / min(max(kelvin, 1000), 1_000_000)
  }
}
