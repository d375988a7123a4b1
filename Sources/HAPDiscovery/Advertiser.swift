import HAPLoop

/// A state change of an advertised record.
package enum AdvertisementEvent: Equatable, Sendable {
  /// The record is advertised under this name and was announced on the network.
  case established(String)
  /// The name was taken on this machine or on the network, and the next name is tried. `established` follows.
  case renamed(from: String, to: String)
  /// The record is not advertised, or no longer advertised, for this reason. If the reason can change, the advertiser tries again, and
  /// `established` follows.
  case failed(String)
  /// The record stays advertised, and its host now has these addresses.
  case addresses([IPAddress])
  /// The self-check found the record on the network.
  case seen(String)
  /// The self-check did not find the record on the network within this time. It continues to search.
  case unseen(String, after: Duration)
}

/// Advertises one record at a time. All calls and events are on the loop's thread.
package protocol Advertiser: AnyObject {
  /// Advertises `record` instead of the previous one. If it can't be advertised, `failed` is reported.
  /// - Parameter events: receives the state changes, never before this returns.
  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void)

  /// Replaces the TXT record and announces it. Does nothing if no record is advertised or if the TXT record is unchanged. If the new one
  /// can't be advertised, the old one stays and `failed` is reported.
  func update(txt: TextRecord)

  /// Withdraws the record with a goodbye. No event follows. `publish` can be called again.
  func withdraw()

  /// Withdraws permanently. Idempotent.
  func close()

  /// Withdraws permanently without a goodbye, as a device that has lost its power. A daemon says goodbye nevertheless.
  func abandon()
}

extension Advertiser {
  package func abandon() { close() }

  package func update(txt: [(key: String, value: String)]) { update(txt: TextRecord(txt)) }
}
