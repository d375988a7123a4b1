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
  func open(_ pairing: DevicePairing) -> HubDevice {
    lastDevice += 1
    let (number, id) = (lastDevice, pairing.device)
    let connection = port.open(pairing) { [weak self] news in await self?.take(news, of: id, number) }
    let device = HubDevice(pairing, connection, number: number)
    devices[id] = device
    refreshReachability(of: device)
    return device
  }

  /// Closes a connection and forgets it.
  func close(_ device: HubDevice) async {
    if devices[device.id] === device { devices[device.id] = nil }
    scenes.connection(device.id, is: .ended, at: sceneTime)
    performScenes()
    device.resumeWaiters()
    await device.connection.close()
  }

  // MARK: News

  private func take(_ news: DeviceNews, of id: DeviceID, _ number: Int) {
    guard phase == .running, let device = devices[id], device.number == number else { return }
    switch news {
    case .connected(let address): connected(device, address)
    case .lost(let why):
      connectionLost(device, why)
      device.onDatabase?(.failure(HomeError(.accessoryNotReachable, nil, "the accessory can't be reached: \(why)")))
    case .gaveUp(let why): gaveUp(device, why)
    case .database(let description):
      if let onDatabase = device.onDatabase { return onDatabase(.success(description)) }
      update(device, description)
    case .values(let values, let isCatchUp): take(values, isCatchUp: isCatchUp, from: device)
    case .violation(let text): violated(device, text)
    }
  }

  private func connected(_ device: HubDevice, _ address: String) {
    device.state = .ready
    device.why = nil
    device.address = address
    device.lost = [:]
    scenes.connection(device.id, is: .ready, at: sceneTime)
    performScenes()
    device.resumeWaiters()
    refreshReachability(of: device)
    catchUp(automation.subscribed.filter { isOf(device.id, nil, $0) }.sorted())
    storeAddress(address, of: device)
  }

  func connectionLost(_ device: HubDevice, _ why: String) {
    // Further attempts that fail are no news.
    guard device.state == .ready else { return }
    device.state = .connecting
    device.why = why
    valuesLost { isOf(device.id, nil, $0) }
    scenes.connection(device.id, is: .connecting, at: sceneTime)
    performScenes()
    refreshReachability(of: device)
  }

  private func gaveUp(_ device: HubDevice, _ why: String) {
    if device.state == .ready { valuesLost { isOf(device.id, nil, $0) } }
    device.state = .ended
    device.why = "the accessory does not accept the pairing any more, so it was reset: remove and add it (\(why))"
    scenes.connection(device.id, is: .ended, at: sceneTime)
    performScenes()
    device.resumeWaiters()
    refreshReachability(of: device)
    device.onDatabase?(
      .failure(HomeError(.accessoryPairingFailed, nil, "the accessory does not accept the pairing: \(why)")))
  }

  private func valuesLost(_ isLost: (HomeObjectID) -> Bool) {
    let lost = automation.subscribed.filter(isLost)
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
        readings.append(CharacteristicReading(id, value: value))
      }
    }
    publish(readings, isCatchUp: isCatchUp)
    for reading in readings {
      if let value = reading.value { pass(value, of: reading.characteristic, isCatchUp: isCatchUp) }
    }
  }

  /// Passes a value to the engine, and to reads whose answer can be older.
  func pass(_ value: Value, of id: HomeObjectID, isCatchUp: Bool) {
    for read in reads.values { read.overtake(id, value) }
    if automation.subscribed.contains(id) {
      feed { self.engine.value(value, of: id, isCatchUp: isCatchUp) }
    }
  }

  // MARK: Changes of the database

  private func update(_ device: HubDevice, _ description: DeviceDescription) {
    guard let home = index.accessories[device.id]?.values.first?.home, !busyDevices.contains(device.id) else { return }
    change(for: nil) { draft throws(HomeError) in
      try draft.perform(.updateDevice(home: home, description))
    } done: { result in
      guard case .failure(let error) = result, self.phase == .running else { return }
      if error.code == .accessorySentInvalidResponse {
        self.violated(device, error.message)
      } else {
        self.note(error)
      }
    }
  }

  /// Stores the address, where the device is searched first after a restart.
  private func storeAddress(_ address: String, of device: HubDevice) {
    guard !device.addresses.contains(address), index.accessories[device.id] != nil else { return }
    device.addresses = [address]
    var pairing = device.pairing
    pairing.addresses = [address]
    store(pairing.rows(controller: controllerRow(of: pairing), withIdentity: false)) { error in
      if let error { self.report(error, "the address of \(pairing.device)") }
    }
  }

  private func violated(_ device: HubDevice, _ text: String) {
    note(HomeError(.accessorySentInvalidResponse, nil, "\(device.id) broke the protocol: \(text)"))
    guard device.violations.add(at: sceneTime.uptime), !index.blocked.contains(device.id),
      let accessory = index.accessories(of: device.id).first(where: { !$0.isBridged })
    else { return }
    change(for: nil) { draft throws(HomeError) in try draft.perform(.blockAccessory(accessory.id)) }
  }

  // MARK: The model has changed

  /// Adapts the index, the subscriptions and the requests to changes of the model.
  func modelChanged(by changes: [HomeChange], from before: HomeModel) {
    endFiresOfRemovedTriggers()
    for case .userRemoved(let id) in changes.lazy.map(\.detail) { persons[id] = nil }
    for case .accessoryUnblocked(let id) in changes.lazy.map(\.detail) {
      if let device = model.accessory(id)?.accessory.deviceID { devices[device]?.violations = ViolationCounter() }
    }
    guard changes.contains(where: \.detail.movesCharacteristics) else { return }
    index = HubIndex(model)
    for client in apps.values { client.subscribed = client.subscribed.filter { index.targets[$0] != nil } }
    reachability.keep(Set(model.homes.lazy.flatMap(\.accessories).map(\.id)))
    for device in devices.values { refreshReachability(of: device) }
    refreshSubscriptions()
  }

  // MARK: Subscriptions

  /// Requests exactly the events that the engine and the apps want.
  func refreshSubscriptions() {
    var wanted: [DeviceID: Set<AttributeID>] = [:]
    for id in apps.values.reduce(automation.subscribed, { $0.union($1.subscribed) }) {
      if let target = index.targets[id] { wanted[target.device, default: []].insert(target.id) }
    }
    for device in devices.values {
      device.wanted = wanted[device.id] ?? []
      requestSubscription(device)
    }
  }

  private func requestSubscription(_ device: HubDevice) {
    guard phase == .running, let ids = device.nextSubscription() else { return }
    loop.startTask { [self] in
      await device.connection.subscribe(exactly: ids)
      device.subscriptionEnded()
      requestSubscription(device)
    }
  }

  // MARK: Reachability

  /// Whether the last answer about an accessory was that its bridge can't reach it.
  func isUnreachableBehindBridge(_ accessory: HomeObjectID) -> Bool {
    guard let found = model.accessory(accessory)?.accessory else { return false }
    return devices[found.deviceID]?.lost[found.aid] != nil
  }

  /// Notes from statuses which bridged accessories can be reached.
  func heard(_ statuses: [(id: AttributeID, status: Int)], from id: DeviceID) {
    guard let device = devices[id], statuses.contains(where: { $0.id.aid != 1 }) else { return }
    var hasChanged = false
    var unreachable: Set<UInt64> = []
    for (id, status) in statuses where id.aid != 1 && status == Self.unableToCommunicate {
      unreachable.insert(id.aid)
      if device.lost.updateValue(HubDevice.Lost(since: sceneTime.uptime), forKey: id.aid) == nil {
        hasChanged = true
        valuesLost { self.isOf(device.id, id.aid, $0) }
      }
    }
    for (id, _) in statuses where !unreachable.contains(id.aid) && device.lost[id.aid] != nil {
      guard let characteristic = index.characteristic(id, of: device.id),
        index.targets[characteristic]?.isInformation == false
      else { continue }
      device.lost[id.aid] = nil
      hasChanged = true
      // Its values may have changed meanwhile.
      catchUp(automation.subscribed.filter { isOf(device.id, id.aid, $0) }.sorted())
    }
    if hasChanged { refreshReachability(of: device) } else { armReachTimer() }
  }

  private static let unableToCommunicate = Int(HAPStatus.unableToCommunicate.rawValue)

  /// - Parameter aid: nil: any accessory of the device.
  private func isOf(_ device: DeviceID, _ aid: UInt64?, _ id: HomeObjectID) -> Bool {
    index.targets[id].map { $0.device == device && (aid == nil || $0.id.aid == aid) } ?? false
  }

  func refreshReachability(of device: HubDevice) {
    let time = sceneTime.uptime
    for entry in index.accessories(of: device.id) {
      let why = device.state == .ready ? device.lost[entry.aid].map { _ in "its bridge can't reach it" } : device.why
      reachability.set(entry.id, why, at: time)
    }
    armReachTimer()
  }

  private func armReachTimer() {
    guard let timer = reachTimer.value else { return }
    let queries = devices.values.lazy.filter { $0.state == .ready }.flatMap(\.lost.values).map(\.next).min()
    if let next = [reachability.nextDeadline, queries].compactMap({ $0 }).min() {
      timer.start(after: max(.zero, next - sceneTime.uptime))
    } else {
      timer.cancel()
    }
  }

  func reachTimerFired() {
    guard phase == .running else { return }
    let time = sceneTime.uptime
    for (id, why) in reachability.takeDue(at: time) { publish(.reachability(id, isReachable: why == nil, why: why)) }
    for device in devices.values.sorted(by: { $0.id < $1.id }) where device.state == .ready {
      for (aid, lost) in device.lost.sorted(by: { $0.key < $1.key }) where lost.next <= time {
        device.lost[aid]?.next = time + HubDevice.Lost.period
        query(aid, of: device)
      }
    }
    armReachTimer()
  }

  /// Reads a value of a bridged accessory, to learn whether it can be reached again.
  private func query(_ aid: UInt64, of device: HubDevice) {
    guard let entry = index.accessories[device.id]?[aid],
      let accessory = model.accessory(entry.id)?.accessory
    else { return }
    let readable = accessory.services.lazy.flatMap(\.characteristics).map(\.id).first {
      self.index.targets[$0].map { !$0.isInformation && $0.permissions.contains(.pairedRead) } ?? false
    }
    if let readable { startRead([readable], limit: nil) { _ in } }
  }
}
