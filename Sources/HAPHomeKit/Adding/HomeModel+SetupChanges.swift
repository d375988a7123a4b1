import HAPHome

extension HomeModel {
  /// Returns the changes of homes, rooms and accessories that lead from here to a later state, as far as a `SetupFlow`
  /// uses them. The flow has its own changes already, so these are of other apps.
  func setupChanges(to later: HomeModel) -> [HomeChange] {
    let added = later.homes.filter { home($0.id) == nil }.map { HomeChange($0.id, .homeAdded($0)) }
    return added
      + homes.flatMap { home in
        guard let later = later.home(home.id) else { return [HomeChange(home.id, .homeRemoved)] }
        return home.setupChanges(to: later).map { HomeChange(home.id, $0) }
      }
  }
}

extension Home {
  fileprivate func setupChanges(to later: Home) -> [HomeChange.Detail] {
    var changes: [HomeChange.Detail] = []
    if name != later.name { changes.append(.homeRenamed(later.name)) }
    for room in later.rooms {
      guard let known = rooms.find(room.id) else {
        changes.append(.roomAdded(room))
        continue
      }
      if known.name != room.name { changes.append(.roomRenamed(room.id, room.name)) }
    }
    changes += accessories.flatMap { $0.setupChanges(to: later.accessories.find($0.id)) }
    return changes + rooms.filter { later.rooms.find($0.id) == nil }.map { .roomRemoved($0.id) }
  }
}

extension HomeAccessory {
  fileprivate func setupChanges(to later: HomeAccessory?) -> [HomeChange.Detail] {
    guard let later else { return [.accessoryRemoved(id)] }
    var changes: [HomeChange.Detail] = []
    if name != later.name { changes.append(.accessoryRenamed(id, later.name)) }
    if room != later.room { changes.append(.accessoryMoved(id, room: later.room)) }
    if services != later.services { changes.append(.servicesUpdated(id, later.services)) }
    return changes
  }
}
