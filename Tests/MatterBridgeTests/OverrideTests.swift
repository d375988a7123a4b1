import HAPModel
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail if a characteristic that is left out still counts when a cluster reads or writes, and if a
/// chosen device type is not compared with the catalogue.
@Suite("Matter: choices of profiles") struct OverrideTests {
  private static func profile(_ services: String) -> String {
    #"{ "format": "hasaccessory/1", "name": "Thing", "category": "other", "services": [ \#(services) ] }"#
  }

  private func home(_ services: String, vendor: UInt16 = 0xFFF1) throws -> MappedHome {
    let home = try MappedHome(json: Self.profile(services), vendor: vendor)
    for endpoint in home.node.endpoints {
      let types = try home.deviceTypes(endpoint).map { (number: $0.number, revision: $0.revision) }
      let clusters = home.node.clusters(of: endpoint)
      #expect(EndpointConformance.problems(deviceTypes: types, clusters: clusters).isEmpty)
    }
    return home
  }

  /// The errors, each as "path: message".
  private func problems(_ services: String) throws -> [String] {
    let built = try MappedHome.build(Self.profile(services))
    var numbers = EndpointNumbers()
    let overrides = MappingOverrides(built.matter, in: built.database)
    return AccessoryPlan(built.database, overrides, vendor: 0xFFF1, numbers: &numbers).problems
      .map { "\($0.path): \($0.message)" }
  }

  // MARK: Left out

  @Test("A service that is left out has no endpoint, and keeps its HAP side")
  func service() throws {
    let home = try home(
      #"{ "type": "LightBulb", "name": "A" }, { "type": "Outlet", "name": "B", "matter": false }, { "type": "Switch", "name": "C" }"#
    )
    #expect(home.node.endpoints == [1, 2])
    #expect(try home.deviceTypes(2) == [.mountedOnOffControl])
    #expect(home.node.services.map(\.result).contains(.none("the profile leaves it out")))
    #expect(home.server.database.services.contains { $0.type == 0x47 })
  }

  @Test("A characteristic that is left out is in no cluster, and its changes mark nothing")
  func characteristic() throws {
    let lamp =
      #"{ "type": "LightBulb", "characteristics": [ { "type": "Brightness", "matter": false }, { "type": "Hue" }, { "type": "Saturation" } ] }"#
    // Without a level, it can't be a light with colours.
    let home = try home(lamp)
    #expect(try home.deviceTypes(1) == [.onOffLight])
    #expect(!home.node.clusters(of: 1).contains { $0.id == 8 || ClusterName.isOwn($0.id) })
    #expect(try home.change(.brightness, to: 7).isEmpty)
    #expect(home.invoke(1, 6, 1) == .success)
    #expect(home.invoke(1, 8, 4, .unsigned(UInt64(9)), .null, .unsigned(0), .unsigned(0)) == .unsupportedCluster)
    #expect(try home.value(.brightness) == 7)
  }

  @Test("A service with a characteristic that is left out behaves like one without it")
  func likeMissing() throws {
    func fan(_ speed: String) -> String {
      #"{ "type": "Fanv2", "characteristics": [ \#(speed) { "type": "TargetFanState" } ] }"#
    }
    let without = try home(fan(""))
    let leftOut = try home(fan(#"{ "type": "RotationSpeed", "value": 20, "matter": false },"#))
    #expect(leftOut.node.clusters(of: 1) == without.node.clusters(of: 1))
    for attribute in [0, 1, 2, 3] as [AttributeNumber] {
      #expect(try leftOut.read(1, 0x202, attribute) == without.read(1, 0x202, attribute))
    }
    #expect(leftOut.write(1, 0x202, 0, .unsigned(UInt64(1))) == .constraintError)
    #expect(leftOut.write(1, 0x202, 0, .unsigned(UInt64(3))) == .success)
    #expect(try leftOut.value(.rotationSpeed) == .float(20))
  }

  @Test("A battery that is left out leaves the other services their own")
  func battery() throws {
    let services =
      #"{ "type": "ContactSensor", "name": "A", "characteristics": [ { "type": "StatusLowBattery" } ] }, { "type": "BatteryService", "name": "B" }"#
    #expect(try home(services).deviceTypes(1) == [.contactSensor, .powerSource])
    let home = try home(services.replacing(#""name": "B""#, with: #""name": "B", "matter": false"#))
    #expect(try home.deviceTypes(1) == [.contactSensor, .powerSource])
    #expect(home.node.clusters(of: 1).first { $0.id == 0x2F }?.attributes.contains { $0.number == 0x0C } == false)
  }

  @Test("A replacement that leaves out what an attribute is computed of reports the attribute")
  func replacement() throws {
    func changes(_ services: String, leavingOut text: String) throws -> [AttributePath] {
      let json = Self.profile(services)
      let choice = String(text.dropLast()) + #", "matter": false }"#
      return try MappedHome(json: json).replace(by: json.replacing(text, with: choice))
    }
    let battery = #"{ "type": "StatusLowBattery", "value": 1 }"#
    let alarm = #"{ "type": "SmokeSensor", "characteristics": [ \#(battery) ] }"#
    #expect(try changes(alarm, leavingOut: battery).contains(AttributePath(1, 0x5C, 3)))
    // Without a speed, a fan has another sequence of modes.
    let speed = #"{ "type": "RotationSpeed" }"#
    let fan = #"{ "type": "Fanv2", "characteristics": [ \#(speed) ] }"#
    #expect(try changes(fan, leavingOut: speed).contains(AttributePath(1, 0x202, 1)))
    // Another service is the battery of the endpoint.
    let first = #"{ "type": "BatteryService", "name": "A" }"#
    let sensor = #"{ "type": "ContactSensor" }, \#(first), { "type": "BatteryService", "name": "B" }"#
    #expect(try changes(sensor, leavingOut: first).contains(AttributePath(1, 0x2F, 0x0E)))
  }

  // MARK: Device types

  @Test("A chosen device type replaces the usual one, with the clusters that it demands besides")
  func deviceType() throws {
    let plug = try home(
      #"{ "type": "LightBulb", "characteristics": [ { "type": "Brightness" } ], "matter": { "deviceType": "DimmablePlugInUnit" } }"#
    )
    #expect(try plug.deviceTypes(1).map(\.number) == [0x10B] && plug.deviceTypes(1).map(\.revision) == [4])
    #expect(plug.node.deviceTypes(of: 1) == [0x10B])
    let byNumber = try home(#"{ "type": "Outlet", "matter": { "deviceType": "0x0100" } }"#)
    #expect(try byNumber.deviceTypes(1) == [.onOffLight])
    let fan = try home(#"{ "type": "AirPurifier", "matter": { "deviceType": "Fan" } }"#)
    #expect(try fan.deviceTypes(1) == [.fan] && fan.node.clusters(of: 1).contains { $0.id == 4 })
    let sensor = try home(
      #"{ "type": "LeakSensor", "characteristics": [ { "type": "StatusLowBattery" } ], "matter": { "deviceType": "RainSensor" } }"#
    )
    #expect(try sensor.deviceTypes(1).map(\.number) == [0x44, 0x11])
  }

  @Test("A heater cooler can be a room air conditioner, which On/Off turns on and off")
  func airConditioner() throws {
    let home = try home(
      #"{ "type": "HeaterCooler", "characteristics": [ { "type": "CoolingThresholdTemperature" }, { "type": "HeatingThresholdTemperature" } ], "matter": { "deviceType": "RoomAirConditioner" } }"#
    )
    #expect(try home.deviceTypes(1).map(\.number) == [0x72])
    #expect(home.node.clusters(of: 1).first { $0.id == 6 }?.features == OnOffCluster.deadFront)
    #expect(try home.read(1, 6, 0) == .bool(false))
    #expect(home.invoke(1, 6, 1) == .success)
    #expect(try home.value(.active) == 1 && home.read(1, 6, 0) == .bool(true))
    #expect(try !(MappedHome("heater-cooler").node.clusters(of: 1).contains { $0.id == 6 }))
  }

  @Test("A device type that does not fit is an error with the reason and those that fit, and has no effect")
  func misfit() throws {
    let lamp = #"{ "type": "LightBulb", "matter": { "deviceType": "DimmableLight" } }"#
    #expect(
      try problems(lamp) == [
        "services[0].matter.deviceType: the device type 0101 DimmableLight demands the cluster 0008 LevelControl; "
          + "these fit: OnOffLight, OnOffPlugInUnit, MountedOnOffControl"
      ])
    #expect(try home(lamp).deviceTypes(1) == [.onOffLight])
    func message(_ type: String, _ service: String = "LightBulb") throws -> String {
      let found = try problems(#"{ "type": "\#(service)", "matter": { "deviceType": "\#(type)" } }"#)
      #expect(found.count == 1)
      return found.first ?? ""
    }
    #expect(try message("Aggregator").contains("the device type 000E Aggregator is none of a service"))
    #expect(try message("OnOffLightSwitch").contains("the device type 0103 OnOffLightSwitch is none of a service"))
    #expect(try message("RootNode").contains("demands the cluster 001F AccessControl"))
    #expect(try message("OnOffLight", "SecuritySystem").hasSuffix("no device type of the catalogue fits"))
    #expect(try message("OnOffLight", "CameraRTPStreamManagement").contains("the service has no Matter side, because"))
  }

  @Test("Each device type that is offered as fitting can be chosen", arguments: MappedHome.profiles)
  func fitting(_ name: String) throws {
    let database = try MappedHome.database(name)
    var numbers = EndpointNumbers()
    var plan = AccessoryPlan(database, vendor: 0xFFF1, numbers: &numbers)
    var seen: Set<TypeID> = []
    for service in database.services.indices where ServiceTable.rows[database.services[service].type] != nil {
      guard seen.insert(database.services[service].type).inserted else { continue }
      let aid = database.accessoryEntries[database.services[service].accessory].aid
      let id = AttributeID(aid: aid, iid: database.services[service].iid)
      let fitting = plan.fitting(service, plan.usual(service).clusters, plan.commonClusters(service))
      for type in fitting where ServiceTable.attachments[database.services[service].type] == nil {
        let node = try JSONNode.parse(Array(#"{ "deviceType": "\#(type.name)" }"#.utf8))
        let home = MappedHome(database, MappingOverrides([id: node], in: database))
        let endpoint = try #require(home.node.endpoints.first { home.node.parts[$0]?.plan.service == service })
        #expect(try home.deviceTypes(endpoint).first?.number == type.id)
        #expect(try Set(home.deviceTypes(endpoint)).count == home.deviceTypes(endpoint).count)
        let types = try home.deviceTypes(endpoint).map { (number: $0.number, revision: $0.revision) }
        let clusters = home.node.clusters(of: endpoint)
        #expect(EndpointConformance.problems(deviceTypes: types, clusters: clusters).isEmpty, "\(type.name)")
      }
      // The usual type is one of them.
      if let usual = plan.usual(service).deviceTypes.first, usual != .own(of: 0xFFF1) {
        #expect(fitting.contains { $0.id == usual.number } || usual == .powerSource, "\(usual)")
      }
    }
  }

  @Test("What a device type loses by a characteristic that is left out is an error there")
  func demanded() throws {
    #expect(
      try problems(#"{ "type": "LightBulb", "characteristics": [ { "type": "On", "matter": false } ] }"#) == [
        "services[0].characteristics[0].matter: without it, the device type 0100 OnOffLight demands the cluster 0006 OnOff"
      ])
    #expect(
      try problems(
        #"{ "type": "LightBulb", "characteristics": [ { "type": "On", "matter": false } ], "matter": false }"#) == [])
    // The brightness is left out, too, but is not the cause.
    let both = #"{ "type": "Brightness", "matter": false }, { "type": "On", "matter": false }"#
    #expect(
      try problems(#"{ "type": "LightBulb", "characteristics": [ \#(both) ] }"#) == [
        "services[0].characteristics[1].matter: without it, the device type 0100 OnOffLight demands the cluster 0006 OnOff"
      ])
  }
}
