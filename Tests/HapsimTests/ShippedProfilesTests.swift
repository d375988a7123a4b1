import Foundation
import HAPCommandLine
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite("Shipped profiles are found by name") struct ShippedProfilesTests {
  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// A folder in the layout of `make install`, with the given profiles.
  private func installed(_ names: [String], in scratch: ScratchFolder) throws -> String {
    let folder = scratch.path + "/share/hapsim/Profiles"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in names + ["schema.json"] { try Data("{}".utf8).write(to: URL(filePath: folder + "/" + name)) }
    return folder
  }

  @Test("The profiles of an installation are those below its prefix, sorted, without other files") func prefix() throws
  {
    let scratch = ScratchFolder()
    let folder = try installed(["lock.hasaccessory", "door.hasaccessory", "notes.txt"], in: scratch)
    let shipped = ShippedProfiles(near: scratch.path + "/bin/hapsim")
    #expect(shipped.folder == folder)
    #expect(shipped.names == ["door", "lock"])
    #expect(try shipped.path(of: "lock") == folder + "/lock.hasaccessory")
  }

  @Test("A program in the build folder of a checkout finds the profiles of the checkout") func checkout() throws {
    let shipped = ShippedProfiles(near: Self.checkout + "/.build/debug/hapsim")
    #expect(shipped.folder == Self.checkout + "/Profiles")
    #expect(shipped.names.contains("garage-kilgo") && shipped.names.count > 50)
    #expect(ShippedProfiles.installed.folder == Self.checkout + "/Profiles")
  }

  @Test("An existing path takes precedence over a name") func pathWins() throws {
    let scratch = ScratchFolder()
    _ = try installed(["lock.hasaccessory"], in: scratch)
    let shipped = ShippedProfiles(near: scratch.path + "/bin/hapsim")
    let name = "hapsim-test-\(UUID().uuidString)"
    let here = FileManager.default.currentDirectoryPath + "/" + name
    try Data().write(to: URL(filePath: here))
    defer { try? FileManager.default.removeItem(atPath: here) }
    try FileManager.default.copyItem(
      atPath: scratch.path + "/share/hapsim/Profiles/lock.hasaccessory",
      toPath: scratch.path + "/share/hapsim/Profiles/\(name).hasaccessory")
    let again = ShippedProfiles(near: scratch.path + "/bin/hapsim")
    #expect(again.names.contains(name) && !shipped.names.contains(name))
    #expect(try again.path(of: name) == name)
  }

  @Test("An operand in the form of a path is always a path", arguments: ["./lock", "a/lock", "lock.hasaccessory"])
  func paths(_ operand: String) throws {
    #expect(try ShippedProfiles.installed.path(of: operand) == operand)
  }

  @Test("A name of no file and no shipped profile is an error with the nearest name") func unknown() {
    #expect(throws: FileError.self) { try ShippedProfiles(near: nil).path(of: "lock") }
    let said = hapsim(["validate", "garage-kilgoo"])
    #expect(said.out.contains("no shipped profile of this name: did you mean garage-kilgo?"), "\(said.out)")
    #expect(said.exit != .well)
  }

  @Test("hapsim validate takes a name, and shows the path") func validate() {
    let said = hapsim(["validate", "lock"])
    #expect(said == Transcript(out: Self.checkout + "/Profiles/lock.hasaccessory: no problems\n"))
  }

  @Test("hapsim run without a profile lists the shipped ones, and exits with 2") func list() {
    let said = hapsim(["run"])
    #expect(said.exit == .usage)
    #expect(said.error.hasPrefix("hapsim run: PROFILE… is missing: give a path, or the name"))
    let lines = said.out.split(separator: "\n")
    #expect(lines.count == ShippedProfiles.installed.names.count)
    #expect(lines.contains { $0.hasPrefix("  garage-kilgo ") && $0.hasSuffix("garage-door-opener") })
  }

  @Test("hapsim ctl sends the path of a shipped profile") func control() throws {
    let words = try ControlWords(["add", "lock"], accessory: nil, service: nil, folder: "/elsewhere")
    #expect(words.json.contains("\(Self.checkout)/Profiles/lock.hasaccessory"))
    let own = try ControlWords(["add", "mine.json"], accessory: nil, service: nil, folder: "/elsewhere")
    #expect(own.json.contains("/elsewhere/mine.json"))
  }
}
