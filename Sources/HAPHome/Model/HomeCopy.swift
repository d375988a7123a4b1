import HAPAlmanac

/// A home that belongs to another hub, whose owner shares it. It is as it was when it was shared last. The user controls
/// it, and changes are made at the owner's hub, which also runs the triggers.
public struct HomeCopy: Hashable, Sendable {
  /// The user of this hub in the home.
  public var user: HomeObjectID
  /// The time at which the owner's hub wrote the home.
  public var issued: Instant

  /// Creates the description of a copy.
  public init(user: HomeObjectID, issued: Instant) { (self.user, self.issued) = (user, issued) }
}

extension Home {
  /// The user of this hub: the owner, or the user to whom the home is shared.
  public var ownUser: HomeUser { copy.flatMap { users.find($0.user) } ?? users[0] }

  /// The name of the owner of a home that belongs to another hub; nil: it belongs to this one.
  package var sharedBy: String? { copy == nil ? nil : users[0].name }

  /// The home as another hub gets it: with the identities of the owner and of its user only, and without the accessories'
  /// state at this hub.
  package func shared(_ copy: HomeCopy, by owner: UserController) -> Home {
    var home = self
    home.copy = copy
    for index in users.indices where users[index].id != copy.user {
      home.users[index].controller = index == 0 ? owner : nil
    }
    for index in accessories.indices { home.accessories[index].isBlocked = false }
    return home
  }

  /// A copy among the other homes of its hub: with a name that is unique there (rules N1 and N2), the accessories that
  /// this hub blocked, and the times of its executions.
  package func adapted(to others: [Home], _ known: Home?) -> Home {
    var home = self
    let taken = Set(others.map(\.name.key))
    var number = 1
    while taken.contains(home.name.key) || (number > 1 && conflict(home.name, of: id) != nil) {
      number += 1
      home.name = HomeName("\(name.text.prefix(HomeName.greatestLength - 5)) \(number)")
    }
    guard let known else { return home }
    for index in accessories.indices {
      home.accessories[index].isBlocked = known.accessories.find(accessories[index].id)?.isBlocked == true
    }
    for index in actionSets.indices {
      let times = [actionSets[index].lastExecution, known.actionSets.find(actionSets[index].id)?.lastExecution]
      home.actionSets[index].lastExecution = times.compactMap(\.self).max()
    }
    return home
  }
}

extension HomeModel {
  /// The homes that belong to this hub.
  package var ownHomes: HomeModel { homes.allSatisfy { $0.copy == nil } ? self : filtered { $0.copy == nil } }

  /// The model with some of its homes.
  package func filtered(_ isIncluded: (Home) -> Bool) -> HomeModel {
    var model = self
    model.homes.removeAll { !isIncluded($0) }
    return model
  }
}
