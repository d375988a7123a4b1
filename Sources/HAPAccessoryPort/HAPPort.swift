import HAPController
import HAPHome
import HAPIP
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport

/// The port of HAP over IP. One search of the network serves all connections and searches; it runs as long as one of
/// them is open.
package final class HAPPort: AccessoryPort {
  /// The maximum number of connections that are being made at once. home.md §10.
  package static let mostHandshakes = 32
  /// The maximum time of a search for one accessory: it answers within one second, and receives three queries.
  private static let searchTime = Duration.seconds(5)
  /// The time to search for more accessories with the same setup ID after one was found.
  private static let timeForOthers = Duration.milliseconds(300)

  private let loop: EventLoop
  private let search: SharedSearch
  private let limits: HAPDeviceConnection.Limits
  let gate = HandshakeGate(limit: HAPPort.mostHandshakes)
  private let lastNumber = Guarded<UInt64>(0)

  /// - Parameters:
  ///   - loop: a running loop, on this machine or in a simulated world.
  ///   - interfaces: the names of the network interfaces to search; empty: all interfaces of the local network.
  package init(on loop: EventLoop, interfaces: [String] = []) {
    self.loop = loop
    search = SharedSearch(on: loop, interfaces: interfaces)
    limits = HAPDeviceConnection.Limits()
  }

  package func open(
    _ pairing: DevicePairing, isNew: Bool,
    onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) -> any DeviceConnection {
    let number = lastNumber.withLock { number in
      number += 1
      return number
    }
    let connection = HAPDeviceConnection(
      pairing, number: number, isNew: isNew, search, gate, limits, onNews: onNews)
    loop.startTask { await connection.start() }
    return connection
  }

  package func search(onNews: @escaping @Sendable (SearchNews) async -> Void) -> any AccessorySearching {
    HAPSearch(search, onNews)
  }

  // MARK: Pairing

  package func pair(
    with device: DeviceID?, code: String, as identity: ControllerIdentity, own: Set<DeviceID>,
    store: @escaping @Sendable (DevicePairing) async throws(HomeError) -> Void
  ) async throws(HomeError) -> DevicePairing {
    let subject = device.map { "the device \($0)" } ?? "the device of the setup payload"
    do {
      let secret = try SetupSecret(code)
      let found = try await find(device, secret, own)
      guard let device = found.device else { preconditionFailure("devices are found by their ID") }
      let pairing = try await withClient(of: found) { client in
        try await client.pair(
          code: secret.code, as: identity, at: found.addresses, timeout: limits.answer
        ) { pairing in
          try await store(DevicePairing(pairing, of: device, identity))
          return pairing
        }
      }
      return DevicePairing(pairing, of: device, identity)
    } catch ClientError.pairing(let failure) {
      throw HomeError(AccessError.pairSetup(failure), subject)
    } catch { throw HomeError(error, subject) }
  }

  package func identifyUnpaired(_ device: DeviceID) async throws(HomeError) {
    do {
      let found = try await find(device)
      try await withClient(of: found) { client in try await client.identifyUnpaired() }
    } catch { throw HomeError(error, "the device \(device)") }
  }

  /// Opens a plain connection for one operation.
  private func withClient<T: Sendable>(
    of found: FoundAccessory, _ body: (ControllerClient) async throws -> T
  ) async throws -> T {
    let client = try await OpenAccessory.connect(found.addresses, on: loop, timeout: limits.connect)
    let result: Result<T, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    await client.close()
    return try result.get()
  }

  /// Finds the device, or the one with the payload's setup ID, and compares the payload with its record.
  private func find(_ device: DeviceID?, _ secret: SetupSecret, _ own: Set<DeviceID>) async throws -> FoundAccessory {
    guard let device else {
      guard let id = secret.payload?.setupID else {
        throw HomeError(
          .invalidParameter, nil, "the setup code has no setup ID: name the device too, or give the text of its QR code"
        )
      }
      return try await find(id, own)
    }
    let found = try await find(device)
    if let id = secret.payload?.setupID, found.hasSetupID(id) == false { throw AccessError.otherAccessory(found, id) }
    return found
  }

  private func find(_ device: DeviceID) async throws -> FoundAccessory {
    try await searching { search in
      guard let found = await search.record(of: device, within: Self.searchTime) else {
        throw AccessError.notFound(
          .name(device.text), within: Self.searchTime, trouble: await search.trouble, nearest: nil)
      }
      return found
    }
  }

  private func find(_ id: SetupID, _ own: Set<DeviceID>) async throws -> FoundAccessory {
    try await searching { search in
      let isMeant: @Sendable (FoundAccessory) -> Bool = { $0.device != nil && $0.hasSetupID(id) == true }
      guard await search.firstRecord(within: Self.searchTime, isMeant) != nil else {
        throw AccessError.notFound(
          .setupID(id), within: Self.searchTime, trouble: await search.trouble, nearest: nil)
      }
      try await loop.sleep(for: Self.timeForOthers)
      let all = await search.records(isMeant)
      // Several accessories may have one setup ID. Those with a pairing can't be meant.
      let unpaired = all.filter { $0.isPaired != true }
      if unpaired.isEmpty, let device = all.lazy.compactMap(\.device).first(where: own.contains) {
        throw HomeError(
          .objectAlreadyAssociatedToHome, .o2,
          "the accessory of this setup payload, \(device), is already in a home of this hub: remove it there before it is added"
        )
      }
      let found = unpaired.isEmpty ? all : unpaired
      guard found.count < 2 else { throw AccessError.ambiguous(.setupID(id), found) }
      guard let only = found.first else {
        throw AccessError.notFound(.setupID(id), within: Self.searchTime, trouble: nil, nearest: nil)
      }
      return only
    }
  }

  private func searching<T: Sendable>(_ body: (SharedSearch) async throws -> T) async throws -> T {
    await search.begin()
    let result: Result<T, any Error>
    do { result = .success(try await body(search)) } catch { result = .failure(error) }
    await search.end()
    return try result.get()
  }
}

extension DevicePairing {
  fileprivate init(_ pairing: ControllerPairing, of device: DeviceID, _ identity: ControllerIdentity) {
    self.init(
      device: device, accessoryID: pairing.accessoryID, accessoryKey: pairing.accessoryKey, identity: identity,
      addresses: pairing.addresses)
  }
}

/// A search for a hub.
private final class HAPSearch: AccessorySearching {
  private struct State: Sendable {
    var isClosed = false
    var listener: UInt64?
  }

  private let search: SharedSearch
  private let state = Guarded(State())

  init(_ search: SharedSearch, _ onNews: @escaping @Sendable (SearchNews) async -> Void) {
    self.search = search
    search.loop.startTask { [state] in
      if state.withLock({ $0.isClosed }) { return }
      await search.begin()
      let listener = await search.addListener(onNews)
      let isClosed = state.withLock { state in
        state.listener = listener
        return state.isClosed
      }
      if isClosed { await Self.end(search, listener) }
    }
  }

  func close() {
    let listener = state.withLock { state -> UInt64? in
      defer { state = State(isClosed: true, listener: nil) }
      return state.isClosed ? nil : state.listener
    }
    if let listener { search.loop.startTask { [search] in await Self.end(search, listener) } }
  }

  private static func end(_ search: SharedSearch, _ listener: UInt64) async {
    await search.removeListener(listener)
    await search.end()
  }
}
