import HAPModel
import HAPWire

/// The object of a row.
struct HomeRowContent {
  enum Object {
    case home(Home)
    case room(Room)
    case zone(RoomZone)
    case group(ServiceGroup)
    case accessory(HomeAccessory)
    case actionSet(ActionSet)
    case trigger(Trigger)
    case user(HomeUser)
    case primary
  }
  /// The identifier of the row, for problems.
  let row: String
  /// The identifier of the home.
  let home: HomeObjectID
  let object: Object
}

extension HomeRow {
  /// Reads the columns and the JSON, without looking at other rows.
  func content() throws(HomeRowProblem) -> HomeRowContent {
    guard let kind = Kind(rawValue: kind) else { throw problem("there is no kind \"\(self.kind.shortened)\"") }
    guard let home = HomeObjectID(stored: home) else { throw problem("\"home\" is not the identifier of a home") }
    if kind == .primary {
      guard id == Self.primaryID else { throw problem("the row of the primary home has another identifier") }
      return HomeRowContent(row: id, home: home, object: .primary)
    }
    guard let id = HomeObjectID(stored: id) else { throw problem("\"id\" is not the identifier of an object") }
    guard let name = HomeName(stored: name) else { throw problem(HomeName.storedRule) }
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONNode.parse(Array(json.utf8), depthLimit: JSONNode.homeDepthLimit)
    } catch { throw problem("not JSON: \(error.message) (at \(error.place))") }
    do throws(JSONProblem) {
      return HomeRowContent(row: self.id, home: home, object: try Self.object(kind, node, id, name))
    } catch {
      let path = error.path.isEmpty ? "" : "\(error.path): "
      throw problem("\(path)\(error.message) (at \(error.place))")
    }
  }

  private static func object(
    _ kind: Kind, _ node: JSONNode, _ id: HomeObjectID, _ name: HomeName
  ) throws(JSONProblem) -> HomeRowContent.Object {
    try node.refuseUnknownMembers(except: kind.memberNames)
    switch kind {
    case .home: return .home(try Home(own: node, id: id, name: name))
    case .room: return .room(try Room(node, id: id, name: name))
    case .zone: return .zone(try RoomZone(node, id: id, name: name))
    case .group: return .group(try ServiceGroup(node, id: id, name: name))
    case .accessory: return .accessory(try HomeAccessory(node, id: id, name: name))
    case .actionSet: return .actionSet(try ActionSet(node, id: id, name: name))
    case .trigger: return .trigger(try Trigger(node, id: id, name: name))
    case .user: return .user(try HomeUser(guest: node, id: id, name: name))
    case .primary: return .primary
    }
  }

  private func problem(_ reason: String) -> HomeRowProblem { HomeRowProblem(row: id, reason) }
}

extension HomeObjectID {
  /// Returns nil for another spelling of an identifier: an update of its row would be stored as a second row.
  fileprivate init?(stored text: String) {
    self.init(text)
    guard description == text else { return nil }
  }
}

extension HomeRowProblem {
  init(row: String, _ reason: String) { self.init(row: row.shortened, reason: reason) }
}

extension HomeRow.Kind {
  fileprivate var memberNames: [String] {
    switch self {
    case .home: Home.ownMemberNames
    case .room, .primary: []
    case .zone: RoomZone.memberNames
    case .group: ServiceGroup.memberNames
    case .accessory: HomeAccessory.memberNames
    case .actionSet: ActionSet.memberNames
    case .trigger: Trigger.memberNames
    case .user: HomeUser.memberNames
    }
  }
}
