import Foundation

/// The folder of the package that these tests are part of.
enum Checkout {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().resolvingSymlinksInPath()

  static func file(_ path: String) -> URL { root.appendingPathComponent(path) }
}
