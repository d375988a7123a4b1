import HAPPreparation
import HAPProfile

/// The source of a profile.
package enum ProfileOrigin: Sendable {
  case file(String)
  case json([UInt8], fileName: String)
  case profile(AccessoryProfile)
  case services([String])

  /// The maximum size of a profile: 16 MiB.
  private static let sizeLimit = 16 << 20

  /// Reads and validates the profile. Blocks, so it must not run on the loop.
  /// - Throws: `ProfileErrors`, `ServiceRequestError`, `SimulationFailure`.
  package func load() throws -> AccessoryProfile {
    let profile: AccessoryProfile
    switch self {
    case .file(let path): profile = try AccessoryProfile(json: try Self.bytes(of: path), fileName: path)
    case .json(let bytes, let fileName): profile = try AccessoryProfile(json: bytes, fileName: fileName)
    case .profile(let given): profile = given
    case .services(let words):
      guard !words.isEmpty else { throw SimulationFailure(.profile, "at least one service must be named") }
      let text = NewProfile(name: nil, category: nil, services: try words.map { try ServiceRequest($0) }).text
      profile = try AccessoryProfile(json: Array(text.utf8), fileName: words.joined(separator: " "))
    }
    let problems = profile.faultProblems
    guard problems.isEmpty else { throw ProfileErrors(fileName: profile.fileName, problems: problems) }
    return profile
  }

  private static func bytes(of path: String) throws(SimulationFailure) -> [UInt8] {
    do throws(RegularFile.Failure) { return try RegularFile.bytes(of: path, limit: sizeLimit) } catch {
      switch error {
      case .unreadable(let reason): throw SimulationFailure(.profile, "\(path) can't be read: \(reason)")
      case .noFile: throw SimulationFailure(.profile, "\(path) is not a file")
      case .tooLong: throw SimulationFailure(.profile, "\(path) is larger than 16 MiB")
      }
    }
  }
}
