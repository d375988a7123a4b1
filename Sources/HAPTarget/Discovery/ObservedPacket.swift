import HAPLoop
import HAPWire

/// A message of multicast DNS that was heard, or sent, by an `MDNSObserver`.
package struct ObservedPacket: Sendable, Equatable {
  /// Counted from 1 in the order in which they came.
  package let number: Int
  /// On the clock that the observer was given.
  package let time: Duration
  package let source: SocketAddress
  /// What it was sent to; nil where the system doesn't tell.
  package let destination: IPAddress?
  /// Index of the interface; 0 where the system doesn't tell.
  package let interface: UInt32
  /// The port of ours it came to, or from when it is our own: 5353, or the one that was asked from.
  package let localPort: UInt16
  /// The TTL it came with, which should be 255 (RFC 6762 §11); nil where the system doesn't tell.
  package let hopLimit: UInt8?
  /// Whether the observer sent it.
  package let isOwn: Bool
  package let message: DNSMessage

  /// Sent to all, not to us alone. nil where the system doesn't tell.
  package var isMulticast: Bool? { destination?.isMulticast }

  /// A response that came unasked or asked to all, so that caches take it over. Nothing of our own.
  package var isAnnouncement: Bool { !isOwn && message.isResponse && isMulticast != false && !message.answers.isEmpty }

  /// Records of a response, of all parts, with this name and perhaps type; none of our own. What a query carries are known answers and
  /// claims, which state nothing.
  package func records(_ name: DNSName, _ type: UInt16? = nil) -> [DNSRecord] {
    if isOwn || !message.isResponse { return [] }
    return message.records.filter { $0.name == name && (type == nil || $0.type == type) }
  }

  /// Whether somebody says that the instance goes: its PTR, or its SRV, with a TTL of 0. RFC 6762 §10.1.
  package func isGoodbye(of instance: DNSName) -> Bool {
    records(instance, DNSType.srv).contains(where: \.isGoodbye)
      || (instance.parent.map { records($0, DNSType.ptr) } ?? []).contains {
        $0.isGoodbye && $0.data == .pointer(instance)
      }
  }

  /// The strings of the instance's TXT record, where it is announced to all with the cache-flush bit. RFC 6762 §8.4.
  package func announcedText(of instance: DNSName) -> [[UInt8]]? {
    guard isAnnouncement else { return nil }
    for record in records(instance, DNSType.txt) where record.flushesCache && !record.isGoodbye {
      if case .text(let strings) = record.data { return strings }
    }
    return nil
  }
}
