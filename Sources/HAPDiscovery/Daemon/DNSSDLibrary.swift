import CDNSSD

#if canImport(Glibc)
  import Glibc
#endif

/// The functions of `dns_sd.h`.
///
/// On Linux they are Avahi's. They are loaded at the first call and not linked, so that hapsim starts without the library.
struct DNSSDLibrary: Sendable {
  typealias Register =
    @convention(c) (
      UnsafeMutablePointer<DNSServiceRef?>?, DNSServiceFlags, UInt32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt16, UInt16, UnsafeRawPointer?, DNSServiceRegisterReply?,
      UnsafeMutableRawPointer?
    ) -> DNSServiceErrorType
  typealias Browse =
    @convention(c) (
      UnsafeMutablePointer<DNSServiceRef?>?, DNSServiceFlags, UInt32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      DNSServiceBrowseReply?, UnsafeMutableRawPointer?
    ) -> DNSServiceErrorType
  typealias Query =
    @convention(c) (
      UnsafeMutablePointer<DNSServiceRef?>?, DNSServiceFlags, UInt32, UnsafePointer<CChar>?, UInt16, UInt16,
      DNSServiceQueryRecordReply?, UnsafeMutableRawPointer?
    ) -> DNSServiceErrorType
  typealias Update =
    @convention(c) (DNSServiceRef?, DNSRecordRef?, DNSServiceFlags, UInt16, UnsafeRawPointer?, UInt32) ->
    DNSServiceErrorType

  let register: Register
  let browse: Browse
  let query: Query
  let update: Update
  let socket: @convention(c) (DNSServiceRef?) -> Int32
  let process: @convention(c) (DNSServiceRef?) -> DNSServiceErrorType
  let deallocate: @convention(c) (DNSServiceRef?) -> Void

  /// - Throws: if the library isn't installed.
  static func shared() throws(DaemonError) -> DNSSDLibrary {
    guard let loaded else { throw .noLibrary }
    return loaded
  }

  #if canImport(Glibc)
    private static let loaded: DNSSDLibrary? = {
      guard let library = dlopen("libdns_sd.so.1", RTLD_NOW | RTLD_LOCAL) else { return nil }
      func function<F>(_ name: String, _: F.Type) -> F? { dlsym(library, name).map { unsafeBitCast($0, to: F.self) } }
      // This function is in libavahi-common, a dependency of the library. Other implementations of dns_sd.h don't have it.
      function("avahi_set_allocator", (@convention(c) (UnsafeRawPointer?) -> Void).self)?(makeZeroingAllocator())
      guard let register = function("DNSServiceRegister", Register.self),
        let browse = function("DNSServiceBrowse", Browse.self),
        let query = function("DNSServiceQueryRecord", Query.self),
        let update = function("DNSServiceUpdateRecord", Update.self),
        let socket = function("DNSServiceRefSockFD", (@convention(c) (DNSServiceRef?) -> Int32).self),
        let process = function(
          "DNSServiceProcessResult", (@convention(c) (DNSServiceRef?) -> DNSServiceErrorType).self),
        let deallocate = function("DNSServiceRefDeallocate", (@convention(c) (DNSServiceRef?) -> Void).self)
      else { return nil }
      return DNSSDLibrary(
        register: register, browse: browse, query: query, update: update, socket: socket, process: process,
        deallocate: deallocate)
    }()

    /// `AvahiAllocator` of avahi-common/malloc.h.
    private struct Allocator {
      let malloc: @convention(c) (Int) -> UnsafeMutableRawPointer?
      let free: @convention(c) (UnsafeMutableRawPointer?) -> Void
      let realloc: @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
      let calloc: @convention(c) (Int, Int) -> UnsafeMutableRawPointer?
    }

    /// When the daemon dies, Avahi's library calls all callbacks of a connection. Versions up to 0.8 also call callbacks that were not set,
    /// through uninitialized memory (avahi/avahi#569). Zeroed memory has no such callbacks. Avahi keeps the pointer until the process ends.
    private static func makeZeroingAllocator() -> UnsafeRawPointer {
      let allocator = UnsafeMutablePointer<Allocator>.allocate(capacity: 1)
      allocator.initialize(
        to: Allocator(
          malloc: { Glibc.calloc(1, $0) }, free: { Glibc.free($0) }, realloc: { Glibc.realloc($0, $1) },
          calloc: { Glibc.calloc($0, $1) }))
      return UnsafeRawPointer(allocator)
    }
  #else
    private static let loaded: DNSSDLibrary? = DNSSDLibrary(
      register: { DNSServiceRegister($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) },
      browse: { DNSServiceBrowse($0, $1, $2, $3, $4, $5, $6) },
      query: { DNSServiceQueryRecord($0, $1, $2, $3, $4, $5, $6, $7) },
      update: { DNSServiceUpdateRecord($0, $1, $2, $3, $4, $5) }, socket: { DNSServiceRefSockFD($0) },
      process: { DNSServiceProcessResult($0) }, deallocate: { DNSServiceRefDeallocate($0) })
  #endif
}
