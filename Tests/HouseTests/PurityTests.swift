import Foundation
import Testing

/// The pure targets have no sockets, files, clocks or randomness of their own: neither in what they import nor in
/// what their objects ask the linker for.
///
/// Seen to fail, each put into a file of HAPWire and taken out again:
/// - `import Glibc`: "HAPWire/Broken.swift imports Glibc";
/// - `ContinuousClock.now`: "HAPWire/Broken.swift.o asks for $ss15ContinuousClockV3nowAB7InstantVvgZ";
/// - `UInt8.random(in: 0...9)`: "… asks for $ss17FixedWidthIntegerPsE6random2inxSNyxG_tFZ"; so did `randomElement()`,
///   `shuffled()`, `shuffle()` and `Bool.random()`;
/// - `socket(2, 1, 0)` and `clock_gettime(CLOCK_REALTIME, &t)`: "… asks for socket", "… asks for clock_gettime";
/// - `print("x")`, `Task {}` and `Task.sleep(for: .seconds(1))`.
struct PurityTests {
  /// What a pure target may import besides the targets it has arrows to: of the standard library what needs an import, and does no
  /// I/O: locks and atomics.
  private static let importsForAll: Set<String> = ["Synchronization"]
  private static let imports: [String: Set<String>] = [
    "HAPCrypto": ["CSodium", "CLibcrypto"],
    "HAPWire": [],
    "MDNS": ["HAPWire"],
    "HAPModel": [],
    "HAPProtocol": ["HAPCrypto", "HAPWire", "HAPModel"],
    "HAPProfile": ["HAPModel", "HAPWire"],
    "HAPAppleArchive": ["CPlist", "HAPModel"],
    "HAPImport": ["HAPAppleArchive", "HAPProtocol", "HAPProfile", "HAPModel", "HAPWire"],
    "HAPYAML": ["CYAML", "HAPWire"],
    "HAPSuite": ["HAPYAML", "HAPModel", "HAPWire"],
    "HAPDefects": ["HAPYAML", "HAPProtocol", "HAPProfile", "HAPModel", "HAPWire", "HAPCrypto"],
    "HAPScenario": ["HAPYAML", "HAPModel", "HAPWire"],
    "HAPFaults": ["HAPDefects", "HAPYAML", "HAPModel", "HAPWire"],
    "HAPFleet": ["HAPFaults", "HAPYAML", "HAPModel", "HAPWire", "HAPCrypto"],
    "HAPJudge": ["HAPReport", "HAPProtocol", "HAPModel", "HAPWire"],
    "HAPLint": ["HAPModel", "HAPWire"],
    "HAPReport": ["HAPWire"],
    "HAPCapture": ["HAPProtocol", "HAPProfile", "HAPModel", "HAPWire", "HAPCrypto"],
  ]

  @Test("A pure target imports nothing but its arrows", arguments: Checkout.pureTargets)
  func imports(_ target: String) throws {
    let allowed = try Self.imports[target].orFail("no list for \(target)").union(Self.importsForAll)
    let sources = try Checkout.sources(of: target)
    try #require(!sources.isEmpty, "\(target) has no sources")
    for source in sources {
      for module in Checkout.modulesImported(by: try String(contentsOf: source, encoding: .utf8)) {
        #expect(allowed.contains(module), "\(target)/\(source.lastPathComponent) imports \(module)")
      }
    }
  }

  @Test("The modules a file imports are found whatever stands around the name")
  func importsAreFound() {
    let text = """
      // import NotThis
      import A
      @testable import B
      @preconcurrency package import C
      import struct D.Thing; import E.Part
      #if canImport(F)
        import F  // why
      #endif
      @_spi(X) public import class G.Thing
      let important = "import H"
      """
    #expect(Checkout.modulesImported(by: text) == ["A", "B", "C", "D", "E", "F", "G"])
  }

  /// C functions, by exact name or, ending in `*`, by how the name begins.
  private static let functionsDenied: [String] = [
    // sockets and name service
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "shutdown", "send*", "recv*",
    "getsockopt", "setsockopt", "getsockname", "getpeername", "getaddrinfo", "freeaddrinfo", "gethostby*", "getifaddrs",
    "if_nametoindex", "poll", "ppoll", "select", "pselect", "epoll_*", "kqueue", "kevent*", "eventfd", "ioctl", "uv_*",
    "avahi_*", "DNSService*", "BIO_*", "SSL_*", "CFSocket*", "nw_*",
    // files and the terminal
    "open", "open64", "openat", "openat64", "creat", "fopen*", "fdopen", "freopen*", "opendir", "readdir*", "read",
    "pread*", "readv", "write", "pwrite*", "writev", "close", "stat", "stat64", "lstat*", "fstat*", "fsync",
    "fdatasync", "unlink*", "rename*", "mkdir*", "rmdir", "access", "flock", "lockf*", "mmap*", "mkstemp*", "realpath",
    "getcwd", "chdir", "printf", "puts", "putchar", "fputs", "fputc", "fwrite", "fprintf", "vfprintf", "vprintf",
    "fread", "fgets", "getline", "perror", "sqlite3_*", "plist_read_*", "plist_write_*",
    "plist_print*",
    // clocks, timers, waiting
    "time", "time64", "clock", "clock_*", "gettimeofday", "times", "ftime", "timespec_get", "localtime*", "gmtime*",
    "mktime", "sleep", "usleep", "nanosleep", "alarm", "setitimer", "timer_*", "timerfd_*", "mach_absolute_time",
    "mach_continuous_time", "swift_get_time", "swift_get_clock_res", "swift_sleep*",
    // chance
    "rand", "rand_r", "srand", "random", "random_r", "srandom*", "drand48*", "erand48*", "lrand48*", "mrand48*",
    "getrandom", "getentropy", "arc4random*", "CCRandom*", "SecRandom*", "swift_stdlib_random",
    "randombytes*", "RAND_*", "BN_rand*", "BN_priv_rand*", "BN_pseudo_rand*", "BN_generate_prime*", "BN_is_prime*",
    "EVP_PKEY_keygen*", "EVP_PKEY_generate", "EVP_PKEY_Q_keygen", "EVP_RAND*", "EVP_CIPHER_CTX_rand_key",
    "crypto_sign_keypair", "crypto_sign_ed25519_keypair", "crypto_box_keypair",
    "crypto_kx_keypair", "crypto_aead_chacha20poly1305_ietf_keygen", "crypto_secretbox_keygen",
    "crypto_auth_keygen", "crypto_kdf_keygen", "crypto_core_ed25519_random", "crypto_core_ed25519_scalar_random",
    // processes, threads, the environment
    "fork", "vfork", "exec*", "posix_spawn*", "system", "popen", "kill", "signal", "sigaction", "getenv", "setenv",
    "getpid", "gethostname", "uname", "pthread_create", "dispatch_*", "swift_task_create*", "swift_task_sleep*",
  ]

  /// Parts of mangled names of the standard library. The same with a generator handed in (`5using`) is allowed.
  private static let swiftNamesDenied: [String] = [
    "27SystemRandomNumberGenerator", "6random2in", "6randomSbyFZ", "13randomElement", "8shuffled", "7shuffle",
    "15ContinuousClock", "15SuspendingClock", "13DispatchTime", "10Foundation4Date",  // clocks
    "$ss5print_", "$ss10debugPrint_", "$ss4dump_", "$ss8readLine", "$ss11CommandLineO",  // the terminal
  ]

  @Test("A pure target's objects ask for no socket, file, clock or chance", arguments: Checkout.pureTargets)
  func objects(_ target: String) throws {
    let sources = try Checkout.sources(of: target)
    let folder = try Checkout.buildFolder().appendingPathComponent("\(target).build")
    // By the names of the sources: an object may be left from a source that is gone.
    let objects = sources.map { folder.appendingPathComponent($0.lastPathComponent + ".o") }
    for object in objects {
      let there = FileManager.default.fileExists(atPath: object.path)
      try #require(there, "\(object.path) is missing: the tests were built in a way this test doesn't know")
      for symbol in try Self.symbolsAskedFor(by: object) where Self.isDenied(symbol) {
        Issue.record("\(target)/\(object.lastPathComponent) asks for \(symbol)")
      }
    }
  }

  @Test("What is denied is told from what is not")
  func denials() {
    for symbol in [
      "socket", "clock_gettime", "randombytes_buf", "RAND_bytes", "BN_priv_rand_range", "uv_now", "sendto",
      "$ss15ContinuousClockV3nowAB7InstantVvgZ", "$ss27SystemRandomNumberGeneratorVABycfC",
      "$ss17FixedWidthIntegerPsE6random2inxSNyxG_tFZ", "$sSlsE13randomElement0B0QzSgyF", "swift_task_create",
      "$ss5print_9separator10terminatoryypd_S2StF",
    ] {
      #expect(Self.isDenied(symbol), "\(symbol)")
    }
    for symbol in [
      "memcpy", "crypto_sign_ed25519_seed_keypair", "BN_mod_exp_mont_consttime", "EVP_EncryptUpdate", "sodium_memzero",
      "$ss17FixedWidthIntegerPsE6random2in5usingxSNyxG_qd__ztSGRd__lFZ", "swift_retain", "$sSS6appendyySSF",
      "$s9HAPCrypto12RandomSourceV5bytesySays5UInt8VGSiF", "timed", "randomised",
    ] {
      #expect(!Self.isDenied(symbol), "\(symbol)")
    }
  }

  private static func isDenied(_ symbol: String) -> Bool {
    if symbol.hasPrefix("$s") { return !symbol.contains("5using") && swiftNamesDenied.contains { symbol.contains($0) } }
    return functionsDenied.contains { $0.hasSuffix("*") ? symbol.hasPrefix($0.dropLast()) : symbol == $0 }
  }

  /// The undefined symbols of an object, without the underscore that macOS puts before each.
  private static func symbolsAskedFor(by object: URL) throws -> [String] {
    let listing = try Checkout.output(of: ["nm", "-u", object.path])
    let symbols = String(decoding: listing, as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: " ").last.map(String.init) }
    #if os(macOS)
      return symbols.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 }
    #else
      return symbols
    #endif
  }
}
