import HAPCommandLine
import HAPLoop
import HapsimProgram

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// With a standard stream closed, the first socket would take its number and be written to as one.
openMissingStandardDescriptors()
exit(Program.hapsim.run(CommandLine.arguments.dropFirst(), console: .standard).rawValue)
