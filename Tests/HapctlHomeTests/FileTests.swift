import Foundation
import HAPHome
import HAPHomeFile
import HAPHubLink
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: export, apply and diff")
struct FileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "hapctl-home-\(UUID().uuidString)")

  private func write(_ text: String) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "my.hashome")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private let document = """
    home: My Home
    rooms: [Hall, Living Room, Kitchen, Study]
    zones: { Downstairs: [Hall, Study] }
    groups: { Night Lights: [Strip/Left] }
    scenes:
      hi house: { type: home-arrival, set: { Stereo Light/On: on, Stereo Light/Hue: 120 } }
      Movie: { set: { Kitchen Light/On: off } }
    triggers:
      arrived home:
        when: [{ characteristic: Front Door Lock/Lock Current State, is: unsecured }]
        run: [hi house, Movie, { set: { Strip/Left/On: on } }]
        enabled: true
    """

  @Test("A plan is printed and performed with the identifiers of the hub; a second time changes nothing")
  func apply() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try HomeBench.filled()
    let path = try write(document)
    let before = bench.hub.model
    let dry = bench("apply", path, "--dry-run")
    #expect(bench.hub.model == before && dry.exit == .well)
    let said = bench("apply", path)
    #expect(
      said.out == dry.out
        && said.out.hasPrefix("Rename the scene \"Arrive Home\" to \"hi house\".\nAdd the room \"Study\".\n"), "\(said)"
    )
    #expect(bench.home.zones[0].rooms.count == 2 && bench.home.groups[0].services.count == 1)
    #expect(bench.home.triggers[0].isEnabled && bench.home.triggers[0].actionSets.count == 3)
    #expect(bench("apply", path).out == "The home is as in the file.\n")
    #expect(bench("diff", path) == Transcript(out: "The home is as in the file.\n"))
  }

  @Test("A home that does not exist is added with its new objects")
  func newHome() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = HomeBench()
    let path = try write(
      "home: Cottage\ntimeZone: UTC\nrooms: [Porch]\nzones: { All: [Porch] }\nscenes: { A: { set: {} } }")
    #expect(bench("apply", path).exit == .well)
    #expect(bench.home.zones[0].rooms == bench.home.rooms.map(\.id) && bench.home.actionSets.last?.name.text == "A")
  }

  @Test("An exported home is applied without a difference; --prune reports what only the home has")
  func export() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try HomeBench.filled()
    #expect(bench("apply", try write(document)).exit == .well)
    let file = folder.appending(path: "out.hashome").path
    #expect(bench("export", "-o", file).out == "Wrote \(file).\n")
    #expect(bench("export", "-o", file).exit == .cannotRun && bench("export", "-o", file, "--force").exit == .well)
    #expect(bench("export").out == (try String(contentsOfFile: file, encoding: .utf8)))
    #expect(try bench("export", "--json").json["home"]?.stringValue == "My Home")
    #expect(bench("diff", file, "--prune").exit == .well)
    #expect(bench("room", "add", "Attic").exit == .well)
    #expect(bench("diff", file).exit == .well)
    let diff = bench("diff", file, "--prune", "--json")
    #expect(diff.exit == .problem)
    #expect(try diff.json["differences"]?.elements?.map { $0["change"]?.stringValue } == ["remove"])
    #expect(bench("apply", file, "--prune").out == "Remove the room \"Attic\".\n")
  }

  @Test("--home applies a file to that home, which gets its name")
  func otherHome() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try HomeBench.filled()
    #expect(bench("new", "Cottage", "--zone", "UTC").exit == .well)
    #expect(bench("apply", try write("home: Lodge\nrooms: [Porch]"), "--home", "Cottage").exit == .well)
    #expect(bench.hub.model.homes.map(\.name.text) == ["My Home", "Lodge"])
  }

  @Test("All problems of a file are printed with their places, and nothing is changed")
  func problems() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try HomeBench.filled()
    let before = bench.hub.model
    let path = try write("home: My Home\nrooms: [Hall, Hall]\nscenes: { S: { set: { Nope/On: on } } }\nnonsense: 1\n")
    let said = bench("apply", path)
    #expect(said.exit == .problem && said.error.split(separator: "\n").count == 2)
    #expect(said.error.contains("hapctl home apply: \(path):2:15: ") && bench.hub.model == before)
    #expect(bench("diff", "/nowhere.hashome").exit == .cannotRun)
    #expect(bench("apply").exit == .usage)
  }

  @Test(
    "If the hub refuses a step, the message says what is done and what is not; the command continues when it is run again"
  )
  func refusedStep() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try HomeBench.filled()
    let path = try write(document)
    for part in ["addZone", "addServiceToGroup", "addAction(", "addOwnedActionSet", "enableTrigger"] {
      bench.hub.state.withLock { $0.refusals = [(part, HomeError(.insufficientPrivileges, .u1, "not allowed"))] }
      let plan = bench("diff", path).out.split(separator: "\n")
      let said = bench("apply", path)
      #expect(said.exit == .problem && bench.hub.state.withLock { $0.refusals.isEmpty }, "\(said)")
      let errors = said.error.split(separator: "\n").map { String($0.dropFirst("hapctl home apply: ".count)) }
      let done = errors.filter { $0.hasPrefix("done: ") }
      let open = errors.filter { $0.hasPrefix("not done: ") }
      #expect(errors.first == "not allowed (rule U1)" && errors.count == 2 + plan.count, "\(said)")
      #expect(
        errors[1]
          == "\(done.count) of \(plan.count.of("change")) are done: correct the problem, and run the command again, which makes only the others"
      )
      #expect(
        part == "addZone" ? done.count == 2 && open[0] == "not done: add the zone \"Downstairs\"" : true, "\(said)")
      let next = bench("diff", path).out.lowercased().split(separator: "\n").map(String.init)
      #expect(done.allSatisfy { !next.contains($0.dropFirst("done: ".count).lowercased() + ".") }, "\(next)")
    }
    #expect(bench("apply", path).exit == .well && bench.home.triggers[0].isEnabled)
    #expect(bench("diff", path) == Transcript(out: "The home is as in the file.\n"))
  }

  @Test("Identifiers of a plan are replaced in commands, and only there")
  func identifiers() throws {
    let bench = try HomeBench.filled()
    let (old, new) = (try bench.id("Hall"), try bench.id("Kitchen"))
    var map = IdentifierMap()
    let home = bench.home.id
    map.learn([HomeChange(home, .roomRemoved(old))], [HomeChange(home, .roomRemoved(new))])
    #expect(try map.translate(.removeRoom(old)) == .removeRoom(new))
    #expect(try map.translate(.addRoom(home: home, name: "X")) == .addRoom(home: home, name: "X"))
  }
}
