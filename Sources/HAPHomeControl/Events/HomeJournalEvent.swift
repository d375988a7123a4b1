import HAPHome
import HAPHubLink
import HAPModel
import HAPWeb
import HAPWire

/// The journal of a hub.
package typealias HomeJournal = EventJournal<HomeJournalEvent>

/// An event in the journal of a hub.
package enum HomeJournalEvent: JournalEvent {
  /// `home`: the one that it is about; nil: the owner of the hub alone gets it, except for the end of the hub.
  case hub(HubEvent, home: HomeObjectID?)
  /// A setup has another step. `node`: the whole setup, without its code.
  case setup(JSONNode, home: HomeObjectID?)

  static let names = HubEventName.allCases.map(\.rawValue) + ["setup"]

  package var name: String {
    switch self {
    case .hub(let event, home: _): event.name.rawValue
    case .setup: "setup"
    }
  }

  /// Sizes of parts without texts of a known length, in bytes.
  fileprivate enum Size {
    static let change = 1024
    static let characteristic = 256
    static let action = 256
    static let reading = 64
  }

  package var weight: Int {
    switch self {
    case .setup(let node, home: _): Size.action * (1 + (node["candidates"]?.elements?.count ?? 0))
    case .hub(let event, home: _):
      switch event {
      case .changed(let changes, app: _): changes.reduce(0) { $0 + $1.size }
      case .values(let readings, isCatchUp: _):
        readings.reduce(0) { $0 + Size.reading + ($1.value?.size ?? 0) }
      case .evaluated(let report): report.text.utf8.count + report.detail.utf8.count
      case .executed(let result, sets: _, trigger: _, app: _): result.actions.count * Size.action
      case .reachability, .person, .found, .gone, .missed, .stopping: Size.reading
      }
    }
  }

  /// - Parameter subject: the identifier of a home.
  package func concerns(_ subject: String) -> Bool {
    switch self {
    case .hub(.stopping, home: _): true
    case .hub(_, home: let home), .setup(_, home: let home): home?.description == subject
    }
  }

  /// `"event":"values","values":[…]`
  package func write(to json: inout JSONWriter) {
    switch self {
    case .hub(.values(let readings, let isCatchUp), home: _):
      json.member("event", .text(name))
      json.key("values")
      json.array { json in for reading in readings { json.reading(reading) } }
      if isCatchUp { json.member("catchUp", .flag(true)) }
    case .hub(.found(let accessory), home: _):
      json.member("event", .text(name))
      json.member("accessory", accessory.shownNode)
    case .hub(let event, home: _): event.write(to: &json)
    case .setup(let node, home: _):
      json.member("event", .text(name))
      json.member("setup", node)
    }
  }
}

extension HubEvent {
  /// The event for each home that it is about. Users get the events of their home, so an event has nothing of another one.
  /// - Parameter homeOfCharacteristic: of all characteristics with values.
  func parts(
    in model: HomeModel, _ homeOfCharacteristic: [HomeObjectID: HomeObjectID]
  ) -> [(event: HubEvent, home: HomeObjectID?)] {
    func home(with isMember: (Home) -> Bool) -> HomeObjectID? { model.homes.first(where: isMember)?.id }
    switch self {
    case .changed(let changes, let app):
      return changes.divided(by: \.home).map { (.changed($0, app: app), $1) }
    case .values(let readings, let isCatchUp):
      return readings.divided { homeOfCharacteristic[$0.characteristic] }.map {
        (.values($0, isCatchUp: isCatchUp), $1)
      }
    case .reachability(let id, isReachable: _, why: _): return [(self, home { $0.accessories.find(id) != nil })]
    case .evaluated(let report): return [(self, home { $0.triggers.find(report.trigger) != nil })]
    case .executed(let result, sets: _, trigger: _, app: _):
      let ids = result.actions.map(\.action.characteristic)
      return [(self, home { home in ids.contains { home.characteristic($0) != nil } })]
    case .person(let person): return [(self, home { $0.users.find(person.user) != nil })]
    case .found, .gone, .missed, .stopping: return [(self, nil)]
    }
  }
}

extension Array {
  /// The elements of each key, in the order of their first elements.
  fileprivate func divided<Key: Hashable>(by key: (Element) -> Key) -> [(elements: [Element], key: Key)] {
    var parts: [(elements: [Element], key: Key)] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let place = places[key] {
        parts[place].elements.append(element)
      } else {
        places[key] = parts.count
        parts.append(([element], key))
      }
    }
    return parts
  }
}

extension HomeChange {
  /// Approximate size in bytes.
  fileprivate var size: Int {
    typealias Size = HomeJournalEvent.Size
    func size(_ services: [HomeService]) -> Int {
      services.reduce(0) { $0 + Size.characteristic * (1 + $1.characteristics.count) }
    }
    switch detail {
    case .homeAdded(let home):
      return Size.change + home.accessories.reduce(0) { $0 + Size.change + size($1.services) }
        + home.actionSets.reduce(0) { $0 + Size.action * (1 + $1.actions.count) } + Size.change * home.triggers.count
    case .accessoryAdded(let accessory): return Size.change + size(accessory.services)
    case .servicesUpdated(_, let services): return Size.change + size(services)
    case .actionSetAdded(let set): return Size.action * (1 + set.actions.count)
    case .actionsChanged(_, let actions): return Size.action * (1 + actions.count)
    default: return Size.change
    }
  }
}

extension NewAccessory {
  /// The accessory with the name of its category.
  var shownNode: JSONNode {
    .members(
      ("device", .text(device.text)), ("name", .text(name)), ("model", model.map { .text($0) }),
      ("category", category.flatMap { Catalogue.category(number: $0) }.map { .text($0.slug) }))
  }
}

extension JSONWriter {
  /// `{"characteristic":"…","value":true}`. Bytes are base64, as in HAP.
  mutating func reading(_ reading: CharacteristicReading) {
    object { json in
      json.member("characteristic", reading.characteristic)
      json.member("value", reading.value?.sentNode)
      json.member("error", reading.error?.node)
    }
  }
}

extension Value {
  /// The number of bytes of a text or of data.
  fileprivate var size: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .null, .bool, .integer, .float: 0
    }
  }
}
