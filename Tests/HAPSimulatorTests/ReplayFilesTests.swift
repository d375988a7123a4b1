@testable import HAPPreparation
import Foundation
import HAPModel
import HAPProfile
import HAPStore
import HAPWire
import Testing
@testable import HAPDevices
@testable import HAPHost

/// A temporary folder with a profile's files, for one test.
private final class ProfileFolder {
  let path = NSTemporaryDirectory() + "hapsim-series-\(UUID().uuidString)"
  var profile: String { path + "/x.hasaccessory" }

  init(_ files: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(name, text) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path + "/" + name)) }
}

@Suite("Replay files of sensors") struct ReplayFilesTests {
  private func problem(_ replay: String, _ files: ReplayFiles) -> String? {
    let node = try! JSONNode.parse(Array(#"{"behaviour": {"replay": \#(replay)}}"#.utf8))["behaviour"]!
    let problems = BehaviourRegistry.standard.problems(
      in: node, for: ServiceDefinition.temperatureSensor.type, files: files)
    #expect(problems.count <= 1)
    return problems.first.map { "\($0.path) \($0.place) \($0.message)" }
  }

  @Test("A file that is missing, too large or malformed is a problem at its place in the profile")
  func badFiles() throws {
    let folder = try ProfileFolder([
      "wrong.csv": "0,1\n1,hot\n", "large.csv": "0,1\n" + String(repeating: "# ", count: 1 << 19),
      "full.csv": "0,1\n" + String(repeating: "#", count: (1 << 20) - 4),
    ])
    try FileManager.default.createDirectory(atPath: folder.path + "/folder.csv", withIntermediateDirectories: true)
    #expect(mkfifo(folder.path + "/pipe.csv", 0o600) == 0)
    let files = ReplayFiles(beside: folder.profile)
    for (name, says) in [
      ("none.csv", "none.csv: it cannot be read in the folder of the profile: No such file or directory"),
      ("wrong.csv", "wrong.csv: line 2: a number is expected after the comma"),
      ("large.csv", "large.csv: it has more than 1 MiB"), ("full.csv", nil),
      ("folder.csv", "folder.csv: it is not a regular file"), ("pipe.csv", "pipe.csv: it is not a regular file"),
      ("", "the name of a file in the folder of the profile is expected, without a path, not \"\""),
      ("../x.csv", "the name of a file in the folder of the profile is expected, without a path, not \"../x.csv\""),
      ("..", "the name of a file in the folder"), ("/etc/passwd", "the name of a file in the folder"),
      ("a\\u0000b", "the name of a file in the folder"),
    ] as [(String, String?)] {
      let problem = problem("\"\(name)\"", files)
      if let says {
        #expect(problem?.hasPrefix("behaviour.replay 1:26 " + says) == true, "\(problem ?? name)")
      } else {
        #expect(problem == nil)
      }
    }
  }

  @Test("A file is read once for a profile, however many copies refer to it")
  func readOnce() throws {
    let folder = try ProfileFolder(["a.csv": "0,1"])
    let files = ReplayFiles(beside: folder.profile)
    let first = try files.series("a.csv").get()
    try folder.write("a.csv", "0,2")
    #expect(try files.series("a.csv").get() == first)
    #expect(try ReplayFiles(beside: folder.profile).series("a.csv").get() != first)
  }

  @Test(
    "A prepared profile and its replacement replay the file next to the profile; a malformed file prevents serving")
  func prepared() throws {
    let folder = try ProfileFolder(["good.csv": "0,20", "bad.csv": "x"])
    func profile(_ file: String) throws -> AccessoryProfile {
      let json = """
        { "format": "hasaccessory/1", "name": "Kitchen", "category": "sensor",
          "services": [ { "type": "TemperatureSensor", "behaviour": { "replay": "\(file)" } } ] }
        """
      return try AccessoryProfile(json: Array(json.utf8), fileName: folder.profile)
    }
    func firstValues(_ blueprint: DeviceBlueprint, _ database: AttributeDatabase) -> [DeviceAction] {
      var context = DeviceContext(now: .zero, random: SimulationRandom(seed: 1)) { id in
        database.slot(of: id).map { database.characteristics[$0] }
      }
      blueprint.makeDevice().start(&context)
      return context.actions
    }
    let prepared = try PreparedAccessory(try profile("good.csv"), in: .ephemeral(), random: .seeded(1))
    let slot = try #require(
      prepared.database.characteristics.firstIndex { $0.type == CharacteristicDefinition.currentTemperature.type })
    let id = prepared.database.id(ofSlot: slot)
    var database = prepared.database
    database[id] = 3
    #expect(firstValues(prepared.blueprint, database) == [.set(id, .float(20))])
    try folder.write("good.csv", "0,30")
    let replacement = try Replacement(
      try profile("good.csv"), inPlaceOf: prepared.profile, servedAs: IDMap(), for: prepared)
    #expect(firstValues(replacement.blueprint, database) == [.set(id, .float(30))])
    for make in [
      { _ = try PreparedAccessory(try profile("bad.csv"), in: .ephemeral(), random: .seeded(1)) },
      { _ = try Replacement(try profile("bad.csv"), inPlaceOf: prepared.profile, servedAs: IDMap(), for: prepared) },
    ] {
      let errors = #expect(throws: ProfileErrors.self, performing: make)
      #expect(
        errors?.description.contains(
          "\(folder.profile):2:73: error: services[0].behaviour.replay: bad.csv: line 1: \"time,value\" is expected")
          == true, "\(errors?.description ?? "")")
    }
  }
}
