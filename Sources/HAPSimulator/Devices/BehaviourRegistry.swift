import HAPModel
import HAPWire

/// The behaviours there are, by service type.
package struct BehaviourRegistry: Sendable {
  package let kinds: [BehaviourKind]

  package static let standard = BehaviourRegistry(
    kinds: PositionMotor.kinds + Button.kinds + LedState.kinds + [
      AirPurifier.kind,
      Battery.kind,
      CameraHead.kind,
      FanMotor.kind,
      FilterWear.kind,
      GarageDoorOpener.kind,
      HeaterCooler.kind,
      HumidifierDehumidifier.kind,
      LightBulb.kind,
      LockManager.kind,
      LockMechanism.kind,
      Outlet.kind,
      PowerSwitch.kind,
      SlatDrive.kind,
      Speaker.kind,
      Television.kind,
      Thermostat.kind,
    ])

  package func kind(for service: TypeID) -> BehaviourKind? { kinds.first { $0.service.type == service } }

  /// What is wrong with a service's `behaviour` member, each with its path and place. The profile's validator asks.
  package func problems(in node: JSONNode, for service: TypeID) -> [JSONProblem] {
    guard let kind = kind(for: service) else {
      let name = Catalogue.service(service)?.identifier ?? service.description
      return [
        node.problem("\(name) has no behaviour, so it takes no parameters ('hapsim behaviours' lists what has)")
      ]
    }
    return kind.read(node).problems
  }

  /// The device behind a database.
  ///
  /// - Parameter parameters: the `behaviour` members of the profile, by the service's address. A service without one behaves
  ///   by the defaults; problems must have been refused before, here what can't be read has its default.
  package func device(
    for database: AttributeDatabase, parameters: [AttributeID: JSONNode] = [:]
  ) -> ComposedDevice {
    var behaviours: [AttributeID: any Behaviour] = [:]
    for accessory in database.accessoryEntries {
      for service in DeviceService.all(of: accessory, in: database) {
        guard let kind = kind(for: service.type) else { continue }
        behaviours[service.id] = kind.make(service, kind.read(parameters[service.id]).parameters)
      }
    }
    return ComposedDevice(database, behaviours: behaviours)
  }
}
