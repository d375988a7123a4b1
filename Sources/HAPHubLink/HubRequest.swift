import HAPHome
import HAPHomeEngine
import HAPModel

/// A request of an app to its hub. One answer follows. The hub takes the requests of an app in their order; the answer
/// of one that waits for accessories can come after the answers of later ones.
package enum HubRequest: Hashable, Sendable {
  /// Returns all homes as of this moment. Afterwards, the link reports each change that another app or the hub makes.
  case attach(app: String)
  /// Changes the homes.
  case perform(HomeCommand)
  /// Executes action sets of one home together, as a person.
  case execute([HomeObjectID])
  /// Writes values without an action set, at most one for each characteristic.
  case write(home: HomeObjectID, [HomeAction])
  /// Reads characteristics from their accessories.
  case read([HomeObjectID])
  /// Enables events of characteristics for this app.
  case subscribe([HomeObjectID])
  /// Disables them for this app.
  case unsubscribe([HomeObjectID])
  /// Activates a trigger by hand: its condition is evaluated, and its sets are executed.
  case fire(HomeObjectID)
  /// Returns the last evaluations of a trigger, oldest first.
  case explain(HomeObjectID)
  /// Sets the place of a user.
  case place(PersonState)
  /// Sets the data that authorizes writes of a characteristic, 1 to 1,024 bytes; nil: none. HAP R2 §6.7.2.2, `authData`.
  case authorize(HomeObjectID, [UInt8]?)
  /// Makes an accessory identify itself.
  case identify(HomeObjectID)
  /// Returns the accessories on the network that can be added, and reports their changes from now on. A second request
  /// begins with an empty list.
  case search
  /// Ends the reports about new accessories.
  case endSearch
  /// Makes an accessory that is not in a home identify itself.
  case identifyNew(DeviceID)
  /// Pairs with an accessory, and adds it to a home.
  case add(AccessoryAddition)
  /// Takes over a pairing that another controller made, without pairing again.
  case adopt(PairingAdoption)
  /// Removes the pairing at the accessory, and then the accessory from its home. `forgets`: also if the accessory
  /// can't be reached.
  case remove(HomeObjectID, forgets: Bool)
  /// Forgets the pairing with a device that is in no home. The accessory stays paired until it is reset.
  case drop(DeviceID)
  /// Returns a request to share a home with the user of this hub, for the owner of the home.
  case requestShare(name: String)
  /// Shares a home with the user of a request.
  case share(HomeSharing)
  /// Returns the present state of a home for a user to whom it is shared.
  case renewShare(user: HomeObjectID)
  /// Takes over a home that another hub shares, or its present state.
  case acceptShare(String)
  /// Returns the token with which a user of a home uses the page of homes; nil: the owner of the hub. `renews`: a new token
  /// replaces the present one.
  case pageToken(user: HomeObjectID?, renews: Bool)
  /// Returns the state of the hub, of its devices and of its apps.
  case status
  /// Ends the hub.
  case stop
}

/// A home for the user of another hub.
package struct HomeSharing: Hashable, Sendable {
  /// The home.
  package var home: HomeObjectID
  /// The text that the user's hub gave.
  package var request: String
  /// What the user may do: not `owner`.
  package var role: HomeUser.Role

  package init(home: HomeObjectID, request: String, role: HomeUser.Role) {
    (self.home, self.request, self.role) = (home, request, role)
  }
}

/// An accessory to pair with.
package struct AccessoryAddition: Hashable, Sendable {
  /// The home.
  package var home: HomeObjectID
  /// The device; nil: the one with the payload's setup ID.
  package var device: DeviceID?
  /// The setup code "031-45-154", or the payload "X-HM://…".
  package var code: String

  package init(home: HomeObjectID, device: DeviceID?, code: String) {
    (self.home, self.device, self.code) = (home, device, code)
  }
}

/// A pairing of another controller.
package struct PairingAdoption: Hashable, Sendable {
  /// The home.
  package var home: HomeObjectID
  /// The device.
  package var device: DeviceID
  /// The accessory's long-term public key: 32 bytes.
  package var accessoryKey: [UInt8]
  /// The controller's pairing identifier: 1 to 36 bytes of UTF-8.
  package var controllerID: String
  /// The controller's long-term secret key: 32 bytes.
  package var controllerSeed: [UInt8]
  /// The last known addresses, such as "192.0.2.7:51826".
  package var addresses: [String]
  /// The rooms of the accessories by their aid; a room that does not exist is added.
  package var rooms: [UInt64: String]
  /// The names of the accessories by their aid; others keep the supplied name.
  package var names: [UInt64: String]

  package init(
    home: HomeObjectID, device: DeviceID, accessoryKey: [UInt8], controllerID: String, controllerSeed: [UInt8],
    addresses: [String], rooms: [UInt64: String] = [:], names: [UInt64: String] = [:]
  ) {
    (self.home, self.device, self.accessoryKey) = (home, device, accessoryKey)
    (self.controllerID, self.controllerSeed, self.addresses) = (controllerID, controllerSeed, addresses)
    (self.rooms, self.names) = (rooms, names)
  }
}
