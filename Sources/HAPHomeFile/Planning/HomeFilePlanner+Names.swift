import HAPHome
import HAPWire

extension HomeFilePlanner {
  private struct Renaming {
    var id: HomeObjectID
    var kind: String
    var old: String
    var new: Placed<String>
    var isParked = false
  }

  /// Gives all objects their names in the document, in an order in which each name is free. If names are exchanged, one
  /// of the objects gets another name in between.
  mutating func renameAll(_ target: HomeFileTarget) {
    var waiting = renamings(target)
    while !waiting.isEmpty {
      var refused: [(Renaming, HomeError)] = []
      for renaming in waiting {
        guard let error = rename(renaming) else { continue }
        if Self.isTaken(error) { refused.append((renaming, error)) } else { complain(renaming.new.place, "\(error)") }
      }
      guard refused.count == waiting.count else {
        waiting = refused.map(\.0)
        continue
      }
      guard let index = waiting.firstIndex(where: { !$0.isParked }) else {
        for (renaming, error) in refused { complain(renaming.new.place, "\(error)") }
        return
      }
      park(waiting[index])
      waiting[index].isParked = true
    }
  }

  private mutating func rename(_ renaming: Renaming) -> HomeError? {
    let name = renaming.new.value
    return attempt(
      .rename(renaming.id, name),
      HomeDifference(
        change: .rename, kind: renaming.kind, name: name,
        text: "rename the \(renaming.kind) \"\(renaming.old)\" to \"\(name)\"", place: renaming.new.place))
  }

  /// Gives an object a name that is free, so that others can get its name.
  private mutating func park(_ renaming: Renaming) {
    var number = 1
    while let error = attempt(.rename(renaming.id, "Renamed \(number)"), nil) {
      guard Self.isTaken(error) else { return complain(renaming.new.place, "\(error)") }
      number += 1
    }
  }

  private static func isTaken(_ error: HomeError) -> Bool {
    error.code == .objectWithSimilarNameExistsInHome || error.code == .homeWithSimilarNameExists
  }

  private func renamings(_ target: HomeFileTarget) -> [Renaming] {
    var found: [Renaming] = []
    func add(_ id: HomeObjectID, _ kind: String, _ old: HomeName, _ new: Placed<String>?) {
      if let new, new.value != old.text { found.append(Renaming(id: id, kind: kind, old: old.text, new: new)) }
    }
    add(home.id, "home", home.name, file.home)
    let accessories = Dictionary(home.accessories.map { ($0.id, $0.name) }) { first, _ in first }
    for accessory in target.accessories {
      if let name = accessories[accessory.id] { add(accessory.id, "accessory", name, accessory.entry.name) }
      for (entry, service) in accessory.services { add(service.id, "service", service.name, entry.name) }
    }
    for scene in target.scenes {
      guard let set = home.actionSets.first(where: { $0.id == scene.id }) else { continue }
      add(set.id, "scene", set.name, scene.entry.name)
    }
    // Other objects are found by their names, which may be written in another way.
    func add(_ kind: String, _ objects: [(HomeObjectID, HomeName)], _ names: [Placed<String>]?) {
      for name in names ?? [] {
        let key = HomeName(name.value).key
        guard let object = objects.first(where: { $0.1.key == key }) else { continue }
        add(object.0, kind, object.1, name)
      }
    }
    add("room", home.rooms.map { ($0.id, $0.name) }, file.rooms)
    add("zone", home.zones.map { ($0.id, $0.name) }, file.zones?.map(\.name))
    add("group", home.groups.map { ($0.id, $0.name) }, file.groups?.map(\.name))
    add("trigger", home.triggers.map { ($0.id, $0.name) }, file.triggers?.map(\.name))
    return found
  }
}
