import HAPAccessoryPort
import HAPHome
import HAPHubLink
import HAPModel
import HAPStore

// Accessories are removed. An accessory that can't be reached loses its pairings later: `HomeHub+Leaving`.
extension HomeHub {
  /// Removes the pairing at the accessory, then the accessory.
  func remove(
    _ id: HomeObjectID, forgets: Bool, for client: HubClient?, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    guard let (home, accessory) = model.accessory(id) else { throw HomeError.unknown(.accessory, id) }
    try checkIsOwn(home.id)
    guard accessory.bridge == nil else {
      throw HomeError(
        .cannotRemoveNonBridgeAccessory, .a2, "the accessory \"\(accessory.name)\" is bridged: remove its bridge")
    }
    let reservation = try newReservation(accessory.deviceID)
    let device = devices[accessory.deviceID]
    owed.blocked.insert(accessory.deviceID)
    defer { sendAgain(to: accessory.deviceID) }
    await owed.sending[accessory.deviceID]?.value
    var isUnpaired = false
    do throws(HomeError) {
      if let device { isUnpaired = try await removePairings(device, of: accessory, in: home.id, forgets: forgets) }
      guard phase == .running else { throw HomeError.hubEnds }
    } catch {
      reservation.release()
      throw error
    }
    let hasLeft = isUnpaired
    let rows =
      device.map { hasLeft ? forgetRows($0.pairing) : leavingRows($0.pairing) }
      ?? [.remove(.pairings, id: accessory.deviceID.text)]
    if device != nil, !hasLeft { pairingsToRemove.insert(accessory.deviceID) }
    await withCheckedContinuation { continuation in
      change(for: client, with: rows) { draft throws(HomeError) in
        try draft.perform(.removeAccessory(id))
      } done: { result in
        self.pairingsToRemove.remove(accessory.deviceID)
        if let device {
          if case .success = result {
            self.forget(device)
            if !hasLeft, self.phase == .running { self.leave(device.pairing) }
          } else if hasLeft {
            self.end(device, "the pairing is removed, but this could not be stored: remove the accessory again")
          }
        }
        reservation.release()
        answer(result.map { .changed($0) })
        continuation.resume()
      }
    }
    if let device, devices[device.id] !== device {
      await device.connection.close()
    }
    return nil
  }

  /// Removes the pairings of the hub and of all users from an accessory, unless the accessory has done this itself.
  /// - Returns: whether the accessory has no pairing any more.
  private func removePairings(
    _ device: HubDevice, of accessory: HomeAccessory, in home: HomeObjectID, forgets: Bool
  ) async throws(HomeError) -> Bool {
    await wait(for: device, atMost: .seconds(2)) { device.state == .connecting }
    switch device.state {
    case .ended: return true
    case .connecting:
      if forgets { return false }
      throw HomeError(
        .accessoryNotReachable, nil,
        "the accessory \"\(accessory.name)\" can't be reached (\(device.why ?? "")), so it would keep its pairing: "
          + "switch it on, or remove it with --forget")
    case .ready:
      do throws(HomeError) {
        try await removeUsers(of: home, from: device)
        try await device.connection.removeController(Array(device.pairing.identity.identifier.utf8))
        return true
      } catch {
        if forgets { return false }
        throw error
      }
    }
  }

  /// Removes the pairings of users. The last administrator's removal would remove those of all guests, but an
  /// administrator that stays would keep the accessory. HAP R2 §5.11.
  ///
  /// Before, the store gets that the device owes these pairings: if the accessory stays in the home, the users get them
  /// again.
  private func removeUsers(of id: HomeObjectID, from device: HubDevice) async throws(HomeError) {
    guard let home = model.home(id) else { return }
    let pairings = controllers(of: device.id, in: home).map { OwedPairing(device.id, $0) }
    if pairings.isEmpty { return }
    for pairing in pairings { owed.renew(pairing, mayKnow: owed[pairing]?.mayKnow ?? true) }
    try await storeAndWait(pairings.map(\.row))
    for pairing in pairings where owed[pairing]?.mayKnow != false {
      try await device.connection.removeController(Array(pairing.controller.utf8))
    }
  }

  /// The removal has ended. If the accessory stays in the home, its users get their pairings again.
  private func sendAgain(to device: DeviceID) {
    owed.blocked.remove(device)
    if phase == .running, !owed.list(of: device).isEmpty { loop.startTask { await self.sendOwed(to: device) } }
  }
}
