import HAPHome
import HAPHubLink
import HAPModel
import HAPWire

/// A home as an indented list.
struct HomeTree: Sendable {
  let lookup: HomeLookup
  /// The accessories that can't be reached, with the reason.
  let unreachable: [HomeObjectID: String]
  let values: [HomeObjectID: CharacteristicReading]

  private var home: Home { lookup.home }

  init(_ lookup: HomeLookup, unreachable: [HomeObjectID: String], values: [HomeObjectID: CharacteristicReading]) {
    (self.lookup, self.unreachable, self.values) = (lookup, unreachable, values)
  }

  /// The home with its rooms, accessories, zones, groups, scenes and triggers, each in the order of the names.
  func overview() -> [String] {
    let place = home.location.map { ", \($0.latitude), \($0.longitude)" } ?? ""
    let owner = home.sharedBy.map { ", shared by \($0) with \(home.ownUser.name)" } ?? ""
    var lines = ["\(home.name) (\(home.zone)\(place)\(owner))"]
    for room in home.rooms.inNameOrder(\.name.text) + [home.roomForEntireHome] {
      let accessories = home.accessories.filter { $0.room == room.id }.inNameOrder(\.name.text)
      if accessories.isEmpty, room.id == home.roomForEntireHome.id { continue }
      lines.append("  room \(room.name)")
      for accessory in accessories {
        lines += summary(accessory).map { "    \($0)" }
        for service in values.isEmpty ? [] : accessory.services { lines += characteristics(service, indent: 6) }
      }
    }
    lines += home.zones.inNameOrder(\.name.text).map { "  zone \($0.name): \(rooms($0))" }
    lines += home.groups.inNameOrder(\.name.text).map { "  group \($0.name): \(services($0))" }
    lines += home.listedActionSets.filter { !$0.actions.isEmpty || !$0.kind.isBuiltIn }.inNameOrder(\.name.text).map {
      "  scene \($0.name): \($0.actions.count.of("action"))"
    }
    lines += home.triggers.inNameOrder(\.name.text).map { "  trigger \($0.name): \(home.state(of: $0))" }
    return lines
  }

  func lines(_ object: NamedObject) -> [String] {
    switch object.kind {
    case .room:
      return ["\(object.name)"]
        + lookup.accessories(of: object).inNameOrder(\.name.text).flatMap { summary($0).map { "  \($0)" } }
    case .zone: return ["\(object.name): \(home.zones.find(object.id).map(rooms) ?? "")"]
    case .group: return ["\(object.name): \(home.groups.find(object.id).map(services) ?? "")"]
    case .accessory: return home.accessories.find(object.id).map(accessory) ?? []
    case .service:
      return home.service(object.id).map {
        ["\($0.service.name) (\($0.service.typeText))"] + characteristics($0.service, indent: 2)
      }
        ?? []
    case .actionSet:
      return [object.name] + lookup.lines(home.actionSets.find(object.id)?.actions ?? []).map { "  \($0)" }
    case .home, .characteristic, .trigger, .user: return []
    }
  }

  private func rooms(_ zone: RoomZone) -> String {
    zone.rooms.isEmpty
      ? "no rooms" : zone.rooms.compactMap { home.room($0)?.name.text }.inNameOrder(\.self).joined(separator: ", ")
  }

  private func services(_ group: ServiceGroup) -> String {
    group.services.isEmpty
      ? "no services" : group.services.map { lookup.path(ofService: $0) }.inNameOrder(\.self).joined(separator: ", ")
  }

  // MARK: Accessories

  /// One line: "Stereo Light: Light Bulb (not reachable: …)". The names of services that differ are shown.
  private func summary(_ accessory: HomeAccessory) -> [String] {
    let services = accessory.services.filter(\.isUserInteractive).map { service in
      service.name.key == accessory.name.key ? service.typeText : "\(service.name) (\(service.typeText))"
    }
    let what = services.isEmpty ? "no services" : services.joined(separator: ", ")
    return ["\(accessory.name): \(what)\(state(accessory))"]
  }

  private func state(_ accessory: HomeAccessory) -> String {
    if accessory.isBlocked { return "; blocked" }
    guard let why = unreachable[accessory.id] else { return "" }
    // A new connection is reported after a moment.
    if why == HubSnapshot.newConnection { return "; connecting" }
    return "; not reachable\(why.isEmpty ? "" : ": \(why)")"
  }

  private func accessory(_ accessory: HomeAccessory) -> [String] {
    var lines = ["\(accessory.name)\(state(accessory))"]
    let facts: [(String, String?)] = [
      ("room", home.room(accessory.room)?.name.text),
      ("device", accessory.deviceID.text + (accessory.aid == 1 ? "" : ", aid \(accessory.aid)")),
      ("bridge", accessory.bridge.flatMap { home.accessories.find($0)?.name.text }),
      ("category", Catalogue.category(number: accessory.category)?.name),
      ("manufacturer", accessory.information.manufacturer), ("model", accessory.information.model),
      ("serial number", accessory.information.serialNumber), ("firmware", accessory.information.firmware),
    ]
    lines += facts.compactMap { name, value in value.map { "  \(name): \($0)" } }
    for service in accessory.services where service.isUserInteractive {
      let controls = service.associatedType.map { ", controls \(Catalogue.service($0)?.name ?? $0.wireForm)" } ?? ""
      lines.append("  \(service.name) (\(service.typeText)\(controls))")
      lines += characteristics(service, indent: 4)
    }
    return lines
  }

  private func characteristics(_ service: HomeService, indent: Int) -> [String] {
    guard service.isUserInteractive else { return [] }
    return service.characteristics.map { characteristic in
      let margin = String(repeating: " ", count: indent)
      guard let reading = values[characteristic.id] else { return "\(margin)\(characteristic.typeText)" }
      let value = reading.value.map { characteristic.text(of: $0) } ?? reading.error.map { "\($0)" } ?? "no value"
      return "\(margin)\(characteristic.typeText): \(value)"
    }
  }
}
