/// The mDNS responder for the accessories: a daemon of the machine, or this process itself. It and its advertisers belong to the thread of
/// its loop.
package protocol Responder: AnyObject {
  /// Returns an advertiser for one more record.
  func makeAdvertiser() -> any Advertiser

  /// Withdraws every record with a goodbye, and closes. Idempotent; can be called from events.
  func close()
}
