import HAPLoop

/// What becomes of an advertised record.
package enum AdvertisementEvent: Equatable, Sendable {
  /// The record is up under this name, and the network has been told.
  case established(String)
  /// The name was taken, here or on the network; the next one is being tried. `established` follows.
  case renamed(from: String, to: String)
  /// The record is not up, or not any more, for this reason. Where that can change, it is tried again, and `established` follows.
  case failed(String)
  /// The record stays up, and its host has these addresses now.
  case addresses([IPAddress])
  /// The record was found by looking for it on the network.
  case seen(String)
  /// The record was not found by looking for it on the network for so long. The search goes on.
  case unseen(String, after: Duration)
}

/// Advertises one record at a time. Belongs to the thread of its loop, as do its events.
package protocol Advertiser: AnyObject {
  /// Advertises `record`, in place of what was advertised before; one that can't be advertised is told as `failed`.
  /// - Parameter events: told of what becomes of it, never before this returns.
  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void)

  /// Replaces the TXT record of what is advertised, and tells the network. Does nothing when nothing is advertised, or it
  /// is the same; one that can't be advertised leaves the old one, and is told as `failed`.
  func update(txt: TextRecord)

  /// Takes the record back and says goodbye for it; no event comes any more. `publish` may follow.
  func withdraw()

  /// Withdraws for good. Any number of times.
  func close()
}

extension Advertiser {
  package func update(txt: [(key: String, value: String)]) { update(txt: TextRecord(txt)) }
}
