import Foundation

/// The targets of the package, as `swift package describe` names them.
struct PackageDescription: Decodable {
  struct Target: Decodable {
    let name: String, type: String
    /// From the folder of `Package.swift`.
    let path: String
    let target_dependencies: [String]?
  }

  let targets: [Target]

  /// With a scratch folder of its own: the one of `swift test` is locked while tests run.
  static func read() throws -> PackageDescription {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("house-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let json = try Checkout.output(of: [
      "swift", "package", "--scratch-path", scratch.path, "describe", "--type", "json",
    ])
    return try JSONDecoder().decode(PackageDescription.self, from: json)
  }

  /// All but tests and C libraries.
  var code: [Target] { targets.filter { !["test", "system-target"].contains($0.type) } }

  /// What each of these depends on.
  var arrows: [String: Set<String>] {
    Dictionary(uniqueKeysWithValues: code.map { ($0.name, Set($0.target_dependencies ?? [])) })
  }
}
