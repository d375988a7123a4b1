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
  /// Whether `heard` was reported since then.
  var isHeard = false
  /// Index into `behaviors`.
  var behavior: UInt16
  var type: UInt16
  var port: UInt16
  /// The offset of the name in the packet of this number, which is being written.
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
  var host: UInt32
  var generation: UInt32
  /// The place in the list of the type's services.
  var position: UInt32 = 0
  /// Of the full name.
  var hash: UInt64 = 0
  /// Indexes of subtypes.
  var subtypes: [UInt32]

  var label: ArraySlice<UInt8> { blob[..<Int(labelLength)] }
  var name: String { String(decoding: label, as: UTF8.self) }
  var textCount: Int { blob.count - Int(labelLength) }
}

/// A host name with its addresses, for one or more services.
struct HostEntry: Sendable {
  var label: [UInt8]
  /// Empty: those of each interface.
  var addresses: [MDNSAddress]
  /// Those that are published.
  var services: [UInt32] = []
  /// Services in the tables that have this host, with those that wait for their goodbyes.
  var users = 0
  var mayRename: Bool
  var isLive = true
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
  /// The records that the packet of this number has already.
  var written = Records()
  var writtenIn: UInt32 = 0
  var hash: UInt64 = 0

  var name: String { String(decoding: label, as: UTF8.self) }
}

/// A type of services.
struct TypeEntry: Sendable {
  /// Such as "_hap._tcp.local": labels, each after its length, without the end.
  var wire: [UInt8]
  var hash: UInt64
  var services: [UInt32] = []
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
  /// The packet that has the type's record of the list of types already.
  var listedIn: UInt32 = 0
}

/// A subtype, RFC 6763 §7.1.
struct SubtypeEntry: Sendable {
  /// Such as "_L3840._sub": labels, each after its length, without the end.
  var wire: [UInt8]
  var type: UInt16
  var hash: UInt64
  var services: [UInt32] = []
  var nameAt: UInt16 = 0
  var nameIn: UInt32 = 0
}

/// The recent conflicts about a name. RFC 6762 §8.1: after 15 conflicts within ten seconds, each attempt waits five seconds.
struct ConflictHistory: Sendable {
  static let limit = 15
  static let window = 10 * Time.second
  static let pause = 5 * Time.second
  /// After this number of conflicts without a quiet minute the name is kept: another device answers to every name, or pretends to.
  static let patience = 24
  /// After this number of conflicts the next name has a random number.
  static let attempts = 20
  static let quiet = 60 * Time.second

  private var times: [Int64] = []
  private var count = 0

  /// - Returns: how long the next attempt has to wait.
  mutating func note(at now: Int64) -> Int64 {
    if let last = times.last, now - last > Self.quiet { count = 0 }
    count += 1
    times = times.filter { now - $0 <= Self.window }.suffix(Self.limit - 1) + [now]
    return times.count < Self.limit && count < Self.limit ? 0 : Self.pause
  }

  /// A further conflict about a name that is kept: the quiet minute begins again.
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

  /// The hash of labels, each after its length.
  static func hash(of parts: [ArraySlice<UInt8>], from start: UInt64 = DNSScan.emptyHash) -> UInt64 {
    parts.reduce(start) { $1.reduce($0, DNSScan.combine) }
  }

  static func serviceHash(_ label: ArraySlice<UInt8>, _ type: TypeEntry) -> UInt64 {
    hash(of: [label, type.wire[...]], from: DNSScan.combine(DNSScan.emptyHash, UInt8(label.count)))
  }

  static func hostHash(_ label: [UInt8]) -> UInt64 {
    hash(of: [label[...], local[...]], from: DNSScan.combine(DNSScan.emptyHash, UInt8(label.count)))
  }

  /// Labels of a dotted name, each after its length.
  static func wire(_ name: String) -> [UInt8] {
    name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).flatMap { [UInt8($0.count)] + $0 }
  }

  /// The data of a TXT record. RFC 6763 §6.1: one without strings has an empty one.
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
