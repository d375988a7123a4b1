import HAPHome
import HAPWire
import Testing

@testable import HAPHomeFile

@Suite("Properties of .hashome documents")
struct HomeFilePropertyTests {
  private static let seeds = UInt64(1)...UInt64(100)

  @Test("The document of a home is read back from YAML and JSON, and changes nothing in the home", arguments: seeds)
  func identity(_ seed: UInt64) throws {
    let bench = try RandomHome(seed: seed, commands: 150).bench
    let file = bench.file
    #expect(try HomeFile.read(Array(file.yaml.utf8)) == file)
    #expect(try HomeFile.read(Array(file.json.utf8)) == file)
    for prune in [false, true] {
      let plan = try bench.plan(file, prune: prune)
      #expect(plan.steps.isEmpty && plan.model == bench.model, "\(plan.differences)")
    }
  }

  @Test("The document of a home makes an equal home of a new one with the same devices and users", arguments: seeds)
  func copy(_ seed: UInt64) throws {
    let bench = try RandomHome(seed: seed, commands: 150).bench
    var other = try HomeFileBench.filled(seed: 7777, name: bench.home.name.text)
    try other.apply(bench.file.yaml)
    let (wanted, found) = (HomeShape(bench.home), HomeShape(other.home))
    #expect(found == wanted, "\(wanted.difference(from: found))")
    #expect(other.file == bench.file)
    #expect(other.home.accessories.map(\.id) != bench.home.accessories.map(\.id))
  }

  @Test("The document of a home makes an equal home of any other one with the same devices and users", arguments: seeds)
  func overwrite(_ seed: UInt64) throws {
    let bench = try RandomHome(seed: seed, commands: 120, keepsTypesAndVendor: true).bench
    let other = try RandomHome(seed: seed + 1000, commands: 120, keepsTypesAndVendor: true).bench
    let before = other.model
    let plan = try other.plan(bench.file.yaml, prune: true, home: other.home.id)
    let home = plan.model.homes[0]
    let (wanted, found) = (HomeShape(bench.home).unordered, HomeShape(home).unordered)
    #expect(found == wanted, "\(wanted.difference(from: found))")
    // Each object that has the same name before and after keeps its identifier.
    #expect(home.id == before.homes[0].id && home.accessories.map(\.id) == other.home.accessories.map(\.id))
    for room in home.rooms {
      guard let old = before.homes[0].rooms.first(where: { $0.name.key == room.name.key }) else { continue }
      #expect(old.id == room.id)
    }
    // The commands can be performed again one by one, and the second time there is nothing to do.
    var again = HomeFileBench(seed: 5)
    again.model = before
    again.model.apply(plan.changes)
    #expect(again.model == plan.model)
    #expect(try again.plan(bench.file.yaml, prune: true, home: home.id).steps.isEmpty)
  }
}
