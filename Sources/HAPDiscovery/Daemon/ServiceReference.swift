import CDNSSD
import HAPLoop

/// One conversation with the machine's mDNS daemon, through `dns_sd.h`: a registration or a search. Belongs to the thread of its loop, on
/// which its calls may block as long as the daemon takes.
final class ServiceReference {
  enum Reply: Equatable {
    /// The service is up under this name; the daemon may have chosen another than was asked for.
    case registered(name: String)
    case found(name: String, interface: UInt32)
    case gone(name: String, interface: UInt32)
    /// A record that was asked for is there, or not any more.
    case record([UInt8], interface: UInt32, isThere: Bool)
    /// The conversation is over: the daemon has gone, or gave up. To be closed.
    case failed(DaemonError)
  }

  private let loop: EventLoop
  private let onReply: (Reply) -> Void
  private var reference: DNSServiceRef?
  private var watcher: DescriptorWatcher?
  /// Comes from within the library, which is better left before anything is closed.
  private var replies: [Reply] = []

  private let library: DNSSDLibrary

  private init(_ loop: EventLoop, _ onReply: @escaping (Reply) -> Void) throws(DaemonError) {
    library = try .shared()
    self.loop = loop
    self.onReply = onReply
  }

  deinit { close() }

  /// - Parameters:
  ///   - name: in place of the record's.
  ///   - interface: an index; 0 is all of them.
  ///   - onReply: never called before this returns.
  static func register(
    _ record: ServiceRecord, name: String, interface: UInt32, on loop: EventLoop, onReply: @escaping (Reply) -> Void
  ) throws(DaemonError) -> ServiceReference {
    let made = try ServiceReference(loop, onReply)
    let txt = record.txt.bytes
    // The host is the daemon's: dns_sd.h can name another, but Avahi's has no way to give that one an address.
    let status = made.library.register(
      &made.reference, 0, interface, name, record.type, "local", nil, record.port.bigEndian, UInt16(txt.count), txt,
      { _, _, status, name, _, _, context in
        let made = Unmanaged<ServiceReference>.fromOpaque(context!).takeUnretainedValue()
        guard status == DNSServiceErrorType(kDNSServiceErr_NoError), let name else {
          return made.replies.append(.failed(DaemonError(status)))
        }
        made.replies.append(.registered(name: String(cString: name)))
      }, Unmanaged.passUnretained(made).toOpaque())
    try made.start(status)
    return made
  }

  /// Looks for services of a type.
  static func browse(
    _ type: String, interface: UInt32 = 0, on loop: EventLoop, onReply: @escaping (Reply) -> Void
  ) throws(DaemonError) -> ServiceReference {
    let made = try ServiceReference(loop, onReply)
    let status = made.library.browse(
      &made.reference, 0, interface, type, "local",
      { _, flags, interface, status, name, _, _, context in
        let made = Unmanaged<ServiceReference>.fromOpaque(context!).takeUnretainedValue()
        guard status == DNSServiceErrorType(kDNSServiceErr_NoError), let name else {
          return made.replies.append(.failed(DaemonError(status)))
        }
        guard let name = String(validatingCString: name) else { return }
        let isThere = flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0
        made.replies.append(
          isThere ? .found(name: name, interface: interface) : .gone(name: name, interface: interface))
      }, Unmanaged.passUnretained(made).toOpaque())
    try made.start(status)
    return made
  }

  /// Looks for records on all interfaces, for as long as it is open.
  static func records(
    _ name: String, type: UInt16, on loop: EventLoop, onReply: @escaping (Reply) -> Void
  ) throws(DaemonError) -> ServiceReference {
    let made = try ServiceReference(loop, onReply)
    let status = made.library.query(
      &made.reference, 0, 0, name, type, UInt16(kDNSServiceClass_IN),
      { _, flags, interface, status, _, _, _, count, data, _, context in
        let made = Unmanaged<ServiceReference>.fromOpaque(context!).takeUnretainedValue()
        guard status == DNSServiceErrorType(kDNSServiceErr_NoError) else {
          // That there is none now is no failure: the search goes on.
          if Int(status) == kDNSServiceErr_NoSuchRecord { return }
          return made.replies.append(.failed(DaemonError(status)))
        }
        let bytes = Array(UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(count)))
        let isThere = flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0
        made.replies.append(.record(bytes, interface: interface, isThere: isThere))
      }, Unmanaged.passUnretained(made).toOpaque())
    try made.start(status)
    return made
  }

  private func start(_ status: DNSServiceErrorType) throws(DaemonError) {
    guard status == DNSServiceErrorType(kDNSServiceErr_NoError), let reference else {
      reference = nil
      throw DaemonError(status)
    }
    do throws(LoopError) {
      let watcher = try DescriptorWatcher(loop, descriptor: library.socket(reference)) { [unowned self] in
        readable($0)
      }
      self.watcher = watcher
      watcher.watch(.readable)
    } catch {
      close()
      throw DaemonError(DNSServiceErrorType(kDNSServiceErr_Unknown))
    }
  }

  private func readable(_ events: DescriptorWatcher.Events) {
    guard let reference else { return }
    let status = library.process(reference)
    if status != DNSServiceErrorType(kDNSServiceErr_NoError) || events.contains(.failure) {
      // A dead conversation stays readable for ever.
      watcher?.watch([])
      replies.append(.failed(DaemonError(status)))
    }
    withExtendedLifetime(self) {
      while !replies.isEmpty, self.reference != nil { onReply(replies.removeFirst()) }
    }
  }

  /// Gives a registration another TXT record.
  func update(_ txt: TextRecord) throws(DaemonError) {
    guard let reference else { return }
    let bytes = txt.bytes
    let status = library.update(reference, nil, 0, UInt16(bytes.count), bytes, 0)
    if status != DNSServiceErrorType(kDNSServiceErr_NoError) { throw DaemonError(status) }
  }

  /// Ends the conversation; the daemon says goodbye for what was registered in it. Any number of times.
  func close() {
    watcher?.close()
    watcher = nil
    guard let reference else { return }
    self.reference = nil
    library.deallocate(reference)
  }
}

/// Why the daemon didn't do what it was asked for.
struct DaemonError: Error, Equatable, CustomStringConvertible {
  let code: Int32

  init(_ code: DNSServiceErrorType) { self.code = code }

  /// Ours, in a range that no library uses: `dns_sd.h` is there, and what stands behind it is not.
  static let noLibrary = DaemonError(1)

  /// Somebody on this machine has the name already.
  var isNameConflict: Bool { Int(code) == kDNSServiceErr_NameConflict }

  /// What was asked is none, or not to be had; the daemon is well.
  var isOfQuestion: Bool {
    [
      kDNSServiceErr_BadParam, kDNSServiceErr_Invalid, kDNSServiceErr_NoSuchName, kDNSServiceErr_NoSuchRecord,
      kDNSServiceErr_BadFlags,
    ].contains(Int(code))
  }

  var description: String {
    switch Int(code) {
    // Avahi's library has no other word for an absent or dying daemon; Apple's says "not running" and "defunct connection".
    case 0, kDNSServiceErr_Unknown, -65563, -65569: "no mDNS daemon answers"
    case 1: "the library of the mDNS daemon, libdns_sd.so.1, is not installed"
    case kDNSServiceErr_NameConflict: "the name is taken"
    default: "the mDNS daemon refuses (error \(code))"
    }
  }
}

extension TextRecord {
  /// As it stands in the record: each string with its length in front; one empty string where there is none.
  var bytes: [UInt8] { entries.isEmpty ? [0] : strings.flatMap { [UInt8($0.count)] + $0 } }
}
