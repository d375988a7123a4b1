import Foundation
import Testing

@testable import HapctlHub

/// `hapctl hub restore` of files that are no backup, on the disk of this machine. The command itself is tested in worlds.
@Suite("hapctl hub restore: files that are no backup") struct RestoreTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "hapctl-hub-\(UUID().uuidString)")

  @Test(
    "The error names the file and what it is, and the homes stay as they are",
    arguments: [
      ("empty", "", "is empty, and not a backup"),
      ("my.hashome", "home: My Home\n", "is not a backup, but the file of a home ('hapctl home apply' reads it)"),
      ("notes.txt", String(repeating: "buy milk ", count: 100), "is not a backup, or it is damaged"),
      ("", nil, "is a folder, not a backup"), ("absent", nil, "can't be read: there is no such file"),
    ] as [(String, String?, String)])
  func wrongFile(name: String, contents: String?, says: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let home = folder.appending(path: "home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
    let store = home.appending(path: "home.db")
    try Data("the homes".utf8).write(to: store)
    let source = name.isEmpty ? folder.path : folder.appending(path: name).path
    if let contents { try Data(contents.utf8).write(to: URL(filePath: source)) }
    let error = #expect(throws: NoBackup.self) { try NoBackup.restore(source, into: home.path, HubFiles.current.files) }
    let text = error?.description ?? ""
    #expect(
      text.hasPrefix("\(source) \(says)")
        && text.hasSuffix(". Nothing was changed: give a file that 'hapctl hub backup' wrote"), "\(text)")
    #expect(try Data(contentsOf: store) == Data("the homes".utf8))
  }
}
