#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The open files and sockets that the process may have.
func openFileLimit() -> Int { Int(clamping: currentLimit()?.rlim_cur ?? 0) }

/// Lets the process have `count` open files and sockets, as far as the system allows.
///
/// - Returns: how many it may have now.
package func raiseDescriptorLimit(to count: Int) -> Int {
  guard var limit = currentLimit() else { return 0 }
  if limit.rlim_cur < rlim_t(count) {
    var raised = limit
    raised.rlim_cur = min(rlim_t(count), limit.rlim_max)
    if setrlimit(resource, &raised) == 0 { limit = raised }
  }
  return Int(clamping: limit.rlim_cur)
}

private func currentLimit() -> rlimit? {
  var limit = rlimit()
  return getrlimit(resource, &limit) == 0 ? limit : nil
}

#if canImport(Glibc)
  private let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let resource = RLIMIT_NOFILE
#endif
