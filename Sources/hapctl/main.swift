import HAPCommandLine
import HAPLoop
import HapctlProgram

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// If a standard stream were closed, the first socket would get its descriptor, and output would go to that socket.
openMissingStandardDescriptors()
StartMemory.useOneHeap()
exit(Program.hapctl.run(CommandLine.arguments.dropFirst(), console: .standard).rawValue)
