/// The form of one command in JSON: its members besides `command`.
package struct HomeCommandForm: Sendable {
  package let name: HomeCommandName
  /// The members, in the order in which they are written.
  package let members: [HomeCommandMember]
  /// The effect, in Markdown, for pages and help.
  package let does: String

  init(_ name: HomeCommandName, _ members: [HomeCommandMember], _ does: String) {
    (self.name, self.members, self.does) = (name, members, does)
  }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package static subscript(_ name: HomeCommandName) -> HomeCommandForm {
    guard let form = byName[name] else { preconditionFailure("the table of commands has no row for \(name.rawValue)") }
    return form
  }
}

/// A member of a command.
package struct HomeCommandMember: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The identifier of an object of this kind; nil: of any object with a name.
    case identifier(HomeObjectKind?)
    /// The name of an object or of a person.
    case name
    /// The name of a time zone, such as "Europe/Berlin".
    case timeZone
    /// `[latitude, longitude]` in degrees.
    case place
    /// A role of a user.
    case role
    /// A device ID, such as "AA:BB:CC:00:00:01".
    case device
    /// A whole number.
    case number
    /// The accessories of the answer to `GET /accessories`.
    case accessories
    /// The type of a service: "43", or a UUID.
    case type
    /// A value of a characteristic; bytes are `{"base64": "…"}`.
    case value
    /// A list of objects with `characteristic` and `value`.
    case actions
    /// A member of a trigger's time or events: `at`, `every`, `timeZone`, `when`, `if`, `end`, `weekdays`, `once`.
    case trigger
  }
  package enum Presence: Hashable, Sendable {
    case required
    /// The member has to be there, and null means "none".
    case nullable
    case optional
  }
  /// The key.
  package let name: String
  package let kind: Kind
  package let presence: Presence

  private init(_ name: String, _ kind: Kind, _ presence: Presence = .required) {
    (self.name, self.kind, self.presence) = (name, kind, presence)
  }

  private static func id(_ kind: HomeObjectKind) -> HomeCommandMember {
    HomeCommandMember(kind.word, .identifier(kind))
  }

  static let home = id(.home)
  static let room = id(.room)
  static let zone = id(.zone)
  static let group = id(.group)
  static let accessory = id(.accessory)
  static let service = id(.service)
  static let characteristic = id(.characteristic)
  static let actionSet = id(.actionSet)
  static let trigger = id(.trigger)
  static let user = id(.user)
  static let object = HomeCommandMember("object", .identifier(nil))
  static let name = HomeCommandMember("name", .name)
  static let owner = HomeCommandMember("owner", .name)
  static let timeZone = HomeCommandMember("timeZone", .timeZone)
  static let location = HomeCommandMember("location", .place, .nullable)
  static let optionalLocation = HomeCommandMember("location", .place, .optional)
  static let role = HomeCommandMember("role", .role)
  static let type = HomeCommandMember("type", .type, .nullable)
  static let value = HomeCommandMember("value", .value)
  static let actions = HomeCommandMember("actions", .actions)
  /// The members of a paired device.
  static let description = [
    HomeCommandMember("device", .device), HomeCommandMember("configurationNumber", .number),
    HomeCommandMember("category", .number), HomeCommandMember("accessories", .accessories),
  ]
  /// The members of a trigger's time or events.
  static let times = IdentifierNotation.triggerMembers.map { HomeCommandMember($0, .trigger, .optional) }
}

extension HomeCommandForm {
  /// The form of every command, in the order of the names. The reader, hapctl, the OpenAPI document and the reference page
  /// use this table.
  package static let all: [HomeCommandForm] = [
    HomeCommandForm(
      .addHome, [.name, .timeZone, .optionalLocation, .owner],
      "adds a home with its built-in action sets, the room for the entire home, and its `owner`. The first home is the primary one"
    ),
    HomeCommandForm(.removeHome, [.home], "removes a home and everything in it"),
    HomeCommandForm(.setPrimaryHome, [.home], "makes a home the primary one"),
    HomeCommandForm(.setTimeZone, [.home, .timeZone], "sets the zone of the home's times"),
    HomeCommandForm(
      .setLocation, [.home, .location], "sets the place for sunrise, sunset and regions; `null` removes it"),
    HomeCommandForm(
      .rename, [.object, .name],
      "renames a home, room, zone, group, accessory, service, action set or trigger"),
    HomeCommandForm(.addRoom, [.home, .name], "adds a room"),
    HomeCommandForm(
      .removeRoom, [.room], "removes a room; its accessories move to the room for the entire home"),
    HomeCommandForm(.addZone, [.home, .name], "adds a zone: a group of rooms"),
    HomeCommandForm(.removeZone, [.zone], "removes a zone; its rooms stay"),
    HomeCommandForm(.addRoomToZone, [.room, .zone], "adds a room to a zone"),
    HomeCommandForm(.removeRoomFromZone, [.room, .zone], "removes a room from a zone; the room stays"),
    HomeCommandForm(.addGroup, [.home, .name], "adds a group of services"),
    HomeCommandForm(.removeGroup, [.group], "removes a group; its services stay"),
    HomeCommandForm(.addServiceToGroup, [.service, .group], "adds a service to a group"),
    HomeCommandForm(
      .removeServiceFromGroup, [.service, .group], "removes a service from a group; the service stays"),
    HomeCommandForm(
      .addDevice, [.home] + HomeCommandMember.description,
      "adds a paired device: an accessory, or a bridge with its bridged accessories"),
    HomeCommandForm(
      .updateDevice, [.home] + HomeCommandMember.description,
      "replaces the databases of a paired device, after its `configurationNumber` rose"),
    HomeCommandForm(
      .removeAccessory, [.accessory], "removes an accessory, or a bridge with its bridged accessories"),
    HomeCommandForm(.moveAccessory, [.accessory, .room], "moves an accessory to a room"),
    HomeCommandForm(.blockAccessory, [.accessory], "refuses all requests to an accessory"),
    HomeCommandForm(.unblockAccessory, [.accessory], "permits requests to an accessory again"),
    HomeCommandForm(
      .setAssociatedType, [.service, .type],
      "sets the type of the device that a switch or an outlet controls, such as `\"B7\"` for a fan; `null` removes it"),
    HomeCommandForm(.addActionSet, [.home, .name], "adds an action set (a scene) without actions"),
    HomeCommandForm(
      .removeActionSet, [.actionSet], "removes an action set, also from the triggers that execute it"),
    HomeCommandForm(
      .addAction, [.actionSet, .characteristic, .value],
      "adds an action: a value for a characteristic that has no action in this set"),
    HomeCommandForm(
      .updateAction, [.actionSet, .characteristic, .value], "changes the value of an action"),
    HomeCommandForm(.removeAction, [.actionSet, .characteristic], "removes an action from an action set"),
    HomeCommandForm(
      .addTrigger, [.home, .name] + HomeCommandMember.times,
      "adds a disabled trigger: a timer with `at`, `every` and `timeZone`, or events with `when`, `if`, `end`, `weekdays` and `once`"
    ),
    HomeCommandForm(
      .updateTrigger, [.trigger] + HomeCommandMember.times,
      "replaces the time or the events of a trigger. A timer stays a timer"),
    HomeCommandForm(
      .removeTrigger, [.trigger], "removes a trigger, with the action sets that belong to it alone"),
    HomeCommandForm(.enableTrigger, [.trigger], "enables a trigger"),
    HomeCommandForm(.disableTrigger, [.trigger], "disables a trigger"),
    HomeCommandForm(
      .addActionSetToTrigger, [.actionSet, .trigger], "lets a trigger execute an action set"),
    HomeCommandForm(
      .removeActionSetFromTrigger, [.actionSet, .trigger],
      "removes an action set from a trigger. A set that belongs to the trigger alone is removed from the home, too"),
    HomeCommandForm(
      .addOwnedActionSet, [.trigger, .actions], "adds an action set that belongs to this trigger alone"),
    HomeCommandForm(.addUser, [.home, .name, .role], "adds a user who is an `administrator` or a `guest`"),
    HomeCommandForm(.setRole, [.user, .role], "makes a user an `administrator` or a `guest`"),
    HomeCommandForm(.removeUser, [.user], "removes a user who is not the owner"),
  ]
}
