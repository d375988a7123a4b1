import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

/// The parts of a document, with the objects of the home that they refer to.
struct HomeFileTarget {
  struct AccessoryTarget {
    var entry: HomeFile.AccessoryEntry
    var id: HomeObjectID
    var services: [(entry: HomeFile.ServiceEntry, service: HomeService)]
  }

  struct GroupTarget {
    var entry: HomeFile.GroupEntry
    var services: [Placed<HomeObjectID>]
  }

  struct SceneTarget {
    var entry: HomeFile.SceneEntry
    /// Nil for a new scene.
    var id: HomeObjectID?
    var actions: [ActionTarget]?
  }

  struct ActionTarget {
    var path: String
    var place: JSONPlace
    var action: HomeAction
    /// The value for people.
    var text: String
  }

  struct TriggerTarget {
    var entry: HomeFile.TriggerEntry
    var kind: Trigger.Kind?
    var run: [RunTarget]?
  }

  enum RunTarget {
    case scene(Placed<String>)
    case actions([ActionTarget])
  }

  var accessories: [AccessoryTarget] = []
  var groups: [GroupTarget] = []
  var scenes: [SceneTarget] = []
  var triggers: [TriggerTarget] = []

  /// The names of accessories and services in the document.
  var names: [HomeObjectID: String] {
    var names: [HomeObjectID: String] = [:]
    for accessory in accessories {
      names[accessory.id] = accessory.entry.name.value
      for (entry, service) in accessory.services { names[service.id] = entry.name?.value }
    }
    return names
  }
}

extension HomeFilePlanner {
  /// Finds all objects that the document refers to, and reports those that do not exist.
  mutating func resolve() -> HomeFileTarget {
    var target = HomeFileTarget()
    for entry in file.accessories ?? [] {
      if isFull { break }
      guard let accessory = accessory(entry) else { continue }
      if let other = target.accessories.first(where: { $0.id == accessory.id }) {
        complain(
          entry.name.place,
          "this is the accessory in line \(other.entry.name.place.line): keep one of the entries")
        continue
      }
      target.accessories.append(
        .init(entry: entry, id: accessory.id, services: services(entry.services, of: accessory)))
    }
    let directory = HomeDirectory(home, names: target.names)
    checkRooms()
    for entry in file.groups ?? [] { target.groups.append(group(entry, directory)) }
    resolveScenes(&target, directory)
    let scenes = sceneNames(target)
    for entry in file.triggers ?? [] { target.triggers.append(trigger(entry, scenes, directory)) }
    return target
  }

  // MARK: Accessories

  private mutating func accessory(_ entry: HomeFile.AccessoryEntry) -> HomeAccessory? {
    let found: HomeAccessory?
    let what: String
    if let device = entry.device {
      found = home.accessories.first { $0.deviceID == device && $0.aid == entry.aid }
      what = "device \(device)" + (entry.aid == 1 ? "" : " with an accessory of aid \(entry.aid)")
    } else {
      let key = HomeName(entry.name.value).key
      found = home.accessories.first { $0.name.key == key }
      what = "accessory \"\(entry.name.value)\""
    }
    if found == nil {
      complain(entry.name.place, "the home \"\(home.name)\" has no \(what): add it to the home first")
    }
    return found
  }

  private mutating func services(
    _ entries: [HomeFile.ServiceEntry], of accessory: HomeAccessory
  ) -> [(entry: HomeFile.ServiceEntry, service: HomeService)] {
    var found: [(entry: HomeFile.ServiceEntry, service: HomeService)] = []
    for entry in entries {
      if isFull { break }
      guard let service = service(entry, of: accessory) else { continue }
      if let other = found.first(where: { $0.service.id == service.id }) {
        complain(
          entry.service.place,
          "this is the service in line \(other.entry.service.place.line): keep one of the entries")
      } else {
        found.append((entry, service))
      }
    }
    return found
  }

  /// Finds a service by its type, by its name, or by the name that it gets from the document.
  private mutating func service(_ entry: HomeFile.ServiceEntry, of accessory: HomeAccessory) -> HomeService? {
    let matches: [[HomeService]] =
      switch entry.service.value {
      case .iid(let iid): [accessory.services.filter { $0.iid == iid }]
      case .name(let name):
        [accessory.services.filter { $0.hasType(named: name) }]
          + [name, entry.name?.value].compactMap { $0.map { HomeName($0).key } }.map { key in
            accessory.services.filter { $0.isUserInteractive && $0.name.key == key }
          }
      }
    if let found = matches.first(where: { $0.count == 1 }) { return found[0] }
    let ids = accessory.services.map { "@\($0.iid) (\($0.typeText))" }.joined(separator: ", ")
    complain(
      entry.service.place,
      "\"\(entry.service.value.text)\" is not one service of the accessory \"\(accessory.name)\": use one of \(ids)")
    return nil
  }

  // MARK: Rooms

  /// Reports rooms that neither the document nor the home has, or that are removed.
  private mutating func checkRooms() {
    var names = (file.rooms ?? []).map(\.value) + [home.roomForEntireHome.name.text]
    if file.rooms == nil || !options.removesOthers { names += home.rooms.map(\.name.text) }
    let keys = Set(names.map { HomeName($0).key })
    let places = (file.zones ?? []).flatMap(\.rooms) + (file.accessories ?? []).compactMap(\.room)
    for room in places where !keys.contains(HomeName(room.value).key) && !isFull {
      let hint = nearestName(to: room.value, in: names).map { ": did you mean \"\($0)\"?" } ?? ": add it to rooms"
      complain(room.place, "there is no room \"\(room.value)\"\(hint)")
    }
  }

  // MARK: Groups and scenes

  private mutating func group(
    _ entry: HomeFile.GroupEntry, _ directory: HomeDirectory
  ) -> HomeFileTarget.GroupTarget {
    var target = HomeFileTarget.GroupTarget(entry: entry, services: [])
    for path in entry.services {
      if isFull { break }
      do throws(HomeDirectory.NotFound) {
        let id = try directory.service(path.value).id
        if let other = target.services.first(where: { $0.value == id }) {
          complain(path.place, "\"\(path.value)\" is the service in line \(other.place.line): keep one of them")
        } else {
          target.services.append(Placed(id, at: path.place))
        }
      } catch { complain(path.place, error.message) }
    }
    return target
  }

  private mutating func resolveScenes(_ target: inout HomeFileTarget, _ directory: HomeDirectory) {
    let entries = file.scenes ?? []
    var free = home.listedActionSets
    // Scenes with a type take their set first: another scene may get the name that the set has now.
    var sets: [HomeObjectID?] = entries.map { entry in
      entry.builtIn.flatMap { kind in
        free.firstIndex { $0.kind == kind }.map { free.remove(at: $0).id }
      }
    }
    for (index, entry) in entries.enumerated() where entry.builtIn == nil {
      let key = HomeName(entry.name.value).key
      sets[index] = free.first { $0.name.key == key }?.id
    }
    for (entry, id) in zip(entries, sets) {
      target.scenes.append(.init(entry: entry, id: id, actions: entry.actions.map { actions($0, directory) }))
    }
  }

  mutating func actions(_ entries: [HomeFile.ActionEntry], _ directory: HomeDirectory) -> [HomeFileTarget.ActionTarget]
  {
    var actions: [HomeFileTarget.ActionTarget] = []
    for entry in entries {
      if isFull { break }
      guard let action = action(entry, directory) else { continue }
      if let other = actions.first(where: { $0.action.characteristic == action.action.characteristic }) {
        complain(action.place, "\"\(action.path)\" is the characteristic in line \(other.place.line): keep one of them")
      } else {
        actions.append(action)
      }
    }
    return actions
  }

  private mutating func action(
    _ entry: HomeFile.ActionEntry, _ directory: HomeDirectory
  ) -> HomeFileTarget.ActionTarget? {
    let (path, place) = (entry.characteristic.value, entry.characteristic.place)
    let characteristic: HomeCharacteristic
    do throws(HomeDirectory.NotFound) {
      characteristic = try directory.characteristic(path)
    } catch {
      complain(place, error.message)
      return nil
    }
    do throws(HomeDirectory.NotFound) {
      let value = try characteristic.meaning(of: entry.value.value)
      return HomeFileTarget.ActionTarget(
        path: path.description, place: place, action: HomeAction(characteristic.id, characteristic.normal(value)),
        text: characteristic.shortText(of: characteristic.normal(value)))
    } catch {
      complain(entry.value.place, error.message)
      return nil
    }
  }
}

extension HomeCharacteristic {
  /// The value in a sentence; a long one is shortened.
  func shortText(of value: Value) -> String {
    if case .data(let bytes) = value { return "\(bytes.count) bytes" }
    let text = text(of: value)
    return text.count <= 40 ? text : "\(text.prefix(40))…"
  }
}
