import HAPHome
import HAPModel
import HAPWire

extension HomeFileReader {
  // MARK: Accessories

  mutating func accessory(_ name: Placed<String>, _ node: JSONNode) -> HomeFile.AccessoryEntry? {
    guard attempt({ _ throws(JSONProblem) in try node.asObject() }) != nil else { return nil }
    refuseUnknown(node, except: ["device", "aid", "room", "services"])
    var entry = HomeFile.AccessoryEntry(name: name, device: nil, aid: 1, room: nil, services: [])
    entry.device = node["device"].flatMap { node in
      attempt { _ throws(JSONProblem) in
        let text = try node.asString()
        guard let device = DeviceID(text) else {
          throw node.problem("\"\(text)\" is not a device ID, such as \"AA:BB:CC:DD:EE:FF\"")
        }
        return device
      }
    }
    if let aid = node["aid"] {
      if node["device"] == nil {
        complain(aid.place, "aid needs device: an accessory without both is found by its name")
      }
      let number = attempt { _ throws(JSONProblem) in try aid.asInteger(in: 1...Int128(UInt64.max)) }
      entry.aid = number.map { UInt64($0) } ?? 1
    }
    entry.room = node["room"].flatMap { node in attempt { _ throws(JSONProblem) in try node.placedText() } }
    if let services = node["services"] { entry.services = self.services(services) }
    return entry
  }

  private mutating func services(_ node: JSONNode) -> [HomeFile.ServiceEntry] {
    guard let members = attempt({ _ throws(JSONProblem) in try node.asObject() }) else { return [] }
    let entries: [HomeFile.ServiceEntry] = members.compactMap { member in
      attempt { reader throws(JSONProblem) in
        do throws(HomeFilePath.Malformed) {
          return try HomeFilePath.Part(member.name)
        } catch {
          throw JSONProblem(path: member.value.path.description, place: member.place, message: error.message)
        }
      }.flatMap { service($0, member) }
    }
    refuseTwice(entries.map(\.service)) { $0.text }
    return entries
  }

  /// Reads `SERVICE: NAME` or `SERVICE: { name: NAME, associated: TYPE }`.
  private mutating func service(_ part: HomeFilePath.Part, _ member: JSONNode.Member) -> HomeFile.ServiceEntry? {
    var entry = HomeFile.ServiceEntry(service: Placed(part, at: member.place), name: nil, associatedType: nil)
    let node = member.value
    if node.members == nil {
      guard let name = attempt({ _ throws(JSONProblem) in try node.placedText() }) else { return nil }
      entry.name = name
      return entry
    }
    refuseUnknown(node, except: ["name", "associated"])
    entry.name = node["name"].flatMap { node in attempt { _ throws(JSONProblem) in try node.placedText() } }
    entry.associatedType = node["associated"].flatMap { node in
      if node.isNull { return Placed(nil, at: node.place) }
      return attempt { _ throws(JSONProblem) in
        let text = try node.asString()
        guard let type = Catalogue.service(named: text)?.type else {
          let hint = nearestName(to: text, in: Catalogue.services.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
          throw node.problem("there is no type of services \"\(text)\"\(hint)")
        }
        return Placed(type, at: node.place)
      }
    }
    return entry
  }

  /// Reports each entry whose device and aid an earlier entry has.
  mutating func refuseTwice(_ accessories: [HomeFile.AccessoryEntry]) {
    var seen: [String: JSONPlace] = [:]
    for entry in accessories {
      guard let device = entry.device else { continue }
      if let first = seen.updateValue(entry.name.place, forKey: "\(device) \(entry.aid)") {
        complain(
          entry.name.place,
          "the device \(device) with aid \(entry.aid) is already in line \(first.line): keep one of them")
      }
    }
  }

  // MARK: Scenes

  private static let builtIn = ActionSet.Kind.allCases.filter(\.isBuiltIn)

  mutating func scene(_ name: Placed<String>, _ node: JSONNode) -> HomeFile.SceneEntry? {
    guard attempt({ _ throws(JSONProblem) in try node.asObject() }) != nil else { return nil }
    refuseUnknown(node, except: ["type", "set"])
    var entry = HomeFile.SceneEntry(name: name, builtIn: nil, actions: nil)
    if let type = node["type"] {
      attempt { _ throws(JSONProblem) in
        let word = try type.asString()
        if word == ActionSet.Kind.userDefined.rawValue { return }
        guard let kind = Self.builtIn.first(where: { $0.rawValue == word }) else {
          let words = Self.builtIn.map(\.rawValue).joined(separator: ", ")
          throw type.problem("\"\(word)\" is not a type of scenes: use \(words) or user-defined")
        }
        entry.builtIn = kind
      }
    }
    entry.actions = node["set"].flatMap { actions($0) }
    return entry
  }

  mutating func actions(_ node: JSONNode) -> [HomeFile.ActionEntry]? {
    guard let members = attempt({ _ throws(JSONProblem) in try node.asObject() }) else { return nil }
    let actions: [HomeFile.ActionEntry] = members.compactMap { member in
      attempt { _ throws(JSONProblem) in
        let path = try JSONNode(.string(member.name), place: member.place, path: member.value.path).placedPath()
        return HomeFile.ActionEntry(characteristic: path, value: try member.value.placedValue())
      }
    }
    refuseTwice(actions.map(\.characteristic)) { $0.description }
    return actions
  }

  /// Reports scenes of one built-in type.
  mutating func refuseTwice(_ scenes: [HomeFile.SceneEntry]) {
    var seen: [ActionSet.Kind: JSONPlace] = [:]
    for entry in scenes {
      guard let kind = entry.builtIn else { continue }
      if let first = seen.updateValue(entry.name.place, forKey: kind) {
        complain(
          entry.name.place,
          "a home has one scene of the type \(kind.rawValue), which is already in line \(first.line): keep one of them")
      }
    }
  }
}
