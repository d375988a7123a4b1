import HAPAccessoryPort
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPLoop
import HAPModel

extension HomeHub {
  /// The greatest number of characteristics in a request.
  private static let mostInRequest = 100
  /// The time for which a request waits for a connection, as for writes.
  private static let connectionLimit = ScenePolicy().connectionLimit

  /// Reads characteristics for an app.
  func read(_ ids: [HomeObjectID]) async -> [CharacteristicReading] {
    await withCheckedContinuation { continuation in
      startRead(ids, limit: nil) { continuation.resume(returning: $0.readings) }
    }
  }

  /// Reads characteristics: all devices at once, at most 100 in a request.
  /// - Parameters:
  ///   - limit: the time after which the values that are there are used; nil: waits for all devices.
  ///   - done: called once.
  func startRead(_ ids: [HomeObjectID], limit: Duration?, done: @escaping (HubRead) -> Void) {
    let timer = limit.map { _ in LoopTimer(loop) }
    let read = HubRead(ids, limit: timer) { read in
      self.reads[ObjectIdentifier(read)] = nil
      done(read)
    }
    reads[ObjectIdentifier(read)] = read
    if let limit {
      timer?.onFire = { read.end() }
      timer?.start(after: limit)
    }
    var readable: [HomeObjectID] = []
    for id in Set(ids) {
      if let error = readError(id) { read.failed(id, error) } else { readable.append(id) }
    }
    let groups = index.byDevice(readable.sorted())
    if groups.isEmpty { return read.end() }
    read.begin(groups.count)
    for (device, ids) in groups { loop.startTask { await self.read(ids, of: device, for: read) } }
  }

  /// Returns why a characteristic can't be read.
  private func readError(_ id: HomeObjectID) -> HomeError? {
    guard let target = index.targets[id] else { return .unknown(.characteristic, id) }
    guard target.permissions.contains(.pairedRead) else {
      return HomeError(.writeOnlyCharacteristic, nil, "\(name(of: id)) can't be read")
    }
    do throws(HomeError) {
      _ = try usableDevice(target.device)
      return nil
    } catch { return error }
  }

  private func read(_ ids: [HomeObjectID], of device: DeviceID, for read: HubRead) async {
    defer { read.deviceEnded() }
    var rest = ids[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.mostInRequest)
      rest = rest.dropFirst(part.count)
      do throws(HomeError) {
        let connection = try await readyConnection(device)
        let wanted = part.compactMap { id in index.targets[id].map { (id, $0) } }
        let values = try await connection.read(wanted.map(\.1.id))
        take(values, of: wanted, from: device, for: read)
      } catch {
        for id in part { read.failed(id, error) }
      }
    }
  }

  private func take(
    _ values: [DeviceValue], of wanted: [(HomeObjectID, HubIndex.Target)], from device: DeviceID, for read: HubRead
  ) {
    heard(values.map { ($0.id, $0.status) }, from: device)
    let answers = Dictionary(values.map { ($0.id, $0) }) { first, _ in first }
    for (id, target) in wanted {
      guard let answer = answers[target.id] else {
        read.failed(
          id, HomeError(.accessorySentInvalidResponse, nil, "the answer of the accessory has no \(name(of: id))"))
        continue
      }
      if let code = HomeError.Code(status: answer.status, isBridged: target.isBridged) {
        read.failed(
          id, HomeError(code, nil, "\(name(of: id)): \(HomeError.Code.explanation(ofStatus: answer.status))"))
      } else {
        read.got(id, answer.value?.inKind(of: target.format) ?? .null)
      }
    }
  }

  /// Reads values for the engine that events did not report, and passes them.
  func catchUp(_ ids: some Sequence<HomeObjectID>) {
    for (device, ids) in index.byDevice(ids) where devices[device]?.state == .ready {
      startRead(ids, limit: nil) { read in
        for id in ids {
          if let value = read.values[id] { self.feed { self.engine.value(value, of: id, isCatchUp: true) } }
        }
      }
    }
  }

  // MARK: Connections

  /// Returns a device that may be used.
  /// - Throws: 61 for a blocked one; 4 without a pairing, or if the connection has ended.
  func usableDevice(_ id: DeviceID) throws(HomeError) -> HubDevice {
    if index.blocked.contains(id) {
      throw HomeError(
        .accessoryIsBlocked, nil, "the accessory is blocked because it broke the protocol: unblock it")
    }
    guard let device = devices[id] else {
      throw HomeError(.accessoryNotReachable, nil, "the accessory can't be reached: \(Self.noPairing)")
    }
    guard device.state != .ended else {
      throw HomeError(.accessoryNotReachable, nil, device.why ?? "the accessory can't be reached")
    }
    return device
  }

  /// Returns the connection of a device. If there is none, it is waited for at most 2 s.
  func readyConnection(_ id: DeviceID) async throws(HomeError) -> any DeviceConnection {
    let device = try usableDevice(id)
    await wait(for: device, atMost: Self.connectionLimit) { device.state == .connecting }
    guard devices[id] === device, device.state == .ready else {
      throw HomeError(
        .accessoryNotReachable, nil,
        "the accessory can't be reached: \(device.why ?? "it is removed"): check that it has power")
    }
    return device.connection
  }

  /// Waits until each connection is ready or has ended. A program that embeds the hub for a moment begins its work then.
  /// - Parameter limit: the longest time. A connection that is not ready then stays "not reachable" for the program.
  package func waitForConnections(atMost limit: Duration) async {
    let start = sceneTime.uptime
    for device in devices.values.sorted(by: { $0.id < $1.id }) {
      let rest = limit - (sceneTime.uptime - start)
      await wait(for: device, atMost: rest) { device.state == .connecting && rest > .zero }
    }
  }

  /// Waits until a connection is ready or has ended, or until one that is ready has the wanted subscriptions.
  /// - Parameter isNeeded: whether there is something to wait for. Called twice, because other code of the hub may run
  ///   between a check and the wait.
  func wait(for device: HubDevice, atMost limit: Duration, while isNeeded: () -> Bool) async {
    guard isNeeded() else { return }
    await withCheckedContinuation { continuation in
      // The end of the hub or of the connection may have resumed all waiters before this closure.
      guard phase == .running, devices[device.id] === device, isNeeded() else { return continuation.resume() }
      device.add(continuation, atMost: limit, on: loop)
    }
  }
}
