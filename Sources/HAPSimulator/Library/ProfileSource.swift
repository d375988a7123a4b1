import HAPHost
import HAPProfile

/// What an accessory is made of: a profile, wherever it comes from.
public struct ProfileSource: Sendable {
  private enum Origin {
    case file(String)
    case json([UInt8], fileName: String)
    case profile(AccessoryProfile)
    case services([String])
  }

  private let origin: Origin

  /// The most bytes that a profile may have: 16 MiB.
  private static let sizeLimit = 16 << 20

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

  /// Reads and judges it. Blocks, so it belongs off the loop.
  /// - Throws: `ProfileErrors`, `WishError`, `SimulatorError`.
  func load() throws -> AccessoryProfile {
    let profile: AccessoryProfile
    switch origin {
    case .file(let path): profile = try AccessoryProfile(json: try Self.bytes(of: path), fileName: path)
    case .json(let bytes, let fileName): profile = try AccessoryProfile(json: bytes, fileName: fileName)
    case .profile(let given): profile = given
    case .services(let words):
      guard !words.isEmpty else { throw SimulatorError(.profile, "an accessory has services: say which") }
      let text = NewProfile(name: nil, category: nil, services: try words.map { try ServiceWish($0) }).text
      profile = try AccessoryProfile(json: Array(text.utf8), fileName: words.joined(separator: " "))
    }
    let problems = profile.faultProblems
    guard problems.isEmpty else { throw ProfileErrors(fileName: profile.fileName, problems: problems) }
    return profile
  }

  private static func bytes(of path: String) throws(SimulatorError) -> [UInt8] {
    do throws(RegularFile.Failure) { return try RegularFile.bytes(of: path, limit: sizeLimit) } catch {
      switch error {
      case .unreadable(let reason): throw SimulatorError(.profile, "\(path) can't be read: \(reason)")
      case .noFile: throw SimulatorError(.profile, "\(path) is no file")
      case .tooLong: throw SimulatorError(.profile, "\(path) has more than 16 MiB")
      }
    }
  }
}
