import HAPLoop
import HAPModel
import HAPWire

/// A record as it was heard last.
package struct SeenRecord: Sendable, Equatable {
  package let record: DNSRecord
  /// The number of the packet.
  package let packet: Int
  package let time: Duration
  package let source: SocketAddress
  /// Index of the interface; 0 where the system doesn't tell.
  package let interface: UInt32
}

/// A service as its records were heard, whether it is whole or not.
package struct ServiceInstance: Sendable, Equatable {
  /// In full, with the type: "Lamp._hap._tcp.local".
  package let name: DNSName
  /// Nil where it was not heard, or was said to be gone: as for the next two.
  package var pointer: SeenRecord?
  package var service: SeenRecord?
  package var text: SeenRecord?
  /// A and AAAA records of the host, each address once.
  package var addresses: [SeenRecord] = []

  /// The name that people see: 1...63 bytes, by rule UTF-8.
  package var label: [UInt8] { name.firstLabel ?? [] }
  package var host: DNSName? {
    if case .service(_, _, _, let target) = service?.record.data { target } else { nil }
  }
  package var port: UInt16? {
    if case .service(_, _, let port, _) = service?.record.data { port } else { nil }
  }
  /// As they stand, in their order. See `DNSTextEntry`.
  package var textStrings: [[UInt8]]? {
    if case .text(let strings) = text?.record.data { strings } else { nil }
  }

  /// Keys and values of the TXT record, as text, in their order; none where it was not heard.
  package var textEntries: [(key: String, value: String)] { Self.entries(of: textStrings ?? []) }

  package static func entries(of strings: [[UInt8]]) -> [(key: String, value: String)] {
    strings.map { string in
      let entry = DNSTextEntry(string)
      return (String(decoding: entry.key, as: UTF8.self), String(decoding: entry.value ?? [], as: UTF8.self))
    }
  }

  /// The value of a key of the TXT record.
  package func value(_ key: String) -> [UInt8]? { textStrings.flatMap { DNSTextEntry.value(of: key, in: $0) } }

  /// Where to connect to, IPv4 first. Link-local IPv6 addresses have the interface on which they were heard.
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

  /// What still has to be asked for.
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

/// Which service is meant.
package enum ServiceTarget: Sendable, Equatable {
  /// The value of `id` in its TXT record, in any case.
  case id(String)
  /// The name that people see.
  case name(String)
  /// An address that its host has, and the port unless it is 0.
  case address(SocketAddress)

  /// As people call it: by its device ID, or its name.
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
