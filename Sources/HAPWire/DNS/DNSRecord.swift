/// A question of a DNS message.
package struct DNSQuestion: Hashable, Sendable {
  package var name: DNSName
  package var type: UInt16
  /// The class field of the message: 1 for the Internet, and the top bit of multicast DNS.
  package var classField: UInt16

  /// - Parameter wantsUnicast: the QU bit, RFC 6762 §5.4: a unicast response is sufficient.
  package init(_ name: DNSName, _ type: UInt16, wantsUnicast: Bool = false) {
    self.name = name
    self.type = type
    classField = DNSClass.internet | (wantsUnicast ? DNSClass.topBit : 0)
  }

  init(name: DNSName, type: UInt16, classField: UInt16) {
    self.name = name
    self.type = type
    self.classField = classField
  }

  package var wantsUnicast: Bool {
    get { classField & DNSClass.topBit != 0 }
    set { classField = classField & ~DNSClass.topBit | (newValue ? DNSClass.topBit : 0) }
  }

  /// Whether a record of this name and type answers it.
  package func isAnswered(by record: DNSRecord) -> Bool {
    (type == record.type || type == DNSType.any) && name == record.name
  }
}

/// A record of a DNS message.
package struct DNSRecord: Hashable, Sendable {
  package enum Data: Hashable, Sendable {
    /// PTR.
    case pointer(DNSName)
    /// SRV, RFC 2782.
    case service(priority: UInt16, weight: UInt16, port: UInt16, target: DNSName)
    /// TXT: the strings of the message, each 0...255 bytes. A record without strings, which RFC 1035 doesn't allow,
    /// is read as an empty list. See `DNSTextEntry`.
    case text([[UInt8]])
    /// A with 4 bytes, AAAA with 16, in network order.
    case address([UInt8])
    /// NSEC, RFC 6762 §6.1: the existing types of the name, in ascending order.
    case existing(next: DNSName, types: [UInt16])
    /// Any other type.
    case raw([UInt8])
  }

  package var name: DNSName
  package var type: UInt16
  /// The class field of the message: 1 for the Internet, and the top bit of multicast DNS.
  package var classField: UInt16
  /// In seconds; 0 is a goodbye.
  package var ttl: UInt32
  package var data: Data

  /// - Parameter flushesCache: RFC 6762 §10.2: the message contains all records of the name and type.
  package init(_ name: DNSName, _ type: UInt16, ttl: UInt32, flushesCache: Bool = false, _ data: Data) {
    self.name = name
    self.type = type
    classField = DNSClass.internet | (flushesCache ? DNSClass.topBit : 0)
    self.ttl = ttl
    self.data = data
  }

  init(name: DNSName, type: UInt16, classField: UInt16, ttl: UInt32, data: Data) {
    self.name = name
    self.type = type
    self.classField = classField
    self.ttl = ttl
    self.data = data
  }

  package var flushesCache: Bool {
    get { classField & DNSClass.topBit != 0 }
    set { classField = classField & ~DNSClass.topBit | (newValue ? DNSClass.topBit : 0) }
  }

  /// Whether the record announces its removal. RFC 6762 §10.1.
  package var isGoodbye: Bool { ttl == 0 }
}

enum DNSClass {
  static let internet: UInt16 = 1
  /// RFC 6762 §18.12 and §18.13: unicast response requested in a question, cache flush in a record.
  static let topBit: UInt16 = 0x8000
}
