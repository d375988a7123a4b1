#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the maximum number of open files and sockets of the process.
func openFileLimit() -> Int { Int(clamping: currentLimit()?.rlim_cur ?? 0) }

/// Raises the limit of open files and sockets to `count`, as far as the system allows.
///
/// - Returns: the limit now.
package func raiseDescriptorLimit(to count: Int) -> Int {
  guard var limit = currentLimit() else { return 0 }
  if limit.rlim_cur < rlim_t(count) {
    var raised = limit
    raised.rlim_cur = min(rlim_t(count), limit.rlim_max)
    if setrlimit(descriptorResource, &raised) == 0 { limit = raised }
  }
  return Int(clamping: limit.rlim_cur)
}

private func currentLimit() -> rlimit? {
  var limit = rlimit()
  return getrlimit(descriptorResource, &limit) == 0 ? limit : nil
}

#if canImport(Glibc)
  let descriptorResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  let descriptorResource = RLIMIT_NOFILE
#endif
