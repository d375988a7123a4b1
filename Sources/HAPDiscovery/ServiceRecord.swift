import HAPLoop

/// A service to advertise.
package struct ServiceRecord: Equatable, Sendable {
  /// The instance name, which users see: 1...63 bytes without control characters.
  package var name: String
  /// Such as "_hap._tcp".
  package var type: String
  /// At most 16 subtypes, each a label such as "_L3840". RFC 6763 §7.1.
  package var subtypes: [String]
  /// 1...65535.
  package var port: UInt16
  package var txt: TextRecord
  /// The host name without ".local": 1...63 letters, digits and hyphens. Every accessory has a different one, so that accessories and other
  /// responders on one machine never claim the same name.
  package let host: String
  /// Addresses to announce for the host. An address of an advertising interface is announced only on that interface, any other address on
  /// all of them. Empty: each interface announces its own addresses.
  package var addresses: [IPAddress]
  /// Whether the record is renamed if its name is taken, as in RFC 6762 §9. If false, it is withdrawn.
  package var isRenamed = true
  /// Whether other hosts are asked for the name before it is announced. RFC 6762 §8.1. It takes 0.75 s, so a name that is
  /// unique by construction is not probed.
  package var isProbed = true

  package init(
    name: String, type: String = "_hap._tcp", subtypes: [String] = [], port: UInt16,
    txt: [(key: String, value: String)], host: String, addresses: [IPAddress] = []
  ) {
    self.name = name
    self.type = type
    self.subtypes = subtypes
    self.port = port
    self.txt = TextRecord(txt)
    self.host = host
    self.addresses = addresses
  }

  /// - Throws: if the record can't be advertised.
  package func check() throws(RecordError) {
    guard Self.isLabel(name) else { throw .malformedName(name) }
    guard Self.isServiceType(type) else { throw .malformedType(type) }
    if let wrong = subtypes.first(where: { !Self.isSubtype($0) }) { throw .malformedSubtype(wrong) }
    guard subtypes.count <= Self.mostSubtypes else { throw .tooManySubtypes(subtypes.count) }
    guard port > 0 else { throw .noPort }
    guard Self.isHostLabel(host) else { throw .malformedHost(host) }
    try txt.check()
  }

  private static func isLabel(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  private static let mostSubtypes = 16

  /// A label without the characters that separate subtypes for a daemon.
  private static func isSubtype(_ text: String) -> Bool {
    isLabel(text) && !text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "\\")].contains($0) }
  }

  private static func isHostLabel(_ text: String) -> Bool {
    isWord(text.utf8[...], 1...63)
  }

  /// Letters, digits and hyphens, without a hyphen at either end.
  private static func isWord(_ text: Substring.UTF8View, _ length: ClosedRange<Int>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return length.contains(text.count) && text.allSatisfy(isLetterDigitOrHyphen) && text.first != hyphen
      && text.last != hyphen
  }

  /// RFC 6763 §7: an underscore, 1...15 letters, digits and hyphens, and the protocol.
  private static func isServiceType(_ text: String) -> Bool {
    let bytes = text.utf8
    let isKnown = ["._tcp", "._udp"].contains { bytes.suffix(5).elementsEqual($0.utf8) }
    guard bytes.first == UInt8(ascii: "_"), isKnown else { return false }
    return isWord(bytes.dropFirst().dropLast(5), 1...15)
  }

  private static func isLetterDigitOrHyphen(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// The reason why a record can't be advertised.
package enum RecordError: Error, Equatable, CustomStringConvertible {
  case malformedName(String)
  case malformedType(String)
  case malformedSubtype(String)
  case tooManySubtypes(Int)
  case malformedHost(String)
  case noPort
  case malformedKey(String)
  case duplicateKey(String)
  case entryTooLong(key: String, bytes: Int)
  case textTooLong(bytes: Int)

  package var description: String {
    switch self {
    case .malformedName(let name):
      "\"\(name)\" can't be advertised as a name: it needs 1 to 63 bytes without control characters"
    case .malformedType(let type): "\"\(type)\" is not a service type such as _hap._tcp"
    case .malformedSubtype(let label):
      "\"\(label)\" can't be advertised as a subtype: it needs 1 to 63 bytes without dots, commas and backslashes"
    case .tooManySubtypes(let count): "the record has \(count) subtypes; the limit is 16"
    case .malformedHost(let host): "\"\(host)\" is not a host name: it needs 1 to 63 letters, digits and hyphens"
    case .noPort: "port 0 can't be advertised"
    case .malformedKey(let key): "\"\(key)\" is not a key of a TXT record: it needs printable ASCII without ="
    case .duplicateKey(let key): "the key \(key) occurs twice in the TXT record"
    case .entryTooLong(let key, let bytes): "the TXT entry \(key) has \(bytes) bytes; the limit is 255"
    case .textTooLong(let bytes): "the TXT record has \(bytes) bytes; the limit is 1300"
    }
  }
}
