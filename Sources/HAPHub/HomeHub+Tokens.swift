import HAPHome
import HAPHubLink
import HAPLoop
import HAPStore
import HAPWire

// The tokens of the page of homes, and what their holders may do.
extension HomeHub {
  /// The ID of the row of the owner of the hub.
  static let ownersToken = "owner"
  /// 26 characters of base 32: 130 random bits.
  private static let tokenLength = 26
  private static let tokenLetters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Returns the token of a user of a home that belongs to this hub. It is made when it is asked for the first time.
  /// - Parameters:
  ///   - user: nil: the owner of the hub, who may do everything.
  ///   - renews: whether a new token replaces the present one, which is not valid any more.
  func pageToken(of user: HomeObjectID?, renews: Bool) async throws(HomeError) -> String {
    let id = user?.description ?? Self.ownersToken
    while pendingTokens.contains(id) { await withCheckedContinuation { tokenWaiters.append($0) } }
    if !renews, let token = tokens[id] { return token }
    pendingTokens.insert(id)
    defer {
      pendingTokens.remove(id)
      for waiter in tokenWaiters { waiter.resume() }
      tokenWaiters = []
    }
    let token = String(
      decoding: (0..<Self.tokenLength).map { _ in Self.tokenLetters[Int(loop.randomNumber() % 32)] }, as: UTF8.self)
    let row = JSONNode.object([("id", .text(id)), ("token", .text(token))])
    try await withCheckedContinuation { continuation in
      // A command, not a record: no command can remove the user between the check and the end of the storing.
      change(for: nil, with: [.keep(.pageToken(HomeStateRow(id: id, json: row.compactText)))]) {
        draft throws(HomeError) in
        if let user { _ = try draft.model.ownHome(ofUser: user) }
      } done: { result in
        if case .success = result {
          let old = self.tokens.updateValue(token, forKey: id)
          if old != nil { self.tokenEnded() }
        }
        continuation.resume(returning: result.map { _ in })
      }
    }.get()
    return token
  }

  package func holder(ofToken token: String) -> TokenHolder? {
    var holder: TokenHolder?
    // All are compared, so that the time does not depend on the token.
    for (id, known) in tokens where known.isSame(as: token) {
      holder = HomeObjectID(id).map(TokenHolder.user) ?? .owner
    }
    // The row of the user may be damaged.
    if case .user(let id) = holder, (try? model.ownHome(ofUser: id)) == nil { return nil }
    return holder
  }

  /// Drops the tokens of users who were removed.
  func dropTokens() {
    if tokens.isEmpty { return }
    let users = Set(model.ownHomes.homes.lazy.flatMap(\.users).map(\.id.description))
    let count = tokens.count
    tokens = tokens.filter { $0.key == Self.ownersToken || users.contains($0.key) }
    if tokens.count < count { tokenEnded() }
  }

  package func whenTokenEnds(_ body: @escaping @Sendable () -> Void) { tokenObservers.append(body) }

  private func tokenEnded() { for observer in tokenObservers { observer() } }

  // MARK: Privileges

  /// Checks that a user may send a request. The rules of homes check the commands themselves (rule U1).
  /// - Throws: 17.
  func checkPrivileges(_ request: HubRequest, _ user: HomeObjectID) throws(HomeError) {
    let home = try model.ownHome(ofUser: user)
    let isAdministrator = home.users.find(user)?.role != .guest
    switch request {
    case .attach, .unsubscribe, .endSearch: return
    // Before any message to the accessory.
    case .perform(.removeAccessory(let accessory)) where isAdministrator: try check([accessory], .accessory, in: home)
    case .perform(let command) where isAdministrator: try check(command)
    case .execute(let sets): try check(sets, .actionSet, in: home)
    case .write(let id, _): try check([id], .home, in: home)
    case .read(let ids), .subscribe(let ids): try check(ids, .characteristic, in: home)
    case .identify(let accessory): try check([accessory], .accessory, in: home)
    case .explain(let trigger): try check([trigger], .trigger, in: home)
    // Triggers wait for people, so a guest who may not fire them places no other person.
    case .place(let person) where isAdministrator || person.user == user: try check([person.user], .user, in: home)
    case .fire(let trigger) where isAdministrator: try check([trigger], .trigger, in: home)
    case .authorize(let characteristic, _) where isAdministrator: try check([characteristic], .characteristic, in: home)
    case .search where isAdministrator, .identifyNew where isAdministrator: return
    case .add(let addition) where isAdministrator: try check([addition.home], .home, in: home)
    case .remove(let accessory, forgets: false) where isAdministrator: try check([accessory], .accessory, in: home)
    case .perform, .place, .fire, .authorize, .search, .identifyNew, .add, .remove, .adopt, .drop, .requestShare,
      .share, .renewShare,
      .acceptShare, .pageToken, .status, .stop:
      throw HomeError.privilege(home, user, "\"\(request.name.rawValue)\"")
    }
  }

  /// Users and whole homes belong to the owner of the hub.
  private func check(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addHome, .removeHome, .setPrimaryHome, .addUser, .setRole, .removeUser, .unblockAccessory:
      throw HomeError(
        .insufficientPrivileges, .u1, "only the owner of the hub may do \"\(command.name.rawValue)\": ask the owner")
    default: return
    }
  }

  private func check(_ ids: [HomeObjectID], _ kind: HomeObjectKind, in home: Home) throws(HomeError) {
    for id in ids where home.kind(of: id) != kind { throw HomeError.unknown(kind, id) }
  }
}

extension HomeModel {
  /// Returns the home of a user, if it belongs to this hub.
  /// - Throws: rule O1.
  fileprivate func ownHome(ofUser user: HomeObjectID) throws(HomeError) -> Home {
    guard let home = homes.first(where: { $0.copy == nil && $0.users.find(user) != nil }) else {
      throw HomeError.unknown(.user, user)
    }
    return home
  }
}

extension HomeError {
  fileprivate static func privilege(_ home: Home, _ user: HomeObjectID, _ request: String) -> HomeError {
    let name = home.users.find(user)?.name ?? ""
    let owner = home.users[0].name
    return HomeError(
      .insufficientPrivileges, .u1,
      "\(name) may not send \(request) in the home \"\(home.name)\": ask \(owner), the owner of the home")
  }
}
