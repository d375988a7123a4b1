import CDNSSD
import HAPLoop

/// One connection to the machine's mDNS daemon, through `dns_sd.h`: a registration or a search. Belongs to its loop's thread. Its calls
/// block until the daemon answers.
final class ServiceReference {
  enum Reply: Equatable {
    /// The service is registered under this name, which may differ from the requested one.
    case registered(name: String)
    case found(name: String, interface: UInt32)
    case gone(name: String, interface: UInt32)
    /// A requested record appeared or disappeared.
    case record([UInt8], interface: UInt32, isThere: Bool)
    /// The connection has ended, because the daemon is gone or reported an error. The owner must close it.
    case failed(DaemonError)
  }

  private let loop: EventLoop
  private let onReply: (Reply) -> Void
  private var reference: DNSServiceRef?
  private var watcher: DescriptorWatcher?
  /// Replies from callbacks of the library. They are delivered after the library returns, because an owner may close the connection.
  private var replies: [Reply] = []

  private let library: DNSSDLibrary

  private init(_ loop: EventLoop, _ onReply: @escaping (Reply) -> Void) throws(DaemonError) {
    library = try .shared()
    self.loop = loop
    self.onReply = onReply
  }

  deinit { close() }

  /// - Parameters:
  ///   - name: replaces the record's name.
  ///   - interface: an index; 0 means all.
  ///   - onReply: never called before this returns.
  static func register(
    _ record: ServiceRecord, name: String, interface: UInt32, on loop: EventLoop, onReply: @escaping (Reply) -> Void
  ) throws(DaemonError) -> ServiceReference {
    let made = try ServiceReference(loop, onReply)
    let txt = record.txt.bytes
    // dns_sd.h takes subtypes after the type, separated by commas.
    let type = ([record.type] + record.subtypes).joined(separator: ",")
    // The host name is the daemon's. dns_sd.h can name another host, but Avahi's implementation can't give it an address.
    let status = made.library.register(
      &made.reference, 0, interface, name, type, "local", nil, record.port.bigEndian, UInt16(txt.count), txt,
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

  /// Looks for records on all interfaces while it is open.
  static func records(
    _ name: String, type: UInt16, on loop: EventLoop, onReply: @escaping (Reply) -> Void
  ) throws(DaemonError) -> ServiceReference {
    let made = try ServiceReference(loop, onReply)
    let status = made.library.query(
      &made.reference, 0, 0, name, type, UInt16(kDNSServiceClass_IN),
      { _, flags, interface, status, _, _, _, count, data, _, context in
        let made = Unmanaged<ServiceReference>.fromOpaque(context!).takeUnretainedValue()
        guard status == DNSServiceErrorType(kDNSServiceErr_NoError) else {
          // The record doesn't exist yet. That is no failure, and the search continues.
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
      // A connection that has ended stays readable forever.
      watcher?.watch([])
      replies.append(.failed(DaemonError(status)))
    }
    withExtendedLifetime(self) {
      while !replies.isEmpty, self.reference != nil { onReply(replies.removeFirst()) }
    }
  }

  /// Replaces the TXT record of a registration.
  func update(_ txt: TextRecord) throws(DaemonError) {
    guard let reference else { return }
    let bytes = txt.bytes
    let status = library.update(reference, nil, 0, UInt16(bytes.count), bytes, 0)
    if status != DNSServiceErrorType(kDNSServiceErr_NoError) { throw DaemonError(status) }
  }

  /// Closes the connection; the daemon sends goodbyes for its registration. Idempotent.
  func close() {
    watcher?.close()
    watcher = nil
    guard let reference else { return }
    self.reference = nil
    library.deallocate(reference)
  }
}

/// An error of the daemon.
struct DaemonError: Error, Equatable, CustomStringConvertible {
  let code: Int32

  init(_ code: DNSServiceErrorType) { self.code = code }

  /// Our own code, in a range that no library uses: the library of `dns_sd.h` is not installed.
  static let noLibrary = DaemonError(1)

  /// Another process on this machine has the name already.
  var isNameConflict: Bool { Int(code) == kDNSServiceErr_NameConflict }

  /// The question is invalid or not supported; the daemon works.
  var isOfQuestion: Bool {
    [
      kDNSServiceErr_BadParam, kDNSServiceErr_Invalid, kDNSServiceErr_NoSuchName, kDNSServiceErr_NoSuchRecord,
      kDNSServiceErr_BadFlags,
    ].contains(Int(code))
  }

  var description: String {
    switch Int(code) {
    // Avahi's library has no other code for an absent or dying daemon. Apple's codes are "not running" and "defunct connection".
    case 0, kDNSServiceErr_Unknown, -65563, -65569: "no mDNS daemon answers"
    case 1: "the library of the mDNS daemon, libdns_sd.so.1, is not installed"
    case kDNSServiceErr_NameConflict: "the name is taken"
    default: "the mDNS daemon refuses (error \(code))"
    }
  }
}

extension TextRecord {
  /// The data of the record: each string with its length in front, or one empty string if there are none.
  var bytes: [UInt8] { entries.isEmpty ? [0] : strings.flatMap { [UInt8($0.count)] + $0 } }
}
