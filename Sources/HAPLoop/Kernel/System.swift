#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func nameCurrentThread(_ name: String) {
  // Linux allows 15 bytes.
  var short = name
  while short.utf8.count > 15 { short.removeLast() }
  #if canImport(Darwin)
    pthread_setname_np(short)
  #else
    // The Swift module doesn't define the macro that declares `pthread_setname_np`.
    let file = open("/proc/thread-self/comm", O_WRONLY)
    if file < 0 { return }
    _ = short.withCString { write(file, $0, strlen($0)) }
    closeDescriptor(file)
  #endif
}

/// Detaches a thread that will not be joined.
func detachThread(_ thread: pthread_t) { pthread_detach(thread) }

/// A write to a connection that the peer has closed raises SIGPIPE in the writing thread, which would end the
/// process. Blocking it only in the loop's thread leaves the rest of the process (a test runner, for example)
/// unchanged.
func blockBrokenPipeSignal() {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &set, nil)
}

/// Prevents the signal SIGPIPE for writes to this descriptor, which otherwise ends the process. Sockets that it accepts
/// inherit that. Only for macOS, which sends the signal to the process and not to the writing thread.
func preventBrokenPipeSignal(of descriptor: Int32) {
  #if canImport(Darwin)
    _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
  #endif
}

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// Ends the process at once: nothing is flushed, no handler runs.
func endProcess(_ status: Int32) -> Never { _exit(status) }

/// Opens the null device for each of the descriptors 0, 1 and 2 that is closed.
///
/// A program that was started with a closed standard input would otherwise get number 0 for its first socket, and
/// read its commands from it. Must be called first in `main`.
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

/// The C library's `read`, for a type with a `read` method.
func readBytes(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int { read(descriptor, &buffer, count) }
