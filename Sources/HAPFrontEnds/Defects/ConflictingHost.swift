import HAPDeviations
import HAPDiscovery
import HAPLoop

/// Another host that announces a service under the name of an accessory, and doesn't give the name up.
///
/// Belongs to the loop's thread.
final class ConflictingHost {
  private let advertiser: DeviantAdvertiser

  /// - Parameter record: whose name it takes. It has another device ID, another host name, and a port where nothing listens.
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

  /// It says goodbye.
  func close() { advertiser.close() }

  /// The same with its last digit another one.
  private static func otherID(than id: String) -> String {
    String(id.dropLast()) + (id.last == "0" ? "1" : "0")
  }
}

extension String {
  /// What a label has room for.
  fileprivate var prefix63: String { String(prefix(63)) }
}
