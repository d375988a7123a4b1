import HAPCommandLine
import HAPLoop
import HaptestProgram

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// If a standard stream were closed, the first socket would get its descriptor, and output would go to that socket.
openMissingStandardDescriptors()
exit(Program.haptest.run(CommandLine.arguments.dropFirst(), console: .standard).rawValue)
