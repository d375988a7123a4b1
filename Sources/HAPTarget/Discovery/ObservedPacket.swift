import HAPLoop
import HAPWire

/// A multicast DNS message that an `MDNSObserver` received or sent.
package struct ObservedPacket: Sendable, Equatable {
  /// Position in order of arrival, from 1.
  package let number: Int
  /// Time on the observer's clock.
  package let time: Duration
  package let source: SocketAddress
  /// Destination address; nil if the system doesn't report it.
  package let destination: IPAddress?
  /// Index of the interface; 0 if the system doesn't report it.
  package let interface: UInt32
  /// Our port that received or sent the message: 5353, or the ephemeral port of an `.ownPort` query.
  package let localPort: UInt16
  /// The TTL on arrival, which should be 255 (RFC 6762 §11); nil if the system doesn't report it.
  package let hopLimit: UInt8?
  /// Whether the observer sent it.
  package let isOwn: Bool
  package let message: DNSMessage

  /// Whether it was multicast rather than sent to us alone; nil if the system doesn't report the destination.
  package var isMulticast: Bool? { destination?.isMulticast }

  /// Whether it is a response that caches accept: unsolicited or multicast, and not our own.
  package var isAnnouncement: Bool { !isOwn && message.isResponse && isMulticast != false && !message.answers.isEmpty }

  /// Returns the response's records with this name, and this type if given, from all sections. Returns none for own messages and for
  /// queries, because a query's records are known answers and probes, which assert nothing.
  package func records(_ name: DNSName, _ type: UInt16? = nil) -> [DNSRecord] {
    if isOwn || !message.isResponse { return [] }
    return message.records.filter { $0.name == name && (type == nil || $0.type == type) }
  }

  /// Whether it is a goodbye of the instance: its PTR or its SRV with a TTL of 0. RFC 6762 §10.1.
  package func isGoodbye(of instance: DNSName) -> Bool {
    records(instance, DNSType.srv).contains(where: \.isGoodbye)
      || (instance.parent.map { records($0, DNSType.ptr) } ?? []).contains {
        $0.isGoodbye && $0.data == .pointer(instance)
      }
  }

  /// The strings of the instance's TXT record, if this packet announces it with the cache-flush bit. RFC 6762 §8.4.
  package func announcedText(of instance: DNSName) -> [[UInt8]]? {
    guard isAnnouncement else { return nil }
    for record in records(instance, DNSType.txt) where record.flushesCache && !record.isGoodbye {
      if case .text(let strings) = record.data { return strings }
    }
    return nil
  }
}
