import FuzzTargets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argc: UnsafeMutablePointer<CInt>, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ each: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target of this process. It is set before the fuzzer runs, which only reads it.
nonisolated(unsafe) private var target = FuzzTarget.tlv

/// The function that libFuzzer's `main` calls.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

/// `fuzz TARGET [LIBFUZZER-OPTION…] [CORPUS…]`
@main
enum Runner {
  static func main() {
    // When merging, libFuzzer starts this program again with its own arguments, which lack the target.
    let variable = "HAPSIM_FUZZ_TARGET"
    let first = CommandLine.arguments.dropFirst().first.flatMap(FuzzTarget.init(rawValue:))
    guard let named = first ?? getenv(variable).flatMap({ FuzzTarget(rawValue: String(cString: $0)) }) else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " | ")
      print("usage: fuzz \(names) [libFuzzer's options] [CORPUS…]")
      exit(2)
    }
    target = named
    setenv(variable, named.rawValue, 1)
    // The remaining arguments are for libFuzzer, with a default for the maximum input length.
    var arguments = CommandLine.arguments
    if first != nil { arguments.remove(at: 1) }
    if !arguments.contains(where: { $0.hasPrefix("-max_len=") }) {
      arguments.insert("-max_len=\(target.longestInput)", at: 1)
    }
    var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var count = CInt(arguments.count)
    let status = strings.withUnsafeMutableBufferPointer { buffer -> CInt in
      var start = buffer.baseAddress!
      return runDriver(&count, &start) { testOneInput($0, $1) }
    }
    exit(status)
  }
}
