import HAPModel
import HAPWire

/// The behaviours there are, by service type.
package struct BehaviourRegistry: Sendable {
  package let kinds: [BehaviourKind]

  package static let standard = BehaviourRegistry(
    kinds: [
      [AirPurifier.kind],
      [Battery.kind],
      Button.kinds,
      [CameraHead.kind],
      [FanMotor.kind],
      [FilterWear.kind],
      [GarageDoorOpener.kind],
      [HeaterCooler.kind],
      [HumidifierDehumidifier.kind],
      LedState.kinds,
      [LightBulb.kind],
      [LockManager.kind],
      [LockMechanism.kind],
      [Outlet.kind],
      PositionMotor.kinds,
      [PowerSwitch.kind],
      [SlatDrive.kind],
      [Speaker.kind],
      [Television.kind],
      [Thermostat.kind],
      [Follower.kind],
    ].flatMap { $0 })

  /// The behaviour of a service type; one without its own has that for any service, if there is one.
  package func kind(for service: TypeID) -> BehaviourKind? {
    if let own = kinds.first(where: { $0.service?.type == service }) { return own }
    // These are not for the device to change.
    let fixed = [ServiceDefinition.accessoryInformation, .hapProtocolInformation]
    if fixed.contains(where: { $0.type == service }) { return nil }
    return kinds.first { $0.service == nil }
  }

  /// What is wrong with a service's `behaviour` member, each with its path and place. The profile's validator asks.
  ///
  /// - Parameter characteristics: those of the service.
  package func problems(
    in node: JSONNode, for service: TypeID, with characteristics: [Characteristic] = []
  ) -> [JSONProblem] {
    let name = Catalogue.service(service)?.identifier ?? service.description
    guard let kind = kind(for: service) else {
      return [
        node.problem("\(name) has no behaviour, so it takes no parameters ('hapsim behaviours' lists what has)")
      ]
    }
    let members = kind.parameters.map(\.name)
    let given = node.members?.map(\.name).filter { !$0.hasPrefix("x-") } ?? []
    if kind.service == nil, !given.isEmpty, !given.contains(where: members.contains) {
      let list = members.map { "\"\($0)\"" }.joined(separator: ", ")
      return [
        node.problem(
          "\(name) has no behaviour of its own, so it takes only \(list) ('hapsim behaviours' lists what has)")
      ]
    }
    return kind.read(node, for: characteristics).problems
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
      for (entry, service) in zip(
        database.services[accessory.services], DeviceService.all(of: accessory, in: database))
      {
        let node = parameters[service.id]
        // What has no behaviour of its own gets one only where that is asked for.
        guard let kind = kind(for: service.type), kind.service != nil || node != nil else { continue }
        let characteristics = entry.slots.map { database.characteristics[$0] }
        behaviours[service.id] = kind.make(service, kind.read(node, for: characteristics).parameters)
      }
    }
    return ComposedDevice(database, behaviours: behaviours)
  }
}
