import HapsimFiles
import Foundation
import HAPCommandLine
import HAPFleet
import HAPProfile
import HAPStore
import Synchronization
import Testing
@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite struct FleetsAreHeldAgainstTheirProfiles {
  private let folder = ScratchFolder()
  private let complaints = Complaints()

  private final class Complaints: Sendable {
    let text = Mutex("")
    var lines: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }
  }

  private var console: Console {
    Console(out: { _ in }, error: { [complaints] text in complaints.text.withLock { $0 += text } })
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try write("lamp", #""name": "Lamp", "services": [ { "type": "LightBulb" } ]"#)
    try write("fixed", #""name": "Fixed", "deviceID": "5E:7A:11:0C:3B:2D", "services": [ { "type": "Outlet" } ]"#)
    try write("late", #""name": "Late", "faults": ["clock-jump"], "services": [ { "type": "Outlet" } ]"#)
  }

  private func write(_ name: String, _ members: String) throws {
    let text = "{ \"format\": \"hasaccessory/1\", \(members) }"
    try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name).hasaccessory"))
  }

  private func load(_ groups: String, hasIdentity: Bool = false) throws -> LoadedFleet? {
    let file = "\(folder.path)/fleet.yaml"
    try Data("fleet: 1\ngroups:\n\(groups)".utf8).write(to: URL(filePath: file))
    return try? LoadedFleet.load(file, hasIdentity: hasIdentity, console)
  }

  private func options(_ words: String...) throws -> RunOptions {
    try RunOptions(
      Arguments(parsing: words, options: RunOptions.definitions), environment: { ["HOME": "/home/me"][$0] })
  }

  @Test("A fixed device ID can be used only once, and can't be combined with an identity") func deviceIDs() throws {
    #expect(try load("  - { profile: fixed.hasaccessory }\n") != nil)
    #expect(
      try load("  - { profile: fixed.hasaccessory }\n  - { profile: fixed.hasaccessory, id: b, name: \"B {n}\" }\n")
        == nil)
    #expect(
      complaints.lines.last?.contains(
        "fleet.yaml:4:16: groups[1].profile: its device ID is 5E:7A:11:0C:3B:2D, which several") == true)
    #expect(try load("  - { profile: fixed.hasaccessory }\n", hasIdentity: true) == nil)
    #expect(
      complaints.lines.last?.hasSuffix("5E:7A:11:0C:3B:2D, but the identity would give it a different one") == true)
    #expect(try load("  - { profile: late.hasaccessory, count: 2 }\n") == nil)
    #expect(complaints.lines.last?.contains("its fault clock-jump would advance the time of all accessories") == true)
  }

  @Test("An error has the correct group, even after a group whose profile can't be served") func names() throws {
    #expect(
      try load(
        "  - { profile: none.hasaccessory }\n  - { profile: lamp.hasaccessory }\n  - { profile: lamp.hasaccessory, name: \"X {n}\" }\n"
      )
        == nil)
    #expect(
      complaints.lines.last?.contains("groups[2].profile: groups[1] has the same profile") == true,
      "\(complaints.lines)")
  }

  @Test("Names that commands can't distinguish are refused") func foldedNames() throws {
    #expect(
      try load(
        "  - { profile: lamp.hasaccessory, name: \"Desk Lamp {n}\" }\n  - { profile: lamp.hasaccessory, id: b, name: \"desk-lamp-{n}\" }\n"
      )
        == nil)
    #expect(
      complaints.lines.last?.contains(
        "groups[1].name: groups[0] has an accessory \"Desk Lamp 1\", which commands can't distinguish from \"desk-lamp-1\""
      )
        == true, "\(complaints.lines)")
  }

  @Test("A share that rounds to no copy is a warning") func shares() throws {
    #expect(try load("  - { profile: lamp.hasaccessory, count: 200, faults: [{ fault: stall, share: 0.1 }] }\n") != nil)
    #expect(
      complaints.lines.last?.hasSuffix(
        "groups[0].faults[0].share: warning: no copy has this fault: 0.1% of 200 is less than half a copy") == true,
      "\(complaints.lines)")
    #expect(complaints.lines.count == 1)
    #expect(try load("  - { profile: lamp.hasaccessory, count: 200, faults: [{ fault: stall, share: 0 }] }\n") != nil)
    #expect(complaints.lines.count == 1)
  }

  @Test("An impossible combination of possible values is reported for its copy") func together()
    throws
  {
    let fleet = try #require(
      try load(
        "  - { profile: lamp.hasaccessory, count: 40, faults: [{ fault: { choice: [trickle, reset] }, bytes: { choice: [1, 100000] } }] }\n"
      ), "\(complaints.lines)")
    let error = #expect(throws: FleetProblem.self) { try fleet.plan(options("a"), choices: .init()) }
    #expect(
      error?.message.contains("trickle") == true && error?.message.contains("which \"Lamp ") == true,
      "\(error?.message ?? "")")
  }

  @Test("Copies of a profile that is listed twice can't be distinguished, and are refused") func twice() throws {
    let lamp = try AccessoryProfile(
      json: Data(contentsOf: URL(filePath: "\(folder.path)/lamp.hasaccessory")).map { $0 }, fileName: "lamp")
    let fixed = try AccessoryProfile(
      json: Data(contentsOf: URL(filePath: "\(folder.path)/fixed.hasaccessory")).map { $0 }, fileName: "fixed")
    let options = try options("a", "b", "--count", "5", "--identity", "x")
    var error = #expect(throws: UsageError.self) { try ServePlan([lamp, lamp], copies: 5, choices: .init(), options) }
    #expect(error?.message.hasPrefix("lamp: its copies would have the same identities as those of lamp") == true)
    error = #expect(throws: UsageError.self) { try ServePlan([lamp, fixed], copies: 1, choices: .init(), options) }
    #expect(error?.message.hasSuffix("but the identity would give it a different one") == true)
    #expect(try ServePlan([lamp], copies: 5, choices: .init(), options).entries.count == 5)
  }

  @Test("A stop request during preparation ends it", arguments: [3, 200]) func early(
    _ count: Int
  ) throws {
    let lamp = try AccessoryProfile(
      json: Data(contentsOf: URL(filePath: "\(folder.path)/lamp.hasaccessory")).map { $0 }, fileName: "lamp")
    let plan = try ServePlan([lamp], copies: count, choices: .init(), options("a", "--count", "\(count)"))
    let stopped = StopRequest()
    stopped.request()
    #expect(throws: StoppedEarly.self) { try plan.prepare(in: .ephemeral(), SystemHost(), until: stopped) }
    #expect(try plan.prepare(in: .ephemeral(), SystemHost(), until: StopRequest()).count == count)
  }
}
