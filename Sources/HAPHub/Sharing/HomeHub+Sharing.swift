import HAPAccessoryPort
import HAPController
import HAPCrypto
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel

// The owner's hub shares a home with a user who has another hub. home.md §12.
extension HomeHub {
  /// Shares a home: each device that can be reached gets the user's pairing, and the others get it later. If a device
  /// refuses, nothing is shared: half a home would be useless.
  ///
  /// Before anything is sent, the store gets the opposite: a hub that ends in between takes the pairings back.
  func share(
    _ sharing: HomeSharing, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    let request = try ShareRequest(sharing.request)
    guard let home = model.home(sharing.home) else { throw HomeError.unknownHome(sharing.home) }
    // The rules that the user breaks are known before anything is sent.
    var trial = HubDraft(model, HomeContext(now: wall, zoneRules: zoneRules), LoopRandom(loop))
    try add(request, to: home.id, sharing.role, &trial)
    guard SigningKey.agreementKey(of: request.controller.publicKey) != nil else {
      throw HomeError(
        .invalidParameter, nil, "the key of the request is not valid: write the request again with the user's hub")
    }
    guard home.devices.allSatisfy({ devices[$0] != nil }) else { throw HomeError.missingPairing(home) }
    guard owed.pending[home.id] == nil else {
      throw HomeError(.accessoryIsBusy, nil, "the home \"\(home.name)\" is being shared: wait for the end")
    }
    // The identifier is not used: the user has none yet.
    let user = HomeUser(id: home.id, name: request.name, role: sharing.role, controller: request.controller)
    let pairings = home.devices.map { OwedPairing($0, request.controller.identifier) }
    try await hold(pairings, for: user, home.id)
    do throws(HomeError) {
      let identity = try await storedIdentity()
      try await send(pairings)
      try await changeAndWait(for: client) { draft throws(HomeError) in
        try self.add(request, to: home.id, sharing.role, &draft)
      } answer: { changes in
        self.owed.pending[home.id] = nil
        answer(self.shared(changes, home.id, request.controller, identity).map { .shared($0) })
      }
      for pairing in pairings { dropConfirmed(of: pairing.device) }
      return nil
    } catch {
      // All devices are to forget the user, besides those that never knew it.
      owed.pending[home.id] = nil
      await sendAndWait(pairings)
      throw error
    }
  }

  /// Stores that the devices are to forget a user who is not in the home, and lets them get the user's pairing.
  private func hold(_ pairings: [OwedPairing], for user: HomeUser, _ home: HomeObjectID) async throws(HomeError) {
    owed.pending[home] = user
    let former = pairings.map { owed[$0] }
    for (pairing, entry) in zip(pairings, former) {
      owed.renew(pairing, isHeld: true, mayKnow: entry?.mayKnow ?? false)
    }
    do throws(HomeError) { try await storeAndWait(pairings.map(\.row)) } catch {
      owed.pending[home] = nil
      for (pairing, entry) in zip(pairings, former) where owed[pairing]?.isHeld == true { owed[pairing] = entry }
      throw error
    }
    for pairing in pairings { owed[pairing]?.isHeld = false }
  }

  /// Adds the user of a request.
  private func add(
    _ request: ShareRequest, to id: HomeObjectID, _ role: HomeUser.Role, _ draft: inout HubDraft
  ) throws(HomeError) {
    guard let home = draft.model.home(id) else { throw HomeError.unknownHome(id) }
    let known = home.users.first { $0.controller?.identifier == request.controller.identifier }
    if let known {
      throw HomeError(
        .alreadyExists, .u1,
        "the hub of the request is that of the user \"\(known.name)\" already: renew the share instead")
    }
    guard !ownIdentifiers.contains(request.controller.identifier) else {
      throw HomeError(.invalidParameter, .u1, "the request is from this hub itself: make one with the hub of the user")
    }
    var trial = draft
    for case .userAdded(var user) in try trial.perform(.addUser(home: id, name: request.name, role: role)).map(\.detail)
    {
      user.controller = request.controller
      draft.apply([HomeChange(id, .userAdded(user))])
    }
  }

  /// The identifiers with which accessories know this hub.
  private var ownIdentifiers: Set<String> {
    let pairings = devices.values.map(\.pairing) + journal.unused.values + leaving.values.map(\.pairing)
    return Set(pairings.map(\.identity.identifier) + (journal.identity.map { [$0.identifier] } ?? []))
  }

  /// Sends pairings to all devices at once.
  private func sendAndWait(_ pairings: [OwedPairing]) async {
    guard phase == .running else { return }
    let tasks = pairings.map { pairing in loop.startTask { await self.sendOwed(to: pairing.device) } }
    for task in tasks { await task.value }
  }

  /// - Throws: the refusal of a device, with its name; 91 if the hub ends.
  private func send(_ pairings: [OwedPairing]) async throws(HomeError) {
    await sendAndWait(pairings)
    guard phase == .running else { throw HomeError.hubEnds }
    for pairing in pairings {
      guard let error = owed[pairing]?.error, error.isRefusal else { continue }
      let name = index.accessories(of: pairing.device).first.flatMap { model.accessory($0.id)?.accessory.name.text }
      throw HomeError(
        error.code, .u1,
        "the accessory \"\(name ?? pairing.device.text)\" refuses the user's pairing, so nothing was shared: \(error.message)"
      )
    }
  }

  private func shared(
    _ changes: [HomeChange], _ id: HomeObjectID, _ controller: UserController, _ identity: ControllerIdentity
  ) -> Result<SharedHome, HomeError> {
    guard let home = model.home(id), let user = home.users.first(where: { $0.controller == controller }) else {
      return .failure(HomeError.unknownHome(id))
    }
    // The user is added, so the answer has the changes in any case. The document can be written again.
    let text = try? document(of: home, for: user, identity)
    let later = home.accessories.filter {
      $0.bridge == nil && owed[OwedPairing($0.deviceID, controller.identifier)] != nil
    }
    return .success(SharedHome(user: user.id, document: text, later: later.map(\.id), changes: changes))
  }

  /// Writes the home again for a user, because it has changed.
  func renewShare(_ id: HomeObjectID) async throws(HomeError) -> String {
    let identity = try await storedIdentity()
    guard let home = model.homes.first(where: { $0.users.find(id) != nil }), let user = home.users.find(id) else {
      throw HomeError.unknown(.user, id)
    }
    if home.copy != nil { throw HomeError.copy(home) }
    return try document(of: home, for: user, identity)
  }

  private func document(
    of home: Home, for user: HomeUser, _ identity: ControllerIdentity
  ) throws(HomeError) -> String {
    guard let controller = user.controller else {
      throw HomeError(
        .operationNotSupported, .u1,
        "\"\(user.name)\" has no own hub: remove the user, and share the home with a request of the user's hub")
    }
    let copy = HomeCopy(user: user.id, issued: wall)
    let reached = home.devices.compactMap { id in
      devices[id].map {
        ShareDocument.Device(
          id: id, accessoryID: $0.pairing.accessoryID, accessoryKey: $0.pairing.accessoryKey,
          addresses: Array($0.addresses.prefix(HubLimits.addresses)))
      }
    }
    guard reached.count == home.devices.count else { throw HomeError.missingPairing(home) }
    let document = ShareDocument(home.shared(copy, by: identity.controller), copy, reached)
    let loop = loop
    guard let text = document.text(for: controller, by: identity, RandomSource { loop.fillRandom($0) }) else {
      throw HomeError(
        .invalidParameter, nil,
        "the key of \"\(user.name)\" is not valid: remove the user, and share the home with a new request")
    }
    return text
  }

  /// Writes a request to share a home with the user of this hub.
  func requestShare(_ name: String) async throws(HomeError) -> String {
    let name = try HomeName.checked(name, HomePolicy()).text
    return ShareRequest.text(name: name, try await storedIdentity())
  }

  /// The hub's identity, which is stored before others learn of it.
  func storedIdentity() async throws(HomeError) -> ControllerIdentity {
    let identity = ownIdentity()
    guard UserController(identifier: identity.identifier, publicKey: identity.publicKey) != nil else {
      throw HomeError(
        .operationNotSupported, nil,
        "the pairing identifier of this hub is not printable ASCII, so homes can't be shared: restore a backup of the hub"
      )
    }
    try await storeAndWait([identity.row])
    return identity
  }
}

extension HomeError {
  fileprivate static func missingPairing(_ home: Home) -> HomeError {
    HomeError(
      .operationNotSupported, nil,
      "the pairing of an accessory of \"\(home.name)\" is not stored: restore a backup, or remove the accessory")
  }
}
