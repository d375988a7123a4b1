import Foundation
import HAPCommandLine
import Testing

@Suite struct FilesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)").path

  private func withFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body()
  }

  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] }

  @Test("A file is replaced as a whole, and a failed write keeps the old file") func replacing() throws {
    try withFolder {
      let file = folder + "/picture"
      try writeFile(file, [1, 2, 3], overwriting: true)
      try writeFile(file, [4], overwriting: true)
      #expect(try readFile(file, limit: 100) == [4] && names == ["picture"])
      #expect(throws: FileError.self) { try writeFile(file, [5], overwriting: false) }
      // A folder can't be replaced by a file.
      try FileManager.default.createDirectory(atPath: folder + "/taken", withIntermediateDirectories: false)
      #expect(throws: FileError.self) { try writeFile(folder + "/taken", [5], overwriting: true) }
      #expect(throws: FileError.self) { try writeFile(folder + "/nowhere/x", [5], overwriting: true) }
      #expect(throws: FileError.self) { try writeFile(file + "\0x", [5], overwriting: true) }
      #expect(try readFile(file, limit: 100) == [4] && names == ["picture", "taken"])
    }
  }
}
