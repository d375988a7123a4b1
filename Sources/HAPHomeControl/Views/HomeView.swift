import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHomeFile
import HAPHubLink
import HAPModel
import HAPWire

/// A home with its state, for pages and programs.
struct HomeView: Sendable {
  let home: Home
  /// The user who looks at it.
  let user: HomeUser
  let snapshot: HubSnapshot
  let values: [HomeObjectID: CharacteristicReading]
  /// The last evaluation of each trigger that was evaluated since the start of the hub.
  let evaluations: [HomeObjectID: EvaluationReport]
  let now: Instant
  let zoneRules: @Sendable (ZoneName) -> ZoneRules?
  private let directory: HomeDirectory

  /// Takes time for a large home.
  init(
    _ home: Home, _ user: HomeUser, _ snapshot: HubSnapshot, values: [HomeObjectID: CharacteristicReading],
    evaluations: [HomeObjectID: EvaluationReport], now: Instant,
    zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?
  ) {
    (self.home, self.user, self.snapshot, self.values, self.evaluations) = (home, user, snapshot, values, evaluations)
    (self.now, self.zoneRules, directory) = (now, zoneRules, HomeDirectory(home))
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.members(head)
      json.key("accessories")
      json.array { json in for accessory in home.accessories { write(accessory, to: &json) } }
      json.member("scenes", .list(home.listedActionSets.map(node)))
      json.member("triggers", .list(triggers))
      json.member("users", .list(home.users.map(node)))
    }
  }

  private var head: [JSONMember] {
    let optional: [(name: String, value: JSONNode?)] = [
      ("location", home.location?.node), ("sharedBy", user.role == .owner ? nil : .text(home.users[0].name)),
    ]
    return [
      ("id", .id(home.id)), ("name", .text(home.name.text)),
      ("isPrimary", .flag(home.id == snapshot.model.primaryHome)), ("timeZone", .text(home.zone.text)),
      ("role", .text(user.role.rawValue)),
      ("mayEdit", .flag(home.copy == nil && user.role != .guest)),
    ] + optional.compactMap { name, value in value.map { (name, $0) } } + [
      ("roomForEntireHome", node(home.roomForEntireHome)), ("rooms", .list(home.rooms.map(node))),
      (
        "zones",
        .list(
          home.zones.map {
            .object([("id", .id($0.id)), ("name", .text($0.name.text)), ("rooms", .ids($0.rooms))])
          })
      ),
      (
        "groups",
        .list(
          home.groups.map {
            .object([("id", .id($0.id)), ("name", .text($0.name.text)), ("services", .ids($0.services))])
          })
      ),
    ]
  }

  private func node(_ room: Room) -> JSONNode { .object([("id", .id(room.id)), ("name", .text(room.name.text))]) }

  // MARK: Accessories

  private func write(_ accessory: HomeAccessory, to json: inout JSONWriter) {
    let why = snapshot.unreachable[accessory.id]
    json.object { json in
      json.member("id", accessory.id)
      json.member("name", .text(accessory.name.text))
      json.member("room", accessory.room)
      json.member("category", .text(Catalogue.category(number: accessory.category)?.slug ?? "other"))
      json.member("device", .text(accessory.deviceID.text))
      json.member("aid", .integer(accessory.aid))
      json.member("bridge", accessory.bridge.map { .id($0) })
      json.member("blocked", .flag(accessory.isBlocked))
      json.member("reachable", .flag(why == nil))
      json.member("why", why.map { .text($0) })
      let information = accessory.information
      for (name, text) in [
        ("manufacturer", information.manufacturer), ("model", information.model),
        ("serialNumber", information.serialNumber), ("firmware", information.firmware),
      ] {
        json.member(name, text.map { .text($0) })
      }
      json.key("services")
      json.array { json in for service in accessory.services { write(service, of: accessory, to: &json) } }
    }
  }

  private func write(_ service: HomeService, of accessory: HomeAccessory, to json: inout JSONWriter) {
    json.object { json in
      json.member("id", service.id)
      json.member("iid", .integer(service.iid))
      json.member("type", .text(service.type.wireForm))
      json.member("typeName", .text(service.typeText))
      json.member("name", .text(service.name.text))
      json.member("primary", .flag(service.isPrimary))
      json.member("interactive", .flag(service.isUserInteractive))
      json.member("linked", .list(service.linked.map { .integer($0) }))
      json.key("characteristics")
      json.array { json in
        for characteristic in service.characteristics { write(characteristic, of: accessory, to: &json) }
      }
    }
  }

  private func write(_ characteristic: HomeCharacteristic, of accessory: HomeAccessory, to json: inout JSONWriter) {
    let limits = characteristic.rules.constraints
    json.object { json in
      json.member("id", characteristic.id)
      json.member("aid", .integer(accessory.aid))
      json.member("iid", .integer(characteristic.iid))
      json.member("type", .text(characteristic.type.wireForm))
      json.member("name", .text(characteristic.typeText))
      json.member("description", characteristic.description.map { .text($0) })
      json.member("format", .text(characteristic.rules.format.rawValue))
      json.member("perms", .list(characteristic.permissions.names.map { .text($0) }))
      json.member("value", values[characteristic.id]?.value?.sentNode ?? JSONNode(.null))
      json.member("unit", characteristic.shownUnit.map { .text($0.rawValue) })
      json.member("minValue", limits.minValue?.sentNode)
      json.member("maxValue", limits.maxValue?.sentNode)
      json.member("minStep", limits.minStep?.sentNode)
      json.member("maxLen", limits.maxLen.map { .integer($0) })
      json.member("maxDataLen", limits.maxDataLen.map { .integer($0) })
      json.member("valid-values", limits.validValues.map { .list($0.map { .integer($0) }) })
      json.member(
        "valid-values-range", limits.validValuesRange.map { .list([.integer($0.lowerBound), .integer($0.upperBound)]) })
      writeWords(characteristic, to: &json)
    }
  }

  /// Writes the names of the values that the characteristic can have.
  private func writeWords(_ characteristic: HomeCharacteristic, to json: inout JSONWriter) {
    guard let definition = Catalogue.characteristic(characteristic.type), !definition.values.isEmpty else { return }
    let checks: ValueChecks = [.limits, .validValuesRange, .validValues]
    let words = definition.values.filter {
      characteristic.rules.violation(of: .integer(Int128($0.value)), checking: checks) == nil
    }
    json.member("words", .object(words.map { ($0.word, .integer($0.value)) }))
  }

  // MARK: Scenes, triggers and users

  private func node(_ set: ActionSet) -> JSONNode {
    .members(
      ("id", .id(set.id)), ("name", .text(set.name.text)), ("kind", .text(set.kind.rawValue)),
      ("isBuiltIn", .flag(set.kind.isBuiltIn)),
      ("actions", .list(set.actions.map(node))),
      ("lastExecution", set.lastExecution.map { .text("\($0)") }))
  }

  private func node(_ action: HomeAction) -> JSONNode {
    .members(
      ("characteristic", .id(action.characteristic)), ("value", action.value.sentNode),
      ("path", directory.path(ofCharacteristic: action.characteristic).map { .text("\($0)") }),
      ("text", .text(text(action))))
  }

  private func text(_ action: HomeAction) -> String {
    home.characteristic(action.characteristic)?.characteristic.text(of: action.value) ?? action.value.shown
  }

  private var triggers: [JSONNode] {
    if home.triggers.isEmpty { return [] }
    let plan = HomeRehearsal(snapshot.model, at: now, zoneRules: zoneRules)
    let text = TriggerText(home, directory, zoneRules)
    return home.triggers.map { trigger in
      .members(
        ("id", .id(trigger.id)), ("name", .text(trigger.name.text)), ("enabled", .flag(trigger.isEnabled)),
        ("state", .text(home.state(of: trigger))),
        (
          "parts",
          .list(
            text.parts(trigger.kind).map { part in
              .object([("name", .text(part.name)), ("texts", .list(part.texts.map { .text($0) }))])
            })
        ),
        ("scenes", .ids(trigger.actionSets)), ("runs", .list(runs(of: trigger).map { .text($0) })),
        ("next", plan.nextTime(of: trigger.id).map { .text("\($0)") }),
        ("lastFire", trigger.lastFire.map { .text("\($0)") }), ("lastEvaluation", evaluations[trigger.id]?.node))
    }
  }

  /// The scenes of a trigger, and the values that it writes itself.
  private func runs(of trigger: Trigger) -> [String] {
    trigger.actionSets.compactMap { home.actionSets.find($0) }.flatMap { set -> [String] in
      guard set.kind == .triggerOwned else { return [set.name.text] }
      return set.actions.map { action in
        let path = directory.path(ofCharacteristic: action.characteristic)?.description
        return "\(path ?? action.characteristic.description) is \(text(action))"
      }
    }
  }

  private func node(_ other: HomeUser) -> JSONNode {
    .members(
      ("id", .id(other.id)), ("name", .text(other.name)), ("role", .text(other.role.rawValue)),
      ("isThis", .flag(other.id == user.id)), ("hasHub", .flag(other.controller != nil)),
      ("place", snapshot.persons.first { $0.user == other.id }?.place.json))
  }
}
