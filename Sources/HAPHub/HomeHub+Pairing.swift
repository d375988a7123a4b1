import HAPAccessoryPort
import HAPController
import HAPCrypto
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPStore

// Accessories are added, adopted and removed. home.md §6: a pairing is durable at the accessory, then in the store, then
// the accessory is in the model, then the app gets its answer.
extension HomeHub {
  /// The time for the first connection and the database of a new accessory.
  private static let databaseLimit = Duration.seconds(30)

  // MARK: Adding

  /// Pairs with an accessory and adds it to a home.
  func add(
    _ addition: AccessoryAddition, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    guard model.home(addition.home) != nil else { throw HomeError.unknownHome(addition.home) }
    try checkIsOwn(addition.home)
    var early: DeviceReservation?
    if let device = addition.device { early = try reserve(device) }
    let new: NewPairing
    let reservation: DeviceReservation
    do throws(HomeError) {
      new = try await pair(addition, for: client)
      // The pairing is stored, so it is used when the accessory is added again.
      guard phase == .running else { throw HomeError.hubEnds }
      // Without a device in the request, the device is known only now.
      if let early { reservation = early } else { reservation = try reserve(new.pairing.device) }
    } catch {
      early?.release()
      throw error
    }
    guard journal.unused[new.pairing.device] != nil else {
      reservation.release()
      throw HomeError(
        .operationCancelled, nil,
        "the pairing with \(new.pairing.device) was dropped during the addition: reset the accessory, and add it again")
    }
    let device = open(new.pairing, isNew: true)
    do throws(HomeError) {
      let description = try await database(of: device)
      try await finish(device, reservation, answer, for: client) { draft throws(HomeError) in
        try draft.perform(.addDevice(home: addition.home, description))
      }
      return nil
    } catch {
      let error = await undo(device, error, leaves: new.wasLeaving)
      reservation.release()
      throw error
    }
  }

  /// A pairing for an addition.
  private struct NewPairing {
    let pairing: DevicePairing
    /// Whether the accessory was to lose it: if the addition is refused, it still is.
    var wasLeaving = false
  }

  /// Pairs with an accessory, or returns the stored pairing of an addition that did not end, for example because the hub
  /// was killed.
  private func pair(_ addition: AccessoryAddition, for client: HubClient?) async throws(HomeError) -> NewPairing {
    if let device = addition.device, client?.app.user != nil, journal.unused[device] != nil || leaving[device] != nil {
      // It needs no code, and may be of another home.
      throw HomeError(
        .accessoryIsBusy, nil, "the hub has a pairing with this accessory already: only its owner can add it")
    }
    if let device = addition.device, let stored = journal.unused[device] { return NewPairing(pairing: stored) }
    if let device = addition.device, let stored = await endLeaving(device) {
      return NewPairing(pairing: try await take(back: stored), wasLeaving: true)
    }
    guard phase == .running else { throw HomeError.hubEnds }
    lastDevice += 1
    let (number, port, identity, own) = (lastDevice, port, ownIdentity(), members)
    // The end of the hub cancels it.
    let task = loop.startTask { () async -> Result<DevicePairing, HomeError> in
      do throws(HomeError) {
        return .success(
          try await port.pair(with: addition.device, code: addition.code, as: identity, own: own) {
            [weak self] pairing async throws(HomeError) in
            guard let self else { throw HomeError.hubEnds }
            try await keep(pairing)
          })
      } catch { return .failure(error) }
    }
    openPairings[number] = task
    defer { openPairings[number] = nil }
    return NewPairing(pairing: try await task.value.get())
  }

  /// Uses the pairing of an accessory that was to lose it.
  private func take(back pairing: DevicePairing) async throws(HomeError) -> DevicePairing {
    let rows =
      pairing.rows(controller: controllerRow(of: pairing), withIdentity: true)
      + [.remove(.controllers, id: Self.leavingRow(pairing.device))]
    do throws(HomeError) { try await storeAndWait(rows) } catch {
      if phase == .running { leave(pairing) }
      throw error
    }
    journal.unused[pairing.device] = pairing
    return pairing
  }

  /// The identity for pairings. Accessories that are added at the same time get the same one.
  func ownIdentity() -> ControllerIdentity {
    if let identity = journal.identity { return identity }
    let loop = loop
    let identity = ControllerIdentity(drawnFrom: RandomSource { loop.fillRandom($0) })
    journal.identity = identity
    return identity
  }

  /// Stores a new pairing with the hub's identity, which may not be stored yet.
  private func keep(_ pairing: DevicePairing) async throws(HomeError) {
    guard phase == .running else { throw HomeError.hubEnds }
    // An accessory that was reset may have been paired again, by its setup payload.
    _ = await endLeaving(pairing.device)
    try await storeAndWait(
      pairing.rows(controller: HubContents.ownIdentity, withIdentity: true)
        + [.remove(.controllers, id: Self.leavingRow(pairing.device))])
    journal.unused[pairing.device] = pairing
  }

  /// Takes back an addition that was refused. If the accessory can't be reached, the pairing stays for the next one.
  /// - Parameter leaves: whether the accessory was to lose its pairing before.
  /// - Returns: the error for the app.
  private func undo(_ device: HubDevice, _ error: HomeError, leaves: Bool) async -> HomeError {
    guard phase == .running else { return error }
    var isRemoved = device.state == .ended
    if device.state == .ready {
      owed.blocked.insert(device.id)
      defer { owed.blocked.remove(device.id) }
      do throws(HomeError) {
        try await removeUsers(ofLeaving: device.id, device.connection)
        try await device.connection.removeController(Array(device.pairing.identity.identifier.utf8))
        isRemoved = true
      } catch {}
    }
    await close(device)
    let pairing = device.pairing
    if isRemoved {
      journal.unused[pairing.device] = nil
      let rows = forgetRows(pairing) + owed.list(of: pairing.device).map(\.removal)
      owed.drop(pairing.device)
      do throws(HomeError) { try await storeAndWait(rows) } catch { note(error.message) }
      return error
    }
    if leaves {
      journal.unused[pairing.device] = nil
      do throws(HomeError) { try await storeAndWait(leavingRows(pairing)) } catch { note(error.message) }
      if phase == .running { leave(pairing) }
      return error
    }
    return HomeError(
      error.code, error.rule,
      "\(error.message); the accessory is paired with this hub but not in a home: add it again")
  }

  // MARK: Adopting

  /// Takes over a pairing of another controller.
  func adopt(
    _ adoption: PairingAdoption, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    guard model.home(adoption.home) != nil else { throw HomeError.unknownHome(adoption.home) }
    try checkIsOwn(adoption.home)
    guard adoption.accessoryKey.count == 32,
      let identity = ControllerIdentity(identifier: adoption.controllerID, seed: adoption.controllerSeed)
    else {
      throw HomeError(
        .invalidParameter, nil,
        "the pairing with \(adoption.device) is invalid: keys have 32 bytes, and an identifier has 1 to 36")
    }
    guard journal.unused[adoption.device] == nil else {
      throw HomeError(
        .alreadyExists, nil, "the device \(adoption.device) is paired with this hub already: add it instead")
    }
    let reservation = try reserve(adoption.device)
    let pairing = DevicePairing(
      device: adoption.device, accessoryID: Array(adoption.device.text.utf8), accessoryKey: adoption.accessoryKey,
      identity: identity, addresses: adoption.addresses.filter { !$0.contains("\n") })
    let former = await endLeaving(adoption.device)
    var opened: HubDevice?
    do throws(HomeError) {
      try await storeAndWait(
        pairing.rows(controller: Self.adoptedRow(adoption.device), withIdentity: true)
          + [.remove(.controllers, id: Self.leavingRow(adoption.device))])
      guard phase == .running else { throw HomeError.hubEnds }
      let device = open(pairing, isNew: true)
      opened = device
      let description = try await database(of: device)
      try await finish(device, reservation, answer, for: client) { draft throws(HomeError) in
        try draft.adopt(adoption, description)
      }
      if let former { await removeFormer(former, at: device) }
      return nil
    } catch {
      // The other controller still has the pairing, so it is only forgotten here.
      if let opened { await close(opened) }
      if phase == .running, opened != nil {
        let rows = former.map(leavingRows) ?? []
        do throws(HomeError) { try await storeAndWait(forgetRows(pairing) + rows) } catch { note(error.message) }
      }
      if let former, phase == .running { leave(former) }
      reservation.release()
      throw error
    }
  }

  /// Removes the pairing that an adopted accessory had with the hub and was to lose. It may refuse, because the adopted
  /// pairing may not change pairings.
  private func removeFormer(_ former: DevicePairing, at device: HubDevice) async {
    let identifier = former.identity.identifier
    guard identifier != device.pairing.identity.identifier else { return }
    do throws(HomeError) { try await device.connection.removeController(Array(identifier.utf8)) } catch {
      note("the former pairing with \(device.id) could not be removed: \(error.message)")
    }
  }

  // MARK: Steps

  /// - Throws: 13, 11 if the device is in a home; 14 if it is being added or removed.
  private func reserve(_ device: DeviceID) throws(HomeError) -> DeviceReservation {
    if let entry = index.accessories[device]?.values.first, let home = model.home(entry.home) {
      throw HomeError(
        .objectAlreadyAssociatedToHome, .o2,
        "the device \(device) is already in the home \"\(home.name)\": remove it there before it is added")
    }
    return try newReservation(device)
  }

  func newReservation(_ device: DeviceID) throws(HomeError) -> DeviceReservation { try newReservation(for: [device]) }

  /// Reserves all devices, or none.
  func newReservation(for devices: [DeviceID]) throws(HomeError) -> DeviceReservation {
    for device in devices where reserved[device]?.isHeld == true {
      throw HomeError(.accessoryIsBusy, nil, "the device \(device) is being added or removed: try again later")
    }
    reserved = reserved.filter(\.value.isHeld)
    let reservation = DeviceReservation()
    for device in devices { reserved[device] = reservation }
    return reservation
  }

  /// Waits for the first database of a device.
  private func database(of device: HubDevice) async throws(HomeError) -> DeviceDescription {
    let timer = LoopTimer(loop)
    defer { timer.close() }
    timer.onFire = {
      device.introduce(
        .failure(
          HomeError(
            .accessoryNotReachable, nil,
            "the accessory did not send its database within 30 s: \(device.why ?? "no answer")")))
    }
    timer.start(after: Self.databaseLimit)
    let result = await withCheckedContinuation { continuation in
      device.whenIntroduced { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Adds an accessory with its command, and answers.
  private func finish(
    _ device: HubDevice, _ reservation: DeviceReservation, _ answer: @escaping Answer, for client: HubClient,
    _ plan: @escaping (inout HubDraft) throws(HomeError) -> Void
  ) async throws(HomeError) {
    _ = try await withCheckedContinuation { continuation in
      change(for: client, plan) { result in
        if case .success(let changes) = result {
          self.journal.unused[device.id] = nil
          let last = device.introduction
          device.isNew = false
          // The database may have changed meanwhile.
          if case .success(let last) = last { self.update(device, last) }
          reservation.release()
          answer(.success(.added(changes.addedAccessories, changes)))
        }
        continuation.resume(returning: result)
      }
    }.get()
  }

  private static func adoptedRow(_ device: DeviceID) -> String { "adopted \(device)" }

  /// The ID of the row with the identity of a pairing.
  func controllerRow(of pairing: DevicePairing) -> String {
    pairing.identity.identifier == journal.identity?.identifier
      ? HubContents.ownIdentity : Self.adoptedRow(pairing.device)
  }

  func forgetRows(_ pairing: DevicePairing) -> [HomeRowChange] {
    let rows: [HomeRowChange] = [
      .remove(.pairings, id: pairing.device.text), .remove(.databases, id: pairing.device.text),
    ]
    let row = controllerRow(of: pairing)
    return row == HubContents.ownIdentity ? rows : rows + [.remove(.controllers, id: row)]
  }
}

/// The right to add or remove devices, which one request has at a time. Belongs to the hub.
final class DeviceReservation {
  private(set) var isHeld = true
  func release() { isHeld = false }
}

extension [HomeChange] {
  /// The new accessories, a bridge first.
  fileprivate var addedAccessories: [HomeObjectID] {
    compactMap { if case .accessoryAdded(let accessory) = $0.detail { accessory.id } else { nil } }
  }
}

extension HubDraft {
  /// Adds a device, with the rooms and names of another controller.
  fileprivate mutating func adopt(_ adoption: PairingAdoption, _ device: DeviceDescription) throws(HomeError) {
    let changes = try perform(.addDevice(home: adoption.home, device))
    for case .accessoryAdded(let accessory) in changes.map(\.detail) {
      if let name = adoption.names[accessory.aid], name != accessory.name.text {
        try perform(.rename(accessory.id, name))
      }
      guard let name = adoption.rooms[accessory.aid] else { continue }
      try perform(.moveAccessory(accessory.id, room: room(name, in: adoption.home)))
    }
  }

  /// Returns the room with a name, which is added if necessary.
  private mutating func room(_ name: String, in id: HomeObjectID) throws(HomeError) -> HomeObjectID {
    guard let home = model.home(id) else { throw HomeError.unknownHome(id) }
    let key = HomeName(name).key
    if let room = ([home.roomForEntireHome] + home.rooms).first(where: { $0.name.key == key }) { return room.id }
    for case .roomAdded(let room) in try perform(.addRoom(home: id, name: name)).map(\.detail) { return room.id }
    preconditionFailure("a room was added")
  }
}
