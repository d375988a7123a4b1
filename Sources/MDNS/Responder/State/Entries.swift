import HAPWire

/// A published service.
struct ServiceEntry: Sendable {
  /// The instance name, followed by the data of the TXT record.
  var blob: [UInt8]
  var labelLength: UInt8
  var isLive = true
  var isAlone: Bool
  var mayRename: Bool
  /// Whether `registered` was reported since the last rename.
  var isRegistered = false
  /// Whether `heard` was reported since the last `registered`.
  var isHeard = false
  /// The index in `behaviors`.
  var behavior: UInt16
  var type: UInt16
  var port: UInt16
  /// The offset of the name in the packet that is being written, and the number of that packet.
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
  var host: UInt32
  var generation: UInt32
  /// The position in the list of the type's services.
  var position: UInt32 = 0
  /// The hash of the full name.
  var hash: UInt64 = 0
  /// The indexes of the subtypes.
  var subtypes: [UInt32]

  var label: ArraySlice<UInt8> { blob[..<Int(labelLength)] }
  var name: String { String(decoding: label, as: UTF8.self) }
  var textCount: Int { blob.count - Int(labelLength) }
}

/// A host name with its addresses, for one or more services.
struct HostEntry: Sendable {
  var label: [UInt8]
  /// The configured addresses; empty: those of each interface.
  var addresses: [MDNSAddress]
  /// The published services.
  var services: [UInt32] = []
  /// The number of services in the tables with this host, including those whose goodbyes wait.
  var users = 0
  var mayRename: Bool
  var isLive = true
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
  /// The records that the packet of this number already contains.
  var written = Records()
  var writtenIn: UInt32 = 0
  var hash: UInt64 = 0

  var name: String { String(decoding: label, as: UTF8.self) }
}

/// A type of services.
struct TypeEntry: Sendable {
  /// The name, such as "_hap._tcp.local": labels, each after its length, without the empty label at the end.
  var wire: [UInt8]
  var hash: UInt64
  var services: [UInt32] = []
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
  /// The number of the packet that already contains the type's record of the list of types.
  var listedIn: UInt32 = 0
}

/// A subtype, RFC 6763 §7.1.
struct SubtypeEntry: Sendable {
  /// The labels, such as "_L3840._sub", each after its length, without the empty label at the end.
  var wire: [UInt8]
  var type: UInt16
  var hash: UInt64
  var services: [UInt32] = []
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
}

/// The recent conflicts about a name. RFC 6762 §8.1: after 15 conflicts within ten seconds, each attempt waits five
/// seconds.
struct ConflictHistory: Sendable {
  static let limit = 15
  static let window = 10 * Time.second
  static let pause = 5 * Time.second
  /// The number of conflicts after which the name is kept. A minute without conflicts resets the count. A device that
  /// causes this number of conflicts has a record for every name, or sends forged records.
  static let patience = 24
  /// The number of conflicts after which the next name has a random number.
  static let attempts = 20
  static let quiet = 60 * Time.second

  private var times: [Int64] = []
  private var count = 0

  /// Records a conflict.
  /// - Returns: the pause before the next attempt.
  mutating func note(at now: Int64) -> Int64 {
    if let last = times.last, now - last > Self.quiet { count = 0 }
    count += 1
    times = times.filter { now - $0 <= Self.window }.suffix(Self.limit - 1) + [now]
    return times.count < Self.limit && count < Self.limit ? 0 : Self.pause
  }

  /// Records a further conflict about a name that is kept. The minute without conflicts starts again.
  mutating func extend(at now: Int64) { times[times.count - 1] = now }

  var isUnlikely: Bool { count >= Self.attempts }

  func isHopeless(at now: Int64) -> Bool {
    count >= Self.patience && times.last.map { now - $0 <= Self.quiet } ?? false
  }
}

extension MDNSResponder {
  static let local: [UInt8] = [5] + Array("local".utf8)
  static let serviceListPrefix: [UInt8] =
    [9] + Array("_services".utf8) + [7] + Array("_dns-sd".utf8) + [4] + Array("_udp".utf8)
  static let serviceListHash = hash(of: [serviceListPrefix[...], local[...]])

  /// Returns the hash of labels, each after its length.
  static func hash(of parts: [ArraySlice<UInt8>], from start: UInt64 = DNSScan.emptyHash) -> UInt64 {
    parts.reduce(start) { $1.reduce($0, DNSScan.combine) }
  }

  static func serviceHash(_ label: ArraySlice<UInt8>, _ type: TypeEntry) -> UInt64 {
    hash(of: [label, type.wire[...]], from: DNSScan.combine(DNSScan.emptyHash, UInt8(label.count)))
  }

  static func hostHash(_ label: [UInt8]) -> UInt64 {
    hash(of: [label[...], local[...]], from: DNSScan.combine(DNSScan.emptyHash, UInt8(label.count)))
  }

  /// Returns the labels of a dotted name, each after its length.
  static func wire(_ name: String) -> [UInt8] {
    name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).flatMap { [UInt8($0.count)] + $0 }
  }

  /// Returns the data of a TXT record. RFC 6763 §6.1: a record without strings contains one empty string.
  static func textData(_ strings: [[UInt8]]) -> [UInt8] {
    if strings.isEmpty { return [0] }
    var data: [UInt8] = []
    data.reserveCapacity(strings.reduce(0) { $0 + 1 + $1.count })
    for string in strings {
      data.append(UInt8(string.count))
      data += string
    }
    return data
  }
}
