import HAPDiscovery
import HAPLoop

/// An accessory that a host of a simulated world has found by multicast DNS.
package struct FoundService: Sendable {
  package let name: String
  /// The first IPv4 address.
  package let address: String
  package let port: UInt16
  /// The entries by key. If a key occurs twice, the first entry is used.
  package let txt: [String: String]

  init?(_ found: DiscoveredService) {
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

/// Browses from a host of a world. Belongs to its loop.
package final class ServiceSearch {
  private let loop: EventLoop
  private var browser: ServiceBrowser?
  private var timer: LoopTimer?
  private var found: [String: FoundService] = [:]
  private var isOver = false

  package init(on loop: EventLoop) { self.loop = loop }

  /// - Parameter onEnd: called with `nil` at the limit, and otherwise with the reason.
  package func start(
    limit: Duration? = nil, onChange: @escaping ([FoundService]) -> Void,
    onEnd: @escaping @Sendable (SimulationFailure?) -> Void
  ) {
    guard !isOver else { return }
    do throws(LoopError) {
      browser = try BackEnd.browse(.embedded, on: loop) { [self] event in
        take(event)
        onChange(found.sorted { $0.key < $1.key }.map(\.value))
      }.browser
    } catch { return onEnd(SimulationFailure(error)) }
    loop.whenEnded { onEnd(SimulationFailure(.stopped, "the host has crashed")) }
    let timer = LoopTimer(loop) { onEnd(nil) }
    // A loop that ends closes the timer. The browser and this object refer to each other.
    timer.onClosed = { [self] in stop() }
    self.timer = timer
    if let limit { timer.start(after: limit) }
  }

  private func take(_ event: BrowserEvent) {
    switch event {
    case .appeared(let service), .changed(let service): found[service.name] = FoundService(service)
    case .gone(let name): found[name] = nil
    case .trouble: break
    }
  }

  package func stop() {
    isOver = true
    browser?.close()
    browser = nil
    timer?.close()
    timer = nil
  }
}
