import HAPAccessoryPort
import HAPHome
import HAPModel
import HAPStore

/// An accessory that was removed while it could not be reached, so that it still has the pairing.
struct LeavingDevice {
  /// The number of the connection: news of an earlier one are ignored.
  let number: Int
  let pairing: DevicePairing
  /// Nil: none is opened, because this hub lasts only a moment.
  let connection: (any DeviceConnection)?
}

// Pending removals: the pairing is removed when the accessory can be reached. home.md §6.
extension HomeHub {
  /// The ID of the row with the identity of a pairing that is to be removed. So the removal is still known after a
  /// restart.
  static func leavingRow(_ device: DeviceID) -> String { "leaving \(device)" }

  /// The rows that turn a pairing into a pending removal.
  func leavingRows(_ pairing: DevicePairing) -> [HomeRowChange] {
    forgetRows(pairing) + pairing.rows(controller: Self.leavingRow(pairing.device), withIdentity: true)
  }

  /// Removes the pairing at the accessory as soon as it can be reached.
  func leave(_ pairing: DevicePairing) {
    let id = pairing.device
    lastDevice += 1
    let number = lastDevice
    let connection =
      runsAutomations
      ? port.open(pairing, isNew: false) { [weak self] news in await self?.take(news, ofLeaving: id, number) } : nil
    leaving[id] = LeavingDevice(number: number, pairing: pairing, connection: connection)
  }

  /// Ends a pending removal.
  /// - Returns: its pairing; nil: there was none.
  func endLeaving(_ id: DeviceID) async -> DevicePairing? {
    guard let device = leaving.removeValue(forKey: id) else { return nil }
    await device.connection?.close()
    return device.pairing
  }

  /// Forgets the pairing with a device that is in no home.
  func drop(_ id: DeviceID) async throws(HomeError) {
    let reservation = try newReservation(id)
    defer { reservation.release() }
    guard let pairing = journal.unused[id] ?? leaving[id]?.pairing else {
      throw HomeError(
        .notFound, nil,
        index.accessories[id] == nil
          ? "the hub has no pairing with the device \(id): 'hapctl hub status' names those that are in no home"
          : "the device \(id) is in a home: 'hapctl home remove' removes it")
    }
    try await storeAndWait(
      forgetRows(pairing) + [.remove(.controllers, id: Self.leavingRow(id))] + owed.list(of: id).map(\.removal))
    owed.drop(id)
    journal.unused[id] = nil
    _ = await endLeaving(id)
  }

  private func take(_ news: DeviceNews, ofLeaving id: DeviceID, _ number: Int) async {
    guard phase == .running, let device = leaving[id], device.number == number else { return }
    switch news {
    case .connected:
      // The connection waits for the end of its news, so the request is sent later.
      loop.startTask { await self.removePairing(ofLeaving: device) }
    case .gaveUp: loop.startTask { await self.hasLeft(device) }
    case .lost, .database, .values, .violation: break
    }
  }

  private func removePairing(ofLeaving device: LeavingDevice) async {
    guard isLeaving(device), let connection = device.connection else { return }
    do throws(HomeError) {
      try await removeUsers(ofLeaving: device.pairing.device, connection)
      try await connection.removeController(Array(device.pairing.identity.identifier.utf8))
    } catch {
      guard isLeaving(device) else { return }
      note("the pairing with \(device.pairing.device) could not be removed: \(error.message)")
      // An adopted pairing may not be allowed to remove pairings. This does not change.
      if error.code == .insufficientPrivileges { return await hasLeft(device) }
      // If the connection is lost, the next one tries again. Otherwise the accessory refuses at present.
      try? await loop.sleep(for: Self.pauseAfterRefusal)
      if isLeaving(device) { await connection.drop() }
      return
    }
    await hasLeft(device)
  }

  static let pauseAfterRefusal = Duration.seconds(60)

  /// Whether the removal is pending, and has not been replaced by another one.
  private func isLeaving(_ device: LeavingDevice) -> Bool {
    phase == .running && leaving[device.pairing.device]?.number == device.number
  }

  private func hasLeft(_ device: LeavingDevice) async {
    guard isLeaving(device) else { return }
    let id = device.pairing.device
    // The rows are removed before rows of an addition of the same accessory are stored.
    let rest = owed.list(of: id).map(\.removal)
    owed.drop(id)
    do throws(HomeError) {
      try await storeAndWait([.remove(.pairings, id: id.text), .remove(.controllers, id: Self.leavingRow(id))] + rest)
    } catch { note(error.message) }
    if isLeaving(device) { _ = await endLeaving(id) }
  }
}
