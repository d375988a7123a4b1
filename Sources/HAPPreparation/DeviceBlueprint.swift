import HAPDevices
import HAPModel
import HAPProfile
import HAPWire

/// The parsed and checked data of a device. The loop makes the device from it without reading files.
package struct DeviceBlueprint: Sendable {
  private let database: AttributeDatabase
  private let parameters: [AttributeID: BehaviourParameters]

  /// The blueprint of no device.
  static let empty = DeviceBlueprint()

  private init() {
    database = .empty
    parameters = [:]
  }

  /// Reads the files that the behaviours name, so it must not run on the loop.
  init(_ built: BuiltAccessory, files: ReplayFiles) {
    var nodes: [AttributeID: JSONNode] = [:]
    for behaviour in built.behaviours {
      if let node = behaviour.node { nodes[AttributeID(aid: behaviour.aid, iid: behaviour.serviceIID)] = node }
    }
    database = built.database
    parameters = BehaviourRegistry.standard.parameters(for: built.database, nodes: nodes, files: files)
  }

  /// Returns the device of the accessory: the behaviours of its services.
  package func makeDevice() -> any Device { BehaviourRegistry.standard.device(for: database, parameters: parameters) }

  /// Returns the device that replaces another one while the accessory runs.
  /// - Parameters:
  ///   - database: the new database with its initial values.
  ///   - oldDatabase: the database served so far.
  package func makeDevice(
    for database: AttributeDatabase, inPlaceOf old: any Device, for oldDatabase: AttributeDatabase
  ) -> any Device {
    guard let old = old as? ComposedDevice else { return makeDevice() }
    return BehaviourRegistry.standard.device(
      for: database, parameters: parameters, inPlaceOf: old, for: oldDatabase)
  }
}
