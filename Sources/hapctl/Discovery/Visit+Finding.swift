import HAPCommandLine
import HAPLoop
import HAPProtocol
import HAPStore
import HAPTransport
import HAPWire

extension Visit {
  /// How long an accessory is looked for: they answer within a second, and are asked three times in this.
  private static let longestSearch = Duration.seconds(5)
  /// How long to look for others of a name when one is found.
  private static let timeForOthers = Duration.milliseconds(300)

  /// The accessory, verified: where its pairing says, or where it is found on the network, which is kept then.
  func open(on loop: EventLoop) async throws -> OpenAccessory {
    try await reach(on: loop) { try await open($0, on: loop) }
  }

  /// Does what takes a verified connection with the pairing that is meant: at the addresses that are kept, or at those where the accessory
  /// is found, which are kept when it was really there.
  func reach<Outcome>(on loop: EventLoop, _ attempt: (ControllerPairing) async throws -> Outcome) async throws
    -> Outcome
  {
    let (pairing, found) = try await meant(on: loop)
    guard let pairing else {
      throw Failure(
        .problem, "\(found.map(\.title) ?? "it") has no pairing here: 'hapctl pair \(quoted)' makes one, with --code")
    }
    if let found { return try await reach(pairing, at: found.addresses, attempt) }
    do { return try await attempt(pairing) } catch {
      guard (error as? ClientError)?.isOfPlace == true else { throw error }
      // It may have moved. That it isn't found elsewhere is no news beside why it doesn't answer where it was.
      let elsewhere = try await search(for: .name(pairing.accessoryName), on: loop).found.flatMap(\.addresses)
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
    if pairing.addresses != addresses { try store().keep(moved) }
    return outcome
  }

  /// The pairing that is meant, by its alias, device ID or address; else the accessory that is found by that name, with the pairing
  /// that we have with it.
  func meant(on loop: EventLoop) async throws -> (pairing: ControllerPairing?, found: FoundAccessory?) {
    let known = try store().pairings()
    if case .address = target { return (try known.pairing(for: target), nil) }
    if let pairing = try? known.pairing(for: target) { return (pairing, nil) }
    let found = try await find(target, knowing: known, on: loop)
    return (found.pairing(among: known), found)
  }

  /// Where the network says that the accessory is; nothing where it doesn't.
  func whereabouts(of pairing: ControllerPairing, on loop: EventLoop) async -> [SocketAddress] {
    let found = try? await search(for: .name(pairing.accessoryName), on: loop).found.flatMap(\.addresses)
    return (try? socketAddresses(found ?? [])) ?? []
  }

  /// Where an accessory is that we have no pairing with; nil: we have one.
  func addressesOfStranger(on loop: EventLoop) async throws -> [String]? {
    if case .address(let address) = target {
      return (try? store().pairings().pairing(for: target)) == nil ? ["\(address)"] : nil
    }
    let (pairing, found) = try await meant(on: loop)
    return pairing == nil ? found?.addresses : nil
  }

  /// The one accessory on the network that is meant.
  func find(_ target: Target, knowing known: [ControllerPairing], on loop: EventLoop) async throws -> FoundAccessory {
    let result = try await search(for: target, on: loop)
    if result.found.count > 1 {
      let all = result.found.map(\.title).joined(separator: ", ")
      throw Failure(
        .usage, "\(result.found.count) accessories are \(target.inWords): \(all); name one by its address")
    }
    if let found = result.found.first { return found }
    let search =
      result.trouble.map { "it can't be looked for: \($0)" }
      ?? "none was found on the network in \(searchTime.components.seconds) s"
    guard case .name(let name) = target else {
      let hint = "give its address (hapctl pair HOST:PORT), or run 'hapctl discover' to list accessories"
      throw Failure(.cannotRun, "no accessory is \(target.inWords): \(search); \(hint)")
    }
    let names = known.map(\.alias) + result.others.flatMap { [$0.name, $0.accessory.deviceID].compactMap { $0 } }
    let meant = nearestName(to: name, in: names).map { "; did you mean \(shown($0))?" } ?? ""
    throw Failure(.cannotRun, "there is no pairing \(shown(name)), and no accessory of that name: \(search)\(meant)")
  }

  private var searchTime: Duration { min(timeout, Self.longestSearch) }

  private var quoted: String { if case .name(let name) = target { shown(name) } else { "HOST:PORT" } }

  private struct SearchResult {
    /// By name.
    var found: [FoundAccessory] = []
    var others: [FoundAccessory] = []
    var trouble: String?
  }

  private func search(for target: Target, on loop: EventLoop) async throws -> SearchResult {
    let search = AccessorySearch(on: loop, interfaces: interfaces, limit: searchTime)
    defer { search.close() }
    var present: [String: FoundAccessory] = [:]
    var result = SearchResult()
    for await event in search.events {
      switch event {
      case .appeared(let found), .changed(let found):
        present[found.name] = found
        result.trouble = nil
        if found.isMeant(by: target) { search.end(after: Self.timeForOthers) }
      case .gone(let found): present[found.name] = nil
      case .trouble(let reason):
        result.trouble = reason
        // Nothing that is waited for would change that.
        if present.isEmpty { search.close() }
      }
    }
    for found in present.values.sorted(by: { $0.name < $1.name }) {
      if found.isMeant(by: target) { result.found.append(found) } else { result.others.append(found) }
    }
    return result
  }
}

extension Target {
  /// After "no accessory is" or "2 accessories are".
  fileprivate var inWords: String {
    switch self {
    case .name(let name): "called \(shown(name))"
    case .setupID(let id): "advertised with the setup ID \(id) of the payload"
    case .address(let address): "at \(address)"
    }
  }
}

extension ClientError {
  /// Whether the accessory may be well, and somewhere else: nobody is there, or another one.
  fileprivate var isOfPlace: Bool {
    switch self {
    case .unreachable: true
    case .pairing(let failure): if case .otherAccessory = failure.cause { true } else { false }
    default: false
    }
  }
}
