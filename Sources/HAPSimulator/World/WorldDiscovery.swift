import HAPLoop
import HAPSimulatorCore

extension World {
  /// An accessory that a host of a simulated world has found by multicast DNS, as an app finds it by Bonjour for
  /// `_hap._tcp`.
  public struct Service: Hashable, Sendable {
    /// The instance name: the accessory's name.
    public let name: String
    /// The first IPv4 address: "10.0.0.1".
    public let address: String
    /// The port, 1 to 65535.
    public let port: UInt16
    /// The TXT record, by key: "id", "c#", "sf" and the others. If a key occurs twice, the first entry is used.
    public let txt: [String: String]

    fileprivate init(_ found: FoundService) {
      name = found.name
      address = found.address
      port = found.port
      txt = found.txt
    }
  }
}

extension World.Host {
  /// Browses for accessories from this host, like an app with Bonjour.
  ///
  /// Each element is the whole list after a change, ordered by name. A slow reader only receives the newest list. The
  /// stream ends with its task, and when the host crashes.
  /// - Throws: ``SimulatorError/Code/notPossible`` if the host has no power.
  public func services() async throws(SimulatorError) -> AsyncStream<[World.Service]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [World.Service].self, bufferingPolicy: .bufferingNewest(1))
    let loop = try await startedAppLoop()
    let search = LoopBound(loop, ServiceSearch(on: loop))
    continuation.onTermination = { _ in loop.schedule { search.value.stop() } }
    try await loop.result { done in
      search.value.start {
        continuation.yield($0.map { World.Service($0) })
      } onEnd: { _ in
        continuation.finish()
      }
      done(.success(()))
    }
    return stream
  }

  /// Waits until this host has found an accessory.
  /// - Parameters:
  ///   - name: the accessory's name on the network.
  ///   - limit: the maximum time to wait, in virtual time.
  /// - Throws: ``SimulatorError/Code/timedOut``, ``SimulatorError/Code/notPossible`` if the host has no power, ``SimulatorError/Code/stopped`` if it
  ///   crashes, ``SimulatorError/Code/cancelled``.
  public func find(_ name: String, within limit: Duration = .seconds(10)) async throws(SimulatorError) -> World.Service
  {
    let loop = try await startedAppLoop()
    let search = LoopBound(loop, ServiceSearch(on: loop))
    defer { loop.schedule { search.value.stop() } }
    let title = "\"\(name)\" was not found from \"\(self.name)\" within \(limit)"
    return try await loop.resultUnlessCancelled { (done: @escaping SimulatorCore.Done<World.Service>) in
      search.value.start(limit: limit) { services in
        if let service = services.first(where: { $0.name == name }) { done(.success(World.Service(service))) }
      } onEnd: { error in
        done(.failure(error ?? SimulationFailure(.timedOut, title)))
      }
    }
  }

  private func startedAppLoop() async throws(SimulatorError) -> EventLoop {
    try await world.loop.result { [self] done in
      done(Result { () throws(SimulationFailure) in try runningAppLoop() })
    }
  }
}
