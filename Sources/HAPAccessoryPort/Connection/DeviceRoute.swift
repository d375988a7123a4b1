import HAPController
import HAPLoop
import HAPModel
import HAPTransport

/// Finds the addresses of one device for each attempt to connect, and holds the attempt's place in the gate.
final class DeviceRoute: Sendable {
  /// The maximum wait for the record of a device without a known address, before the first attempt.
  private static let firstSearch = Duration.seconds(2)
  /// The number of former addresses that are kept.
  private static let room = 16

  private struct State: Sendable {
    var isTried = false
    /// The last known addresses, in the order of preference.
    var addresses: [SocketAddress]
  }

  private let number: UInt64
  private let device: DeviceID
  private let search: SharedSearch
  private let gate: HandshakeGate
  private let state: Guarded<State>

  /// - Parameters:
  ///   - number: of the connection, unique in the gate.
  ///   - addresses: the last known addresses, such as "192.0.2.7:51826". Other texts are skipped.
  init(
    _ number: UInt64, to device: DeviceID, knowing addresses: [String], _ search: SharedSearch, _ gate: HandshakeGate
  ) {
    (self.number, self.device, self.search, self.gate) = (number, device, search, gate)
    state = Guarded(State(addresses: addresses.compactMap { try? SocketAddress(text: $0) }))
  }

  /// Returns the addresses for an attempt, when it may begin: those of the record, then those that were known before.
  /// The first attempt does not wait for the record if an address is known: the connection gets those of the record
  /// later.
  func nextAddresses() async -> [SocketAddress] {
    let needsRecord = state.withLock { state in
      defer { state.isTried = true }
      return !state.isTried && state.addresses.isEmpty
    }
    if needsRecord { _ = await search.record(of: device, within: Self.firstSearch) }
    let isPresent = await search.record(of: device) != nil
    guard await gate.enter(number, isPresent: isPresent) else { return [] }
    // After the wait, because the device may have moved meanwhile.
    return prefer(await search.record(of: device)?.socketAddresses ?? [])
  }

  /// Puts addresses first.
  private func prefer(_ addresses: [SocketAddress]) -> [SocketAddress] {
    state.withLock { state in
      let known = Set(addresses)
      state.addresses = Array((addresses + state.addresses.filter { !known.contains($0) }).prefix(Self.room))
      return state.addresses
    }
  }

  /// The device is present now.
  func appeared() { gate.appeared(number) }

  /// Waits until no connection is being made.
  func waitForOthers(atMost limit: Duration) async { await gate.waitUntilQuiet(atMost: limit, on: search.loop) }

  /// Frees the place of the attempt. Can be called any number of times.
  func attemptEnded() { gate.leave(number) }
}
