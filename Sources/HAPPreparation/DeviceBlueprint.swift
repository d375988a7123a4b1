import HAPDevices
import HAPModel
import HAPProfile
import HAPWire

/// What a device is made of, read and judged: the loop makes the device of it without looking at a file.
package struct DeviceBlueprint: Sendable {
  private let database: AttributeDatabase
  private let parameters: [AttributeID: BehaviourParameters]

  /// Of nothing.
  static let empty = DeviceBlueprint()

  private init() {
    database = .empty
    parameters = [:]
  }

  /// Reads the files that the behaviours name, so it belongs off the loop.
  init(_ built: BuiltAccessory, files: ReplayFiles) {
    var nodes: [AttributeID: JSONNode] = [:]
    for behaviour in built.behaviours {
      if let node = behaviour.node { nodes[AttributeID(aid: behaviour.aid, iid: behaviour.serviceIID)] = node }
    }
    database = built.database
    parameters = BehaviourRegistry.standard.parameters(for: built.database, nodes: nodes, files: files)
  }

  /// What stands behind the accessory: its services' behaviours.
  package func makeDevice() -> any Device { BehaviourRegistry.standard.device(for: database, parameters: parameters) }

  /// The device that takes the place of another one while the accessory runs.
  /// - Parameters:
  ///   - database: the new one, with the values that it starts from.
  ///   - oldDatabase: the one that is served until now.
  package func makeDevice(
    for database: AttributeDatabase, inPlaceOf old: any Device, for oldDatabase: AttributeDatabase
  ) -> any Device {
    guard let old = old as? ComposedDevice else { return makeDevice() }
    return BehaviourRegistry.standard.device(
      for: database, parameters: parameters, inPlaceOf: old, for: oldDatabase)
  }
}
