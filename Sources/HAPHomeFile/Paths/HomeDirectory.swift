import HAPHome
import HAPModel
import HAPWire

/// Finds services and characteristics by their paths, and the shortest path of each.
package struct HomeDirectory: Sendable {
  package struct NotFound: Error {
    package var message: String
  }

  private struct Entry: Sendable {
    var accessory: HomeAccessory
    /// The names of the services, in their order.
    var names: [HomeName]
  }

  private let home: Home
  private var entries: [String: Entry] = [:]
  private var accessoryNames: [HomeObjectID: HomeName] = [:]

  /// - Parameters:
  ///   - home: the home with its accessories.
  ///   - names: the names of accessories and services that differ from those in `home`.
  package init(_ home: Home, names: [HomeObjectID: String] = [:]) {
    self.home = home
    for accessory in home.accessories {
      let name = names[accessory.id].map(HomeName.init) ?? accessory.name
      accessoryNames[accessory.id] = name
      entries[name.key] = Entry(
        accessory: accessory, names: accessory.services.map { names[$0.id].map(HomeName.init) ?? $0.name })
    }
  }

  // MARK: From a path

  /// Returns the service with this path.
  package func service(_ path: HomeFilePath) throws(NotFound) -> HomeService {
    guard path.parts.count == 1 else {
      throw NotFound(message: "\"\(path)\" is not the path of a service: write ACCESSORY/SERVICE")
    }
    return try service(path.parts[0], of: try entry(path.accessory))
  }

  /// Returns the characteristic with this path.
  package func characteristic(_ path: HomeFilePath) throws(NotFound) -> HomeCharacteristic {
    let entry = try entry(path.accessory)
    if path.parts.count == 2 {
      let service = try service(path.parts[0], of: entry)
      let found = matches(path.parts[1], in: [service])
      return try one(
        found, path.parts[1], in: "the service \"\(path.parts[0].text)\" of \"\(path.accessory)\"", [service])
    }
    let services = entry.accessory.services
    let shown = matches(path.parts[0], in: services.filter(\.isUserInteractive))
    let found = shown.isEmpty ? matches(path.parts[0], in: services) : shown
    return try one(found, path.parts[0], in: "the accessory \"\(path.accessory)\"", services)
  }

  private func entry(_ name: String) throws(NotFound) -> Entry {
    if let entry = entries[HomeName(name).key] { return entry }
    let hint = nearestName(to: name, in: accessoryNames.values.map(\.text).sorted()).map { ": did you mean \"\($0)\"?" }
    throw NotFound(message: "there is no accessory \"\(name)\" in the home \"\(home.name)\"\(hint ?? "")")
  }

  /// Finds a service by its name, else by its type. Services that are shown to people come first.
  private func service(_ part: HomeFilePath.Part, of entry: Entry) throws(NotFound) -> HomeService {
    let services = Array(zip(entry.accessory.services, entry.names))
    let ranked: [[HomeService]]
    switch part {
    case .iid(let iid): ranked = [services.map(\.0).filter { $0.iid == iid }]
    case .name(let name):
      let key = HomeName(name).key
      let named = services.filter { $0.1.key == key }.map(\.0)
      let typed = services.map(\.0).filter { $0.hasType(named: name) }
      // The names of services that are not shown are not in a document.
      ranked = [named.filter(\.isUserInteractive), typed.filter(\.isUserInteractive), typed, named]
    }
    guard let found = ranked.first(where: { !$0.isEmpty }) else {
      let names = services.filter { $0.0.isUserInteractive }.map { "\"\($0.1)\"" }.joined(separator: ", ")
      throw NotFound(
        message: "there is no service \"\(part.text)\" in the accessory \"\(entry.accessory.name)\"; it has \(names)")
    }
    guard found.count == 1 else {
      throw NotFound(
        message:
          "\"\(part.text)\" is ambiguous in the accessory \"\(entry.accessory.name)\": use one of the instance IDs \(found.map { "@\($0.iid)" }.joined(separator: ", "))"
      )
    }
    return found[0]
  }

  private func matches(_ part: HomeFilePath.Part, in services: [HomeService]) -> [HomeCharacteristic] {
    services.flatMap(\.characteristics).filter { characteristic in
      switch part {
      case .iid(let iid): characteristic.iid == iid
      case .name(let name): characteristic.hasType(named: name)
      }
    }
  }

  private func one(
    _ found: [HomeCharacteristic], _ part: HomeFilePath.Part, in owner: String, _ services: [HomeService]
  ) throws(NotFound) -> HomeCharacteristic {
    guard let first = found.first else {
      let names = services.filter(\.isUserInteractive).flatMap(\.characteristics).map(\.typeText)
      let hint = nearestName(to: part.text, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
      throw NotFound(message: "there is no characteristic \"\(part.text)\" in \(owner)\(hint)")
    }
    guard found.count == 1 else {
      throw NotFound(
        message:
          "\"\(part.text)\" is ambiguous in \(owner): write ACCESSORY/SERVICE/CHARACTERISTIC, or one of the instance IDs \(found.map { "@\($0.iid)" }.joined(separator: ", "))"
      )
    }
    return first
  }

  // MARK: To a path

  /// Returns the path of a service for which `service` returns it.
  package func path(of service: HomeService, in accessory: HomeAccessory) -> HomeFilePath {
    guard let name = accessoryNames[accessory.id], let entry = entries[name.key] else {
      preconditionFailure("the accessory is not in the directory")
    }
    let index = accessory.services.firstIndex { $0.id == service.id } ?? 0
    var candidates = [HomeFilePath(name.text, .name(service.typeText))]
    if service.isUserInteractive { candidates.insert(HomeFilePath(name.text, .name(entry.names[index].text)), at: 0) }
    return candidates.first { path in (try? self.service(path))?.id == service.id }
      ?? HomeFilePath(name.text, .iid(service.iid))
  }

  /// Returns the path of a characteristic; nil if the home does not have it.
  package func path(ofCharacteristic id: HomeObjectID) -> HomeFilePath? {
    home.characteristic(id).map { path(of: $0.characteristic, of: $0.service, in: $0.accessory) }
  }

  /// Returns the path of a characteristic for which `characteristic` returns it.
  package func path(of characteristic: HomeCharacteristic, of service: HomeService, in accessory: HomeAccessory)
    -> HomeFilePath
  {
    let owner = path(of: service, in: accessory)
    let type = HomeFilePath.Part.name(characteristic.typeText)
    let candidates = [HomeFilePath(owner.accessory, type), HomeFilePath(owner.accessory, owner.parts[0], type)]
    return candidates.first { path in (try? self.characteristic(path))?.id == characteristic.id }
      ?? HomeFilePath(owner.accessory, .iid(characteristic.iid))
  }
}

extension HomeService {
  /// The name of the type in the catalogue; the UUID for a type of a vendor.
  package var typeText: String { Catalogue.service(type)?.name ?? type.uuid }

  package func hasType(named name: String) -> Bool {
    Catalogue.service(named: name)?.type == type || (name.utf8.count == 36 && TypeID(name) == type)
  }
}

extension HomeCharacteristic {
  /// The name of the type in the catalogue; for a type of a vendor the description, or the UUID if there is none.
  package var typeText: String { Catalogue.characteristic(type)?.name ?? vendorName ?? type.uuid }

  /// Whether this is the name of the type, its UUID, or the description of a vendor's characteristic.
  package func hasType(named name: String) -> Bool {
    Catalogue.characteristic(named: name)?.type == type || (name.utf8.count == 36 && TypeID(name) == type)
      || vendorName.map { HomeName($0).key == HomeName(name).key } == true
  }

  /// The description of a vendor's characteristic; nil if there is none of a usual length.
  private var vendorName: String? {
    guard Catalogue.characteristic(type) == nil, let description, !HomeName(description).key.isEmpty,
      description.count <= Self.longestVendorName
    else { return nil }
    return description
  }

  private static let longestVendorName = 64
}
