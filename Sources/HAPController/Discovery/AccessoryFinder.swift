import HAPIP
import HAPLoop
import HAPStore
import HAPTransport
import HAPWire

/// Finds accessories by their stored pairings and on the network, and connects to them.
package struct AccessoryFinder: Sendable {
  package let loop: EventLoop
  package let storage: SerialStorage
  /// The timeout for connecting, and for each answer.
  package let timeout: Duration
  /// The names of the interfaces to search; empty: all interfaces of the local network.
  package let interfaces: [String]
  package let progress: @Sendable (ControllerProgress) -> Void

  package init(
    on loop: EventLoop, storage: SerialStorage, timeout: Duration = .seconds(10), interfaces: [String] = [],
    progress: @escaping @Sendable (ControllerProgress) -> Void = { _ in }
  ) {
    self.loop = loop
    self.storage = storage
    self.timeout = timeout
    self.interfaces = interfaces
    self.progress = progress
  }

  /// The maximum time of a search. Accessories answer within one second, and receive three queries in this time.
  private static let longestSearch = Duration.seconds(5)
  /// The time to search for more accessories with the same name after one was found.
  private static let timeForOthers = Duration.milliseconds(300)

  /// Returns the stored pairings.
  package func knownPairings() throws -> [ControllerPairing] { try storage.pairings().map(\.pairing) }

  /// Reports tolerated deviations.
  func note(_ remarks: [Deviation]) { for remark in remarks { progress(.tolerated("\(remark)")) } }

  /// Connects to the accessory and runs Pair Verify.
  package func open(_ pairing: ControllerPairing) async throws -> OpenAccessory {
    let accessory = try await OpenAccessory.open(pairing, on: loop, timeout: timeout)
    note(await accessory.client.remarks)
    return accessory
  }

  /// Connects to the accessory at its stored address, or finds it on the network and stores that address. Returns it
  /// after Pair Verify.
  package func open(_ target: Target) async throws -> OpenAccessory {
    try await reach(target) { try await open($0) }
  }

  /// Runs an attempt with the target's pairing: first with the stored addresses, then with those where the accessory is
  /// found. Stores the found addresses if that attempt succeeds.
  package func reach<Outcome>(
    _ target: Target, _ attempt: (ControllerPairing) async throws -> Outcome
  ) async throws -> Outcome {
    let (pairing, found) = try await meant(target)
    guard let pairing else {
      throw AccessError.notPaired(target, found)
    }
    if let found { return try await reach(pairing, at: found.addresses, attempt) }
    do { return try await attempt(pairing) } catch {
      guard (error as? ClientError)?.isOfPlace == true else { throw error }
      // The accessory may have moved. If no other address is found, the first error is the useful one.
      let elsewhere = try await search(for: .name(pairing.accessoryName)).found.flatMap(\.addresses)
        .filter { !pairing.addresses.contains($0) }
      guard !elsewhere.isEmpty else { throw error }
      return try await reach(pairing, at: elsewhere, attempt)
    }
  }

  private func reach<Outcome>(
    _ pairing: ControllerPairing, at addresses: [String], _ attempt: (ControllerPairing) async throws -> Outcome
  ) async throws -> Outcome {
    var moved = pairing
    moved.addresses = addresses
    let outcome = try await attempt(moved)
    if pairing.addresses != addresses { try storage.storeAddresses(of: moved) }
    return outcome
  }

  /// Returns the pairing with this alias, device ID or address. Without one, returns the accessory that the search
  /// finds under this name, and its pairing if there is one.
  package func meant(_ target: Target) async throws -> (pairing: ControllerPairing?, found: FoundAccessory?) {
    let known = try knownPairings()
    if case .address = target { return (try known.pairing(for: target), nil) }
    if let pairing = try? known.pairing(for: target) { return (pairing, nil) }
    let found = try await find(target, knowing: known)
    return (found.pairing(among: known), found)
  }

  /// Returns the addresses of the accessory on the network; empty if it is not found.
  package func whereabouts(of pairing: ControllerPairing) async -> [SocketAddress] {
    let found = try? await search(for: .name(pairing.accessoryName)).found.flatMap(\.addresses)
    return (try? socketAddresses(found ?? [])) ?? []
  }

  /// Returns the addresses of an accessory without a stored pairing; nil if there is a pairing.
  func addressesOfStranger(_ target: Target) async throws -> [String]? {
    if case .address(let address) = target {
      return (try? knownPairings().pairing(for: target)) == nil ? ["\(address)"] : nil
    }
    let (pairing, found) = try await meant(target)
    return pairing == nil ? found?.addresses : nil
  }

  /// Makes an unpaired accessory identify itself. HAP R2 §6.7.6.
  /// - Throws: `AccessError.identifyForbidden`.
  /// - Returns: the accessory's addresses; nil if nothing was sent, because there is a stored pairing.
  package func identifyStranger(_ target: Target) async throws -> [String]? {
    guard let addresses = try await addressesOfStranger(target) else { return nil }
    let client = try await OpenAccessory.connect(addresses, on: loop, timeout: timeout)
    do { try await client.identifyUnpaired() } catch {
      await client.close()
      throw error
    }
    await client.close()
    return addresses
  }

  /// Returns the one accessory on the network that matches the target.
  /// - Throws: `AccessError.notFound`, `.ambiguous`.
  package func find(_ target: Target, knowing known: [ControllerPairing]) async throws -> FoundAccessory {
    progress(.searching)
    let result = try await search(for: target)
    if result.found.count > 1 { throw AccessError.ambiguous(target, result.found) }
    if let found = result.found.first {
      progress(.found(found.name))
      return found
    }
    var nearest: String?
    if case .name(let name) = target {
      let names = known.map(\.alias) + result.others.flatMap { [$0.name, $0.accessory.deviceID].compactMap { $0 } }
      nearest = nearestName(to: name, in: names)
    }
    throw AccessError.notFound(target, within: searchTime, trouble: result.trouble, nearest: nearest)
  }

  private var searchTime: Duration { min(timeout, Self.longestSearch) }

  private struct SearchResult {
    /// The matching accessories, by name.
    var found: [FoundAccessory] = []
    var others: [FoundAccessory] = []
    var trouble: String?
  }

  private func search(for target: Target) async throws -> SearchResult {
    let search = AccessorySearch(on: loop, interfaces: interfaces, limit: searchTime)
    let (all, trouble) = try await search.all { event, isEmpty in
      switch event {
      case .appeared(let found), .changed(let found):
        if found.isMeant(by: target) { search.end(after: Self.timeForOthers) }
      case .gone: break
      // Waiting longer doesn't help: the search itself failed.
      case .trouble: if isEmpty { search.close() }
      }
    }
    var result = SearchResult(trouble: trouble)
    for found in all {
      if found.isMeant(by: target) { result.found.append(found) } else { result.others.append(found) }
    }
    return result
  }
}

extension ClientError {
  /// Whether the accessory may have another address: no accessory, or a different one, is at this address.
  fileprivate var isOfPlace: Bool {
    switch self {
    case .unreachable: true
    case .pairing(let failure): if case .otherAccessory = failure.cause { true } else { false }
    default: false
    }
  }
}
