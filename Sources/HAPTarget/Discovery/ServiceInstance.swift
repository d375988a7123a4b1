import HAPLoop
import HAPModel
import HAPWire

/// A record as last received.
package struct ReceivedRecord: Sendable, Equatable {
  package let record: DNSRecord
  /// Number of the packet that contained it.
  package let packet: Int
  package let time: Duration
  package let source: SocketAddress
  /// Index of the interface; 0 if the system doesn't report it.
  package let interface: UInt32
}

/// A service as known from the received records, resolved or not.
package struct ServiceInstance: Sendable, Equatable {
  /// The full name, including the type: "Lamp._hap._tcp.local".
  package let name: DNSName
  /// nil if it was not received or was withdrawn by a goodbye; the same holds for `service` and `text`.
  package var pointer: ReceivedRecord?
  package var service: ReceivedRecord?
  package var text: ReceivedRecord?
  /// A and AAAA records of the host, one per address.
  package var addresses: [ReceivedRecord] = []

  /// The name shown to users: 1...63 bytes, UTF-8 by rule.
  package var label: [UInt8] { name.firstLabel ?? [] }
  package var host: DNSName? {
    if case .service(_, _, _, let target) = service?.record.data { target } else { nil }
  }
  package var port: UInt16? {
    if case .service(_, _, let port, _) = service?.record.data { port } else { nil }
  }
  /// The TXT record's strings, unparsed and in their order. See `DNSTextEntry`.
  package var textStrings: [[UInt8]]? {
    if case .text(let strings) = text?.record.data { strings } else { nil }
  }

  /// Keys and values of the TXT record, as text, in their order. Empty without a TXT record.
  package var textEntries: [(key: String, value: String)] { Self.entries(of: textStrings ?? []) }

  package static func entries(of strings: [[UInt8]]) -> [(key: String, value: String)] {
    strings.map { string in
      let entry = DNSTextEntry(string)
      return (String(decoding: entry.key, as: UTF8.self), String(decoding: entry.value ?? [], as: UTF8.self))
    }
  }

  /// Returns the value of a key of the TXT record.
  package func value(_ key: String) -> [UInt8]? { textStrings.flatMap { DNSTextEntry.value(of: key, in: $0) } }

  /// Addresses to connect to, IPv4 first. A link-local IPv6 address has the scope of the interface that received it.
  package var socketAddresses: [SocketAddress] {
    guard let port else { return [] }
    let hosts = addresses.compactMap { seen -> IPAddress? in
      guard case .address(let bytes) = seen.record.data, let plain = IPAddress(bytes: bytes) else { return nil }
      return plain.isV6 && plain.isLinkLocal ? IPAddress(bytes: bytes, scope: seen.interface) : plain
    }
    return (hosts.filter(\.isV4) + hosts.filter(\.isV6)).map { SocketAddress(host: $0, port: port) }
  }

  /// Whether SRV, TXT and an address are known.
  package var isResolved: Bool { service != nil && text != nil && !addresses.isEmpty }

  /// Questions for the records that are still missing.
  var missingQuestions: [DNSQuestion] {
    var questions: [DNSQuestion] = []
    if service == nil { questions.append(DNSQuestion(name, DNSType.srv)) }
    if text == nil { questions.append(DNSQuestion(name, DNSType.txt)) }
    if let host, addresses.isEmpty {
      questions += [DNSQuestion(host, DNSType.a), DNSQuestion(host, DNSType.aaaa)]
    }
    return questions
  }
}

/// Selects a service.
package enum ServiceTarget: Sendable, Equatable {
  /// By `id` in its TXT record, ignoring case.
  case id(String)
  /// By the name shown to users.
  case name(String)
  /// By an address of its host, and by the port unless that is 0.
  case address(SocketAddress)

  /// Selects by device ID if `name` is one, or else by name.
  package init(called name: String) { self = DeviceID(name.uppercased()) != nil ? .id(name) : .name(name) }

  package func matches(_ instance: ServiceInstance) -> Bool {
    switch self {
    case .id(let id):
      instance.value("id").map { String(decoding: $0, as: UTF8.self).lowercased() == id.lowercased() } ?? false
    case .name(let name): name.utf8.count <= 63 && DNSName([instance.label]) == DNSName([Array(name.utf8)])
    case .address(let address):
      instance.socketAddresses.contains {
        $0.host.bytes == address.host.bytes && (address.port == 0 || $0.port == address.port)
      }
    }
  }
}
