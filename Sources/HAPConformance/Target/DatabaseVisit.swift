import HAPCrypto
import HAPLoop
import HAPTarget
import HAPWire

/// Pairs with an accessory, reads its database twice, and removes the pairing again.
package struct DatabaseVisit: Sendable {
  package var target: ConformanceSession.Target
  package var code: String
  package var interfaces: [String]

  package init(target: ConformanceSession.Target, code: String, interfaces: [String]) {
    self.target = target
    self.code = code
    self.interfaces = interfaces
  }

  package struct Reading: Sendable {
    package var bytes: [UInt8]
    /// The second reading. A value that is null in both is not null by coincidence.
    package var again: [UInt8]
    /// The advertised category; nil without multicast.
    package var category: Int?
  }

  /// - Parameter random: generates the keys of the pairing.
  package func read(on loop: EventLoop, random: RandomSource) async throws -> Reading {
    let observer = MDNSObserver(on: loop, interfaces: interfaces)
    let absence = await observer.open()
    let outcome: Result<Reading, any Error>
    do { outcome = .success(try await read(observer, absence, on: loop, random)) } catch { outcome = .failure(error) }
    await observer.close()
    return try outcome.get()
  }

  private func read(
    _ observer: MDNSObserver, _ absence: String?, on loop: EventLoop, _ random: RandomSource
  ) async throws -> Reading {
    let found = try await place(observer, absence)
    if Task.isCancelled { throw ConformanceSession.Failure(message: "it was cancelled") }
    let device = TestedAccessory(on: loop, addresses: found.addresses, code: code, random: random)
    let world = CaseWorld()
    let manager = PairingManager(
      device: device, world: world, seed: random.bytes(7).reduce(0) { $0 << 8 | UInt64($1) })
    let outcome: Result<Reading, PairingManager.Refusal>
    do throws(PairingManager.Refusal) {
      try await manager.pair()
      let first = device.databaseBytes ?? []
      try await manager.readDatabase()
      outcome = .success(Reading(bytes: first, again: device.databaseBytes ?? [], category: found.category))
    } catch { outcome = .failure(error) }
    // Remove the pairing in any case, also after a failure or cancellation.
    let problem: String? = await loop.startTask {
      do throws(PairingManager.Refusal) {
        try await manager.unpair()
        return nil
      } catch { return error.message }
    }.value
    if let problem { throw ConformanceSession.Failure(message: "the pairing could not be removed: \(problem)") }
    switch outcome {
    case .success(let reading): return reading
    case .failure(let refusal): throw ConformanceSession.Failure(message: refusal.message)
    }
  }

  private func place(
    _ observer: MDNSObserver, _ absence: String?
  ) async throws -> (addresses: [SocketAddress], category: Int?) {
    let wanted: ServiceTarget
    var addresses: [SocketAddress] = []
    switch target {
    case .address(let address):
      addresses = [address]
      wanted = .address(address)
    case .name(let name):
      if let absence {
        throw ConformanceSession.Failure(message: "can't search for \(name): no multicast: \(absence)")
      }
      wanted = ServiceTarget(called: name)
    case .child: preconditionFailure("no child is started for a look at a database")
    }
    guard absence == nil else { return (addresses, nil) }
    guard addresses.isEmpty else {
      // The record is useful, but the database is read without it too.
      let service = try? await observer.find(wanted, within: .seconds(2), after: MDNSObserver.start)
      return (addresses, Self.category(of: service))
    }
    let service = try await observer.find(wanted, within: .seconds(8), after: MDNSObserver.start)
    if let service { addresses = service.socketAddresses }
    guard !addresses.isEmpty else {
      throw ConformanceSession.Failure(message: "no accessory of that name was found on the network")
    }
    return (addresses, Self.category(of: service))
  }

  private static func category(of service: ServiceInstance?) -> Int? {
    service?.value("ci").flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }
}
