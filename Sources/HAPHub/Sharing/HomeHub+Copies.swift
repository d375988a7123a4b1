import HAPAccessoryPort
import HAPController
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPStore

/// What a command changes at the connections, once it is stored.
struct HubCopyChange {
  var pairings: [DevicePairing] = []
  var gone: [HubDevice] = []
}

// Homes that other hubs share with this one. home.md §12: this hub has a copy of each, which changes only when the owner
// shares the home again. Its user controls the accessories, and the owner's hub runs the triggers.
extension HomeHub {
  /// Takes over a home that another hub shares, or its later state.
  func accept(
    _ text: String, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    let identity = try await storedIdentity()
    let document = try await loop.offload {
      Result { () throws(HomeError) in try ShareDocument(text, openedBy: identity) }
    }.get()
    guard phase == .running else { throw HomeError.hubEnds }
    let reserved = Set(document.devices.map(\.id) + (model.home(document.home.id)?.devices ?? []))
    let reservation = try newReservation(for: reserved.sorted())
    defer { reservation.release() }
    try await changeAndWait(for: client) { draft throws(HomeError) in
      let known = Set(draft.model.home(document.home.id)?.devices ?? [])
      guard known.isSubset(of: reserved) else {
        throw HomeError(.accessoryIsBusy, nil, "the copy of the home has just changed: try again")
      }
      for device in document.devices where !known.contains(device.id) { try self.checkIsFree(device.id) }
      try draft.take(document)
      let pairings = document.devices.map { self.pairing(with: $0, as: identity) }
      let gone = known.subtracting(pairings.map(\.device)).sorted().compactMap { self.devices[$0] }
      self.copyChange = HubCopyChange(pairings: pairings, gone: gone)
      draft.extraRows =
        pairings.flatMap { $0.rows(controller: HubContents.ownIdentity, withIdentity: false) }
        + gone.flatMap { self.forgetRows($0.pairing) }
    } answer: { changes in
      self.connect()
      answer(.success(.changed(changes)))
    }
    return nil
  }

  /// The pairing with a device of a shared home. Addresses that this hub has found are tried first.
  private func pairing(with device: ShareDocument.Device, as identity: ControllerIdentity) -> DevicePairing {
    let found = devices[device.id].map { $0.pairing.accessoryKey == device.accessoryKey ? $0.addresses : [] } ?? []
    let addresses = found + device.addresses.filter { !found.contains($0) }
    return DevicePairing(
      device: device.id, accessoryID: device.accessoryID, accessoryKey: device.accessoryKey, identity: identity,
      addresses: Array(addresses.prefix(HubLimits.addresses)))
  }

  /// - Throws: 13 if a home has the device, 14 if it has or had a pairing of its own with this hub.
  private func checkIsFree(_ device: DeviceID) throws(HomeError) {
    if let entry = index.accessories[device]?.values.first, let home = model.home(entry.home) {
      throw HomeError(
        .objectAlreadyAssociatedToHome, .o2,
        "the device \(device) of the shared home is in the home \"\(home.name)\": remove it there first")
    }
    guard journal.unused[device] == nil, leaving[device] == nil else {
      throw HomeError(
        .accessoryIsBusy, nil,
        "this hub has a pairing of its own with the device \(device): forget it with 'hapctl home drop \(device)'")
    }
  }

  /// Closes the connections with the devices that a copy no longer has, and connects with the others. A connection stays
  /// if the key is as before, and it is open or has all addresses.
  private func connect() {
    let change = copyChange
    copyChange = HubCopyChange()
    guard phase == .running else { return }
    for device in change.gone { closeSoon(device) }
    for pairing in change.pairings {
      if let device = devices[pairing.device] {
        let isSame = device.pairing.accessoryKey == pairing.accessoryKey
        if isSame, device.state == .ready || device.state == .connecting && device.addresses == pairing.addresses {
          continue
        }
        closeSoon(device)
      }
      open(pairing)
    }
    membersChanged()
    refreshSubscriptions()
  }

  private func closeSoon(_ device: HubDevice) {
    forget(device)
    let connection = device.connection
    loop.startTask { await connection.close() }
  }

  /// Forgets the copy of a home. The accessories keep the pairing until the owner removes the user.
  func leave(
    _ id: HomeObjectID, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    let reserved = model.home(id)?.devices ?? []
    let reservation = try newReservation(for: reserved)
    defer { reservation.release() }
    try await changeAndWait(for: client, editsCopies: true) { draft throws(HomeError) in
      guard draft.model.home(id)?.devices == reserved else {
        throw HomeError(.accessoryIsBusy, nil, "the copy of the home has just changed: try again")
      }
      let gone = (draft.model.home(id)?.devices ?? []).compactMap { self.devices[$0] }
      self.copyChange = HubCopyChange(gone: gone)
      draft.extraRows = gone.flatMap { self.forgetRows($0.pairing) }
      try draft.perform(.removeHome(id))
    } answer: { changes in
      self.connect()
      answer(.success(.changed(changes)))
    }
    return nil
  }

  // MARK: Limits of a copy

  /// - Throws: U1 if the home belongs to another hub.
  func checkIsOwn(_ id: HomeObjectID) throws(HomeError) {
    if let home = model.home(id), home.copy != nil { throw HomeError.copy(home) }
  }

  /// - Throws: 91 if the triggers of the home run at another hub.
  func checkRunsTriggers(of home: Home) throws(HomeError) {
    guard home.copy != nil else { return }
    throw HomeError(
      .noHomeHub, nil,
      "the triggers of \"\(home.name)\" run at the hub of its owner \(home.users[0].name), which also knows who is at home"
    )
  }
}

extension [HomeChange] {
  /// The changes of homes that belong to this hub, which are the homes of its engine.
  func ofOwnHomes(_ before: HomeModel, _ after: HomeModel) -> [HomeChange] {
    let copies = Set((before.homes + after.homes).filter { $0.copy != nil }.map(\.id))
    return copies.isEmpty ? self : filter { !copies.contains($0.home) }
  }
}

extension HubDraft {
  /// Takes over a shared home.
  /// - Throws: the rule that it breaks with the other homes of this hub.
  fileprivate mutating func take(_ document: ShareDocument) throws(HomeError) {
    let known = model.home(document.home.id)
    let home = document.home.adapted(to: model.homes.filter { $0.id != document.home.id }, known)
    if let known {
      try known.checkIsOlder(than: document)
      let wasPrimary = model.primaryHome == home.id
      apply(known.changes(to: home))
      if wasPrimary, model.primaryHome == nil { apply([HomeChange(home.id, .homeMadePrimary)]) }
    } else {
      let isFirst = model.primaryHome == nil
      apply([HomeChange(home.id, .homeAdded(home))] + (isFirst ? [HomeChange(home.id, .homeMadePrimary)] : []))
    }
    try check(home)
  }
}

extension HubDraft {
  /// - Throws: the rule that a shared home breaks, alone or with the other homes.
  private func check(_ home: Home) throws(HomeError) {
    let others = model.homes.filter { $0.id != home.id }
    // An own home with a problem does not keep a shared one away.
    let isFine = (try? HomeModel(checking: others, primary: nil)) != nil
    do throws(HomeRowProblem) {
      _ = try HomeModel(checking: isFine ? others + [home] : [home], primary: nil)
    } catch {
      throw HomeError(.invalidParameter, .o2, "the shared home does not fit the homes of this hub: \(error.reason)")
    }
    let policy = HomePolicy()
    let counts = [home.rooms.count, home.zones.count, home.groups.count, home.actionSets.count, home.triggers.count]
    guard home.accessories.count <= policy.accessories, home.users.count <= policy.users,
      counts.allSatisfy({ $0 <= policy.objects }), model.homes.count <= policy.homes,
      home.actionSets.allSatisfy({ $0.actions.count <= policy.actions })
    else {
      throw HomeError(
        .maximumObjectLimitReached, .l1,
        "the shared home has more objects than a home may have: its owner can remove some")
    }
  }
}

extension Home {
  fileprivate func checkIsOlder(than document: ShareDocument) throws(HomeError) {
    guard let copy else {
      throw HomeError(.alreadyExists, .o2, "the home \"\(name)\" belongs to this hub: its own share is of no use here")
    }
    guard users[0].controller == document.owner else {
      throw HomeError(
        .messageAuthenticationFailed, .u1,
        "the home \"\(name)\" was shared by another hub before: remove it, if you trust the new one")
    }
    guard document.copy.issued >= copy.issued else {
      throw HomeError(
        .invalidParameter, nil,
        "the shared home \"\(name)\" is older than the one that this hub has: ask for a newer one")
    }
  }
}
