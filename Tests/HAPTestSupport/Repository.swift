import Foundation

/// The files of this package, relative to this file.
package enum Repository {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A JSON file's top value.
  package static func json<Top>(_ path: String, as type: Top.Type = Top.self) throws -> Top {
    let bytes = try Data(contentsOf: root.appending(path: path))
    guard let top = try JSONSerialization.jsonObject(with: bytes) as? Top else { throw CocoaError(.coderInvalidValue) }
    return top
  }
}
