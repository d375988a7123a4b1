import HAPLoop
import MDNS

/// Browses for services with `MDNSBrowser` on sockets of this process.
final class EmbeddedServiceSource: ServiceSource {
  private let driver: MDNSDriver<MDNSBrowser>
  private let outbox: LoopTimer
  private var events: [BrowserEvent] = []
  private let report: (BrowserEvent) -> Void
  /// The reason in the last `trouble`, until a service appears.
  private var trouble: String?
  private var isClosed = false

  /// - Parameters:
  ///   - choice: interfaces that exist. A loopback interface is used only if it is named.
  ///   - type: such as "_hap._tcp". An invalid type finds nothing.
  init(_ loop: EventLoop, _ choice: InterfaceChoice, type: String, report: @escaping (BrowserEvent) -> Void) {
    var configuration = MDNSBrowser.Configuration()
    configuration.sharesPort = true
    driver = MDNSDriver(loop, choice, MDNSBrowser(configuration, random: MDNSRandom(seed: loop.randomNumber())))
    outbox = LoopTimer(loop)
    self.report = report
    // Keeps this object alive while it is open.
    outbox.onFire = { self.deliver() }
    driver.onReport = { [unowned self] in take($0) }
    driver.onNetworkChange = { [unowned self] in networkChanged() }
    networkChanged()
    try? driver.perform { (machine, now) throws(MDNSServiceError) in try machine.browse(type, at: now) }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    events = []
    driver.close()
    outbox.close()
  }

  private func networkChanged() {
    guard let absence = driver.absence, absence != trouble else { return }
    trouble = absence
    later(.trouble(absence))
  }

  private func take(_ found: MDNSBrowserReport) {
    switch found {
    case .appeared(let service):
      trouble = nil
      if let service = DiscoveredService(service) { later(.appeared(service)) }
    case .changed(let service): if let service = DiscoveredService(service) { later(.changed(service)) }
    case .gone(let name, _): if let name = String(validating: name, as: UTF8.self) { later(.gone(name: name)) }
    }
  }

  private func later(_ event: BrowserEvent) {
    events.append(event)
    if events.count == 1 { outbox.start(after: .zero) }
  }

  private func deliver() {
    let events = events
    self.events = []
    for event in events where !isClosed { report(event) }
  }
}

extension DiscoveredService {
  /// - Returns: nil for a service whose name is not UTF-8.
  fileprivate init?(_ found: MDNSFoundService) {
    guard let name = String(validating: found.name, as: UTF8.self) else { return nil }
    self.init(
      name: name, host: found.host, port: found.port,
      addresses: found.addresses.compactMap { one in
        IPAddress(bytes: one.address.bytes, scope: one.scope).map { SocketAddress(host: $0, port: found.port) }
      }, interface: found.interface, txt: found.text)
  }
}
