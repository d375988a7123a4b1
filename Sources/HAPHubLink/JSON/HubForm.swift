/// The form of a request, an answer or an event in JSON. The readers and the reference page use the tables.
package struct HubForm<Name: Hashable & Sendable>: Sendable {
  package let name: Name
  /// The members besides those of each line, in the order in which they are written.
  package let members: [HubMember]
  /// The effect or the meaning, in Markdown, for the page.
  package let does: String

  init(_ name: Name, _ members: [HubMember], _ does: String) {
    (self.name, self.members, self.does) = (name, members, does)
  }
}

/// A member of a request, an answer or an event.
package struct HubMember: Hashable, Sendable {
  /// The key.
  package let name: String
  package let isOptional: Bool
  /// The value, in Markdown, for the page.
  package let value: String

  private init(_ name: String, _ value: String, isOptional: Bool = false) {
    (self.name, self.value, self.isOptional) = (name, value, isOptional)
  }

  var optional: HubMember { HubMember(name, value, isOptional: true) }

  private static func id(_ name: String, _ kind: String) -> HubMember { HubMember(name, "the identifier of \(kind)") }

  static let app = HubMember("app", "the name of an app: 1 to 64 characters without control characters")
  static let command = HubMember("command", "[a command](#commands-and-changes)")
  static let changes = HubMember("changes", "a list of [changes](#commands-and-changes)")
  static let actionSets = HubMember("actionSets", "a list of identifiers of action sets")
  static let characteristics = HubMember("characteristics", "a list of identifiers of characteristics")
  static let characteristic = id("characteristic", "a characteristic")
  static let data = HubMember("data", "1 to 1,024 bytes in base64")
  static let accessories = HubMember("accessories", "a list of identifiers of accessories")
  static let newAccessories = HubMember("accessories", "a list of [new accessories](#new-accessories)")
  static let newAccessory = HubMember("accessory", "[a new accessory](#new-accessories)")
  static let actions = HubMember(
    "actions", "a list of objects with `characteristic` and `value`, one for each characteristic")
  static let home = id("home", "a home")
  static let trigger = id("trigger", "a trigger")
  static let accessory = id("accessory", "an accessory")
  static let person = HubMember("person", "[a place of a user](#places-of-users)")
  static let persons = HubMember("persons", "a list of [places of users](#places-of-users)")
  static let device = HubMember("device", "a device ID, such as `\"AA:BB:CC:00:00:01\"`")
  static let code = HubMember("code", "a setup code such as `\"031-45-154\"`, or a payload `\"X-HM://…\"`")
  static let accessoryKey = HubMember("accessoryKey", "the accessory's long-term public key: 32 bytes in base64")
  static let controllerID = HubMember("controllerID", "the controller's pairing identifier: 1 to 36 bytes of UTF-8")
  static let controllerSeed = HubMember("controllerSeed", "the controller's long-term secret key: 32 bytes in base64")
  static let addresses = HubMember("addresses", "a list of at most 16 addresses, such as `\"192.0.2.7:51826\"`")
  static let rooms = HubMember("rooms", "an object: the names of rooms, by the aid of their accessory")
  static let names = HubMember("names", "an object: the names of accessories, by their aid")
  static let userName = HubMember("name", "the name of the user")
  static let user = id("user", "a user")
  static let role = HubMember("role", "`\"administrator\"` or `\"guest\"`")
  static let shareRequest = HubMember("shareRequest", "the text of a request to share")
  static let share = HubMember("share", "the text of a shared home")
  static let document = HubMember("document", "the text of a file")
  static let later = HubMember("later", "a list of identifiers of accessories, which learn of the user later")
  static let renews = HubMember("renews", "`true`: a new token replaces the present one")
  static let forgets = HubMember("forgets", "`true`: also if the accessory can't be reached")
  static let model = HubMember("model", "[all homes](#homes)")
  static let unreachable = HubMember("unreachable", "an object: the reasons, by the identifier of the accessory")
  static let result = HubMember("result", "[the result of an execution](#results-of-executions)")
  static let values = HubMember("values", "a list of [readings](#readings)")
  static let evaluation = HubMember("evaluation", "[an evaluation](#evaluations)")
  static let evaluations = HubMember("evaluations", "a list of [evaluations](#evaluations), oldest first")
  static let status = HubMember("status", "[the state of the hub](#the-state-of-the-hub)")
  static let catchUp = HubMember(
    "catchUp", "`true`: read after a lost connection, so values between them can be missing")
  static let reachable = HubMember("reachable", "`true` or `false`")
  static let why = HubMember("why", "the reason, for people")
}
