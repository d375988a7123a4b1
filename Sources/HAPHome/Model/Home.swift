import HAPAlmanac
import HAPModel

/// A home: its objects in the order in which they were added. home.md §4.
public struct Home: Hashable, Sendable {
  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name, unique among the homes of a model (rule N1).
  public internal(set) var name: HomeName
  /// The zone of the home's civil times. Phone and home can be in different zones.
  public internal(set) var zone: ZoneName
  /// The place for sunrise, sunset and regions; nil: rule T6 refuses events that need it.
  public internal(set) var location: Coordinate?
  /// The room of accessories that are in no other room (rules R1, R2, A1). It is not in `rooms`.
  public internal(set) var roomForEntireHome: Room
  /// The rooms.
  public internal(set) var rooms: [Room] = []
  /// The zones: groups of rooms.
  public internal(set) var zones: [RoomZone] = []
  /// The groups of services.
  public internal(set) var groups: [ServiceGroup] = []
  /// The accessories, each bridged one after its bridge.
  public internal(set) var accessories: [HomeAccessory] = []
  /// The action sets (scenes), also those that a trigger owns; see `listedActionSets`.
  public internal(set) var actionSets: [ActionSet] = []
  /// The triggers.
  public internal(set) var triggers: [Trigger] = []
  /// The users, the owner first.
  public internal(set) var users: [HomeUser]
  /// Of a home that belongs to another hub; nil: it belongs to this one.
  public internal(set) var copy: HomeCopy?

  /// The action sets that an app lists: without those that a trigger owns (rule S4).
  public var listedActionSets: [ActionSet] { actionSets.filter { $0.kind != .triggerOwned } }

  /// The devices of the accessories, ascending.
  package var devices: [DeviceID] { Set(accessories.map(\.deviceID)).sorted() }
}

/// A room.
public struct Room: Hashable, Sendable {
  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name.
  public internal(set) var name: HomeName
}

/// A zone: any number of rooms, for example a floor. A room can be in several zones (rule Z1).
public struct RoomZone: Hashable, Sendable {
  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name.
  public internal(set) var name: HomeName
  /// The rooms, in the order in which they were added.
  public internal(set) var rooms: [HomeObjectID] = []
}

/// A group of services, for example all night lights. A service can be in several groups (rule Z1).
public struct ServiceGroup: Hashable, Sendable {
  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name.
  public internal(set) var name: HomeName
  /// The services, in the order in which they were added.
  public internal(set) var services: [HomeObjectID] = []
}

/// A user of a home.
public struct HomeUser: Hashable, Sendable {
  /// What a user may do with a home.
  public enum Role: String, CaseIterable, Hashable, Sendable {
    /// The user whose identity paired the accessories. There is one; the role does not change.
    case owner
    /// May edit the home, and control it.
    case administrator
    /// May control the home. Edits are refused (rule U1).
    case guest
  }

  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name. It is not in the namespace of the home.
  public internal(set) var name: String
  /// What the user may do.
  public internal(set) var role: Role
  /// How the accessories know the user; nil: the user has no own hub.
  public package(set) var controller: UserController?

  /// Creates a user.
  public init(id: HomeObjectID, name: String, role: Role, controller: UserController? = nil) {
    (self.id, self.name, self.role, self.controller) = (id, name, role, controller)
  }
}

/// The identity of a user's hub, which accessories store as a pairing. HAP R2 §5.10.
public struct UserController: Hashable, Sendable {
  /// The pairing identifier: 1 to 36 printable characters of ASCII, normally an uppercase UUID.
  public let identifier: String
  /// The long-term public key, Ed25519: 32 bytes.
  public let publicKey: [UInt8]

  /// - Returns: nil for another identifier, or a key of another length.
  public init?(identifier: String, publicKey: [UInt8]) {
    guard (1...36).contains(identifier.utf8.count), identifier.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      publicKey.count == 32
    else { return nil }
    (self.identifier, self.publicKey) = (identifier, publicKey)
  }
}
