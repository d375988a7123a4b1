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
    if let device = addition.device {
      try reserve(device)
      defer { busyDevices.remove(device) }
      let pairing = journal.unused[device]
      return try await add(pairing, addition, for: client, answer)
    }
    return try await add(nil, addition, for: client, answer)
  }

  /// - Parameter stored: a pairing from an addition that did not end, for example because the hub was killed.
  private func add(
    _ stored: DevicePairing?, _ addition: AccessoryAddition, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    let pairing: DevicePairing
    if let stored {
      pairing = stored
    } else {
      let identity = journal.identity ?? newIdentity()
      pairing = try await port.pair(with: addition.device, code: addition.code, as: identity) {
        [weak self] pairing async throws(HomeError) in
        guard let self else { throw HomeError.hubEnds }
        try await keep(pairing)
      }
    }
    // Without a device in the request, the device is known only now.
    if addition.device == nil { try reserve(pairing.device) }
    defer { if addition.device == nil { busyDevices.remove(pairing.device) } }
    let device = open(pairing)
    do throws(HomeError) {
      let description = try await database(of: device)
      return try await finish(device, answer, for: client) { draft throws(HomeError) in
        try draft.perform(.addDevice(home: addition.home, description))
      }
    } catch {
      throw await undo(device, error)
    }
  }

  private func newIdentity() -> ControllerIdentity {
    let loop = loop
    return ControllerIdentity(drawnFrom: RandomSource { loop.fillRandom($0) })
  }

  /// Stores a new pairing, and the hub's identity with the first one.
  private func keep(_ pairing: DevicePairing) async throws(HomeError) {
    guard phase == .running else { throw HomeError.hubEnds }
    let isFirst = journal.identity == nil
    if !isFirst, journal.identity?.identifier != pairing.identity.identifier {
      // Another first pairing ended before. Its identity is in the store now.
      throw HomeError(.accessoryIsBusy, nil, "another accessory was added at the same time: add this one again")
    }
    try await storeAndWait(pairing.rows(controller: HubContents.ownIdentity, withIdentity: isFirst))
    journal.identity = pairing.identity
    journal.unused[pairing.device] = pairing
  }

  /// Takes back an addition that was refused. If the accessory can't be reached, the pairing stays for the next one.
  /// - Returns: the error for the app.
  private func undo(_ device: HubDevice, _ error: HomeError) async -> HomeError {
    guard phase == .running else { return error }
    var isRemoved = device.state == .ended
    if device.state == .ready {
      do throws(HomeError) {
        try await device.connection.removeController(Array(device.pairing.identity.identifier.utf8))
        isRemoved = true
      } catch {}
    }
    await close(device)
    let pairing = device.pairing
    if isRemoved {
      journal.unused[pairing.device] = nil
      do throws(HomeError) { try await storeAndWait(forgetRows(pairing)) } catch { note(error) }
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
    guard adoption.accessoryKey.count == 32,
      let identity = ControllerIdentity(identifier: adoption.controllerID, seed: adoption.controllerSeed)
    else {
      throw HomeError(
        .invalidParameter, nil,
        "the pairing with \(adoption.device) is invalid: keys have 32 bytes, and an identifier has 1 to 36")
    }
    try reserve(adoption.device)
    defer { busyDevices.remove(adoption.device) }
    let pairing = DevicePairing(
      device: adoption.device, accessoryID: Array(adoption.device.text.utf8), accessoryKey: adoption.accessoryKey,
      identity: identity, addresses: adoption.addresses.filter { !$0.contains("\n") })
    try await storeAndWait(pairing.rows(controller: Self.adoptedRow(adoption.device), withIdentity: true))
    let device = open(pairing)
    do throws(HomeError) {
      let description = try await database(of: device)
      return try await finish(device, answer, for: client) { draft throws(HomeError) in
        try draft.adopt(adoption, description)
      }
    } catch {
      // The other controller still has the pairing, so it is only forgotten here.
      await close(device)
      if phase == .running {
        do throws(HomeError) { try await storeAndWait(forgetRows(pairing)) } catch { note(error) }
      }
      throw error
    }
  }

  // MARK: Removing

  /// Removes the pairing at the accessory, then the accessory.
  func remove(
    _ id: HomeObjectID, forgets: Bool, for client: HubClient?, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    guard let (_, accessory) = model.accessory(id) else { throw HomeError.unknown(.accessory, id) }
    guard accessory.bridge == nil else {
      throw HomeError(
        .cannotRemoveNonBridgeAccessory, .a2, "the accessory \"\(accessory.name)\" is bridged: remove its bridge")
    }
    guard busyDevices.insert(accessory.deviceID).inserted else { throw Self.isBusy(accessory.deviceID) }
    defer { busyDevices.remove(accessory.deviceID) }
    let device = devices[accessory.deviceID]
    if let device, device.state != .ended {
      do throws(HomeError) {
        if device.state == .connecting { await wait(for: device, atMost: .seconds(2)) }
        guard device.state == .ready || forgets else {
          throw HomeError(
            .accessoryNotReachable, nil,
            "the accessory \"\(accessory.name)\" can't be reached (\(device.why ?? "")), so it would keep its pairing: "
              + "switch it on, or remove it with --forget")
        }
        if device.state == .ready {
          try await device.connection.removeController(Array(device.pairing.identity.identifier.utf8))
        }
      } catch { if !forgets { throw error } }
    }
    guard phase == .running else { throw HomeError.hubEnds }
    let rows = device.map { forgetRows($0.pairing) } ?? [.remove(.pairings, id: accessory.deviceID.text)]
    let result = await withCheckedContinuation { continuation in
      change(for: client, with: rows) { draft throws(HomeError) in
        try draft.perform(.removeAccessory(id))
      } done: { result in
        answer(result.map { .changed($0) })
        continuation.resume(returning: result)
      }
    }
    if case .success = result, let device { await close(device) }
    return nil
  }

  // MARK: Steps

  /// - Throws: 13, 11 if the device is in a home; 14 if it is being added or removed.
  private func reserve(_ device: DeviceID) throws(HomeError) {
    if let entry = index.accessories[device]?.values.first, let home = model.home(entry.home) {
      throw HomeError(
        .objectAlreadyAssociatedToHome, .o2,
        "the device \(device) is already in the home \"\(home.name)\": remove it there before it is added")
    }
    guard busyDevices.insert(device).inserted else { throw Self.isBusy(device) }
  }

  private static func isBusy(_ device: DeviceID) -> HomeError {
    HomeError(.accessoryIsBusy, nil, "the device \(device) is being added or removed: try again later")
  }

  /// Waits for the first database of a device.
  private func database(of device: HubDevice) async throws(HomeError) -> DeviceDescription {
    let timer = LoopTimer(loop)
    defer { timer.close() }
    return try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<DeviceDescription, HomeError>, Never>) in
      device.onDatabase = { result in
        device.onDatabase = nil
        continuation.resume(returning: result)
      }
      timer.onFire = {
        device.onDatabase?(
          .failure(HomeError(.accessoryNotReachable, nil, "the accessory did not send its database within 30 s")))
      }
      timer.start(after: Self.databaseLimit)
    }.get()
  }

  /// Adds an accessory with its command, and answers.
  private func finish(
    _ device: HubDevice, _ answer: @escaping Answer, for client: HubClient,
    _ plan: @escaping (inout HubDraft) throws(HomeError) -> Void
  ) async throws(HomeError) -> HubAnswer? {
    let result = await withCheckedContinuation { continuation in
      change(for: client, plan) { result in
        if case .success(let changes) = result {
          self.journal.unused[device.id] = nil
          answer(.success(.added(changes.addedAccessories, changes)))
        }
        continuation.resume(returning: result)
      }
    }
    _ = try result.get()
    return nil
  }

  private static func adoptedRow(_ device: DeviceID) -> String { "adopted \(device)" }

  /// The ID of the row with the identity of a pairing.
  func controllerRow(of pairing: DevicePairing) -> String {
    pairing.identity.identifier == journal.identity?.identifier
      ? HubContents.ownIdentity : Self.adoptedRow(pairing.device)
  }

  private func forgetRows(_ pairing: DevicePairing) -> [HomeRowChange] {
    let rows: [HomeRowChange] = [
      .remove(.pairings, id: pairing.device.text), .remove(.databases, id: pairing.device.text),
    ]
    let row = controllerRow(of: pairing)
    return row == HubContents.ownIdentity ? rows : rows + [.remove(.controllers, id: row)]
  }
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
