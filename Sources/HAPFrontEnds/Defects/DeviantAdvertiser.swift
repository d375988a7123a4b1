import HAPDeviations
import HAPDiscovery
import HAPLoop
import MDNS

/// Advertises one service by a separate mDNS responder with the deviations from RFC 6762 that a defect defines.
///
/// Belongs to the loop's thread.
package final class DeviantAdvertiser: Advertiser {
  /// The present deviations of the responder.
  package var manner = ResponderQuirk() { didSet { setBehavior() } }
  /// The interval at which all records are announced again; `nil`: as in RFC 6762 §8.3.
  package var stormPause: Duration? { didSet { setBehavior() } }
  /// The name of a second instance of the next record to be published.
  package var also: String?

  private let responder: EmbeddedResponder
  private let advertiser: EmbeddedAdvertiser
  private let second: EmbeddedAdvertiser

  package init(_ loop: EventLoop, on choice: InterfaceChoice) {
    responder = EmbeddedResponder(loop, on: choice)
    advertiser = responder.makeAdvertiser(MDNSBehavior())
    second = responder.makeAdvertiser(MDNSBehavior())
  }

  private func setBehavior() {
    let behavior = MDNSBehavior(manner, stormPause)
    advertiser.behavior = behavior
    second.behavior = behavior
  }

  package func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    withdraw()
    var other = record
    other.name = also ?? record.name
    // If a second name can't be advertised, it fails like the first.
    let isRefused = (try? other.check()) == nil
    advertiser.publish(isRefused ? other : record) { event in
      switch event {
      // A deviating responder is not checked.
      case .seen, .unseen: break
      case .established, .renamed, .failed, .addresses: events(event)
      }
    }
    if !isRefused, other.name != record.name { second.publish(other) { _ in } }
  }

  package func update(txt: TextRecord) {
    advertiser.update(txt: txt)
    second.update(txt: txt)
  }

  package func withdraw() {
    advertiser.withdraw()
    second.withdraw()
  }

  package func close() { responder.close() }
}

extension MDNSBehavior {
  fileprivate init(_ manner: ResponderQuirk, _ stormPause: Duration?) {
    self.init()
    suppressesKnownAnswers = !manner.passesOverKnownAnswers
    answersUnicast = manner.answersUnicast
    hearsUnicast = manner.hearsUnicast
    flushesCaches = manner.flushesCaches
    announces = manner.announces
    saysGoodbye = manner.saysGoodbye
    yieldsNames = manner.yieldsNames
    repeats = stormPause
  }
}
