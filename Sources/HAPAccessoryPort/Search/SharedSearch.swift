import HAPController
import HAPLoop
import HAPModel
import HAPTransport

/// The one search of the network for all connections and searches of a port. It runs as long as it has a user.
actor SharedSearch {
  nonisolated let loop: EventLoop
  private let interfaces: [String]
  private var userCount = 0
  private var isRunning = false
  /// Whether the running search was closed. Its last events are ignored.
  private var isEnding = false
  private var running: AccessorySearch?

  /// The records of the devices that are present.
  private var devices: [DeviceID: FoundAccessory] = [:]
  /// The device of each instance name: two devices may have one name one after the other, and a device may change its
  /// name.
  private var owners: [String: DeviceID] = [:]
  /// The reason why the network can't be searched now.
  private(set) var trouble: String?

  private var lastNumber: UInt64 = 0
  private var watches: [DeviceID: [UInt64: @Sendable (FoundAccessory) async -> Void]] = [:]
  private var listeners: [UInt64: SearchListener] = [:]
  private var waits: [UInt64: Wait] = [:]
  /// Those that wait for one device: there may be one for each of hundreds of devices.
  private var deviceWaits: [DeviceID: [UInt64: CheckedContinuation<FoundAccessory?, Never>]] = [:]

  private struct Wait {
    let isWanted: @Sendable (FoundAccessory) -> Bool
    let continuation: CheckedContinuation<FoundAccessory?, Never>
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// - Parameter interfaces: the names of the interfaces; empty: all interfaces of the local network.
  init(on loop: EventLoop, interfaces: [String]) { (self.loop, self.interfaces) = (loop, interfaces) }

  // MARK: Users

  /// Searches until `end` is called as often as `begin`.
  func begin() {
    userCount += 1
    if isRunning { return }
    isRunning = true
    loop.startTask { await self.run() }
  }

  func end() {
    precondition(userCount > 0, "a search ended more often than it began")
    userCount -= 1
    guard userCount == 0 else { return }
    isEnding = true
    running?.close()
    forgetDevices()
  }

  private func forgetDevices() {
    for device in devices.keys.sorted() { remove(device) }
    owners = [:]
    trouble = nil
  }

  private func run() async {
    var backOff = BackOff()
    while userCount > 0 {
      isEnding = false
      let search = AccessorySearch(on: loop, interfaces: interfaces, limit: nil)
      running = search
      for await event in search.events {
        if case .trouble = event {} else { backOff.reset() }
        if !isEnding { await take(event) }
      }
      running = nil
      if isEnding { continue }
      // A search that ends by itself could not start, or had too many unread events.
      let reason = trouble
      forgetDevices()
      trouble = reason
      // A stopped loop runs no timer.
      do { try await loop.sleep(for: backOff.delay()) } catch { break }
    }
    isRunning = false
  }

  // MARK: Records

  /// The record of a device that is present.
  func record(of device: DeviceID) -> FoundAccessory? { devices[device] }

  /// The records that meet a condition, by device ID.
  func records(_ isWanted: (FoundAccessory) -> Bool) -> [FoundAccessory] {
    devices.sorted { $0.key < $1.key }.map(\.value).filter(isWanted)
  }

  /// Waits until a device is present.
  func record(of device: DeviceID, within time: Duration) async -> FoundAccessory? {
    let number = nextNumber()
    return await withCheckedContinuation { continuation in
      // Checked here, because a record may arrive before this closure runs.
      if let found = devices[device] { return continuation.resume(returning: found) }
      deviceWaits[device, default: [:]][number] = continuation
      loop.startTask {
        try? await self.loop.sleep(for: time)
        self.endDeviceWait(device, number)
      }
    }
  }

  private func endDeviceWait(_ device: DeviceID, _ number: UInt64) {
    deviceWaits[device]?.removeValue(forKey: number)?.resume(returning: nil)
    if deviceWaits[device]?.isEmpty == true { deviceWaits[device] = nil }
  }

  /// Waits until a record meets a condition.
  /// - Returns: nil if there is none within this time.
  func firstRecord(
    within time: Duration, _ isWanted: @escaping @Sendable (FoundAccessory) -> Bool
  ) async -> FoundAccessory? {
    let number = nextNumber()
    return await withCheckedContinuation { continuation in
      // As above.
      if let found = records(isWanted).first { return continuation.resume(returning: found) }
      waits[number] = Wait(isWanted: isWanted, continuation: continuation)
      loop.startTask {
        try? await self.loop.sleep(for: time)
        self.endWait(number, nil)
      }
    }
  }

  private func endWait(_ number: UInt64, _ found: FoundAccessory?) {
    waits.removeValue(forKey: number)?.continuation.resume(returning: found)
  }

  // MARK: Watching

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Reports each later record of a device, including unchanged ones.
  /// - Returns: a number for `unwatch`, and the present record.
  func watch(
    _ device: DeviceID, _ report: @escaping @Sendable (FoundAccessory) async -> Void
  ) -> (number: UInt64, present: FoundAccessory?) {
    let number = nextNumber()
    watches[device, default: [:]][number] = report
    return (number, devices[device])
  }

  func unwatch(_ device: DeviceID, _ number: UInt64) {
    watches[device]?.removeValue(forKey: number)
    if watches[device]?.isEmpty == true { watches.removeValue(forKey: device) }
  }

  /// Reports all devices that are present, and then all changes.
  /// - Returns: a number for `removeListener`.
  func addListener(_ onNews: @escaping @Sendable (SearchNews) async -> Void) -> UInt64 {
    let number = nextNumber()
    let listener = SearchListener(loop, onNews: onNews)
    listeners[number] = listener
    for (_, found) in devices.sorted(by: { $0.key < $1.key }) { listener.add(.seen(found)) }
    if let trouble { listener.add(.trouble(trouble)) }
    return number
  }

  func removeListener(_ number: UInt64) { listeners.removeValue(forKey: number)?.close() }

  // MARK: Events

  private func take(_ event: AccessorySighting) async {
    switch event {
    case .appeared(let found), .changed(let found):
      trouble = nil
      guard let device = found.device else { return }
      await take(found, of: device)
    case .gone(let found):
      guard let device = owners.removeValue(forKey: found.name) else { return }
      // A device with another name now is still present.
      if devices[device]?.name == found.name { remove(device) }
    case .trouble(let reason):
      trouble = reason
      report(.trouble(reason))
    }
  }

  private func take(_ found: FoundAccessory, of device: DeviceID) async {
    let former = owners.updateValue(device, forKey: found.name)
    if let former, former != device, devices[former]?.name == found.name { remove(former) }
    devices[device] = found
    report(.seen(found))
    for (_, wait) in (deviceWaits.removeValue(forKey: device) ?? [:]).sorted(by: { $0.key < $1.key }) {
      wait.resume(returning: found)
    }
    for (number, wait) in waits.sorted(by: { $0.key < $1.key }) where wait.isWanted(found) { endWait(number, found) }
    for (_, watch) in (watches[device] ?? [:]).sorted(by: { $0.key < $1.key }) { await watch(found) }
  }

  private func remove(_ device: DeviceID) {
    if devices.removeValue(forKey: device) != nil { report(.gone(device)) }
  }

  private func report(_ news: SearchListener.News) {
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener.add(news) }
  }
}

extension FoundAccessory {
  /// The device ID; nil: the record has none, or its `id` is not one.
  var device: DeviceID? { accessory.deviceID.flatMap { DeviceID($0) } }

  /// The addresses of the record.
  var socketAddresses: [SocketAddress] { addresses.compactMap { try? SocketAddress(text: $0) } }
}
