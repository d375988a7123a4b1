import HAPProfile
import HAPSimulatorCore

/// What an accessory is made of: a profile, wherever it comes from.
public struct ProfileSource: Sendable {
  let origin: ProfileOrigin

  /// A `.hasaccessory` file.
  /// - Parameter path: absolute, or from the process's working directory.
  public static func file(_ path: String) -> ProfileSource { ProfileSource(origin: .file(path)) }

  /// The text of a profile.
  /// - Parameter fileName: stands in messages; files that a behaviour names are looked for beside it.
  public static func json(_ text: String, fileName: String = "profile") -> ProfileSource {
    json(Array(text.utf8), fileName: fileName)
  }

  /// The bytes of a profile: JSON in UTF-8.
  /// - Parameter fileName: stands in messages; files that a behaviour names are looked for beside it.
  public static func json(_ bytes: [UInt8], fileName: String = "profile") -> ProfileSource {
    ProfileSource(origin: .json(bytes, fileName: fileName))
  }

  /// A profile that was read already.
  public static func profile(_ profile: AccessoryProfile) -> ProfileSource { ProfileSource(origin: .profile(profile)) }

  /// A profile made from a few words, as `hapsim new --service` makes it: `.new("light-bulb")`, `.new("LightBulb:Brightness,Hue", "Outlet")`.
  /// - Parameter services: of Apple's catalogue, each with what it is to have besides what it must have. Case, spaces and hyphens don't matter
  ///   in names of services.
  public static func new(_ services: String...) -> ProfileSource { ProfileSource(origin: .services(services)) }
}
