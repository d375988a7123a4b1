import HAPDeviations
import HAPDiscovery
import HAPLoop

/// Another host that announces a service with the name of an accessory, and does not give the name up.
///
/// Belongs to the loop's thread.
final class ConflictingHost {
  private let advertiser: DeviantAdvertiser

  /// - Parameter record: the record whose name it takes. Its device ID and host name differ, and nothing listens on
  ///   its port.
  init(_ record: ServiceRecord, on loop: EventLoop, _ choice: InterfaceChoice) {
    advertiser = DeviantAdvertiser(loop, on: choice)
    advertiser.manner.yieldsNames = false
    let entries = record.txt.entries.map { entry in
      (key: entry.key, value: entry.key == "id" ? Self.otherID(than: entry.value) : entry.value)
    }
    advertiser.publish(
      ServiceRecord(
        name: record.name, type: record.type, port: 9, txt: entries, host: "rival-of-\(record.host)".prefix63,
        addresses: record.addresses)
    ) { _ in }
  }

  /// Says goodbye and closes.
  func close() { advertiser.close() }

  /// Returns the ID with another last digit.
  private static func otherID(than id: String) -> String {
    String(id.dropLast()) + (id.last == "0" ? "1" : "0")
  }
}

extension String {
  /// The part that fits in a label.
  fileprivate var prefix63: String { String(prefix(63)) }
}
