import Foundation
import Testing

@testable import HAPCommandLine

/// A temporary folder for one test, removed with its owner.
private final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
  }
}

private func message(_ body: () throws(FileError) -> Void) -> String? {
  do throws(FileError) {
    try body()
    return nil
  } catch {
    return error.message
  }
}

private func text(_ path: String) throws -> String {
  try String(decoding: readFile(path, limit: 1 << 20), as: UTF8.self)
}

@Suite struct FilesAreWritten {
  @Test("A new file gets its bytes, and an existing file is never overwritten") func new() throws {
    let folder = try Folder()
    let path = folder.path + "/a"
    try writeNewFile(path, Array("one".utf8))
    #expect(try text(path) == "one")
    #expect(message { () throws(FileError) in try writeNewFile(path, [1]) } == "\(path) can't be created: File exists")
    #expect(
      message { () throws(FileError) in try writePrivateFile(path, [1]) } == "\(path) can't be created: File exists")
    #expect(try text(path) == "one")
    try writePrivateFile(folder.path + "/b", [])
    #expect(try folder.mode("b") == 0o600)
    #expect(try folder.mode("a") != 0o600 && folder.names == ["a", "b"])
  }

  @Test("A replacement keeps the mode of the old file; a process with the old file open reads it to the end")
  func replace() throws {
    let folder = try Folder()
    let path = folder.path + "/a"
    try writeNewFile(path, Array("one".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let open = try #require(FileHandle(forReadingAtPath: path))
    try replaceFile(path, Array("another".utf8))
    #expect(try text(path) == "another")
    #expect(try open.readToEnd() == Data("one".utf8))
    #expect(try folder.mode("a") == 0o640 && folder.names == ["a"])
  }

  @Test("A missing file is created; a symbolic link is kept, and its target is replaced") func links() throws {
    let folder = try Folder()
    try replaceFile(folder.path + "/a", Array("one".utf8))
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/b", withDestinationPath: "a")
    try replaceFile(folder.path + "/b", Array("two".utf8))
    #expect(try text(folder.path + "/a") == "two")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/b") == "a")
    #expect(try folder.names == ["a", "b"])
  }

  @Test("Only ordinary files are replaced; a failed write is reported and leaves no file")
  func refused() throws {
    let folder = try Folder()
    #expect(
      message { () throws(FileError) in try replaceFile(folder.path, [1]) }
        == "\(folder.path) can't be overwritten: it is not a regular file")
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(
      message { () throws(FileError) in try replaceFile(pipe, [1]) }
        == "\(pipe) can't be overwritten: it is not a regular file")
    try FileManager.default.removeItem(atPath: pipe)
    let nowhere = folder.path + "/none/a"
    let reason = "\(nowhere) can't be created: No such file or directory"
    #expect(message { () throws(FileError) in try replaceFile(nowhere, [1]) } == reason)
    #expect(message { () throws(FileError) in try writeNewFile(nowhere, [1]) } == reason)
    for write in [replaceFile, writeNewFile] as [(String, [UInt8]) throws -> Void] {
      #expect(throws: FileError(message: "a\0b is not a valid file name")) { try write("a\0b", []) }
    }
    #expect(try folder.names == [])
  }

  @Test("A file whose name is too long for a temporary suffix can't be replaced, and stays unchanged")
  func longName() throws {
    let folder = try Folder()
    let name = String(repeating: "n", count: 255)
    try writeNewFile(folder.path + "/" + name, [1])
    #expect(
      message { () throws(FileError) in try replaceFile(folder.path + "/" + name, [2]) }?.hasSuffix(
        "can't be written: File name too long") == true)
    #expect(try readFile(folder.path + "/" + name, limit: 9) == [1])
    #expect(try folder.names == [name])
  }
}
