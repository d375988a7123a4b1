import HAPController
import HAPHome
import HAPHomeEngine
import HAPModel

/// The interface between a hub and a protocol for accessories. HAP over IP is the first implementation. Nothing above
/// depends on the implementation.
package protocol AccessoryPort: Sendable {
  /// Opens a connection with a paired device, which is kept until it is closed: it is opened again after each loss,
  /// also if the first attempt fails.
  /// - Parameters:
  ///   - isNew: whether the caller does not know the database of the device, and waits for it. Otherwise connections,
  ///     subscriptions and the values of other devices can come first.
  ///   - onNews: called with the news of the connection, in order, one call at a time. It does not leave the loop,
  ///     because each change of the thread would delay an automation.
  func open(
    _ pairing: DevicePairing, isNew: Bool,
    onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) -> any DeviceConnection

  /// Searches the network for accessories until the search is closed.
  /// - Parameter onNews: as above.
  func search(onNews: @escaping @Sendable (SearchNews) async -> Void) -> any AccessorySearching

  /// Pairs with a device that has no pairing.
  /// - Parameters:
  ///   - device: nil: the device with the payload's setup ID.
  ///   - code: "031-45-154" or "X-HM://…".
  ///   - own: the devices in the homes of the hub. A payload of one of them is refused with 13, not with the advice to
  ///     reset the accessory.
  ///   - store: stores the pairing durably. It is called before the accessory is used; if it throws, the pairing is
  ///     removed from the accessory.
  /// - Throws: 18 if the accessory refuses: the code is wrong, there were too many attempts, or it has a pairing. 14 if
  ///   it is being paired by another controller, 16 if it has no space, 57 if it is not found, 78 if the network can't be
  ///   searched, 4 if it can't be reached, 3 for a malformed code, or a payload of another device; the error of `store`.
  func pair(
    with device: DeviceID?, code: String, as identity: ControllerIdentity, own: Set<DeviceID>,
    store: @escaping @Sendable (DevicePairing) async throws(HomeError) -> Void
  ) async throws(HomeError) -> DevicePairing

  /// Makes a device without a pairing identify itself. HAP R2 §6.7.6.
  /// - Throws: 17 if the device has a pairing, and others.
  func identifyUnpaired(_ device: DeviceID) async throws(HomeError)
}

/// A search, which can be ended any number of times.
package protocol AccessorySearching: Sendable { func close() }

/// The pairing of a hub with a device.
package struct DevicePairing: Sendable {
  package var device: DeviceID
  /// The identifier that the accessory sent in M6; normally the device ID as text.
  package var accessoryID: [UInt8]
  /// The accessory's long-term public key: 32 bytes.
  package var accessoryKey: [UInt8]
  package var identity: ControllerIdentity
  /// The last known addresses, such as "192.0.2.7:51826".
  package var addresses: [String]

  package init(
    device: DeviceID, accessoryID: [UInt8], accessoryKey: [UInt8], identity: ControllerIdentity, addresses: [String]
  ) {
    (self.device, self.accessoryID, self.accessoryKey) = (device, accessoryID, accessoryKey)
    (self.identity, self.addresses) = (identity, addresses)
  }
}

/// A kept connection with a paired device.
package protocol DeviceConnection: Sendable {
  /// Reads characteristics. Without a connection, waits for one for 2 s.
  /// - Throws: the reason if there is no valid answer.
  /// - Returns: the values and statuses that the answer has. A device may leave some out.
  func read(_ ids: [AttributeID]) async throws(HomeError) -> [DeviceValue]
  /// Sends one `PUT /characteristics`, once; after `PUT /prepare` if `isTimed`. Without a connection, and if the
  /// connection is lost before it is sent, it is never sent.
  /// - Parameter authorizations: the data for characteristics that demand it. HAP R2 §6.7.2.2.
  func write(
    _ entries: [ScenePut.Entry], _ authorizations: [HomeObjectID: [UInt8]], isTimed: Bool
  ) async -> SceneAnswer
  /// Sets the characteristics whose events are wanted, on this connection and all later ones. Returns when the accessory
  /// has answered, or the connection is lost; at once without a connection. The present values of new ones are news, with
  /// `isCatchUp`; refusals are values with a status.
  func subscribe(exactly ids: Set<AttributeID>) async
  /// Closes the present connection, because an answer is overdue. A new one is opened after about 1 s.
  func drop() async
  /// Makes an accessory of the device identify itself. Like the next two, it waits for a connection for 2 s.
  func identify(aid: UInt64) async throws(HomeError)
  /// Adds a controller, or changes its permission. HAP R2 §5.10.
  func addController(_ pairing: Pairing) async throws(HomeError)
  /// Removes a controller. HAP R2 §5.11. Removing the hub's own ends the connection.
  func removeController(_ identifier: [UInt8]) async throws(HomeError)
  /// Ends the connection and its news. Can be called any number of times.
  func close() async
}

/// News of a connection.
package enum DeviceNews: Sendable {
  /// The connection is verified, and the subscriptions are renewed. `address`: of the device.
  case connected(address: String)
  /// The connection is lost, or could not be opened. It is tried again.
  case lost(why: String)
  /// The device no longer accepts the pairing. Nothing is tried again.
  case gaveUp(why: String)
  /// The device's database: after the first connection, and whenever it or its `c#` has changed. Without a record of
  /// the device, `c#` is 1, and the category is 2 for several accessories and 1 (other) for one.
  case database(DeviceDescription)
  /// Values and refused subscriptions. `isCatchUp`: values that were read after a gap or a new subscription, not sent by
  /// an event.
  case values([DeviceValue], isCatchUp: Bool)
  /// The device broke the protocol. The connection may be lost, which is reported separately.
  case violation(String)
}

/// A value of a characteristic, or the status instead.
package struct DeviceValue: Hashable, Sendable {
  package var id: AttributeID
  package var value: Value?
  /// HAP status; 0: success.
  package var status: Int

  package init(id: AttributeID, value: Value?, status: Int = 0) {
    (self.id, self.value, self.status) = (id, value, status)
  }
}

/// News of a search.
package enum SearchNews: Sendable {
  /// A device appeared or its record changed. `isPaired`: whether it has a pairing with any controller.
  case seen(SeenDevice)
  case gone(DeviceID)
  /// The network can't be searched at present.
  case trouble(String)
}

/// The record of a device.
package struct SeenDevice: Hashable, Sendable {
  package var device: DeviceID
  package var name: String
  package var model: String?
  package var category: UInt8?
  package var isPaired: Bool?
  package var setupHash: [UInt8]?
  package var configurationNumber: UInt32?
  package var addresses: [String]

  package init(
    device: DeviceID, name: String, model: String?, category: UInt8?, isPaired: Bool?, setupHash: [UInt8]?,
    configurationNumber: UInt32?, addresses: [String]
  ) {
    (self.device, self.name, self.model, self.category) = (device, name, model, category)
    (self.isPaired, self.setupHash) = (isPaired, setupHash)
    (self.configurationNumber, self.addresses) = (configurationNumber, addresses)
  }
}
