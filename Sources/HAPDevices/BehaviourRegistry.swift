import HAPModel
import HAPWire

/// The available behaviours, by service type.
package struct BehaviourRegistry: Sendable {
  package let kinds: [BehaviourKind]

  package static let standard = BehaviourRegistry(
    kinds: [
      [AirPurifier.kind],
      [AirQualitySensor.kind],
      [Battery.kind],
      Button.kinds,
      [CameraHead.kind],
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
      LedState.kinds,
      [LightBulb.kind],
      [LockManager.kind],
      [LockMechanism.kind],
      MeasuringSensor.kinds,
      [Outlet.kind],
      PositionMotor.kinds,
      [PowerSwitch.kind],
      [SecuritySystem.kind],
      [SlatDrive.kind],
      [Speaker.kind],
      [Television.kind],
      [Thermostat.kind],
      [Valve.kind],
      [Follower.kind],
    ].flatMap { $0 })

  /// Returns the behaviour of a service type. A type without its own gets the behaviour for any service, if there is
  /// one.
  package func kind(for service: TypeID) -> BehaviourKind? {
    if let own = kinds.first(where: { $0.service?.type == service }) { return own }
    // The device must not change these services.
    let fixed = [ServiceDefinition.accessoryInformation, .hapProtocolInformation]
    if fixed.contains(where: { $0.type == service }) { return nil }
    return kinds.first { $0.service == nil }
  }

  /// Returns the problems in a service's `behaviour` member, each with its path and location. The profile's validator
  /// calls it.
  ///
  /// - Parameters:
  ///   - characteristics: the characteristics of the service.
  ///   - files: the files in the profile's folder; `nil`: the profile can name none.
  package func problems(
    in node: JSONNode, for service: TypeID, with characteristics: [Characteristic] = [], files: ReplayFiles? = nil
  ) -> [JSONProblem] {
    let name = Catalogue.service(service)?.identifier ?? service.description
    guard let kind = kind(for: service) else {
      return [
        node.problem("\(name) has no behaviour, so it takes no parameters ('hapsim behaviours' lists all behaviours)")
      ]
    }
    let members = kind.parameters.map(\.name)
    let given = node.members?.map(\.name).filter { !$0.hasPrefix("x-") } ?? []
    if kind.service == nil, !given.isEmpty, !given.contains(where: members.contains) {
      let list = members.map { "\"\($0)\"" }.joined(separator: ", ")
      return [
        node.problem(
          "\(name) has no behaviour of its own, so it takes only \(list) ('hapsim behaviours' lists all behaviours)")
      ]
    }
    return kind.read(node, for: characteristics, files).problems
  }

  /// Returns the parameters of all behaviours for a database, by service address.
  ///
  /// - Parameters:
  ///   - nodes: the `behaviour` members of the profile. A service without a member has the defaults, or no parameters
  ///     if it has no behaviour of its own. Problems must have been refused before: here an unreadable value has its
  ///     default.
  ///   - files: the files in the profile's folder; `nil`: the profile can name none.
  package func parameters(
    for database: AttributeDatabase, nodes: [AttributeID: JSONNode], files: ReplayFiles? = nil
  ) -> [AttributeID: BehaviourParameters] {
    var parameters: [AttributeID: BehaviourParameters] = [:]
    for entry in database.services {
      let id = AttributeID(aid: database.accessoryEntries[entry.accessory].aid, iid: entry.iid)
      guard let kind = kind(for: entry.type), kind.service != nil || nodes[id] != nil else { continue }
      let characteristics = entry.slots.map { database.characteristics[$0] }
      parameters[id] = kind.read(nodes[id], for: characteristics, files).parameters
    }
    return parameters
  }

  /// Returns the device for a database.
  /// - Parameter parameters: the parameters for the same database.
  package func device(
    for database: AttributeDatabase, parameters: [AttributeID: BehaviourParameters]
  ) -> ComposedDevice {
    var behaviours: [AttributeID: any Behaviour] = [:]
    forEachBehaviour(of: database, parameters) { kind, service, parameters in
      behaviours[service.id] = kind.make(service, parameters)
    }
    return ComposedDevice(database, behaviours: behaviours, parameters: parameters)
  }

  /// Returns the device that replaces `old` while the accessory runs. The behaviours of unchanged services continue.
  /// - Parameters:
  ///   - database: the new database, with its initial values.
  ///   - parameters: the parameters for the same database.
  ///   - oldDatabase: the database of `old`, with its present values.
  package func device(
    for database: AttributeDatabase, parameters: [AttributeID: BehaviourParameters], inPlaceOf old: ComposedDevice,
    for oldDatabase: AttributeDatabase
  ) -> ComposedDevice {
    let oldParts = old.parts(in: oldDatabase)
    let (oldShapes, shapes) = (ServiceShape.all(in: oldDatabase), ServiceShape.all(in: database))
    var origins: [AttributeID: BehaviourOrigin] = [:]
    forEachBehaviour(of: oldDatabase, oldParts.compactMapValues(\.parameters)) { kind, service, parameters in
      origins[service.id] = made(kind, service, parameters, oldShapes).origin
    }
    var behaviours: [AttributeID: any Behaviour] = [:]
    var continued: [AttributeID: Int] = [:]
    forEachBehaviour(of: database, parameters) { kind, service, parameters in
      let (behaviour, origin) = made(kind, service, parameters, shapes)
      if let part = oldParts[service.id], origins[service.id] == origin {
        behaviours[service.id] = part.behaviour
        continued[service.id] = part.number
      } else {
        behaviours[service.id] = behaviour
      }
    }
    return ComposedDevice(database, behaviours: behaviours, parameters: parameters, continued: continued)
  }

  private func made(
    _ kind: BehaviourKind, _ service: DeviceService, _ parameters: BehaviourParameters,
    _ shapes: [AttributeID: ServiceShape]
  ) -> (behaviour: any Behaviour, origin: BehaviourOrigin) {
    let lookups = ServiceLookups()
    var observed = service
    observed.lookups = lookups
    let behaviour = kind.make(observed, parameters)
    return (behaviour, BehaviourOrigin(service, parameters, lookups, shapes))
  }

  private func forEachBehaviour(
    of database: AttributeDatabase, _ parameters: [AttributeID: BehaviourParameters],
    _ body: (BehaviourKind, DeviceService, BehaviourParameters) -> Void
  ) {
    for accessory in database.accessoryEntries {
      for service in DeviceService.all(of: accessory, in: database) {
        if let kind = kind(for: service.type), let own = parameters[service.id] { body(kind, service, own) }
      }
    }
  }
}
