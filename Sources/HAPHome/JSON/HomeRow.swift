import HAPWire

/// One object of a home in the form of the store: a row of text columns. `json` has the members that no other column
/// contains.
package struct HomeRow: Hashable, Sendable {
  /// The identifier of the object, unique among all rows; `primaryID` for the primary home.
  package var id: String
  /// The identifier of the home. For a home, this is its own identifier.
  package var home: String
  /// The raw value of a `Kind`.
  package var kind: String
  /// The name of the object; empty if it has none.
  package var name: String
  /// An object.
  package var json: String

  package init(id: String, home: String, kind: String, name: String, json: String) {
    (self.id, self.home, self.kind, self.name, self.json) = (id, home, kind, name, json)
  }

  package enum Kind: String, CaseIterable, Sendable {
    /// The home itself, with the room for the entire home and the owner.
    case home
    case room, zone, group, accessory
    case actionSet = "action-set"
    case trigger
    /// A user who is not the owner.
    case user
    /// The choice of the primary home, which is the row's `home`.
    case primary
  }

  /// The identifier of the row that names the primary home.
  package static let primaryID = "primary"
}

/// A row that could not be used, or only a part of it.
package struct HomeRowProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The identifier of the row, at most 40 characters.
  package let row: String
  /// The error, and the parts that were left out.
  package let reason: String

  /// The row and the reason.
  package var description: String { "row \(row): \(reason)" }
}

extension HomeRow {
  fileprivate init(_ kind: Kind, _ id: HomeObjectID, of home: HomeObjectID, _ name: String, _ members: [JSONMember]) {
    self.init(
      id: id.description, home: home.description, kind: kind.rawValue, name: name,
      json: JSONNode.object(members).compactText)
  }
}

extension Home {
  private var row: HomeRow { HomeRow(.home, id, of: id, name.text, ownMembers) }

  private func row(_ room: Room) -> HomeRow { HomeRow(.room, room.id, of: id, room.name.text, []) }

  private func row(_ zone: RoomZone) -> HomeRow { HomeRow(.zone, zone.id, of: id, zone.name.text, zone.members) }

  private func row(_ group: ServiceGroup) -> HomeRow {
    HomeRow(.group, group.id, of: id, group.name.text, group.members)
  }

  private func row(_ accessory: HomeAccessory) -> HomeRow {
    HomeRow(.accessory, accessory.id, of: id, accessory.name.text, accessory.members)
  }

  private func row(_ set: ActionSet) -> HomeRow { HomeRow(.actionSet, set.id, of: id, set.name.text, set.members) }

  private func row(_ trigger: Trigger) -> HomeRow {
    HomeRow(.trigger, trigger.id, of: id, trigger.name.text, trigger.members)
  }

  private func row(_ user: HomeUser) -> HomeRow { HomeRow(.user, user.id, of: id, user.name, user.members) }

  /// All rows of the home. The objects of a kind are in their order.
  fileprivate var rows: [HomeRow] {
    [row] + rooms.map(row) + zones.map(row) + groups.map(row) + accessories.map(row) + actionSets.map(row)
      + triggers.map(row) + users.dropFirst().map(row)
  }

  /// The row of an object with an own row; nil if the home does not have the object.
  fileprivate func row(of id: HomeObjectID) -> HomeRow? {
    if id == self.id { return row }
    return rooms.find(id).map(row) ?? zones.find(id).map(row) ?? groups.find(id).map(row)
      ?? accessories.find(id).map(row) ?? actionSets.find(id).map(row) ?? triggers.find(id).map(row)
      ?? users.dropFirst().first { $0.id == id }.map(row)
  }

  /// The identifiers of all objects with an own row.
  fileprivate var rowIDs: [HomeObjectID] {
    [id] + rooms.map(\.id) + zones.map(\.id) + groups.map(\.id) + accessories.map(\.id) + actionSets.map(\.id)
      + triggers.map(\.id) + users.dropFirst().map(\.id)
  }
}

extension HomeModel {
  /// All rows. `init(rows:problems:)` reads an equal model from them.
  package var rows: [HomeRow] { homes.flatMap(\.rows) + (primaryRow.map { [$0] } ?? []) }

  fileprivate var primaryRow: HomeRow? {
    primaryHome.map {
      HomeRow(
        id: HomeRow.primaryID, home: $0.description, kind: HomeRow.Kind.primary.rawValue, name: "", json: "{}")
    }
  }
}

/// A change of the stored rows.
package enum HomeRowUpdate: Hashable, Sendable {
  /// Replaces the row with the same identifier at its place, or adds the row at the end.
  case keep(HomeRow)
  /// Removes the row with this identifier.
  case remove(id: String)
  /// Removes all rows whose column `home` has this identifier, also those that could not be read.
  case removeHome(id: String)
}

extension HomeRowUpdate {
  /// Returns the changes of the stored rows for the changes of the model. Afterwards the rows of each kind are those of
  /// `after.rows`, in the same order.
  /// - Parameters:
  ///   - changes: the changes that lead from `before` to `after`.
  ///   - before: the model whose rows are stored.
  ///   - after: the model with the changes.
  package static func updates(
    for changes: [HomeChange], from before: HomeModel, to after: HomeModel
  ) -> [HomeRowUpdate] {
    var seen: Set<HomeObjectID> = []
    var updates: [HomeRowUpdate] = []
    for change in changes {
      let (old, new) = (before.home(change.home), after.home(change.home))
      if case .homeRemoved = change.detail {
        updates.append(.removeHome(id: change.home.description))
        continue
      }
      for id in change.detail.changedRows(of: change.home, new) where seen.insert(id).inserted {
        if let row = new?.row(of: id) {
          updates.append(.keep(row))
        } else if old?.row(of: id) != nil {
          updates.append(.remove(id: id.description))
        }
      }
    }
    if before.primaryHome != after.primaryHome {
      updates.append(after.primaryRow.map { .keep($0) } ?? .remove(id: HomeRow.primaryID))
    }
    return updates
  }
}

extension HomeChange.Detail {
  /// The identifiers of the objects whose rows may be new, changed or removed.
  fileprivate func changedRows(of home: HomeObjectID, _ new: Home?) -> [HomeObjectID] {
    switch self {
    case .homeAdded: new?.rowIDs ?? []
    case .homeRemoved, .homeMadePrimary: []
    case .homeRenamed, .timeZoneChanged, .locationChanged, .copyRenewed: [home]
    case .roomAdded(let room): [room.id]
    case .roomRenamed(let id, _), .roomRemoved(let id): [id]
    case .zoneAdded(let zone): [zone.id]
    case .zoneRenamed(let id, _), .zoneRemoved(let id), .roomAddedToZone(_, zone: let id),
      .roomRemovedFromZone(_, zone: let id):
      [id]
    case .groupAdded(let group): [group.id]
    case .groupRenamed(let id, _), .groupRemoved(let id), .serviceAddedToGroup(_, group: let id),
      .serviceRemovedFromGroup(_, group: let id):
      [id]
    case .accessoryAdded(let accessory): [accessory.id]
    case .accessoryRenamed(let id, _), .accessoryMoved(let id, room: _), .accessoryRemoved(let id),
      .accessoryBlocked(let id), .accessoryUnblocked(let id), .servicesUpdated(let id, _), .firmwareUpdated(let id, _),
      .accessoryDetailsUpdated(let id, _, category: _, configurationNumber: _), .serviceRenamed(let id, _, _),
      .associatedTypeChanged(let id, _, _):
      [id]
    case .actionSetAdded(let set): [set.id]
    case .actionSetRenamed(let id, _), .actionSetRemoved(let id), .actionsChanged(let id, _),
      .actionSetExecuted(let id, at: _):
      [id]
    case .triggerAdded(let trigger), .triggerUpdated(let trigger): [trigger.id]
    case .triggerRenamed(let id, _), .triggerFired(let id, at: _), .triggerRemoved(let id): [id]
    case .userAdded(let user): [user.id]
    case .userRoleChanged(let id, _), .userRemoved(let id): [id]
    }
  }
}
