import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWire

/// The names of the requests in JSON, in the order in which messages and pages list them.
package enum HubRequestName: String, CaseIterable, Sendable {
  case attach, perform, execute, write, read, subscribe, unsubscribe, fire, explain, place, authorize, identify,
    search
  case endSearch = "end-search"
  case identifyNew = "identify-new"
  case add, adopt, remove, drop
  case requestShare = "request-share"
  case share
  case renewShare = "renew-share"
  case acceptShare = "accept-share"
  case pageToken = "page-token"
  case status, stop
}

/// The limits of lists in requests.
package enum HubLimits {
  /// Identifiers, actions, rooms or names in one request.
  package static let list = 10_000
  /// Addresses of a pairing.
  package static let addresses = 16
  /// Bytes that authorize writes of a characteristic.
  package static let authorizationData = 1024
}

extension HubRequest {
  package var name: HubRequestName {
    switch self {
    case .attach: .attach
    case .perform: .perform
    case .execute: .execute
    case .write: .write
    case .read: .read
    case .subscribe: .subscribe
    case .unsubscribe: .unsubscribe
    case .fire: .fire
    case .explain: .explain
    case .place: .place
    case .authorize: .authorize
    case .identify: .identify
    case .search: .search
    case .endSearch: .endSearch
    case .identifyNew: .identifyNew
    case .add: .add
    case .adopt: .adopt
    case .remove: .remove
    case .drop: .drop
    case .requestShare: .requestShare
    case .share: .share
    case .renewShare: .renewShare
    case .acceptShare: .acceptShare
    case .pageToken: .pageToken
    case .status: .status
    case .stop: .stop
    }
  }

  /// Reads a request from an object.
  /// - Parameter others: the other members that the object may have.
  /// - Throws: the first mistake.
  package init(_ node: JSONNode, and others: [String] = []) throws(JSONProblem) {
    let name = try node.required("request").word("a request", of: HubRequestName.self)
    try node.refuseUnknownMembers(except: ["request"] + others + name.form.members.map(\.name))
    switch name {
    case .attach: self = .attach(app: try node.appName())
    case .perform: self = .perform(try HomeCommand(node.required("command")))
    case .execute: self = .execute(try node.limited("actionSets", JSONNode.actionSet))
    case .write: self = .write(home: try node.identifier(.home), try node.actions())
    case .read: self = .read(try node.limited("characteristics", JSONNode.characteristic))
    case .subscribe: self = .subscribe(try node.limited("characteristics", JSONNode.characteristic))
    case .unsubscribe: self = .unsubscribe(try node.limited("characteristics", JSONNode.characteristic))
    case .fire: self = .fire(try node.identifier(.trigger))
    case .explain: self = .explain(try node.identifier(.trigger))
    case .place: self = .place(try PersonState(node.required("person")))
    case .authorize: self = .authorize(try node.identifier(.characteristic), try node.authorizationData())
    case .identify: self = .identify(try node.identifier(.accessory))
    case .search: self = .search
    case .endSearch: self = .endSearch
    case .identifyNew: self = .identifyNew(try node.device())
    case .add: self = .add(try AccessoryAddition(node))
    case .adopt: self = .adopt(try PairingAdoption(node))
    case .remove: self = .remove(try node.identifier(.accessory), forgets: try node.bool("forgets", default: false))
    case .drop: self = .drop(try node.device())
    case .requestShare: self = .requestShare(name: try node.string("name"))
    case .share: self = .share(try HomeSharing(membersOf: node, home: node.identifier(.home)))
    case .renewShare: self = .renewShare(user: try node.identifier(.user))
    case .acceptShare: self = .acceptShare(try node.string("share"))
    case .pageToken:
      self = .pageToken(
        user: try node.optional("user") { node throws(JSONProblem) in try node.identifier(of: .user) },
        renews: try node.bool("renews", default: false))
    case .status: self = .status
    case .stop: self = .stop
    }
  }

  /// The members of the object.
  package var members: [JSONMember] { [("request", .text(name.rawValue))] + ownMembers }

  private var ownMembers: [JSONMember] {
    switch self {
    case .attach(let app): [("app", .text(app))]
    case .perform(let command): [("command", command.node)]
    case .execute(let sets): [("actionSets", .ids(sets))]
    case .write(let home, let actions): [("home", .id(home)), ("actions", .list(actions.map(\.node)))]
    case .read(let ids), .subscribe(let ids), .unsubscribe(let ids): [("characteristics", .ids(ids))]
    case .fire(let trigger), .explain(let trigger): [("trigger", .id(trigger))]
    case .place(let person): [("person", person.json)]
    case .authorize(let characteristic, let data):
      [("characteristic", .id(characteristic))] + (data.map { [("data", .text(Base64.encode($0)))] } ?? [])
    case .identify(let accessory): [("accessory", .id(accessory))]
    case .search, .endSearch, .status, .stop: []
    case .identifyNew(let device), .drop(let device): [("device", .text(device.text))]
    case .add(let addition): addition.members
    case .adopt(let adoption): adoption.members
    case .requestShare(let name): [("name", .text(name))]
    case .share(let sharing): sharing.members
    case .renewShare(let user): [("user", .id(user))]
    case .acceptShare(let text): [("share", .text(text))]
    case .pageToken(let user, let renews):
      (user.map { [("user", .id($0))] } ?? []) + (renews ? [("renews", .flag(true))] : [])
    case .remove(let accessory, let forgets):
      [("accessory", .id(accessory))] + (forgets ? [("forgets", .flag(true))] : [])
    }
  }
}

// MARK: Shares

extension HomeSharing {
  /// Reads the members `shareRequest` and `role`.
  package init(membersOf node: JSONNode, home: HomeObjectID) throws(JSONProblem) {
    let role = try node.required("role")
    self.init(
      home: home, request: try node.string("shareRequest"),
      role: try role.word("a role", of: HomeUser.Role.self))
    if self.role == .owner { throw role.problem("a home has one owner") }
  }

  fileprivate var members: [JSONMember] {
    [("home", .id(home)), ("shareRequest", .text(request)), ("role", .text(role.rawValue))]
  }
}

// MARK: Additions

extension AccessoryAddition {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    self.init(
      home: try node.identifier(.home),
      device: try node.optional("device") { _ throws(JSONProblem) in try node.device() }, code: try node.string("code"))
  }

  fileprivate var members: [JSONMember] {
    [("home", .id(home))] + (device.map { [("device", .text($0.text))] } ?? []) + [("code", .text(code))]
  }
}

extension PairingAdoption {
  private static let keyLength = 32

  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    let controller = try node.required("controllerID")
    guard (1...36).contains(try controller.asString().utf8.count) else {
      throw controller.problem("a pairing identifier has 1 to 36 bytes of UTF-8")
    }
    let addresses = try node.required("addresses")
    self.init(
      home: try node.identifier(.home), device: try node.device(),
      accessoryKey: try node.required("accessoryKey").bytes(Self.keyLength), controllerID: try controller.asString(),
      controllerSeed: try node.required("controllerSeed").bytes(Self.keyLength),
      addresses: try addresses.elements(JSONNode.string),
      rooms: try node.textsByAid("rooms"), names: try node.textsByAid("names"))
    guard self.addresses.count <= HubLimits.addresses else {
      throw addresses.problem("a pairing has at most \(HubLimits.addresses) addresses")
    }
  }

  fileprivate var members: [JSONMember] {
    [
      ("home", .id(home)), ("device", .text(device.text)), ("accessoryKey", .text(Base64.encode(accessoryKey))),
      ("controllerID", .text(controllerID)), ("controllerSeed", .text(Base64.encode(controllerSeed))),
      ("addresses", .list(addresses.map { .text($0) })),
    ] + (rooms.isEmpty ? [] : [("rooms", Self.node(rooms))]) + (names.isEmpty ? [] : [("names", Self.node(names))])
  }

  private static func node(_ texts: [UInt64: String]) -> JSONNode {
    .object(texts.sorted { $0.key < $1.key }.map { ("\($0.key)", .text($0.value)) })
  }
}

extension JSONNode {
  fileprivate func actions() throws(JSONProblem) -> [HomeAction] {
    let list = try required("actions")
    let actions = try limited("actions") { node throws(JSONProblem) in try HomeAction(node) }
    var seen: Set<HomeObjectID> = []
    for (action, node) in zip(actions, try list.asList()) where !seen.insert(action.characteristic).inserted {
      throw node.problem("the characteristic \(action.characteristic) occurs twice")
    }
    return actions
  }

  fileprivate func authorizationData() throws(JSONProblem) -> [UInt8]? {
    guard let node = self["data"] else { return nil }
    let data = try node.parsed("base64", Base64.decode)
    guard (1...HubLimits.authorizationData).contains(data.count) else {
      throw node.problem("1 to \(HubLimits.authorizationData) bytes are expected, not \(data.count)")
    }
    return data
  }

  /// Reads an object with texts for accessories; without it, there are none.
  fileprivate func textsByAid(_ name: String) throws(JSONProblem) -> [UInt64: String] {
    var texts: [UInt64: String] = [:]
    for member in try self[name]?.asObject() ?? [] {
      guard let aid = UInt64(member.name), "\(aid)" == member.name else {
        throw member.value.problem("\"\(member.name.shortened)\" is not an aid, a whole number from 0")
      }
      texts[aid] = try member.value.asString()
    }
    guard texts.count <= HubLimits.list else {
      throw try required(name).problem("at most \(HubLimits.list) accessories are expected")
    }
    return texts
  }
}

// MARK: The table

extension HubRequestName {
  private static let forms = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package var form: HubForm<HubRequestName> {
    guard let form = Self.forms[self] else { preconditionFailure("the table of requests has no row for \(rawValue)") }
    return form
  }

  /// The answer, unless the request is refused.
  package var answer: HubAnswerName {
    switch self {
    case .attach: .attached
    case .perform, .remove, .acceptShare: .changed
    case .requestShare, .renewShare, .pageToken: .document
    case .share: .shared
    case .add, .adopt: .added
    case .execute, .write: .executed
    case .read: .values
    case .fire: .evaluated
    case .explain: .explained
    case .search: .found
    case .status: .status
    case .subscribe, .unsubscribe, .place, .authorize, .identify, .endSearch, .identifyNew, .drop, .stop: .done
    }
  }

  /// The forms of all requests, in the order of the names.
  package static let all: [HubForm<HubRequestName>] = [
    HubForm(
      .attach, [.app],
      "returns all homes as of this moment. Afterwards, the hub sends an event for each change that another app or the hub makes"
    ),
    HubForm(.perform, [.command], "changes the homes"),
    HubForm(.execute, [.actionSets], "executes action sets of one home together, as a person"),
    HubForm(.write, [.home, .actions], "writes values without an action set"),
    HubForm(.read, [.characteristics], "reads characteristics from their accessories"),
    HubForm(
      .subscribe, [.characteristics],
      "enables events of characteristics for this app. The answer comes when the accessories with a connection have the subscription and have given the present values, after at most 2 s"
    ),
    HubForm(.unsubscribe, [.characteristics], "disables them for this app"),
    HubForm(
      .fire, [.trigger], "activates a trigger by hand: its condition is evaluated, and its action sets are executed"),
    HubForm(.explain, [.trigger], "returns the last evaluations of a trigger"),
    HubForm(.place, [.person], "sets the place of a user"),
    HubForm(
      .authorize, [.characteristic, .data.optional],
      "sets the data that authorizes writes of a characteristic, also in action sets; without `data`: none"),
    HubForm(.identify, [.accessory], "makes an accessory identify itself"),
    HubForm(
      .search, [],
      "returns the accessories on the network that can be added, and sends events about them from now on. A second request begins with an empty list"
    ),
    HubForm(.endSearch, [], "ends the events about new accessories"),
    HubForm(.identifyNew, [.device], "makes an accessory that is in no home identify itself"),
    HubForm(
      .add, [.home, .device.optional, .code],
      "pairs with an accessory, and adds it to a home. Without `device`: the one with the payload's setup ID"),
    HubForm(
      .adopt,
      [
        .home, .device, .accessoryKey, .controllerID, .controllerSeed, .addresses, .rooms.optional, .names.optional,
      ], "takes over a pairing that another controller made, without pairing again"),
    HubForm(
      .remove, [.accessory, .forgets.optional],
      "removes the pairing at the accessory, and then the accessory from its home"),
    HubForm(
      .drop, [.device],
      "forgets the pairing with a device that is in no home: after an addition that did not end, or a removal that waits for the accessory. The accessory stays paired until it is reset"
    ),
    HubForm(
      .requestShare, [.userName],
      "returns a request to share a home with the user of this hub, for the hub of the home's owner. It contains no secret"
    ),
    HubForm(
      .share, [.home, .shareRequest, .role],
      "shares a home with the user of a request. The accessories that can be reached get the user's pairing before the answer, the others later. If one refuses, nothing is shared"
    ),
    HubForm(.renewShare, [.user], "returns the present state of a home for a user to whom it is shared"),
    HubForm(
      .acceptShare, [.share],
      "takes over a home that another hub shares, or its present state. The home can be controlled, but not changed"),
    HubForm(
      .pageToken, [.user.optional, .renews.optional],
      "returns the token with which a user of a home opens the page of homes; without `user`: the owner of the hub"),
    HubForm(.status, [], "returns the state of the hub, of its devices and of its apps"),
    HubForm(.stop, [], "ends the hub"),
  ]
}
