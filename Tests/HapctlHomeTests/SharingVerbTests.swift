import Foundation
import HAPHome
import HAPHubLink
import HAPTestSupport
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: homes that are shared with another hub")
struct SharingVerbTests {
  /// Runs a test with the path of a folder that exists meanwhile.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "share-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test("A request is written to a file or to standard output, and no file is overwritten without --force")
  func request() throws {
    try withFolder { folder in
      let bench = try HomeBench.filled()
      #expect(bench("user", "request", "Ben").out == "request of Ben\n")
      let file = folder + "/ben.json"
      #expect(bench("user", "request", "Ben", "-o", file).out == "Wrote \(file).\n")
      #expect(try text(file) == "request of Ben\n")
      let twice = bench("user", "request", "Bea", "-o", file)
      #expect(twice.exit != .well && twice.error.contains("exists"))
      #expect(try text(file) == "request of Ben\n")
      #expect(bench("user", "request", "Bea", "-o", file, "--force").exit == .well)
      #expect(try text(file) == "request of Bea\n")
    }
  }

  @Test("A home is shared with its role; the accessories that learn of it later are named; the file is checked first")
  func share() throws {
    try withFolder { folder in
      let bench = try HomeBench.filled()
      let (request, share) = (folder + "/ben.json", folder + "/home.hashare")
      #expect(bench("user", "request", "Ben", "-o", request).exit == .well)
      try "mine".write(toFile: share, atomically: true, encoding: .utf8)
      let refused = bench("user", "share", request, "-o", share)
      #expect(refused.exit == .problem && refused.error.contains("\(share) exists") && bench.home.users.count == 1)
      let light = try bench.id("Kitchen Light")
      bench.hub.state.withLock { $0.unreachable[light] = "off" }
      let shared = bench("user", "share", request, "-o", share, "--role", "administrator", "--force")
      #expect(
        shared.out == """
          Added the user "Ben" as an administrator.
          "Kitchen Light" can't be reached: it learns of the user when it returns.
          Wrote \(share): give it to the user.

          """)
      #expect(try text(share) == "share\n")
      #expect(bench.home.users[1].role == .administrator)
      #expect(bench("user", "renew", "Ben").out == "share again\n")
      #expect(bench("user", "renew", "Bem").error.contains("did you mean \"Ben\"?"))
      #expect(bench("user", "share", folder + "/none").error.contains("can't be read"))
      #expect(bench("user", "share", request, "--role", "owner").exit == .usage)
      try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: request))
      #expect(bench("user", "share", request).error.contains("is not a text in UTF-8"))
    }
  }

  @Test("A shared home is taken over, and a file of another kind is refused")
  func accept() throws {
    try withFolder { folder in
      let bench = HomeBench()
      let file = folder + "/home.hashare"
      try "share".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(bench("user", "accept", file).out.hasPrefix("Added the home \"Shared\"."))
      try "other".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(bench("user", "accept", file).error.contains("this is no shared home"))
    }
  }

  @Test("A home of another hub names its owner, and completion offers no command that edits it")
  func copies() throws {
    let bench = try HomeBench.filled()
    let copy = bench.home.shared(
      HomeCopy(user: bench.home.users[0].id, issued: .distantPast),
      by: UserController(identifier: "ann", publicKey: Array(repeating: 1, count: 32))!)
    let node = JSONNode.object([("homes", .list([copy.node])), ("primaryHome", .id(copy.id))])
    bench.hub.state.withLock { $0.model = try! HomeModel(node) }
    #expect(bench("list").out == "My Home  Test/City  primary  shared by Anna\n")
    #expect(try bench("list", "--json").json["homes"]?.elements?[0]["sharedBy"]?.stringValue == "Anna")
    #expect(bench("show").out.hasPrefix("My Home (Test/City, 37.33, -122.03, shared by Anna with Anna)"))
    let completion = HomeCompletion(bench.hub.model, homeText: nil)
    #expect(completion.candidates(["r"]) == ["run", "room", "rehearse"])
    #expect(completion.candidates(["room", ""]) == ["list"])
    #expect(HomeVerb.namesForCopies.isSubset(of: HomeVerb.all.map(\.name)))
    let error = bench("room", "add", "Attic")
    #expect(error.exit == .problem && error.error.contains("(rule U1)"))
  }
}
