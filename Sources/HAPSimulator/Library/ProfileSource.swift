import HAPProfile
import HAPSimulatorCore

/// The source of an accessory's profile.
public struct ProfileSource: Sendable {
  let origin: ProfileOrigin

  /// A `.hasaccessory` file.
  /// - Parameter path: absolute, or relative to the process's working directory.
  public static func file(_ path: String) -> ProfileSource { ProfileSource(origin: .file(path)) }

  /// The text of a profile: JSON.
  /// - Parameters:
  ///   - text: the profile.
  ///   - fileName: appears in messages. Files that a behaviour names are searched in the same folder.
  public static func json(_ text: String, fileName: String = "profile") -> ProfileSource {
    json(Array(text.utf8), fileName: fileName)
  }

  /// The bytes of a profile: JSON in UTF-8.
  /// - Parameters:
  ///   - bytes: the profile.
  ///   - fileName: appears in messages. Files that a behaviour names are searched in the same folder.
  public static func json(_ bytes: [UInt8], fileName: String = "profile") -> ProfileSource {
    ProfileSource(origin: .json(bytes, fileName: fileName))
  }

  /// A profile that has already been read.
  public static func profile(_ profile: AccessoryProfile) -> ProfileSource { ProfileSource(origin: .profile(profile)) }

  /// A profile made from service names, as by `hapsim new --service`: `.new("light-bulb")`,
  /// `.new("LightBulb:Brightness,Hue", "Outlet")`.
  /// - Parameter services: services of Apple's catalogue, each with its optional characteristics. Case, spaces and
  ///   hyphens in service names are ignored.
  public static func new(_ services: String...) -> ProfileSource { ProfileSource(origin: .services(services)) }
}
