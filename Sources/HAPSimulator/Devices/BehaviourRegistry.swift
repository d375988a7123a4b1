import HAPModel
import HAPWire

/// The behaviours there are, by service type.
package struct BehaviourRegistry: Sendable {
  package let kinds: [BehaviourKind]

  package static let standard = BehaviourRegistry(
    kinds: [
      [AirPurifier.kind],
      [AirQualitySensor.kind],
      [Battery.kind],
      [CameraStream.kind],
      [DataStreamTransport.kind],
      DetectingSensor.kinds,
      [FanMotor.kind],
      [Faucet.kind],
      [FilterWear.kind],
      [GarageDoorOpener.kind],
      GasSensor.kinds,
      [HeaterCooler.kind],
      [HumidifierDehumidifier.kind],
      [IrrigationSystem.kind],
      [LockManager.kind],
      [LockMechanism.kind],
      MeasuringSensor.kinds,
      PositionMotor.kinds,
      [SecuritySystem.kind],
      [SlatDrive.kind],
      [Thermostat.kind],
      [Valve.kind],
    ].flatMap { $0 })

  package func kind(for service: TypeID) -> BehaviourKind? { kinds.first { $0.service.type == service } }

  /// What is wrong with a service's `behaviour` member, each with its path and place. The profile's validator asks.
  /// - Parameter files: those beside the profile; nil: it can name none.
  package func problems(in node: JSONNode, for service: TypeID, files: ReplayFiles? = nil) -> [JSONProblem] {
    guard let kind = kind(for: service) else {
      let name = Catalogue.service(service)?.identifier ?? service.description
      return [
        node.problem("\(name) has no behaviour, so it takes no parameters ('hapsim behaviours' lists what has)")
      ]
    }
    return kind.read(node, files).problems
  }

  /// The parameters of all behaviours behind a database, by the service's address.
  ///
  /// - Parameters:
  ///   - nodes: the `behaviour` members of the profile. A service without one behaves by the defaults; problems must have been refused before, here
  ///     what can't be read has its default.
  ///   - files: those beside the profile; nil: it can name none.
  package func parameters(
    for database: AttributeDatabase, nodes: [AttributeID: JSONNode], files: ReplayFiles? = nil
  ) -> [AttributeID: BehaviourParameters] {
    var parameters: [AttributeID: BehaviourParameters] = [:]
    for entry in database.services {
      let id = AttributeID(aid: database.accessoryEntries[entry.accessory].aid, iid: entry.iid)
      if let kind = kind(for: entry.type) { parameters[id] = kind.read(nodes[id], files).parameters }
    }
    return parameters
  }

  /// The device behind a database.
  /// - Parameter parameters: of the same database.
  package func device(
    for database: AttributeDatabase, parameters: [AttributeID: BehaviourParameters]
  ) -> ComposedDevice {
    var behaviours: [AttributeID: any Behaviour] = [:]
    for accessory in database.accessoryEntries {
      for service in DeviceService.all(of: accessory, in: database) {
        guard let kind = kind(for: service.type), let parameters = parameters[service.id] else { continue }
        behaviours[service.id] = kind.make(service, parameters)
      }
    }
    return ComposedDevice(database, behaviours: behaviours)
  }
}
