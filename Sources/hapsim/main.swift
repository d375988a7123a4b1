import HAPCommandLine
import HAPLoop
import HapsimProgram

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// If a standard stream were closed, the first socket would get its descriptor, and output would go to that socket.
openMissingStandardDescriptors()
exit(Program.hapsim.run(CommandLine.arguments.dropFirst(), console: .standard).rawValue)
