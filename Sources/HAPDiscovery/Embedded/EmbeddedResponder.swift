import HAPLoop
import MDNS

/// An mDNS responder inside the process: `MDNSResponder` with sockets of this process.
///
/// It shares port 5353 with other responders of the machine. It claims only the host names of its records, and no reverse names. Stays
/// open until `close()`.
package final class EmbeddedResponder: Responder {
  private let driver: MDNSDriver<MDNSResponder>
  private let outbox: LoopTimer
  private var mail: [() -> Void] = []
  /// By number, in order of creation.
  private var advertisers: [Int: EmbeddedAdvertiser] = [:]
  private var published: [MDNSServiceID: EmbeddedAdvertiser] = [:]
  private var lastNumber = 0
  private var isClosed = false
  /// The machine's addresses on all interfaces.
  private var ownAddresses: Set<IPAddress>
  let selfCheck: SelfCheck

  /// The time limit for the goodbyes of `close()`. The responder sends at most 1000 packets per second and link, with about six goodbyes
  /// in each.
  private static let farewell = Duration.seconds(3)

  /// - Parameter interfaces: names. Empty: all interfaces that are up, can multicast, and are neither loopback nor point-to-point. A
  ///   loopback interface is used only if it is named.
  /// - Throws: `.noSuchInterface`.
  package convenience init(_ loop: EventLoop, interfaces: [String] = []) throws(LoopError) {
    for name in interfaces { _ = try loop.interfaces().named(name) }
    self.init(loop, on: InterfaceChoice(interfaces))
  }

  package init(_ loop: EventLoop, on choice: InterfaceChoice) {
    var configuration = MDNSResponder.Configuration()
    configuration.sharesPort = true
    driver = MDNSDriver(loop, choice, MDNSResponder(configuration, random: MDNSRandom(seed: loop.randomNumber())))
    ownAddresses = Set(driver.interfaces.flatMap(\.addresses))
    outbox = LoopTimer(loop)
    selfCheck = SelfCheck(loop)
    // Keeps this object alive while it is open.
    outbox.onFire = { self.deliver() }
    // A loop that stops closes the timer. The advertisers refer to this object.
    outbox.onClosed = { self.closeAdvertisers() }
    driver.onReport = { [unowned self] in take($0) }
    driver.onNetworkChange = { [unowned self] in
      ownAddresses = Set(driver.interfaces.flatMap(\.addresses))
      for advertiser in inOrder { advertiser.networkChanged() }
    }
  }

  /// Returns an advertiser for one more record.
  package func makeAdvertiser() -> any Advertiser { makeAdvertiser(MDNSBehavior()) }

  /// Returns an advertiser that deviates from RFC 6762.
  package func makeAdvertiser(_ behavior: MDNSBehavior) -> EmbeddedAdvertiser {
    lastNumber += 1
    let advertiser = EmbeddedAdvertiser(self, number: lastNumber, behavior)
    advertisers[lastNumber] = advertiser
    if isClosed { advertiser.close() }
    return advertiser
  }

  package func close() {
    guard !isClosed else { return }
    closeAdvertisers()
    outbox.close()
    driver.close(within: Self.farewell)
  }

  func forget(_ advertiser: EmbeddedAdvertiser) { advertisers[advertiser.number] = nil }

  private func closeAdvertisers() {
    isClosed = true
    for advertiser in inOrder { advertiser.close() }
    mail = []
  }

  private var inOrder: [EmbeddedAdvertiser] { advertisers.sorted { $0.key < $1.key }.map(\.value) }

  /// The reason why no record can be announced now; nil if there is none.
  var absence: String? { driver.absence }

  /// Runs `work` after the current input, because an event handler may call back into this object.
  func later(_ work: @escaping () -> Void) {
    if isClosed { return }
    mail.append(work)
    if mail.count == 1 { outbox.start(after: .zero) }
  }

  private func deliver() {
    let mail = mail
    self.mail = []
    for work in mail where !isClosed { work() }
  }

  // MARK: State machine

  func publish(
    _ service: MDNSService, _ behavior: MDNSBehavior, for advertiser: EmbeddedAdvertiser
  ) throws(MDNSServiceError) {
    try driver.perform { (machine, now) throws(MDNSServiceError) in
      let id = try machine.publish(service, behavior: behavior, at: now)
      published[id] = advertiser
      // The state machine can report about the service immediately.
      advertiser.id = id
    }
  }

  func update(_ id: MDNSServiceID, _ text: [[UInt8]]) throws(MDNSServiceError) {
    try driver.perform { (machine, now) throws(MDNSServiceError) in try machine.update(id, text: text, at: now) }
  }

  func setBehavior(_ id: MDNSServiceID, _ behavior: MDNSBehavior) {
    driver.perform { $0.setBehavior(id, behavior, at: $1) }
  }

  func withdraw(_ id: MDNSServiceID) {
    published[id] = nil
    driver.perform { $0.withdraw(id, at: $1) }
  }

  private func take(_ report: MDNSReport) {
    switch report {
    case .registered(let id, let name, _): published[id]?.registered(name)
    case .heard(let id): if let advertiser = published[id] { selfCheck.seen(advertiser) }
    case .renamed(let id, let old, let new): published[id]?.renamed(from: old, to: new)
    case .gaveUp(let id, let name): published.removeValue(forKey: id)?.gaveUp(name)
    case .hostRenamed, .conflict: break
    }
  }

  /// Returns the addresses to announce: the given ones, or those of this machine if none are given.
  func addresses(_ given: [IPAddress]) -> Set<IPAddress> {
    given.isEmpty ? ownAddresses : Set(given)
  }
}
