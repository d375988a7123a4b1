import HAPLoop
import MDNS

/// One record of an embedded responder.
package final class EmbeddedAdvertiser: Advertiser {
  private let responder: EmbeddedResponder
  let number: Int
  /// How the record deviates from RFC 6762. A change applies at once.
  package var behavior: MDNSBehavior {
    didSet { if let id, behavior != oldValue { responder.setBehavior(id, behavior) } }
  }
  private var record: ServiceRecord?
  /// nil: the record is not published, because the name is taken or no more can be published.
  var id: MDNSServiceID?
  private var events: ((AdvertisementEvent) -> Void)?
  /// Incremented by each `publish`, so that events of an earlier record are dropped.
  private var edition = 0
  /// The name in the last `established`, while it holds.
  private var establishedName: String?
  private var reportedAddresses: Set<IPAddress> = []
  /// The last failure, which isn't reported again while it lasts.
  private var lastFailure: String?
  private var isClosed = false

  /// - Parameter number: its position among the responder's advertisers.
  init(_ responder: EmbeddedResponder, number: Int, _ behavior: MDNSBehavior) {
    self.responder = responder
    self.number = number
    self.behavior = behavior
  }

  package func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    guard !isClosed else { return }
    withdraw()
    self.events = events
    do throws(RecordError) {
      try record.check()
    } catch {
      return report(.failed(error.description))
    }
    self.record = record
    if let absence = responder.absence { report(.failed(absence)) }
    register(record)
  }

  package func update(txt: TextRecord) {
    guard let record, record.txt != txt else { return }
    do throws(RecordError) {
      try txt.check()
    } catch {
      return report(.failed(error.description))
    }
    self.record?.txt = txt
    guard let id else { return }
    do throws(MDNSServiceError) {
      try responder.update(id, txt.strings)
    } catch { report(.failed("the TXT record can't be changed: \(error)")) }
  }

  package func withdraw() {
    edition += 1
    record = nil
    events = nil
    lastFailure = nil
    isNotEstablished()
    guard let id else { return }
    self.id = nil
    responder.withdraw(id)
  }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    withdraw()
    responder.forget(self)
  }

  package func abandon() {
    behavior.saysGoodbye = false
    close()
  }

  private func register(_ record: ServiceRecord) {
    var behavior = behavior
    if !record.isProbed { behavior.probes = false }
    do throws(MDNSServiceError) {
      try responder.publish(MDNSService(record), behavior, for: self)
    } catch { report(.failed("\(record.name) can't be advertised: \(error)")) }
  }

  // MARK: From the responder

  func networkChanged() {
    guard let record else { return }
    if let absence = responder.absence {
      isNotEstablished()
      return report(.failed(absence))
    }
    if id == nil { register(record) }
    guard establishedName != nil else { return }
    let addresses = responder.addresses(record.addresses)
    if addresses != reportedAddresses { report(.addresses(addresses.inOrder)) }
    reportedAddresses = addresses
  }

  /// The names were verified, and the first announcement was sent.
  func registered(_ name: String) {
    guard let record, establishedName != name else { return }
    establishedName = name
    reportedAddresses = responder.addresses(record.addresses)
    report(.established(name))
    responder.selfCheck.look(for: name, onBehalfOf: self) { [weak self] outcome in
      switch outcome {
      case .seen: self?.report(.seen(name))
      case .unseen(let time): self?.report(.unseen(name, after: time))
      }
    }
  }

  func renamed(from old: String, to new: String) {
    isNotEstablished()
    report(.renamed(from: old, to: new))
  }

  func gaveUp(_ name: String) {
    id = nil
    isNotEstablished()
    report(.failed("the name \(name) is taken"))
  }

  private func isNotEstablished() {
    responder.selfCheck.cancel(self)
    establishedName = nil
    reportedAddresses = []
  }

  // MARK: Events

  private func report(_ event: AdvertisementEvent) {
    switch event {
    case .failed(let reason):
      if reason == lastFailure { return }
      lastFailure = reason
    case .established, .renamed: lastFailure = nil
    case .addresses, .seen, .unseen: break
    }
    let edition = edition
    responder.later { [self] in if edition == self.edition { events?(event) } }
  }
}

extension MDNSService {
  fileprivate init(_ record: ServiceRecord) {
    self.init(
      name: record.name, type: record.type, subtypes: record.subtypes, port: record.port, text: record.txt.strings,
      host: record.host,
      addresses: record.addresses.compactMap { MDNSAddress(bytes: $0.bytes) }, mayRename: record.isRenamed)
  }
}

extension Set<IPAddress> {
  /// IPv4 first, each family in the order of its text.
  fileprivate var inOrder: [IPAddress] { sorted { ($0.isV4 ? 0 : 1, "\($0)") < ($1.isV4 ? 0 : 1, "\($1)") } }
}
