import Foundation

/// The targets of the package, as printed by `swift package describe`.
struct PackageDescription: Decodable {
  struct Target: Decodable {
    let name: String, type: String
    /// The path relative to `Package.swift`.
    let path: String
    let target_dependencies: [String]?
  }

  let targets: [Target]

  /// Uses a separate scratch folder, because `swift test` locks its own while tests run.
  static func read() throws -> PackageDescription {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("house-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let json = try Checkout.output(of: [
      "swift", "package", "--scratch-path", scratch.path, "describe", "--type", "json",
    ])
    return try JSONDecoder().decode(PackageDescription.self, from: json)
  }

  /// All targets except tests and C libraries.
  var code: [Target] { targets.filter { !["test", "system-target"].contains($0.type) } }

  /// The dependencies of each of these targets.
  var arrows: [String: Set<String>] {
    Dictionary(uniqueKeysWithValues: code.map { ($0.name, Set($0.target_dependencies ?? [])) })
  }
}
