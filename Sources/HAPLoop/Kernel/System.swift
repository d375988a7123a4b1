#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func nameCurrentThread(_ name: String) {
  // Linux takes 15 bytes.
  var short = name
  while short.utf8.count > 15 { short.removeLast() }
  #if canImport(Darwin)
    pthread_setname_np(short)
  #else
    // `pthread_setname_np` is hidden behind a macro that the module isn't built with.
    let file = open("/proc/thread-self/comm", O_WRONLY)
    if file < 0 { return }
    _ = short.withCString { write(file, $0, strlen($0)) }
    closeDescriptor(file)
  #endif
}

/// Lets go of a thread that nobody will join.
func detachThread(_ thread: pthread_t) { pthread_detach(thread) }

/// A write to a connection that the peer has left raises SIGPIPE in the writing thread, which would end the process.
/// Blocking it in the loop's thread alone leaves the process, a test runner perhaps, as it was.
func blockBrokenPipeSignal() {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &set, nil)
}

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// Ends the process at once: nothing is flushed, no handler runs.
func endProcess(_ status: Int32) -> Never { _exit(status) }

/// Gives every closed one of the descriptors 0, 1 and 2 to the null device.
///
/// A program started with its standard input closed would otherwise get number 0 for its first socket, and read its
/// commands from it. To be called first in `main`.
package func openMissingStandardDescriptors() {
  while true {
    let descriptor = open("/dev/null", O_RDWR)
    if descriptor < 0 { return }
    if descriptor > 2 {
      closeDescriptor(descriptor)
      return
    }
  }
}

/// The C library's `read`, for a type that has a `read` of its own.
func readBytes(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int { read(descriptor, &buffer, count) }
