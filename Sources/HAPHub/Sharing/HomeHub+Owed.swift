import HAPAccessoryPort
import HAPHome
import HAPHubLink
import HAPModel
import HAPStore

// Pairings of users that devices do not have yet, or still. They are sent whenever the device is connected.
extension HomeHub {
  /// What a change of the homes means for a pairing.
  enum OwedChange {
    /// The device owes it.
    case keep(OwedPairing)
    /// The device has confirmed it, or can't be reached with a pairing any more.
    case drop(OwedPairing)

    var row: HomeRowChange {
      switch self {
      case .keep(let pairing): pairing.row
      case .drop(let pairing): pairing.removal
      }
    }
  }

  /// The user whose pairing a device must have; nil: the device must not know the controller.
  private func wanted(_ pairing: OwedPairing) -> HomeUser? {
    guard let entry = index.accessories[pairing.device]?.values.first, let home = model.home(entry.home),
      home.copy == nil
    else { return nil }
    return users(of: home).first { $0.controller?.identifier == pairing.controller }
  }

  /// The users of a home, and the one with whom it is being shared.
  private func users(of home: Home) -> [HomeUser] { home.users + (owed.pending[home.id].map { [$0] } ?? []) }

  private func isPending(_ pairing: OwedPairing) -> Bool {
    owed.pending.values.contains { $0.controller?.identifier == pairing.controller }
  }

  private func right(of pairing: OwedPairing) -> OwedPairings.Right { wanted(pairing)?.right ?? .unknown }

  /// Whether it is the hub's own pairing: an adopted one can have the identifier of a user.
  private func isOwn(_ pairing: OwedPairing) -> Bool {
    let own = devices[pairing.device]?.pairing ?? leaving[pairing.device]?.pairing
    return own?.identity.identifier == pairing.controller
  }

  private func isDue(_ pairing: OwedPairing) -> Bool {
    guard let entry = owed[pairing], !isOwn(pairing) else { return false }
    return !entry.isHeld && entry.error == nil && entry.confirmed != right(of: pairing)
  }

  // MARK: Changes of the homes

  /// Returns what a draft means for the pairings of users: they follow users, roles and accessories.
  func owedChanges(by draft: HubDraft) -> [OwedChange] {
    draft.changes.flatMap { change -> [OwedChange] in
      guard let before = model.home(change.home) ?? draft.model.home(change.home), before.copy == nil else { return [] }
      let after = draft.model.home(change.home) ?? before
      switch change.detail {
      case .userAdded(let user):
        return pairings(of: user, after).map { pairing in
          owed[pairing]?.confirmed == user.right ? .drop(pairing) : .keep(pairing)
        }
      case .userRoleChanged(let id, _): return pairings(of: after.users.find(id), after).map { .keep($0) }
      case .userRemoved(let id): return pairings(of: before.users.find(id), after).map { .keep($0) }
      case .accessoryAdded(let accessory) where accessory.bridge == nil:
        return after.users.compactMap { user in
          user.controller.map { .keep(OwedPairing(accessory.deviceID, $0.identifier)) }
        }
      case .accessoryRemoved(let id):
        guard let accessory = before.accessories.find(id), accessory.bridge == nil else { return [] }
        let device = accessory.deviceID
        if !pairingsToRemove.contains(device) { return owed.list(of: device).map { .drop($0) } }
        return controllers(of: device, in: before).map { .keep(OwedPairing(device, $0)) }
      default: return []
      }
    }
  }

  private func pairings(of user: HomeUser?, _ home: Home) -> [OwedPairing] {
    guard let controller = user?.controller else { return [] }
    return home.devices.map { OwedPairing($0, controller.identifier) }
  }

  /// The identifiers of all controllers that a device may know besides the hub.
  func controllers(of device: DeviceID, in home: Home) -> [String] {
    Set(users(of: home).compactMap(\.controller?.identifier) + owed.list(of: device).map(\.controller)).sorted()
      .filter { !isOwn(OwedPairing(device, $0)) }
  }

  /// Takes over what was stored with a change, and sends it to the devices that are connected.
  func apply(_ changes: [OwedChange]) {
    for change in changes {
      switch change {
      case .keep(let pairing):
        let former = owed[pairing]
        // A device to which nothing was sent does not know the user.
        owed.renew(pairing, mayKnow: former?.mayKnow ?? true, confirmed: former?.confirmed)
      case .drop(let pairing):
        // It may have been renewed while this was being stored.
        if index.accessories[pairing.device] == nil || owed[pairing]?.confirmed == right(of: pairing) {
          owed[pairing] = nil
        }
      }
    }
    sendOwed(to: changes.map { if case .keep(let pairing) = $0 { pairing.device } else { nil } }.compactMap(\.self))
  }

  // MARK: Sending

  private func sendOwed(to devices: [DeviceID]) {
    for device in Set(devices).sorted() { loop.startTask { await self.sendOwed(to: device) } }
  }

  /// Sends what a device owes, if it is connected. Returns when all is confirmed or has failed.
  func sendOwed(to id: DeviceID) async {
    // A task that runs sends the new entries, too.
    if let task = owed.sending[id] { return await task.value }
    guard owed.list(of: id).contains(where: isDue) else { return dropConfirmed(of: id) }
    let task = loop.startTask { () async -> Void in
      await self.sendAll(to: id)
      self.owed.sending[id] = nil
      self.dropConfirmed(of: id)
    }
    owed.sending[id] = task
    await task.value
  }

  private func sendAll(to id: DeviceID) async {
    while phase == .running, !owed.blocked.contains(id), let device = devices[id], device.state == .ready,
      let pairing = owed.list(of: id).first(where: isDue)
    {
      guard let entry = owed[pairing] else { return }
      do throws(HomeError) { try await send(pairing, entry, device.connection) } catch {
        owed.update(pairing, entry.generation) { $0.error = error }
        if error.isRefusal { retryLater(id) }
      }
    }
  }

  /// Makes a device know a user, or forget one. Until it has answered, nothing is confirmed.
  private func send(
    _ pairing: OwedPairing, _ entry: OwedPairings.Entry, _ connection: any DeviceConnection
  ) async throws(HomeError) {
    let (identifier, generation) = (Array(pairing.controller.utf8), entry.generation)
    guard let user = wanted(pairing), let controller = user.controller else {
      owed.update(pairing, generation) { $0.confirmed = nil }
      if entry.mayKnow { try await connection.removeController(identifier) }
      return owed.update(pairing, generation) { $0.confirmed = .unknown }
    }
    owed.update(pairing, generation) { ($0.mayKnow, $0.confirmed) = (true, nil) }
    do throws(HomeError) {
      try await connection.addController(
        Pairing(identifier: identifier, publicKey: controller.publicKey, isAdmin: user.right == .administrator))
    } catch {
      // It answered that it did not take the pairing.
      if error.isRefusal { owed.update(pairing, generation) { $0.mayKnow = entry.mayKnow } }
      throw error
    }
    owed.update(pairing, generation) { $0.confirmed = user.right }
  }

  /// Sends again what a device refused: it may be busy.
  private func retryLater(_ id: DeviceID) {
    guard owed.pausing.insert(id).inserted else { return }
    loop.startTask { [loop] in
      try? await loop.sleep(for: Self.pauseAfterRefusal)
      self.owed.pausing.remove(id)
      self.owed.retry(id)
      await self.sendOwed(to: id)
    }
  }

  /// Removes the rows of what a device has confirmed. A command, because another one may be storing the same rows.
  func dropConfirmed(of id: DeviceID) {
    guard owed.list(of: id).contains(where: isSettled) else { return }
    change(for: nil) { draft throws(HomeError) in
      self.owed.dropping = self.owed.list(of: id).filter(self.isSettled)
      draft.extraRows = self.owed.dropping.map(\.removal)
    } done: { result in
      guard case .success = result else { return }
      for pairing in self.owed.dropping where self.isSettled(pairing) { self.owed[pairing] = nil }
    }
  }

  /// Whether a device has what the homes say. While a home is being shared, this is not certain yet.
  private func isSettled(_ pairing: OwedPairing) -> Bool {
    guard let entry = owed[pairing], !entry.isHeld else { return false }
    if isOwn(pairing) { return true }
    let right = right(of: pairing)
    guard entry.confirmed == right || (right == .unknown && !entry.mayKnow) else { return false }
    return !isPending(pairing)
  }

  /// Removes all users from a device that is to lose the hub's own pairing afterwards, and that no home has.
  func removeUsers(ofLeaving id: DeviceID, _ connection: any DeviceConnection) async throws(HomeError) {
    await owed.sending[id]?.value
    for pairing in owed.list(of: id) where !isOwn(pairing) {
      guard let entry = owed[pairing], entry.mayKnow, entry.confirmed != .unknown else { continue }
      owed.update(pairing, entry.generation) { $0.confirmed = nil }
      try await connection.removeController(Array(pairing.controller.utf8))
      owed.update(pairing, entry.generation) { $0.confirmed = .unknown }
    }
  }

  // MARK: Problems

  /// For people: the devices that do not know a user yet, or still.
  var owedProblems: [String] {
    owed.all.filter { !isSettled($0) && !isPending($0) }.map { pairing in
      let accessory = index.accessories(of: pairing.device).first.flatMap { model.accessory($0.id)?.accessory }
      let device = accessory.map { "\"\($0.name)\"" } ?? "\(pairing.device)"
      var reason = "this follows when it can be reached"
      if let error = owed[pairing]?.error, error.isRefusal {
        reason = "it refuses this, and is asked again (\(error.message))"
      }
      if let user = wanted(pairing) {
        return "the accessory \(device) does not know \"\(user.name)\" as \(user.right.rawValue) yet: \(reason)"
      }
      return "the accessory \(device) still knows the removed user \(pairing.controller): \(reason)"
    }
  }
}

extension HomeError {
  /// Whether an accessory answered, and refused.
  var isRefusal: Bool {
    switch code {
    case .accessoryOutOfResources, .insufficientPrivileges, .accessoryIsBusy, .accessorySentInvalidResponse: true
    default: false
    }
  }
}
