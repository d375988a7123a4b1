import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire
import HAPYAML

extension HomeFile {
  /// The document as YAML. `read` gives an equal document.
  package var yaml: String { node.yamlText }

  /// The document as indented JSON. `read` gives an equal document.
  package var json: String { node.indentedText + "\n" }

  private var node: JSONNode {
    var members: [JSONMember] = [("home", .text(home.value))]
    if let timeZone { members.append(("timeZone", .text(timeZone.value.text))) }
    if let location { members.append(("location", location.value.map(\.node) ?? JSONNode(.null))) }
    if let rooms { members.append(("rooms", .list(rooms.map { .text($0.value) }))) }
    if let zones {
      members.append(
        ("zones", .object(zones.map { (name: $0.name.value, value: .list($0.rooms.map { .text($0.value) })) })))
    }
    if let accessories {
      members.append(("accessories", .object(accessories.map { (name: $0.name.value, value: $0.node) })))
    }
    if let groups {
      members.append(
        (
          "groups",
          .object(groups.map { (name: $0.name.value, value: .list($0.services.map { .text($0.value.description) })) })
        ))
    }
    if let scenes { members.append(("scenes", .object(scenes.map { (name: $0.name.value, value: $0.node) }))) }
    if let triggers { members.append(("triggers", .object(triggers.map { (name: $0.name.value, value: $0.node) }))) }
    return .object(members)
  }
}

extension HomeFile.AccessoryEntry {
  fileprivate var node: JSONNode {
    var members: [JSONMember] = []
    if let device {
      members.append(("device", .text(device.text)))
      if aid != 1 { members.append(("aid", .integer(aid))) }
    }
    if let room { members.append(("room", .text(room.value))) }
    if !services.isEmpty {
      members.append(("services", .object(services.map { (name: $0.service.value.text, value: $0.node) })))
    }
    return .object(members)
  }
}

extension HomeFile.ServiceEntry {
  fileprivate var node: JSONNode {
    if let name, associatedType == nil { return .text(name.value) }
    var members: [JSONMember] = []
    if let name { members.append(("name", .text(name.value))) }
    if let associatedType {
      let type = associatedType.value.map { Catalogue.service($0)?.name ?? $0.wireForm }
      members.append(("associated", type.map { .text($0) } ?? JSONNode(.null)))
    }
    return .object(members)
  }
}

extension HomeFile.SceneEntry {
  fileprivate var node: JSONNode {
    var members: [JSONMember] = []
    if let builtIn { members.append(("type", .text(builtIn.rawValue))) }
    if let actions { members.append(("set", actions.node)) }
    return .object(members)
  }
}

extension [HomeFile.ActionEntry] {
  fileprivate var node: JSONNode {
    .object(map { (name: $0.characteristic.value.description, value: $0.value.value.exactNode) })
  }
}

extension HomeFile.TriggerEntry {
  fileprivate var node: JSONNode {
    var members: [JSONMember] = (kind?.node.members ?? []).map { ($0.name, $0.value) }
    if let run { members.append(("run", .list(run.map(\.node)))) }
    if let isEnabled { members.append(("enabled", JSONNode(.bool(isEnabled.value)))) }
    return .object(members)
  }
}

extension HomeFile.RunEntry {
  fileprivate var node: JSONNode {
    switch self {
    case .scene(let name): .text(name.value)
    case .actions(let actions): .object([(name: "set", value: actions.node)])
    }
  }
}
