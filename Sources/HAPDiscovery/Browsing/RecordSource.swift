/// Which records are wanted. The names are in the form of ``DomainName``.
enum Question: Hashable, Sendable {
  /// SRV: where a service is, by its full name.
  case location(String)
  /// TXT: what it says of itself.
  case text(String)
  /// A: a host's IPv4 addresses.
  case addressesV4(String)
  /// AAAA.
  case addressesV6(String)

  var name: String {
    switch self {
    case .location(let name), .text(let name), .addressesV4(let name), .addressesV6(let name): name
    }
  }

  /// The record's type, RFC 1035 §3.2.2, RFC 2782, RFC 3596.
  var type: UInt16 {
    switch self {
    case .location: 33
    case .text: 16
    case .addressesV4: 1
    case .addressesV6: 28
    }
  }
}

/// Where something was heard. What is heard twice also goes twice.
struct Link: Hashable, Sendable {
  let interface: UInt32
  /// The IP version it came by, where the source tells.
  var version: Int32 = 0
}

/// What a source heard.
enum RecordEvent: Equatable, Sendable {
  /// An instance of the type is there, or is gone there.
  case instance(String, Link, isThere: Bool)
  /// A record, as its data stands on the wire, is there, or not any more.
  case record(Question, Link, data: [UInt8], isThere: Bool)
  /// The source can't look, or not any more; everything that it told is void, and what it was asked is forgotten. It tries again by itself.
  case lost(String)
}

/// Looks for instances of a service type, and for the records it is asked for, as long as it is asked. Belongs to the thread of its owner's
/// loop, where it tells what it hears, never during a call to it.
protocol RecordSource: AnyObject {
  func ask(_ question: Question)
  func drop(_ question: Question)
  /// Nothing is told any more. Any number of times.
  func close()
}
