import HAPModel
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail if the prefix of the vendor is missing, if the description is in a chosen cluster, if two
/// characteristics can have one place, and if a characteristic with a chosen place is in the numbered cluster, too.
@Suite("Matter: chosen clusters and attributes") struct ChosenPlaceTests {
  private static let heat = "8D930002-860E-4115-99CE-0CB5D9674D77"
  private static let start = "8D930003-860E-4115-99CE-0CB5D9674D77"
  private static let size = "8D930004-860E-4115-99CE-0CB5D9674D77"

  /// A lamp with three custom characteristics.
  private static func lamp(heat: String = "", start: String = "", size: String = "") -> String {
    func member(_ choice: String) -> String { choice.isEmpty ? "" : #", "matter": \#(choice)"# }
    return """
      { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [ { "type": "LightBulb",
        "characteristics": [ { "type": "On" },
          { "type": "\(Self.heat)", "format": "uint8", "perms": ["pr", "pw", "ev"], "value": 5, "maxValue": 9\(member(heat)) },
          { "type": "\(Self.start)", "format": "bool", "perms": ["pw"]\(member(start)) },
          { "type": "\(Self.size)", "format": "string", "perms": ["pr"], "value": "L"\(member(size)) } ] } ] }
      """
  }

  private func problems(_ json: String) throws -> [String] {
    let built = try MappedHome.build(json)
    var numbers = EndpointNumbers()
    let overrides = MappingOverrides(built.matter, in: built.database)
    return AccessoryPlan(built.database, overrides, vendor: 0xFFF1, numbers: &numbers).problems
      .map { "\($0.path): \($0.message)" }
  }

  @Test("A custom characteristic is at the chosen attribute or command; the others stay in the numbered cluster")
  func places() throws {
    let json = Self.lamp(
      heat: #"{ "cluster": "FC01", "attribute": "0x000A" }"#, start: #"{ "cluster": "FC01", "command": "2" }"#)
    let home = try MappedHome(json: json)
    #expect(home.node.clusters(of: 1).map(\.id) == [3, 4, 6, 0x1D, 0xFFF1_FC01, 0xFFF1_FD01])
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == 0xFFF1_FC01 })
    #expect(cluster.attributes == [.init(0x0A, write: .operate)] && cluster.commands == [.init(2)])
    #expect(try home.read(1, 0xFFF1_FC01, 0x0A) == .unsigned(UInt64(5)))
    #expect(home.write(1, 0xFFF1_FC01, 0x0A, .unsigned(UInt64(9))) == .success)
    #expect(home.write(1, 0xFFF1_FC01, 0x0A, .unsigned(UInt64(10))) == .constraintError)
    #expect(home.write(1, 0xFFF1_FC01, 0x0A, .bool(true)) == .invalidDataType)
    #expect(home.invoke(1, 0xFFF1_FC01, 2, .bool(true)) == .success)
    let heat = try #require(TypeID(Self.heat))
    #expect(try home.value(heat) == 9 && home.change(heat, to: 3) == [AttributePath(1, 0xFFF1_FC01, 0x0A)])
    // The rest is numbered as if the others did not exist.
    #expect(try home.read(1, 0xFFF1_FD01, 0) == .text("L"))
    let both = try MappedHome(json: json, vendor: 0xFFF2)
    #expect(both.node.clusters(of: 1).suffix(2).map(\.id) == [0xFFF2_FC01, 0xFFF2_FD01])
  }

  @Test("A cluster and an attribute can have the prefix of another manufacturer")
  func otherVendor() throws {
    let home = try MappedHome(json: Self.lamp(heat: #"{ "cluster": "130AFC01", "attribute": "130A000A" }"#))
    #expect(try home.read(1, 0x130A_FC01, 0x130A_000A) == .unsigned(UInt64(5)))
    #expect(
      !home.node.clusters(of: 1).contains { $0.attributes.contains { $0.number == 0x4000 } && $0.id == 0x130A_FC01 })
  }

  @Test("After a replacement, only attributes that exist are reported")
  func replacement() throws {
    let (before, after) = (Self.lamp(), Self.lamp(heat: #"{ "cluster": "FC01", "attribute": "1" }"#))
    let home = try MappedHome(json: before)
    #expect(try home.read(1, 0xFFF1_FD01, 0) == .unsigned(UInt64(5)))
    let changes = try home.replace(by: after)
    #expect(changes.contains(AttributePath(1, 0xFFF1_FC01, 1)) && changes.contains(AttributePath(1, 0x1D, 1)))
    for path in changes {
      #expect(throws: Never.self) { _ = try home.read(path.endpoint, path.cluster, path.attribute) }
    }
    #expect(throws: InteractionStatus(.unsupportedAttribute)) { _ = try home.read(1, 0xFFF1_FD01, 0) }
    // The numbers of the others stay, also after the choice is gone.
    #expect(try home.read(1, 0xFFF1_FD01, 2) == .text("L"))
    let again = try MappedHome.build(before)
    home.server.replace(again.database, live: [], at: .zero)
    _ = home.node.databaseWasReplaced()
    #expect(try home.read(1, 0xFFF1_FD01, 0) == .unsigned(UInt64(5)))
  }

  @Test("A replacement that only exchanges the places of two characteristics reports both attributes")
  func exchange() throws {
    func lamp(heat: Int, size: Int) -> String {
      """
      { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [ { "type": "LightBulb",
        "characteristics": [ { "type": "On" },
          { "type": "\(Self.heat)", "format": "uint8", "perms": ["pr", "ev"], "value": 5,
            "matter": { "cluster": "FC01", "attribute": "\(heat)" } },
          { "type": "\(Self.size)", "format": "uint8", "perms": ["pr", "ev"], "value": 6,
            "matter": { "cluster": "FC01", "attribute": "\(size)" } } ] } ] }
      """
    }
    let home = try MappedHome(json: lamp(heat: 1, size: 2))
    #expect(try home.read(1, 0xFFF1_FC01, 1) == .unsigned(UInt64(5)))
    let version = home.node.dataVersion(of: 1, 0xFFF1_FC01)
    let paths = [AttributePath(1, 0xFFF1_FC01, 1), AttributePath(1, 0xFFF1_FC01, 2)]
    #expect(try home.replace(by: lamp(heat: 2, size: 1)) == paths)
    #expect(home.node.dataVersion(of: 1, 0xFFF1_FC01) != version)
    #expect(try home.read(1, 0xFFF1_FC01, 1) == .unsigned(UInt64(6)))
    #expect(try home.replace(by: lamp(heat: 2, size: 1)).isEmpty)
  }

  @Test("A place for a second characteristic of a type is an error that names the place")
  func secondOfType() throws {
    let type = try #require(TypeID(Self.heat))
    let characteristics = ([10, 11] as [UInt64]).map { iid in
      Characteristic(iid: iid, type: type, format: .bool, perms: [.pairedRead], value: false)
    }
    let services = [Service(iid: 9, type: 0x43, characteristics: characteristics)]
    let database = try AttributeDatabase([Accessory(aid: 1, services: services)])
    func problems(_ iids: [UInt64]) throws -> [String] {
      var members: [AttributeID: JSONNode] = [:]
      for iid in iids {
        let text = #"{ "cluster": "FC01", "attribute": "\#(iid)" }"#
        members[AttributeID(aid: 1, iid: iid)] = try JSONNode.parse(Array(text.utf8))
      }
      var numbers = EndpointNumbers()
      let overrides = MappingOverrides(members, in: database)
      return AccessoryPlan(database, overrides, vendor: 0xFFF1, numbers: &numbers).problems.map(\.message)
    }
    let message =
      "the attribute 0011 of the cluster FFF1FC01 can't be chosen, because an earlier characteristic of the service has "
      + "the same type; choose a place for that one only"
    #expect(try problems([10]).isEmpty)
    #expect(try problems([11]) == [message] && problems([10, 11]) == [message])
  }

  @Test("Two characteristics can't have one place, but an attribute and a command can have one number")
  func conflicts() throws {
    let place = #"{ "cluster": "FC01", "attribute": "0001" }"#
    let found = try problems(Self.lamp(heat: place, size: place))
    #expect(
      found == [
        "services[0].characteristics[3].matter: another characteristic of the service has the same place in the cluster FFF1FC01"
      ])
    #expect(try problems(Self.lamp(heat: place, start: #"{ "cluster": "FC01", "command": "1" }"#)) == [])
  }

  @Test("A choice that can't be followed is an error at its place")
  func wrong() throws {
    func heat(_ choice: String) throws -> String {
      let found = try problems(Self.lamp(heat: choice))
      #expect(found.count == 1, "\(choice)")
      return String((found.first ?? "").trimmingPrefix("services[0].characteristics[1].matter"))
    }
    let expected = #": "matter" must be false, to leave this out of Matter, or an object with choices, not "#
    #expect(try heat("true") == expected + "true" && heat("3") == expected + "an integer")
    #expect(try heat("{}") == #": "cluster" is missing"#)
    #expect(try heat(#"{ "cluster": "FC01" }"#).hasPrefix(#": "attribute" is missing"#))
    #expect(
      try heat(#"{ "cluster": "FC01", "atribute": "1" }"#)
        == #".atribute: there is no member "atribute" here: did you mean "attribute"?"#)
    #expect(try heat(#"{ "cluster": "FC01", "attribute": "1", "command": "1" }"#).hasPrefix(".command: "))
    #expect(try heat(#"{ "cluster": 64513, "attribute": "1" }"#) == ".cluster: a string is expected, not an integer")
    for cluster in [
      "0006", "FD01", "FFF1FD01", "FFFF", "130A0006", "FFF5FC01", "FC05", "FFF1FC20", "x", "", "+FC1", "123456789",
    ] {
      #expect(try heat(#"{ "cluster": "\#(cluster)", "attribute": "1" }"#).hasPrefix(".cluster: "), "\(cluster)")
    }
    for attribute in ["5000", "FFFC", "130A5000", "FFFF0001", "-1", "g"] {
      #expect(
        try heat(#"{ "cluster": "FC01", "attribute": "\#(attribute)" }"#).hasPrefix(".attribute: "), "\(attribute)")
    }
    #expect(
      try heat(#"{ "cluster": "FC01", "command": "1" }"#) == #": a characteristic that can be read is an "attribute""#)
    let start = try problems(Self.lamp(start: #"{ "cluster": "FC01", "attribute": "1" }"#))
    #expect(start == [#"services[0].characteristics[2].matter: a characteristic that can't be read is a "command""#])
    #expect(
      try problems(Self.lamp(start: #"{ "cluster": "FC01", "command": "100" }"#)).first?.contains(".command: ") == true)
  }

  @Test("The error of a malformed choice says what is wrong, and what to write instead")
  func advice() throws {
    func heat(_ member: String, _ value: String) throws -> String {
      let cluster = member == "cluster" ? value : "FC01"
      let number = member == "cluster" ? "1" : value
      let found = try problems(Self.lamp(heat: #"{ "cluster": "\#(cluster)", "attribute": "\#(number)" }"#))
      return String((found.first ?? "").trimmingPrefix("services[0].characteristics[1].matter.\(member): "))
    }
    #expect(
      try heat("cluster", "0006")
        == "the cluster 0006 is not one that a manufacturer defines: use FC00 to FCFF, or the prefix of another vendor, as in 130AFC01"
    )
    #expect(
      try heat("cluster", "130A0006")
        == "the cluster 130A0006 is not one that a manufacturer defines: use FC00 to FFFE after the prefix 130A")
    #expect(
      try heat("cluster", "FC05")
        == "the cluster FC05 is reserved for connectedhomeip's own tests: use another one of FC00 to FCFF")
    #expect(
      try heat("cluster", "FFF5FC01") == "the prefix FFF5 of FFF5FC01 is no vendor: use 0001 to FFF4, or no prefix")
    #expect(
      try heat("attribute", "5000")
        == "the attribute 5000 does not exist: use 0000 to 4FFF, with or without the prefix of a manufacturer")
    #expect(try heat("attribute", "g") == #""g" is no hexadecimal number: use 1 to 8 digits, such as "FC01""#)
  }

  @Test("Characteristics that other clusters show, or that have no Matter side, have no place to choose")
  func shown() throws {
    func problem(_ characteristic: String, in service: String = "LightBulb") throws -> String {
      let json = """
        { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [ { "type": "\(service)",
          "characteristics": [ { "type": "\(characteristic)", "matter": { "cluster": "FC01", "attribute": "1" } } ] } ] }
        """
      let found = try problems(json)
      #expect(found.count == 1)
      return found.first ?? ""
    }
    #expect(try problem("On").hasSuffix("matter: a cluster of Matter shows the characteristic already"))
    #expect(
      try problem("Name").hasSuffix(
        "it has no Matter side, because Matter has names of nodes and of bridged accessories only"))
    #expect(
      try problem("Model", in: "AccessoryInformation").hasSuffix(
        "the service has no endpoint of its own, and Matter needs what it describes"))
    let service =
      #"{ "format": "hasaccessory/1", "name": "Lamp", "services": [ { "type": "AccessoryInformation", "matter": false } ] }"#
    #expect(try problems(service).first?.hasPrefix("services[0].matter: the service has no endpoint") == true)
  }

  @Test("Any member is followed, or is an error at its place")
  func anything() throws {
    let database = try MappedHome.build(Self.lamp()).database
    let ids =
      database.characteristics.indices.map { database.id(ofSlot: $0) }
      + database.services.map { AttributeID(aid: 1, iid: $0.iid) }
    let values = [
      "true", "false", "null", "1", "-1", "1e9", #""FC01""#, #""0xFC02""#, #""0""#, #""4FFF""#, #""4000""#,
      #""FFFFFFFF""#,
      #""OnOffLight""#, #""0100""#, #""Fan""#, #""""#, #""é""#, "[]", "{}", #"[{ "cluster": "FC01" }]"#,
    ]
    let names = ["cluster", "attribute", "command", "deviceType", "x-note", "y"]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      var members: [AttributeID: JSONNode] = [:]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let chosen = names.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
        let object = chosen.map { "\"\($0)\": \(values.randomElement(using: &random) ?? "1")" }.joined(separator: ", ")
        let text = Bool.random(using: &random) ? "{ \(object) }" : values.randomElement(using: &random) ?? "1"
        if let id = ids.randomElement(using: &random) { members[id] = try JSONNode.parse(Array(text.utf8)) }
      }
      let overrides = MappingOverrides(members, in: database)
      var numbers = EndpointNumbers()
      let plan = AccessoryPlan(database, overrides, vendor: 0xFFF1, numbers: &numbers)
      #expect(plan.problems.allSatisfy { !$0.message.isEmpty && $0.place.line == 1 })
      let home = MappedHome(database, overrides)
      for endpoint in home.node.endpoints {
        let types = try home.deviceTypes(endpoint)
        let clusters = home.node.clusters(of: endpoint).map(\.id)
        #expect(!types.isEmpty && Set(types).count == types.count && clusters == Set(clusters).sorted())
        // A choice without an error leads to an endpoint that conforms.
        if plan.problems.isEmpty {
          #expect(
            EndpointConformance.problems(
              deviceTypes: types.map { ($0.number, $0.revision) }, clusters: home.node.clusters(of: endpoint)
            ).isEmpty)
        }
      }
    }
  }
}
