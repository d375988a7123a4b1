import Foundation

/// A file of `Tests/Vectors`, as JSON.
package func vectorFile(_ name: String) throws -> [String: Any] {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  let data = try Data(contentsOf: folder.appendingPathComponent("Vectors/\(name).json"))
  return try JSONSerialization.jsonObject(with: data) as! [String: Any]
}

/// The bytes of a file of `Tests/Vectors/devices`, and the names of all files.
package func deviceFile(_ name: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: deviceFolder.appending(path: name)))
}

package let deviceFiles: [String] = {
  let names = try? FileManager.default.contentsOfDirectory(atPath: deviceFolder.path)
  return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
}()

private let deviceFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "Vectors/devices")

/// Bytes of hexadecimal text; blanks are skipped.
package func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
  precondition(digits.count % 2 == 0, "hexadecimal text of odd length")
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension [String: Any] {
  /// The member `name`, decoded from hexadecimal text.
  package func bytes(_ name: String) -> [UInt8] { hex(self[name] as! String) }
  package func text(_ name: String) -> String { self[name] as! String }
  package func object(_ name: String) -> [String: Any] { self[name] as! [String: Any] }
  package func list(_ name: String) -> [[String: Any]] { self[name] as! [[String: Any]] }
}
