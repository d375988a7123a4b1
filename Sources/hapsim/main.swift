import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

exit(Program.hapsim.run(CommandLine.arguments.dropFirst(), console: .standard).rawValue)
