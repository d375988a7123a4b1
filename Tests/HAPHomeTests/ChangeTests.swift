import HAPAlmanac
import HAPModel
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Changes of a model")
struct ChangeTests {
  @Test("An update of a trigger keeps the name and the last fire")
  func trigger() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let id = try bench.addTrigger("Evening", .on(.calendar(.hour(19))), to: home)
    let old = bench.model.homes[0].triggers[0]
    bench.model.apply([
      HomeChange(home, .triggerFired(id, at: bench.now)), HomeChange(home, .triggerRenamed(id, HomeName("Late"))),
    ])
    var changed = old
    changed.kind = .on(.calendar(.hour(20)))
    bench.model.apply([HomeChange(home, .triggerUpdated(changed))])
    let trigger = bench.model.homes[0].triggers[0]
    #expect(trigger.kind == changed.kind && trigger.name.text == "Late" && trigger.lastFire == bench.now)
  }

  @Test("New texts of an accessory do not change its firmware, and new firmware not its texts")
  func texts() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let lamp = try bench.add(.light(1), to: home)
    let texts = AccessoryInformation(manufacturer: "Other", model: "M2", serialNumber: nil, firmware: "9.9")
    bench.model.apply([
      HomeChange(home, .accessoryDetailsUpdated(lamp.id, texts, category: 7, configurationNumber: 3))
    ])
    let changed = bench.model.homes[0].accessories[0]
    #expect(
      changed.information
        == AccessoryInformation(manufacturer: "Other", model: "M2", serialNumber: nil, firmware: "1.0"))
    #expect(changed.category == 7 && changed.configurationNumber == 3 && changed.services == lamp.services)
    bench.model.apply([HomeChange(home, .firmwareUpdated(lamp.id, "2.0"))])
    #expect(bench.model.homes[0].accessories[0].information.firmware == "2.0")
    #expect(bench.model.homes[0].accessories[0].information.model == "M2")
  }

  @Test("The end of an execution is the set's last execution")
  func execution() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let set = try bench.addSet("Movie", to: home)
    bench.model.apply([HomeChange(home, .actionSetExecuted(set, at: bench.now))])
    #expect(bench.model.homes[0].actionSets.map(\.lastExecution) == [nil, nil, nil, nil, bench.now])
  }

  @Test("A change of an object or a home that the model does not have is ignored")
  func unknown() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let before = bench.model
    let x = HomeObjectID.random(using: &bench.generator)
    for place in [home, x] {
      bench.model.apply([
        HomeChange(place, .roomRenamed(x, HomeName("A"))), HomeChange(place, .triggerFired(x, at: bench.now)),
        HomeChange(place, .accessoryMoved(x, room: x)),
        HomeChange(place, .serviceRenamed(accessory: x, service: x, HomeName("A"))),
        HomeChange(place, .userRoleChanged(x, .guest)), HomeChange(place, .roomAddedToZone(room: x, zone: x)),
      ])
    }
    bench.model.apply([HomeChange(x, .homeRemoved), HomeChange(x, .homeRenamed(HomeName("A")))])
    #expect(bench.model == before)
  }

  @Test("A home that the model does not have does not become primary, and the owner of a home stays")
  func owner() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let before = bench.model
    let (owner, x) = (before.homes[0].users[0].id, HomeObjectID.random(using: &bench.generator))
    bench.model.apply([
      HomeChange(x, .homeMadePrimary), HomeChange(home, .userRemoved(owner)),
      HomeChange(home, .userRoleChanged(owner, .guest)),
      HomeChange(home, .userAdded(HomeUser(id: x, name: "Second", role: .owner))),
    ])
    // A model that lost its owner could not be stored.
    try #require(bench.model == before)
    #expect(bench.model.rows == before.rows)
    let text = HomeChange(home, .homeAdded(before.homes[0])).json
    let user = #"{"id":"\#(x)","name":"Second","role":"owner"}"#
    let wrong = text.replacing("\"users\":[]", with: "\"users\":[\(user)]")
    #expect(wrong != text)
    #expect(throws: JSONProblem.self) { try HomeChange(JSONNode.parse(Array(wrong.utf8))) }
  }
}
