/// Who answers for the accessories on the network: a daemon of the machine, or this process itself. Belongs to the thread of its loop, as
/// does every advertiser of it.
package protocol Responder: AnyObject {
  /// An advertiser for one more record.
  func makeAdvertiser() -> any Advertiser

  /// Withdraws every record with a goodbye, and ends. Any number of times, also from events.
  func close()
}
