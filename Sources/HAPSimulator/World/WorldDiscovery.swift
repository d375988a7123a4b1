import HAPDiscovery
import HAPLoop

extension World {
  /// An accessory as a host of a simulated world sees it by multicast DNS: what an app gets from Bonjour for `_hap._tcp`.
  public struct Service: Hashable, Sendable {
    /// The name of the instance: the accessory's name.
    public let name: String
    /// The first IPv4 address: "10.0.0.1".
    public let address: String
    /// 1 to 65535.
    public let port: UInt16
    /// The TXT record, by key: "id", "c#", "sf" and the others. Of a key that comes twice, the first.
    public let txt: [String: String]

    fileprivate init?(_ found: DiscoveredService) {
      guard let address = found.addresses.first(where: { $0.host.isV4 }) else { return nil }
      name = found.name
      self.address = "\(address.host)"
      port = found.port
      var txt: [String: String] = [:]
      for bytes in found.txt {
        let parts = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let key = String(decoding: parts[0], as: UTF8.self)
        if txt[key] == nil { txt[key] = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : "" }
      }
      self.txt = txt
    }
  }
}

extension World.Host {
  /// Browses for accessories from this host, as an app does with Bonjour.
  ///
  /// Each element is the whole list after a change, in the order of the names. A slow reader gets the newest list alone. The stream ends with its
  /// task, and when the host crashes.
  /// - Throws: ``SimulatorError/Code/notPossible`` if the host has no power.
  public func services() async throws(SimulatorError) -> AsyncStream<[World.Service]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [World.Service].self, bufferingPolicy: .bufferingNewest(1))
    let loop = try await startedAppLoop()
    let search = LoopBound(loop, ServiceSearch(on: loop))
    continuation.onTermination = { _ in loop.schedule { search.value.stop() } }
    try await loop.answer { done in
      search.value.start {
        continuation.yield($0)
      } onEnd: { _ in
        continuation.finish()
      }
      done(.success(()))
    }
    return stream
  }

  /// Waits until an accessory is seen from this host.
  /// - Parameters:
  ///   - name: its name on the network.
  ///   - limit: how long to wait, in virtual time.
  /// - Throws: ``SimulatorError/Code/timedOut``, ``SimulatorError/Code/notPossible`` if the host has no power, ``SimulatorError/Code/stopped`` if it
  ///   crashes, ``SimulatorError/Code/cancelled``.
  public func find(_ name: String, within limit: Duration = .seconds(10)) async throws(SimulatorError) -> World.Service
  {
    let loop = try await startedAppLoop()
    let search = LoopBound(loop, ServiceSearch(on: loop))
    defer { loop.schedule { search.value.stop() } }
    let title = "\"\(name)\" was not found from \"\(self.name)\" within \(limit)"
    return try await loop.answerUnlessCancelled { (done: @escaping SimulatorCore.Done<World.Service>) in
      search.value.start(limit: limit) { services in
        if let service = services.first(where: { $0.name == name }) { done(.success(service)) }
      } onEnd: { error in
        done(.failure(error ?? SimulatorError(.timedOut, title)))
      }
    }
  }

  private func startedAppLoop() async throws(SimulatorError) -> EventLoop {
    try await world.loop.answer { [self] done in
      done(Result { () throws(SimulatorError) in try runningAppLoop() })
    }
  }
}

/// Browses from a host of a world. Belongs to its loop.
private final class ServiceSearch {
  private let loop: EventLoop
  private var browser: ServiceBrowser?
  private var timer: LoopTimer?
  private var found: [String: World.Service] = [:]
  private var isOver = false

  init(on loop: EventLoop) { self.loop = loop }

  /// - Parameter onEnd: called with nil at the limit, and else with the reason.
  func start(
    limit: Duration? = nil, onChange: @escaping ([World.Service]) -> Void,
    onEnd: @escaping @Sendable (SimulatorError?) -> Void
  ) {
    guard !isOver else { return }
    do throws(LoopError) {
      browser = try BackEnd.browse(.embedded, on: loop) { [self] event in
        take(event)
        onChange(found.sorted { $0.key < $1.key }.map(\.value))
      }.browser
    } catch { return onEnd(SimulatorError(error)) }
    loop.whenEnded { onEnd(SimulatorError(.stopped, "the host has crashed")) }
    guard let limit else { return }
    let timer = LoopTimer(loop) { onEnd(nil) }
    timer.start(after: limit)
    self.timer = timer
  }

  private func take(_ event: BrowserEvent) {
    switch event {
    case .appeared(let service), .changed(let service): found[service.name] = World.Service(service)
    case .gone(let name): found[name] = nil
    case .trouble: break
    }
  }

  func stop() {
    isOver = true
    browser?.close()
    browser = nil
    timer?.close()
  }
}
