import HAPHome
import HAPHomeFile
import HAPModel
import HAPWire

/// A characteristic that a path selects.
struct PathTarget: Hashable, Sendable {
  var accessory: HomeAccessory
  var service: HomeService
  var characteristic: HomeCharacteristic
}

extension HomeLookup {
  /// The kinds that a prefix such as "zone:" names.
  static let prefixes: [HomeObjectKind] = [.accessory, .room, .zone, .group, .home]

  /// Returns the one characteristic that a path selects.
  func characteristic(_ text: String) throws(HomeFailure) -> PathTarget {
    let found = try targets(text, for: [])
    guard found.count == 1 else {
      throw HomeFailure(.usage, "\(text.quoted) selects \(found.count) characteristics: name the accessory")
    }
    return found[0]
  }

  /// Returns the characteristics that a path selects, at least one: an identifier, ACCESSORY[/SERVICE]/CHARACTERISTIC, which
  /// ROOM/ may precede, or PLACE[/SERVICE TYPE]/CHARACTERISTIC for all services in a room, a zone, a group or the home.
  /// - Parameter permission: the permission that a characteristic in a place needs.
  func targets(_ text: String, for permission: Permissions) throws(HomeFailure) -> [PathTarget] {
    if let found = HomeObjectID(text).flatMap({ home.characteristic($0) }) {
      return [PathTarget(accessory: found.accessory, service: found.service, characteristic: found.characteristic)]
    }
    let kind = Self.prefixes.first { text.hasPrefix($0.rawValue + ":") }
    let path = kind.map { String(text.dropFirst($0.rawValue.count + 1)) } ?? text
    let parts: [HomeFilePath.Part]
    do { parts = try HomeFilePath.parts(path) } catch { throw HomeFailure(pathError: error) }
    guard case .name(let first) = parts[0], parts.count > 1 else {
      throw HomeFailure(
        .usage, "\(text.quoted) is not the path of a characteristic: write ACCESSORY/CHARACTERISTIC, such as Lamp/On")
    }
    let rest = Array(parts.dropFirst())
    guard let place = place(first, kind) else {
      if let kind, kind != .accessory { _ = try object(first, [kind]) }
      _ = try object(first, [.accessory])
      return [try target(path)]
    }
    if rest.count > 1, case .name(let name) = rest[0], let accessory = member(named: name, of: place) {
      return [try target(HomeFilePath(accessory.name.text, Array(rest.dropFirst())).description)]
    }
    return try targets(in: place, rest, permission)
  }

  /// Returns the room, zone, group or home of this name, unless an accessory has the name.
  private func place(_ name: String, _ kind: HomeObjectKind?) -> NamedObject? {
    let key = HomeName(name).key
    if kind == .accessory || kind == nil, home.accessories.contains(where: { $0.name.key == key }) { return nil }
    return (kind.map { [$0] } ?? Self.prefixes).flatMap(objects).first {
      $0.kind != .accessory && HomeName($0.name).key == key
    }
  }

  private func target(_ path: String) throws(HomeFailure) -> PathTarget {
    do {
      let id = try directory.characteristic(try HomeFilePath(path)).id
      guard let found = home.characteristic(id) else { preconditionFailure("the directory is of this home") }
      return PathTarget(accessory: found.accessory, service: found.service, characteristic: found.characteristic)
    } catch { throw HomeFailure(pathError: error) }
  }

  // MARK: Places

  private func member(named name: String, of place: NamedObject) -> HomeAccessory? {
    let key = HomeName(name).key
    return services(in: place).first { $0.accessory.name.key == key }?.accessory
  }

  /// The services for people in a place, with their accessories.
  func services(in place: NamedObject) -> [(accessory: HomeAccessory, service: HomeService)] {
    let all = home.accessories.flatMap { accessory in
      accessory.services.filter(\.isUserInteractive).map { (accessory: accessory, service: $0) }
    }
    switch place.kind {
    case .room: return all.filter { $0.accessory.room == place.id }
    case .zone:
      let rooms = Set(home.zones.find(place.id)?.rooms ?? [])
      return all.filter { rooms.contains($0.accessory.room) }
    case .group:
      let services = Set(home.groups.find(place.id)?.services ?? [])
      return all.filter { services.contains($0.service.id) }
    case .home: return all
    case .accessory, .service, .characteristic, .actionSet, .trigger, .user: return []
    }
  }

  private func targets(
    in place: NamedObject, _ parts: [HomeFilePath.Part], _ permission: Permissions
  ) throws(HomeFailure) -> [PathTarget] {
    guard parts.count <= 2, case .name(let name) = parts[parts.count - 1] else {
      throw HomeFailure(
        .usage,
        "write \(place.name)/CHARACTERISTIC or \(place.name)/SERVICE TYPE/CHARACTERISTIC: instance IDs need an accessory"
      )
    }
    var services = services(in: place)
    let title = "the \(place.kind.title) \(place.name.quoted)"
    if parts.count == 2 {
      let type = parts[0].text
      services = services.filter { $0.service.isMeant(by: type) }
      guard !services.isEmpty else {
        let types = Set(self.services(in: place).map(\.service.typeText)).sorted()
        throw HomeFailure("no accessory and no type of services \(type.quoted) is in \(title)\(hint(type, types))")
      }
    }
    let found = services.flatMap { entry in
      entry.service.characteristics.filter { $0.hasType(named: name) && $0.permissions.isSuperset(of: permission) }
        .map { PathTarget(accessory: entry.accessory, service: entry.service, characteristic: $0) }
    }
    guard !found.isEmpty else {
      let names = Set(services.flatMap(\.service.characteristics).map(\.typeText)).sorted()
      throw HomeFailure("no service in \(title) has a characteristic \(name.quoted)\(hint(name, names))")
    }
    return found
  }
}

extension HomeService {
  /// Whether this text means the type: "Light Bulb", "Light Bulbs", "Lights".
  fileprivate func isMeant(by word: String) -> Bool {
    if hasType(named: word) { return true }
    let (folded, type) = (foldedName(word), foldedName(typeText))
    return folded == type + "s" || (self.type == 0x43 && ["light", "lights"].contains(folded))
  }
}
