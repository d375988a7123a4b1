import HAPHome
import HAPHomeFile
import HAPModel
import HAPWire

/// An object of a home with a name, as a person refers to it.
struct NamedObject: Hashable, Sendable {
  var kind: HomeObjectKind
  var id: HomeObjectID
  var name: String

  init(_ kind: HomeObjectKind, _ id: HomeObjectID, _ name: String) {
    (self.kind, self.id, self.name) = (kind, id, name)
  }
}

/// Finds the objects of a home by names, paths and identifiers.
struct HomeLookup: Sendable {
  let home: Home
  let directory: HomeDirectory

  init(_ home: Home) { (self.home, directory) = (home, HomeDirectory(home)) }

  /// The objects that a name alone finds, in the order of `HomeObjectKind`.
  var objects: [NamedObject] { HomeObjectKind.allCases.flatMap(objects) }

  /// The objects of a kind. Services and characteristics have paths.
  func objects(_ kind: HomeObjectKind) -> [NamedObject] {
    switch kind {
    case .home: [NamedObject(.home, home.id, home.name.text)]
    case .room: ([home.roomForEntireHome] + home.rooms).map { NamedObject(.room, $0.id, $0.name.text) }
    case .zone: home.zones.map { NamedObject(.zone, $0.id, $0.name.text) }
    case .group: home.groups.map { NamedObject(.group, $0.id, $0.name.text) }
    case .accessory: home.accessories.map { NamedObject(.accessory, $0.id, $0.name.text) }
    case .actionSet: home.listedActionSets.map { NamedObject(.actionSet, $0.id, $0.name.text) }
    case .trigger: home.triggers.map { NamedObject(.trigger, $0.id, $0.name.text) }
    case .user: home.users.map { NamedObject(.user, $0.id, $0.name) }
    case .service, .characteristic: []
    }
  }

  // MARK: Objects

  /// Finds an object of one of the kinds by its name or identifier.
  func object(_ text: String, _ kinds: [HomeObjectKind]) throws(HomeFailure) -> NamedObject {
    if let id = HomeObjectID(text), let found = objects.first(where: { $0.id == id }) {
      guard kinds.contains(found.kind) else { throw wrongKind(found, kinds) }
      return found
    }
    let key = HomeName(text).key
    let found = kinds.flatMap(objects).filter { HomeName($0.name).key == key }
    if let first = found.first { return first }
    if let other = objects.first(where: { HomeName($0.name).key == key }) { throw wrongKind(other, kinds) }
    let names = kinds.flatMap(objects).map(\.name)
    throw HomeFailure(
      "there is no \(kinds.words) \(text.quoted) in the home \(home.name.text.quoted)\(hint(text, names))")
  }

  private func wrongKind(_ found: NamedObject, _ kinds: [HomeObjectKind]) -> HomeFailure {
    let title = found.kind == .actionSet ? "a scene" : found.kind.withArticle
    return HomeFailure("\(found.name.quoted) is \(title), not \(kinds.map(\.title).alternatives(withArticles: true))")
  }

  func room(_ text: String) throws(HomeFailure) -> Room {
    let found = try object(text, [.room])
    guard let room = home.room(found.id) else { preconditionFailure("the object is of this home") }
    return room
  }

  func accessory(_ text: String) throws(HomeFailure) -> HomeAccessory {
    let found = try object(text, [.accessory])
    guard let accessory = home.accessories.find(found.id) else { preconditionFailure("the object is of this home") }
    return accessory
  }

  func scene(_ text: String) throws(HomeFailure) -> ActionSet {
    let found = try object(text, [.actionSet])
    guard let set = home.actionSets.find(found.id) else { preconditionFailure("the object is of this home") }
    return set
  }

  func trigger(_ text: String) throws(HomeFailure) -> Trigger {
    let found = try object(text, [.trigger])
    guard let trigger = home.triggers.find(found.id) else { preconditionFailure("the object is of this home") }
    return trigger
  }

  func user(_ text: String) throws(HomeFailure) -> HomeUser {
    let found = try object(text, [.user])
    guard let user = home.users.find(found.id) else { preconditionFailure("the object is of this home") }
    return user
  }

  // MARK: Services

  /// Finds a service by its identifier, by ACCESSORY/SERVICE, by its own name, or by the name of an accessory that has
  /// one service for people.
  func service(_ text: String) throws(HomeFailure) -> HomeService {
    if let id = HomeObjectID(text), let found = home.service(id) { return found.service }
    if text.contains("/") {
      do { return try directory.service(try HomeFilePath(text)) } catch { throw HomeFailure(pathError: error) }
    }
    let key = HomeName(text).key
    let shown = home.accessories.flatMap { accessory in accessory.services.filter(\.isUserInteractive) }
    if let named = shown.first(where: { $0.name.key == key }) { return named }
    if let accessory = home.accessories.first(where: { $0.name.key == key }) {
      let services = accessory.services.filter(\.isUserInteractive)
      if services.count == 1 { return services[0] }
      let names = services.map { "\(accessory.name.text)/\($0.name.text)" }
      throw HomeFailure(
        "the accessory \(accessory.name.text.quoted) has \(services.count) services: "
          + (names.isEmpty ? "choose another accessory" : "name one of \(names.map(\.quoted).joined(separator: ", "))"))
    }
    throw HomeFailure(
      "there is no service \(text.quoted) in the home \(home.name.text.quoted)\(hint(text, shown.map(\.name.text)))")
  }

  /// The path of a service; its identifier if the home does not have it.
  func path(ofService id: HomeObjectID) -> String {
    home.service(id).map { directory.path(of: $0.service, in: $0.accessory).description } ?? id.description
  }

  /// The path of a characteristic; its identifier if the home does not have it.
  func path(ofCharacteristic id: HomeObjectID) -> String {
    directory.path(ofCharacteristic: id)?.description ?? id.description
  }

  /// The end of a message about an unknown name: the nearest name, those that contain the text, or all if they are few.
  func hint(_ text: String, _ names: [String]) -> String {
    if let near = nearestName(to: text, in: names) { return ": did you mean \(near.quoted)?" }
    let key = HomeName(text).key
    let longer = names.filter { !key.isEmpty && HomeName($0).key.contains(key) }
    if !longer.isEmpty { return ": did you mean \(longer.prefix(5).map(\.quoted).alternatives)?" }
    if names.isEmpty { return ": it has none" }
    return names.count <= 12 ? ": it has \(names.map(\.quoted).joined(separator: ", "))" : ""
  }
}

extension HomeFailure {
  /// The failure for a wrong path.
  init(pathError: any Error) {
    switch pathError {
    case let error as HomeFilePath.Malformed: self.init(.usage, error.message)
    case let error as HomeDirectory.NotFound: self.init(.problem, error.message)
    default: self.init(pathError)
    }
  }
}

extension HomeModel {
  /// Finds a home by its name or identifier.
  func home(named text: String) throws(HomeFailure) -> Home {
    if let home = HomeObjectID(text).flatMap({ home($0) }) { return home }
    let key = HomeName(text).key
    if let home = homes.first(where: { $0.name.key == key }) { return home }
    let names = homes.map(\.name.text)
    let hint =
      nearestName(to: text, in: names).map { ": did you mean \($0.quoted)?" }
      ?? (names.isEmpty
        ? ": add one with 'hapctl home new NAME --zone ZONE'"
        : ": there are \(names.map(\.quoted).joined(separator: ", "))")
    throw HomeFailure("there is no home \(text.quoted)\(hint)")
  }
}

extension HomeObjectKind {
  /// The kind as commands name it.
  var title: String { self == .actionSet ? "scene" : rawValue }
}

extension [HomeObjectKind] {
  fileprivate var words: String { map(\.title).alternatives }
}

extension [String] {
  fileprivate func alternatives(withArticles: Bool) -> String {
    map { ("aeiou".contains($0.first ?? " ") ? "an " : "a ") + $0 }.alternatives
  }
}
