/// The symbols by which an object file accesses the machine, by kind.
enum SystemSymbol: String, CaseIterable {
  case sockets, libuv, files, terminal, clocks, sleep, randomness, processes, threads, tasks

  /// The kind of a symbol; `nil` if it doesn't access the machine.
  init?(_ symbol: String) {
    let symbol = Self.wrapped(symbol) ?? symbol
    let found =
      symbol.hasPrefix("$s")
      ? symbol.contains("5using") ? nil : Self.swiftNames.first { $0.parts.contains { symbol.contains($0) } }?.kind
      : Self.functions.first { $0.names.contains { Self.matches(symbol, $0) } }?.kind
    guard let found else { return nil }
    self = found
  }

  /// The C function that a Swift function of the C library's module calls, such as `open` and `fcntl`; `nil` for
  /// others.
  private static func wrapped(_ symbol: String) -> String? {
    guard let module = ["$s5Glibc", "$s6Darwin", "$s4Musl"].first(where: symbol.hasPrefix) else { return nil }
    let rest = symbol.dropFirst(module.count)
    guard let count = Int(rest.prefix(while: \.isNumber)) else { return nil }
    return String(rest.drop(while: \.isNumber).prefix(count))
  }

  /// - Parameter pattern: an exact name or, ending in `*`, the start of a name.
  static func matches(_ symbol: String, _ pattern: String) -> Bool {
    pattern.hasSuffix("*") ? symbol.hasPrefix(pattern.dropLast()) : symbol == pattern
  }

  /// C functions, by patterns. Without `syscall`: `Synchronization.Mutex` puts it into the objects that use one.
  private static let functions: [(kind: SystemSymbol, names: [String])] = [
    (
      .sockets,
      [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "shutdown", "send*", "recv*",
        "getsockopt", "setsockopt", "getsockname", "getpeername", "getaddrinfo", "freeaddrinfo", "gethostby*",
        "getifaddrs", "freeifaddrs", "if_nametoindex", "if_indextoname", "if_nameindex", "poll", "ppoll", "select",
        "pselect", "epoll_*", "kqueue", "kevent*", "eventfd", "ioctl", "DNSService*", "BIO_*", "SSL_*", "CFSocket*",
        "nw_*",
      ]
    ),
    (.libuv, ["uv_*"]),
    (
      .files,
      [
        "open", "open64", "openat", "openat64", "creat", "fopen*", "fclose", "fdopen", "freopen*", "opendir",
        "closedir", "readdir*", "read", "pread*", "readv", "write", "pwrite*", "writev", "close", "stat", "stat64",
        "lstat*", "fstat*", "statvfs*", "fsync", "fdatasync", "unlink*", "rename*", "mkdir*", "rmdir", "access",
        "flock", "lockf*", "fcntl*", "lseek*", "truncate*", "ftruncate*", "chmod", "fchmod", "chown", "fchown", "link",
        "symlink", "readlink*", "mmap*", "mkstemp*", "mkdtemp", "remove", "realpath", "getcwd", "chdir", "pipe",
        "pipe2", "dup",
        "dup2", "fwrite", "fread", "fgets", "getline", "fputs", "fputc", "fprintf", "vfprintf", "sqlite3_*",
        "plist_read_*", "plist_write_*",
      ]
    ),
    (
      .terminal,
      [
        "printf", "puts", "putchar", "vprintf", "perror", "plist_print*", "isatty", "tcgetattr", "tcsetattr", "stdin",
        "stdout", "stderr", "el_*",
      ]
    ),
    (
      .clocks,
      [
        "time", "time64", "clock", "clock_*", "gettimeofday", "times", "ftime", "timespec_get", "localtime*", "gmtime*",
        "mktime", "tzset", "mach_absolute_time", "mach_continuous_time", "swift_get_time", "swift_get_clock_res",
      ]
    ),
    (
      .sleep,
      [
        "sleep", "usleep", "nanosleep", "alarm", "setitimer", "timer_*", "timerfd_*", "swift_sleep*",
        "swift_task_sleep*",
      ]
    ),
    (
      .randomness,
      [
        "rand", "rand_r", "srand", "random", "random_r", "srandom*", "drand48*", "erand48*", "lrand48*", "mrand48*",
        "getrandom", "getentropy", "arc4random*", "CCRandom*", "SecRandom*", "swift_stdlib_random", "randombytes*",
        "RAND_*", "BN_rand*", "BN_priv_rand*", "BN_pseudo_rand*", "BN_generate_prime*", "BN_is_prime*",
        "EVP_PKEY_keygen*", "EVP_PKEY_generate", "EVP_PKEY_Q_keygen", "EVP_RAND*", "EVP_CIPHER_CTX_rand_key",
        "crypto_sign_keypair", "crypto_sign_ed25519_keypair", "crypto_box_keypair", "crypto_kx_keypair",
        "crypto_aead_chacha20poly1305_ietf_keygen", "crypto_secretbox_keygen", "crypto_auth_keygen",
        "crypto_kdf_keygen", "crypto_core_ed25519_random", "crypto_core_ed25519_scalar_random",
      ]
    ),
    (
      .processes,
      [
        "fork", "vfork", "exec*", "posix_spawn*", "system", "popen", "kill", "raise", "wait", "waitpid", "signal",
        "sigaction", "exit", "_exit", "getenv", "setenv", "getpid", "getuid", "geteuid", "gethostname", "uname",
        "getrlimit", "setrlimit", "sysconf", "dlopen", "dlsym",
      ]
    ),
    (.threads, ["pthread_create", "pthread_detach", "thrd_create", "dispatch_*"]),
    (.tasks, ["swift_task_create*"]),
  ]

  /// Parts of mangled names of the standard library. Variants with a given generator (`5using`) are allowed.
  private static let swiftNames: [(kind: SystemSymbol, parts: [String])] = [
    (
      .randomness,
      ["27SystemRandomNumberGenerator", "6random2in", "6randomSbyFZ", "13randomElement", "8shuffledSay", "7shuffleyy"]
    ),
    (.clocks, ["15ContinuousClock", "15SuspendingClock", "13DispatchTime", "10Foundation4Date"]),
    (.terminal, ["$ss5print_", "$ss10debugPrint_", "$ss4dump_", "$ss8readLine"]),
    (.processes, ["$ss11CommandLineO"]),
    (.threads, ["8Dispatch", "10Foundation6Thread"]),
  ]
}
