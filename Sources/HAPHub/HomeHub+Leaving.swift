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
      ? port.open(pairing) { [weak self] news in await self?.take(news, ofLeaving: id, number) } : nil
    leaving[id] = LeavingDevice(number: number, pairing: pairing, connection: connection)
  }

  /// Ends a pending removal.
  /// - Returns: its pairing; nil: there was none.
  func endLeaving(_ id: DeviceID) async -> DevicePairing? {
    guard let device = leaving.removeValue(forKey: id) else { return nil }
    await device.connection?.close()
    return device.pairing
  }

  private func take(_ news: DeviceNews, ofLeaving id: DeviceID, _ number: Int) async {
    guard phase == .running, let device = leaving[id], device.number == number else { return }
    switch news {
    case .connected:
      // The connection waits for the end of its news, so the request is sent later.
      loop.startTask { await self.removePairing(ofLeaving: device) }
    case .gaveUp: loop.startTask { await self.hasLeft(device.pairing) }
    case .lost, .database, .values, .violation: break
    }
  }

  private func removePairing(ofLeaving device: LeavingDevice) async {
    let pairing = device.pairing
    guard phase == .running, leaving[pairing.device]?.number == device.number, let connection = device.connection
    else { return }
    // If this fails, the next connection tries again.
    do throws(HomeError) { try await connection.removeController(Array(pairing.identity.identifier.utf8)) } catch {
      return note("the pairing with \(pairing.device) could not be removed: \(error.message)")
    }
    guard leaving[pairing.device]?.number == device.number else { return }
    await hasLeft(pairing)
  }

  private func hasLeft(_ pairing: DevicePairing) async {
    guard await endLeaving(pairing.device) != nil, phase == .running else { return }
    let rows: [HomeRowChange] = [
      .remove(.pairings, id: pairing.device.text), .remove(.controllers, id: Self.leavingRow(pairing.device)),
    ]
    do throws(HomeError) { try await storeAndWait(rows) } catch { note(error.message) }
  }
}
