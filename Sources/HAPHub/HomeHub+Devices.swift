import HAPAccessoryPort
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPStore

// The connections with devices, and their news.
extension HomeHub {
  /// Opens a connection, which is kept.
  @discardableResult
  func open(_ pairing: DevicePairing, isNew: Bool = false) -> HubDevice {
    lastDevice += 1
    let (number, id) = (lastDevice, pairing.device)
    let connection = port.open(pairing, isNew: isNew) { [weak self] news in await self?.take(news, of: id, number) }
    let device = HubDevice(pairing, connection, number: number, isNew: isNew)
    devices[id] = device
    return device
  }

  /// Forgets a connection and closes it.
  func close(_ device: HubDevice) async {
    forget(device)
    await device.connection.close()
  }

  /// Forgets a connection, whose later news are ignored.
  func forget(_ device: HubDevice) {
    guard devices[device.id] === device else { return }
    devices[device.id] = nil
    scenes.connection(device.id, is: .ended, at: sceneTime)
    performScenes()
    device.resumeWaiters()
  }

  // MARK: News

  private func take(_ news: DeviceNews, of id: DeviceID, _ number: Int) async {
    if phase == .new { await begun() }
    guard phase == .running, let device = devices[id], device.number == number else { return }
    switch news {
    case .connected(let address): connected(device, address)
    case .lost(let why): connectionLost(device, why)
    case .gaveUp(let why): gaveUp(device, why)
    case .database(let description):
      if device.isNew { device.introduce(.success(description)) } else { update(device, description) }
    case .values(let values, let isCatchUp): take(values, isCatchUp: isCatchUp, from: device)
    case .violation(let text): violated(device, text)
    }
  }

  private func connected(_ device: HubDevice, _ address: String) {
    device.state = .ready
    device.why = nil
    device.address = address
    scenes.connection(device.id, is: .ready, at: sceneTime)
    performScenes()
    device.resumeWaiters()
    device.forgetSubscriptions()
    requestSubscription(device)
    reachability.connected(device.id, at: sceneTime.uptime)
    armFollowTimer()
    catchUp(subscribed(of: device.id))
    storeAddress(address, of: device)
    owed.retry(device.id)
    if !owed.list(of: device.id).isEmpty { loop.startTask { await self.sendOwed(to: device.id) } }
  }

  func connectionLost(_ device: HubDevice, _ why: String) {
    // The reason of the end stays.
    guard device.state != .ended else { return }
    device.why = why
    reachability.lost(device.id, why: why, at: sceneTime.uptime)
    armFollowTimer()
    // Further attempts that fail are no news.
    guard device.state == .ready else { return }
    device.state = .connecting
    // Those who wait for its subscriptions.
    device.resumeWaiters()
    valuesLost(of: device.id)
    scenes.connection(device.id, is: .connecting, at: sceneTime)
    performScenes()
  }

  private func gaveUp(_ device: HubDevice, _ why: String) {
    let owner = index.accessories[device.id]?.values.first.flatMap { model.home($0.home) }.flatMap { home in
      home.copy == nil ? nil : home.users[0].name
    }
    end(
      device,
      owner.map { "the accessory does not accept the pairing any more: \($0) has removed this user, or has reset it" }
        ?? "the accessory does not accept the pairing any more, so it was reset: remove and add it (\(why))")
    device.introduce(
      .failure(HomeError(.accessoryPairingFailed, nil, "the accessory does not accept the pairing: \(why)")))
  }

  /// No connection is opened any more.
  func end(_ device: HubDevice, _ reason: String) {
    let wasReady = device.state == .ready
    if wasReady { valuesLost(of: device.id) }
    device.state = .ended
    device.why = reason
    scenes.connection(device.id, is: .ended, at: sceneTime)
    performScenes()
    device.resumeWaiters()
    reachability.lost(device.id, why: reason, at: sceneTime.uptime)
    armFollowTimer()
    if !wasReady {
      // They were reported to be unreachable before, with another reason.
      for entry in index.accessories(of: device.id) {
        publish(.reachability(entry.id, isReachable: false, why: reason))
      }
    }
  }

  /// - Parameter aid: nil: of any accessory of the device.
  func valuesLost(of device: DeviceID, _ aid: UInt64? = nil) {
    let lost = Set(subscribed(of: device, aid))
    if lost.isEmpty { return }
    feed {
      self.engine.valuesLost(lost)
      return []
    }
  }

  private func take(_ values: [DeviceValue], isCatchUp: Bool, from device: HubDevice) {
    heard(values.map { ($0.id, $0.status) }, from: device.id)
    var readings: [CharacteristicReading] = []
    for value in values {
      guard let id = index.characteristic(value.id, of: device.id), let target = index.targets[id] else { continue }
      if let code = HomeError.Code(status: value.status, isBridged: target.isBridged) {
        let error = HomeError(code, nil, "\(name(of: id)): the accessory reported the status \(value.status)")
        readings.append(CharacteristicReading(id, error: error))
      } else if let value = value.value {
        readings.append(CharacteristicReading(id, value: value.inKind(of: target.format)))
      }
    }
    passFirst {
      for reading in readings {
        if let value = reading.value { pass(value, of: reading.characteristic, isCatchUp: isCatchUp) }
      }
    } then: {
      publish(readings, isCatchUp: isCatchUp)
    }
  }

  /// Passes a value to the engine, and to reads whose answer can be older.
  func pass(_ value: Value, of id: HomeObjectID, isCatchUp: Bool) {
    overtake(id, value) { self.engine.value(value, of: id, isCatchUp: isCatchUp) }
  }

  /// Passes a value that the hub wrote to the engine.
  func passWritten(_ value: Value, of id: HomeObjectID) {
    overtake(id, value) { self.engine.written(value, of: id) }
  }

  private func overtake(_ id: HomeObjectID, _ value: Value, _ input: @escaping () -> [EngineAction]) {
    for read in reads.values { read.overtake(id, value) }
    if automation.subscribed.contains(id) { feedValue(of: id, input) }
  }

  // MARK: Changes of the database

  func update(_ device: HubDevice, _ description: DeviceDescription) {
    guard let home = index.accessories[device.id]?.values.first?.home, model.home(home)?.copy == nil else { return }
    change(for: nil) { draft throws(HomeError) in
      try draft.perform(.updateDevice(home: home, description))
    } done: { result in
      guard case .failure(let error) = result, self.phase == .running else { return }
      if error.code == .accessorySentInvalidResponse {
        self.violated(device, error.message)
      } else {
        self.note(error.message)
      }
    }
  }

  /// Stores the address, where the device is searched first after a restart.
  private func storeAddress(_ address: String, of device: HubDevice) {
    // The row of a device that is being removed must not be stored again.
    guard !device.addresses.contains(address), index.accessories[device.id] != nil,
      reserved[device.id]?.isHeld != true
    else { return }
    device.addresses = [address]
    var pairing = device.pairing
    pairing.addresses = [address]
    store(pairing.rows(controller: controllerRow(of: pairing), withIdentity: false)) { error in
      if let error { self.note("the address of \(pairing.device) could not be stored: \(error)") }
    }
  }

  private func violated(_ device: HubDevice, _ text: String) {
    note("the device \(device.id) broke the protocol: \(text.prefix(300))")
    guard violations.violation(of: device.id, at: sceneTime.uptime),
      let accessory = index.accessories(of: device.id).first(where: { !$0.isBridged })
    else { return }
    change(for: nil) { draft throws(HomeError) in
      try draft.perform(.blockAccessory(accessory.id))
    } done: { result in
      // Later violations count again.
      if case .failure = result { self.violations.forgive(device.id) }
    }
  }

  // MARK: The model has changed

  /// Adapts the index, the subscriptions and the requests to changes of the model.
  func modelChanged(by changes: [HomeChange]) {
    endFiresOfRemovedTriggers()
    for change in changes {
      switch change.detail {
      case .userRemoved(let id):
        persons[id] = nil
        dropTokens()
      case .homeRemoved:
        let users = Set(model.homes.lazy.flatMap(\.users).map(\.id))
        persons = persons.filter { users.contains($0.key) }
        dropTokens()
      default: continue
      }
    }
    for case .accessoryUnblocked(let id) in changes.lazy.map(\.detail) {
      if let device = model.accessory(id)?.accessory.deviceID { violations.forgive(device) }
    }
    guard changes.contains(where: \.detail.movesCharacteristics) else { return }
    index = HubIndex(model)
    dropAuthorizations()
    for client in clients { client.subscribed = client.subscribed.filter { index.targets[$0] != nil } }
    membersChanged()
    refreshSubscriptions()
  }

  // MARK: Subscriptions

  /// Requests exactly the events that the engine and the apps want.
  func refreshSubscriptions() {
    var wanted: [DeviceID: Set<AttributeID>] = [:]
    for id in clients.reduce(automation.subscribed, { $0.union($1.subscribed) }) {
      if let target = index.targets[id] { wanted[target.device, default: []].insert(target.id) }
    }
    for device in devices.values.sorted(by: { $0.id < $1.id }) {
      device.wanted = wanted[device.id] ?? []
      requestSubscription(device)
    }
  }

  private func requestSubscription(_ device: HubDevice) {
    guard phase == .running, let ids = device.nextSubscription(at: sceneTime.uptime) else { return }
    loop.startTask { [self] in
      await device.connection.subscribe(exactly: ids)
      device.subscriptionEnded()
      requestSubscription(device)
      // Only requests of apps for subscriptions wait for a device that is ready.
      if device.state == .ready, device.requestingSince == nil { device.resumeWaiters() }
    }
  }

  /// Waits until the accessories with a connection have answered the subscriptions. Afterwards, events of the characteristics
  /// are not missed. An accessory that has not answered for 2 s delays no app.
  func waitForSubscriptions(to ids: [HomeObjectID]) async {
    for id in Set(ids.compactMap { index.targets[$0]?.device }).sorted() {
      while phase == .running, let device = devices[id], device.state == .ready, let begin = device.requestingSince {
        let rest = .seconds(2) - (sceneTime.uptime - begin)
        if rest <= .zero { break }
        await wait(for: device, atMost: rest) { device.state == .ready && device.requestingSince != nil }
      }
    }
  }
}
