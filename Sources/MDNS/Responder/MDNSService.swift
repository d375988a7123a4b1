/// A service to announce. RFC 6763.
package struct MDNSService: Equatable, Sendable {
  /// The instance name: 1...63 bytes of UTF-8; dots and backslashes are plain bytes.
  package var name: String
  /// The service type of two labels, such as "_hap._tcp".
  package var type: String
  /// The subtypes, at most 16. A label such as "_L3840" is announced as `_L3840._sub.<type>.local`. RFC 6763 §7.1.
  package var subtypes: [String]
  package var port: UInt16
  /// The strings of the TXT record, each 0...255 bytes. An empty list is sent as one empty string. RFC 6763 §6.1.
  package var text: [[UInt8]]
  /// The host name without ".local", 1...63 bytes. Services with the same host name and the same `addresses` share the
  /// host.
  package var host: String
  /// The addresses of the host. An address of an interface is announced on that interface, and any other address on all
  /// interfaces. If there are none, each interface announces its addresses.
  package var addresses: [MDNSAddress]
  /// Whether the service and its host get another name if another host has their name. If not, the service is
  /// withdrawn.
  package var mayRename: Bool
  /// Whether packets with this service contain no other service. A Matter controller drops services of a packet with
  /// several SRV records.
  package var isAlone: Bool

  /// - Parameter isAlone: nil: true for types that begin with "_matter", false for others.
  package init(
    name: String, type: String = "_hap._tcp", subtypes: [String] = [], port: UInt16, text: [[UInt8]], host: String,
    addresses: [MDNSAddress] = [], mayRename: Bool = true, isAlone: Bool? = nil
  ) {
    self.name = name
    self.type = type
    self.subtypes = subtypes
    self.port = port
    self.text = text
    self.host = host
    self.addresses = addresses
    self.mayRename = mayRename
    self.isAlone = isAlone ?? type.hasPrefix("_matter")
  }

  /// The size of the TXT record's data in bytes.
  var textSize: Int { text.isEmpty ? 1 : text.reduce(0) { $0 + 1 + $1.count } }

  /// Throws unless all labels and strings fit into a DNS message, and all records into a packet of 9000 bytes.
  package func check() throws(MDNSServiceError) {
    func isLabel(_ text: some StringProtocol) -> Bool { (1...63).contains(text.utf8.count) }
    guard isLabel(name) else { throw .malformedName(name) }
    guard Self.isType(type.utf8) else { throw .malformedType(type) }
    for subtype in subtypes where !isLabel(subtype) { throw .malformedType(subtype) }
    guard subtypes.count <= 16 else { throw .tooManySubtypes(subtypes.count) }
    guard isLabel(host), !host.utf8.contains(UInt8(ascii: ".")) else { throw .malformedHost(host) }
    guard port > 0 else { throw .noPort }
    if let long = text.first(where: { $0.count > 255 }) { throw .textTooLong(long.count) }
    guard textSize <= Self.textLimit else { throw .textTooLong(textSize) }
  }

  /// Returns whether a text is a type of two labels with at most 80 bytes.
  private static func isType(_ text: String.UTF8View) -> Bool {
    guard text.count <= 80, let dot = text.firstIndex(of: UInt8(ascii: ".")) else { return false }
    let second = text[dot...].dropFirst()
    return [text[..<dot], second].allSatisfy { (1...63).contains($0.count) } && !second.contains(UInt8(ascii: "."))
  }

  /// The maximum size of the data of a TXT record in bytes. A packet of 9000 bytes with one such record has room for
  /// the names.
  static let textLimit = 8000
}

/// The reason why a service can't be announced.
package enum MDNSServiceError: Error, Equatable, CustomStringConvertible {
  case malformedName(String)
  case malformedType(String)
  case malformedHost(String)
  case tooManySubtypes(Int)
  case noPort
  case textTooLong(Int)

  package var description: String {
    switch self {
    case .malformedName(let name): "the service name \"\(name)\" has \(name.utf8.count) bytes; it must have 1 to 63"
    case .malformedType(let type): "\"\(type)\" is not a service type such as _hap._tcp"
    case .malformedHost(let host): "\"\(host)\" is not a host name: it must have 1 to 63 bytes without a dot"
    case .tooManySubtypes(let count): "the service has \(count) subtypes; the maximum is 16"
    case .noPort: "port 0 can't be announced"
    case .textTooLong(let count):
      "the TXT record has \(count) bytes; a string has at most 255 bytes, and all strings together at most 8000"
    }
  }
}

/// A service that was published. It stays valid over renames, until the service is withdrawn.
package struct MDNSServiceID: Hashable, Sendable {
  let slot: UInt32
  let generation: UInt32
}

/// The deviations of a service from RFC 6762, for defects. By default there are none.
package struct MDNSBehavior: Hashable, Sendable {
  /// Whether the service's names are probed, §8.1. If not, the service is announced at once.
  package var probes = true
  /// Whether announcements and multicast answers are sent, §8.3. If not, answers are sent only to the querier.
  package var announces = true
  /// Whether goodbyes are sent, §10.1.
  package var saysGoodbye = true
  /// Whether the service gets another name if another host has its name, §8.2 and §9.
  package var yieldsNames = true
  /// Whether known answers are omitted, §7.1.
  package var suppressesKnownAnswers = true
  /// Whether QU questions are answered by unicast, §5.4. If not, they are answered by multicast.
  package var answersUnicast = true
  /// Whether QU questions are answered at all, §5.4.
  package var hearsUnicast = true
  /// Whether unique records have the cache-flush bit, §10.2.
  package var flushesCaches = true
  /// The interval at which all records are announced again; nil: they are announced only twice, as in §8.3.
  package var repeats: Duration?
  /// The TTLs in seconds of SRV, A, AAAA and NSEC records, and of all others, §10; nil: 120 and 4500.
  package var hostTTL: UInt32?
  package var otherTTL: UInt32?

  package init() {}
}
