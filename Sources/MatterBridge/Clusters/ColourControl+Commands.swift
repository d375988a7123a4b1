import HAPModel
import MatterModel
import MatterWire

extension ColourCluster {
  /// What a command asks for.
  private enum Target {
    case hue(UInt64)
    case saturation(UInt64)
    case hueAndSaturation(UInt64, UInt64)
    case chromaticity(Chromaticity)
    case mireds(Double)
    /// The colour stays.
    case none
  }

  private typealias Request = @Sendable (ClusterAccess, CommandFields) throws(InteractionStatus) -> Target

  static let commands: [CommandBinding] = hueCommands + saturationCommands + chromaticityCommands + temperatureCommands

  /// - Parameter tag: of OptionsMask; OptionsOverride follows.
  private static func command(
    _ number: CommandNumber, features: UInt32, options tag: UInt8, _ request: @escaping Request
  ) -> CommandBinding {
    CommandBinding(number, features: features) { access, fields throws(InteractionStatus) in
      let target = try request(access, fields)
      let mask = try fields.unsigned(tag, CommandFields.options)
      let override = try fields.unsigned(tag + 1, CommandFields.options)
      let power = PowerCharacteristic.on
      guard access.isEqual(power.type, power.on) || access.executesIfOff(options, mask, override) else { return }
      try execute(target, access)
    }
  }

  private static func execute(_ target: Target, _ access: ClusterAccess) throws(InteractionStatus) {
    switch target {
    case .none: return
    case .hue(let hue):
      try access.write(.hue, access.fitted(LightLevel.degrees(hue: hue), .hue))
      setMode(.hueAndSaturation, access)
    case .saturation(let saturation):
      try access.write(.saturation, access.fitted(LightLevel.percent(saturation: saturation), .saturation))
      setMode(.hueAndSaturation, access)
    case .hueAndSaturation(let hue, let saturation):
      try write(hue: LightLevel.degrees(hue: hue), saturation: LightLevel.percent(saturation: saturation), access)
      setMode(.hueAndSaturation, access)
    case .chromaticity(let colour):
      let (hue, saturation) = colour.hueAndSaturation
      try write(hue: hue, saturation: saturation, access)
      setMode(.chromaticity, access)
    case .mireds(let mireds):
      if access.has(.colourTemperature) {
        try access.write(.colourTemperature, access.fitted(mireds, .colourTemperature))
      } else {
        let (hue, saturation) = Chromaticity(mireds: mireds).hueAndSaturation
        try write(hue: hue, saturation: saturation, access)
        access.store(Self.mireds, .unsigned(UInt64(nearest: mireds, in: Chromaticity.range)))
      }
      setMode(.temperature, access)
    }
  }

  private static func write(hue: Double, saturation: Double, _ access: ClusterAccess) throws(InteractionStatus) {
    try access.write([
      (.hue, access.fitted(hue, .hue)), (.saturation, access.fitted(saturation, .saturation)),
    ])
  }

  // MARK: Fields

  private static let byte: ClosedRange<UInt64> = 0...254
  private static let directions: [UInt64] = [0, 1, 2, 3]

  private enum Motion: Equatable { case stop, up, down }

  private static func motion(
    _ fields: CommandFields, _ tag: UInt8, stops: Bool
  ) throws(InteractionStatus) -> Motion {
    let mode = try fields.choice(tag, stops ? [0, 1, 3] : [1, 3])
    return mode == 0 ? .stop : mode == 1 ? .up : .down
  }

  /// A rate or a size. 0 is allowed only with a stop. Matter 1.4 application clusters §3.2.8.5.
  private static func size(
    _ fields: CommandFields, _ tag: UInt8, _ motion: Motion, max: UInt64 = UInt64(UInt8.max)
  ) throws(InteractionStatus) -> UInt64 {
    let size = try fields.unsigned(tag, 0...max)
    guard size > 0 || motion == .stop else { throw InteractionStatus(.invalidCommand) }
    return size
  }

  private static func time(
    _ fields: CommandFields, _ tag: UInt8, _ range: ClosedRange<UInt64> = CommandFields.transitionTimes
  ) throws(InteractionStatus) {
    _ = try fields.unsigned(tag, range)
  }

  // MARK: Hue and saturation

  /// A hue moves in a circle of 255 values, so a move has no end: one second of it is executed.
  private static func turned(
    _ access: ClusterAccess, _ motion: Motion, by size: UInt64
  ) throws(InteractionStatus) -> Target {
    let hue = LightLevel.hue(degrees: try access.number(.hue) ?? 0)
    switch motion {
    case .stop: return .none
    case .up: return .hue((hue + size) % 255)
    case .down: return .hue((hue + 255 - size % 255) % 255)
    }
  }

  private static let hueCommands: [CommandBinding] = [
    command(0, features: Feature.hueAndSaturation, options: 3) { _, fields throws(InteractionStatus) in
      let hue = try fields.unsigned(0, byte)
      _ = try fields.choice(1, directions)
      try time(fields, 2)
      return .hue(hue)
    },
    command(1, features: Feature.hueAndSaturation, options: 2) { access, fields throws(InteractionStatus) in
      let motion = try motion(fields, 0, stops: true)
      return try turned(access, motion, by: try size(fields, 1, motion))
    },
    command(2, features: Feature.hueAndSaturation, options: 3) { access, fields throws(InteractionStatus) in
      let motion = try motion(fields, 0, stops: false)
      let size = try size(fields, 1, motion)
      try time(fields, 2, 0...UInt64(UInt8.max))
      return try turned(access, motion, by: size)
    },
  ]

  private static let saturationCommands: [CommandBinding] = [
    command(3, features: Feature.hueAndSaturation, options: 2) { _, fields throws(InteractionStatus) in
      let saturation = try fields.unsigned(0, byte)
      try time(fields, 1)
      return .saturation(saturation)
    },
    command(4, features: Feature.hueAndSaturation, options: 2) { _, fields throws(InteractionStatus) in
      let motion = try motion(fields, 0, stops: true)
      _ = try size(fields, 1, motion)
      return motion == .stop ? .none : .saturation(motion == .up ? byte.upperBound : 0)
    },
    command(5, features: Feature.hueAndSaturation, options: 3) { access, fields throws(InteractionStatus) in
      let motion = try motion(fields, 0, stops: false)
      let size = try size(fields, 1, motion)
      try time(fields, 2, 0...UInt64(UInt8.max))
      let now = LightLevel.saturation(percent: try access.number(.saturation) ?? 0)
      return .saturation(motion == .up ? min(now + size, byte.upperBound) : now - min(size, now))
    },
    command(6, features: Feature.hueAndSaturation, options: 3) { _, fields throws(InteractionStatus) in
      let (hue, saturation) = (try fields.unsigned(0, byte), try fields.unsigned(1, byte))
      try time(fields, 2)
      return .hueAndSaturation(hue, saturation)
    },
  ]

  // MARK: Chromaticity

  private static let step: ClosedRange<Int64> = Int64(Int16.min)...Int64(Int16.max)

  private static func moved(
    _ access: ClusterAccess, _ stepX: Int64, _ stepY: Int64
  ) throws(InteractionStatus) -> Target {
    let now = try chromaticity(access)
    func part(_ part: Double, _ step: Int64) -> Double { min(max(part + Double(step) / 65536, 0), 65279.0 / 65536) }
    return .chromaticity(Chromaticity(x: part(now.x, stepX), y: part(now.y, stepY)))
  }

  private static let chromaticityCommands: [CommandBinding] = [
    command(7, features: Feature.chromaticity, options: 3) { _, fields throws(InteractionStatus) in
      let x = try fields.unsigned(0, Chromaticity.range)
      let y = try fields.unsigned(1, Chromaticity.range)
      try time(fields, 2)
      return .chromaticity(Chromaticity(x: x, y: y))
    },
    // A move has no end: one second of it is executed.
    command(8, features: Feature.chromaticity, options: 2) { access, fields throws(InteractionStatus) in
      try moved(access, try fields.signed(0, step), try fields.signed(1, step))
    },
    command(9, features: Feature.chromaticity, options: 3) { access, fields throws(InteractionStatus) in
      let (x, y) = (try fields.signed(0, step), try fields.signed(1, step))
      try time(fields, 2)
      return try moved(access, x, y)
    },
    CommandBinding(
      0x47,
      perform: { _, fields throws(InteractionStatus) in
        _ = try fields.unsigned(0, CommandFields.options)
        _ = try fields.unsigned(1, CommandFields.options)
      }),
  ]

  // MARK: Colour temperature

  /// The limits of a command within those of the light. 0 means the light's own limit.
  private static func limits(
    _ access: ClusterAccess, _ fields: CommandFields, _ tag: UInt8
  ) throws(InteractionStatus) -> ClosedRange<Double> {
    let physical = miredLimits(access)
    let low = Double(try fields.unsigned(tag, Chromaticity.range))
    let high = Double(try fields.unsigned(tag + 1, Chromaticity.range))
    let least = min(max(low, physical.lowerBound), physical.upperBound)
    return least...max(least, high == 0 ? physical.upperBound : min(high, physical.upperBound))
  }

  private static let temperatureCommands: [CommandBinding] = [
    command(0x0A, features: Feature.temperature, options: 2) { access, fields throws(InteractionStatus) in
      let mireds = Double(try fields.unsigned(0, Chromaticity.range))
      try time(fields, 1)
      let limits = miredLimits(access)
      return .mireds(min(max(mireds, limits.lowerBound), limits.upperBound))
    },
    command(0x4B, features: Feature.temperature, options: 4) { access, fields throws(InteractionStatus) in
      let motion = try motion(fields, 0, stops: true)
      _ = try size(fields, 1, motion, max: UInt64(UInt16.max))
      let limits = try limits(access, fields, 2)
      return motion == .stop ? .none : .mireds(motion == .up ? limits.upperBound : limits.lowerBound)
    },
    command(0x4C, features: Feature.temperature, options: 5) { access, fields throws(InteractionStatus) in
      let motion = try motion(fields, 0, stops: false)
      let size = Double(try size(fields, 1, motion, max: UInt64(UInt16.max)))
      try time(fields, 2)
      let limits = try limits(access, fields, 3)
      let target = try currentMireds(access) + (motion == .up ? size : -size)
      return .mireds(min(max(target, limits.lowerBound), limits.upperBound))
    },
  ]
}
