import HAPDiscovery
import HAPLoop

/// The records of one Matter node on the network: one for its open commissioning window, and one for each fabric.
///
/// Each record has an advertiser of its own, and no packet contains two of them: a controller that is asked to resolve
/// one would drop the others. Belongs to the loop's thread.
final class MatterRecords {
  private let makeAdvertiser: () -> (any Advertiser)?
  private let onEvent: (AdvertisementEvent) -> Void
  private var advertised: [(record: ServiceRecord, advertiser: any Advertiser)] = []

  init(_ makeAdvertiser: @escaping () -> (any Advertiser)?, onEvent: @escaping (AdvertisementEvent) -> Void) {
    self.makeAdvertiser = makeAdvertiser
    self.onEvent = onEvent
  }

  /// Announces exactly these records: withdraws others with a goodbye, and leaves those that are announced alone.
  func set(_ records: [ServiceRecord]) {
    for (record, advertiser) in advertised where !records.contains(record) { advertiser.close() }
    advertised.removeAll { !records.contains($0.record) }
    for record in records where !advertised.contains(where: { $0.record == record }) {
      guard let advertiser = makeAdvertiser() else { return }
      advertiser.publish(record, events: onEvent)
      advertised.append((record, advertiser))
    }
  }

  /// Releases the records without a goodbye: the node has lost its power.
  func abandon() {
    for (_, advertiser) in advertised { advertiser.abandon() }
    advertised = []
  }
}
