#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets the process have `count` open files and sockets, as far as the system allows.
///
/// - Returns: how many it may have now.
package func raiseDescriptorLimit(to count: Int) -> Int {
  var limit = rlimit()
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  guard getrlimit(resource, &limit) == 0 else { return 0 }
  if limit.rlim_cur < rlim_t(count) {
    var raised = limit
    raised.rlim_cur = min(rlim_t(count), limit.rlim_max)
    if setrlimit(resource, &raised) == 0 { limit = raised }
  }
  return Int(clamping: limit.rlim_cur)
}
