/// The records to look for. The names are in the form of ``DomainName``.
enum Question: Hashable, Sendable {
  /// SRV: the host and port of a service, by its full name.
  case location(String)
  /// TXT: the description of a service.
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

/// The link on which a record was received. A record that arrives on two links also goes away on each of them.
struct Link: Hashable, Sendable {
  let interface: UInt32
  /// The IP version of the packet, if the source reports it.
  var version: Int32 = 0
}

/// An event of a source.
enum RecordEvent: Equatable, Sendable {
  /// An instance of the type appeared or disappeared on a link.
  case instance(String, Link, isThere: Bool)
  /// A record appeared or disappeared. `data` is its data in wire form.
  case record(Question, Link, data: [UInt8], isThere: Bool)
  /// The source can't search now. All its earlier events are void and all its questions are dropped. It retries by itself.
  case lost(String)
}

/// Looks for instances of a service type, and for the requested records until they are dropped. All calls are on the owner's loop.
/// Events arrive on that loop, but never during a call to the source.
protocol RecordSource: AnyObject {
  func ask(_ question: Question)
  func drop(_ question: Question)
  /// Stops all events. Idempotent.
  func close()
}
