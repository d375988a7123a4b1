import HAPModel
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail if the table lists a characteristic of another service, if a constant is not read, and if a
/// characteristic is neither shown nor omitted.
@Suite("Matter: the table of the mapping") struct TableTests {
  private func table(_ name: String) throws -> MappingTable {
    let built = try MappedHome.build(try MappedHome.text(name))
    return MappingTable(of: built.database, MappingOverrides(built.matter, in: built.database)) { _ in nil }
  }

  private func table(json: String) throws -> MappingTable {
    let built = try MappedHome.build(json)
    return MappingTable(of: built.database, MappingOverrides(built.matter, in: built.database)) { "iid \($0.iid)" }
  }

  @Test("The table has exactly the endpoints, clusters and attributes of the node", arguments: MappedHome.profiles)
  func complete(_ name: String) throws {
    let (home, table) = (try MappedHome(name), try table(name))
    #expect(table.endpoints.map(\.number) == home.node.endpoints)
    for endpoint in table.endpoints {
      let clusters = home.node.clusters(of: endpoint.number)
      #expect(endpoint.clusters.map(\.id) == clusters.map(\.id) && endpoint.problems.isEmpty)
      for (row, cluster) in zip(endpoint.clusters, clusters) {
        #expect(row.attributes.map(\.number) == cluster.attributes.map(\.number))
        #expect(row.attributes.map(\.isWritable) == cluster.attributes.map { $0.write != nil })
        #expect(row.commands.map(\.number) == cluster.commands.map(\.number))
        #expect(row.events.map(\.number) == cluster.events.map(\.number))
        guard cluster.id <= 0xFFFF else { continue }
        #expect(row.name != nil && row.attributes.allSatisfy { $0.name != nil })
        #expect((row.commands + row.events).allSatisfy { $0.name != nil })
      }
    }
  }

  @Test(
    "A constant has its value; any other attribute has a conversion or a characteristic", arguments: MappedHome.profiles
  )
  func values(_ name: String) throws {
    let (home, table) = (try MappedHome(name), try table(name))
    for endpoint in table.endpoints {
      for cluster in endpoint.clusters {
        for attribute in cluster.attributes where attribute.conversion == nil {
          // The identifier of a bridged accessory depends on the node.
          if cluster.id == ClusterName.bridgedInformation, attribute.number == 0x12 { continue }
          let value = try home.read(endpoint.number, cluster.id, attribute.number)
          #expect(attribute.value == value && attribute.sources.isEmpty, "\(attribute)")
        }
      }
    }
  }

  @Test(
    "Each characteristic is shown, used by a command or an event, or omitted with a reason",
    arguments: MappedHome.profiles)
  func nothingIsLost(_ name: String) throws {
    let (database, table) = (try MappedHome.database(name), try table(name))
    let clusters = table.endpoints.flatMap(\.clusters)
    let shown = Set(clusters.flatMap { $0.attributes.flatMap(\.sources) + $0.others }.map(\.id))
    let omitted = Set(table.omissions.map(\.place.id))
    #expect(table.omissions.allSatisfy { !$0.reason.isEmpty })
    for entry in database.accessoryEntries {
      for service in database.services[entry.services] {
        let id = AttributeID(aid: entry.aid, iid: service.iid)
        #expect(omitted.contains(id) != table.services.contains { $0.place.id == id })
        if omitted.contains(id) { continue }
        for slot in service.slots {
          let id = database.id(ofSlot: slot)
          #expect(shown.contains(id) != omitted.contains(id), "\(id) \(database.characteristics[slot].type.shown)")
        }
      }
    }
  }

  @Test("The lines name characteristics, conversions, constants, features, commands and omissions")
  func lines() throws {
    let lines = try table("light-colour").lines
    func has(_ parts: String...) -> Bool { lines.contains { line in parts.allSatisfy { line.contains($0) } } }
    #expect(lines.first?.hasPrefix("endpoint 1: 010D ExtendedColorLight (1.") == true)
    #expect(has("  0006 OnOff, features LT"))
    #expect(has("    0000 OnOff", " On ", "true if On is true"))
    #expect(has("0011 OnLevel (writable)", "node", "stored by the node, at first null"))
    #expect(has("0002 MinLevel", "constant", "  1"))
    #expect(has("0000 CurrentLevel", "Brightness", "x × 254/100, 1 to 254"))
    #expect(has("commands: 0000 Off, 0001 On, 0002 Toggle"))
    #expect(has("service 1.1 AccessoryInformation: its texts are in the clusters 0028 and 0039"))
    let lock = try table("lock").lines
    #expect(lock.contains { $0.contains("used by them: ") && $0.hasSuffix("LockTargetState") })
    #expect(lock.contains { $0.contains("events: 0000 DoorLockAlarm, 0002 LockOperation") })
  }

  @Test("Choices of a profile are in the table, and omissions have a reason")
  func choices() throws {
    let table = try table(
      json: """
        { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [
          { "type": "LightBulb", "name": "A", "matter": { "deviceType": "OnOffPlugInUnit" },
            "characteristics": [ { "type": "Brightness", "matter": false } ] },
          { "type": "Switch", "name": "B", "matter": false } ] }
        """)
    #expect(table.endpoints.map { $0.deviceTypes.map(\.name) } == [["OnOffPlugInUnit"]])
    let omissions = table.omissions.filter { $0.reason == "the profile leaves it out" }
    #expect(omissions.map(\.place.name) == ["Brightness", "Switch"])
    #expect(
      omissions.map(\.isService) == [false, true] && omissions.allSatisfy { $0.place.path?.hasPrefix("iid ") == true })
  }

  @Test("The JSON has the same rows; identifiers are numbers")
  func json() throws {
    let table = try table("thermostat")
    let root = try JSONNode.parse(JSONWriter.bytes { table.write(to: &$0) })
    let endpoint = try #require(root["endpoints"]?.elements?.first)
    #expect(endpoint["endpoint"]?.integerValue == 1 && endpoint["service"]?["name"]?.stringValue == "Thermostat")
    #expect(endpoint["deviceTypes"]?.elements?.map { $0["id"]?.integerValue } == [0x301, 0x307])
    let cluster = try #require(endpoint["clusters"]?.elements?.first { $0["id"]?.integerValue == 0x201 })
    #expect(cluster["features"]?.elements?.map(\.stringValue) == ["HEAT", "COOL", "AUTO"])
    let attributes = try #require(cluster["attributes"]?.elements)
    let temperature = try #require(attributes.first)
    #expect(temperature["name"]?.stringValue == "LocalTemperature" && temperature["writable"]?.boolValue == false)
    #expect(temperature["from"]?.elements?.map { $0["name"]?.stringValue } == ["CurrentTemperature"])
    #expect(temperature["conversion"]?.stringValue == "x × 100" && temperature["constant"] == nil)
    let deadBand = try #require(attributes.first { $0["id"]?.integerValue == 0x19 })
    #expect(deadBand["constant"]?.integerValue == 0 && deadBand["conversion"] == nil)
    #expect(root["services"]?.elements?.first?["endpoint"]?.integerValue == 1)
    #expect(root["omitted"]?.elements?.first?["kind"]?.stringValue == "service")
    #expect(attributes.count == table.endpoints[0].clusters.first { $0.id == 0x201 }?.attributes.count)
  }
}
