import Foundation
import HAPTestSupport
import MatterModel
import Testing

@Suite("The catalogue of Matter") struct CatalogueTests {
  private func source() throws -> [String: Any] {
    let data = try Data(contentsOf: Repository.root.appending(path: "Catalogue/matter.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("Every cluster with a number is in the catalogue, with what is not disallowed") func complete() throws {
    let clusters = try source().object("clusters")
    var found = 0
    for (name, row) in clusters {
      guard let row = row as? [String: Any], let id = row["id"] as? Int, row["type"] == nil else { continue }
      found += 1
      let definition = try #require(ClusterDefinition.all.first { Int($0.id) == id })
      #expect(definition.name == name)
      #expect(Int(definition.revision) == row["revision"] as? Int)
      func allowed(_ kind: String, _ isWanted: ([String: Any]) -> Bool = { _ in true }) -> [Int: String] {
        let rows = (row[kind] as? [[String: Any]] ?? []).filter {
          !["X", "D"].contains($0["conformance"] as? String) && isWanted($0)
        }
        return Dictionary(rows.map { ($0["id"] as! Int, $0.text("name")) }) { first, _ in first }
      }
      #expect(
        Dictionary(uniqueKeysWithValues: definition.attributes.map { (Int($0.description.number), $0.name) })
          == allowed("attributes"))
      #expect(
        Dictionary(uniqueKeysWithValues: definition.commands.map { (Int($0.description.number), $0.name) })
          == allowed("commands") { $0["direction"] as? String == "request" })
      #expect(
        Dictionary(uniqueKeysWithValues: definition.events.map { (Int($0.description.number), $0.name) })
          == allowed("events"))
    }
    #expect(found > 50)
  }

  @Test("Numbers of clusters and device types are different, and elements are sorted") func order() {
    let ids = ClusterDefinition.all.map(\.id)
    #expect(ids == Set(ids).sorted())
    for definition in ClusterDefinition.all {
      let attributes = definition.attributes.map(\.description.number)
      let commands = definition.commands.map(\.description.number)
      #expect(attributes == Set(attributes).sorted())
      #expect(commands == Set(commands).sorted())
      #expect(Set(definition.features.map(\.mask)).count == definition.features.count)
    }
    let types = DeviceTypeDefinition.all.map(\.id)
    #expect(types == Set(types).sorted())
    #expect(types.count == 39)
  }

  @Test("Features make elements mandatory") func features() {
    let plain = ClusterDescription(.onOff)
    #expect(plain.attributes.map(\.number) == [0])
    #expect(plain.commands.map(\.number) == [0, 1, 2])
    #expect(plain.features == 0 && plain.revision == 6)
    let light = ClusterDescription(.onOff, features: ["LT"])
    #expect(light.attributes.map(\.number) == [0, 0x4000, 0x4001, 0x4002, 0x4003])
    #expect(light.commands.map(\.number) == [0, 1, 2, 0x40, 0x41, 0x42])
    #expect(light.features == 1)
    #expect(ClusterDescription(.onOff, features: ["OFFONLY"]).commands.map(\.number) == [0])
    // Conditions of several features, and of another attribute.
    let color = ClusterDescription(.colorControl, features: ["CT"])
    #expect(color.attributes.contains { $0.number == 0x400D })
    #expect(color.commands.contains { $0.number == 0x47 })
    #expect(!color.attributes.contains { $0.number == 0 })
  }

  @Test("Optional elements are taken by name") func optional() {
    let description = ClusterDescription(
      .basicInformation, attributes: ["SerialNumber"], events: ["ShutDown"])
    #expect(description.attributes.contains { $0.number == 15 })
    #expect(!description.attributes.contains { $0.number == 11 })
    #expect(description.events.map(\.number) == [0, 1])
    #expect(ClusterDefinition.basicInformation.attribute("NodeLabel") == 5)
  }

  @Test("Privileges, timed commands and fabric-scoped elements are those of the specification") func access() throws {
    func attribute(_ definition: ClusterDefinition, _ name: String) -> ClusterDescription.Attribute? {
      definition.attributes.first { $0.name == name }?.description
    }
    let acl = try #require(attribute(.accessControl, "Acl"))
    #expect(acl == ClusterDescription.Attribute(0, read: .administer, write: .administer, isFabricScoped: true))
    let label = try #require(attribute(.basicInformation, "NodeLabel"))
    #expect(label == ClusterDescription.Attribute(5, write: .manage))
    #expect(attribute(.bridgedDeviceBasicInformation, "NodeLabel") == label)
    #expect(attribute(.bridgedDeviceBasicInformation, "Location") == nil)
    #expect(attribute(.basicInformation, "Location")?.write == .administer)
    #expect(attribute(.onOff, "OnTime") == ClusterDescription.Attribute(0x4001, write: .operate))
    #expect(attribute(.networkCommissioning, "Networks")?.read == .administer)
    #expect(attribute(.operationalCredentials, "Fabrics")?.isFabricScoped == true)
    let window = ClusterDescription(.administratorCommissioning)
    #expect(window.commands.allSatisfy { $0.isTimed && $0.invoke == .administer })
    let credentials = ClusterDescription(.operationalCredentials)
    #expect(credentials.commands.map(\.number) == [0, 2, 4, 6, 7, 9, 10, 11])
    #expect(credentials.commands.map(\.response) == [1, 3, 5, 8, 8, 8, 8, nil])
    #expect(credentials.commands.first { $0.number == 9 }?.isFabricScoped == true)
    #expect(ClusterDefinition.basicInformation.events.first?.priority == .critical)
    #expect(ClusterDefinition.accessControl.events.first?.description.read == .administer)
    #expect(ClusterDescription(.doorLock).commands.allSatisfy { $0.isTimed })
  }

  @Test("Device types have their revisions and clusters") func deviceTypes() {
    #expect(DeviceTypeDefinition.rootNode.id == 0x16)
    #expect(DeviceTypeDefinition.rootNode.revision == 3)
    #expect(DeviceTypeDefinition.onOffLight.clusters == [3, 4, 6])
  }
}
