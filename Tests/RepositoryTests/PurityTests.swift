import Foundation
import Testing

/// The pure targets don't use sockets, files, clocks or randomness themselves: neither in their imports nor in the
/// symbols that their objects refer to.
///
/// Checked: these tests fail with each of these, temporarily in a file of HAPWire:
/// - `import Glibc`: "HAPWire/Broken.swift imports Glibc";
/// - `ContinuousClock.now`: "HAPWire/Broken.swift.o asks for $ss15ContinuousClockV3nowAB7InstantVvgZ";
/// - `UInt8.random(in: 0...9)`: "… asks for $ss17FixedWidthIntegerPsE6random2inxSNyxG_tFZ"; so did `randomElement()`,
///   `shuffled()`, `shuffle()` and `Bool.random()`;
/// - `socket(2, 1, 0)` and `clock_gettime(CLOCK_REALTIME, &t)`: "… asks for socket", "… asks for clock_gettime";
/// - `print("x")`, `Task {}` and `Task.sleep(for: .seconds(1))`.
struct PurityTests {
  /// Modules that a pure target may import in addition to its dependencies: parts of the standard library that need an
  /// import and do no I/O, such as locks and atomics.
  private static let importsForAll: Set<String> = ["Synchronization"]
  private static let imports: [String: Set<String>] = [
    "HAPCrypto": ["CSodium", "CLibcrypto"],
    "HAPWire": [],
    "MDNS": ["HAPWire"],
    "MatterWire": ["HAPWire"],
    "MatterBridge": ["MatterModel", "MatterWire", "HAPAttributes", "HAPModel", "HAPWire", "CMath"],
    "MatterModel": ["MatterWire", "HAPWire"],
    "MatterController": ["MatterProtocol", "MatterInteraction", "MatterModel", "MatterWire", "HAPCrypto", "HAPWire"],
    "MatterInteraction": ["MatterModel", "MatterWire", "HAPWire"],
    "MatterProtocol": ["MatterInteraction", "MatterModel", "MatterWire", "HAPCrypto", "HAPWire"],
    "HAPModel": [],
    "HAPAttributes": ["HAPModel"],
    "HAPPairing": ["HAPCrypto", "HAPWire", "HAPModel"],
    "HAPIP": ["HAPAttributes", "HAPPairing", "HAPCrypto", "HAPWire", "HAPModel"],
    "HAPProfile": ["HAPIP", "HAPPairing", "HAPAttributes", "HAPModel", "HAPWire"],
    "HAPAppleArchive": ["CPlist", "HAPModel"],
    "HAPImport": ["HAPAppleArchive", "HAPIP", "HAPProfile", "HAPModel", "HAPWire"],
    "HAPYAML": ["CYAML", "HAPWire"],
    "HAPSuite": ["HAPYAML", "HAPModel", "HAPWire"],
    "HAPDeviations": [
      "HAPYAML", "HAPIP", "HAPProfile", "MatterModel", "MatterWire", "HAPModel", "HAPWire", "HAPCrypto",
    ],
    "HAPVocabulary": ["HAPDeviations", "HAPDevices", "HAPProfile", "HAPIP", "HAPModel", "HAPWire"],
    "HAPScenario": ["HAPVocabulary", "HAPYAML", "HAPIP", "HAPModel", "HAPWire"],
    // For `exp`. The test of the object files denies the rest of this module.
    "HAPDevices": ["HAPAttributes", "HAPModel", "HAPWire", "Glibc", "Darwin"],
    "HAPFleet": ["HAPDeviations", "HAPYAML", "HAPModel", "HAPWire", "HAPCrypto"],
    "HAPJudge": ["HAPReport", "HAPIP", "HAPModel", "HAPWire"],
    "HAPLint": ["HAPModel", "HAPWire"],
    "HAPAlmanac": ["CMath"],
    "HAPHome": ["HAPAlmanac", "HAPModel", "HAPWire"],
    "HAPHomeSetup": ["HAPHome", "HAPModel"],
    "HAPHomeFile": ["HAPHome", "HAPAlmanac", "HAPYAML", "HAPModel", "HAPWire"],
    "HAPHomeEngine": ["HAPHome", "HAPAlmanac", "HAPModel", "HAPWire"],
    "HAPReport": ["HAPWire"],
    "HAPExpectation": ["HAPSuite", "HAPReport", "HAPIP", "HAPPairing", "HAPModel", "HAPWire", "HAPCrypto"],
    "HAPFuzzing": ["HAPExpectation", "HAPSuite", "HAPIP", "HAPModel", "HAPWire", "HAPCrypto"],
    "HAPCapture": [
      "MatterProtocol", "MatterBridge", "MatterInteraction", "MatterModel", "MatterWire", "HAPIP", "HAPPairing",
      "HAPAttributes", "HAPProfile", "HAPModel", "HAPWire", "HAPCrypto",
    ],
  ]

  @Test("A pure target imports only its dependencies", arguments: Checkout.pureTargets)
  func imports(_ target: String) throws {
    let allowed = try Self.imports[target].orFail("no list for \(target)").union(Self.importsForAll)
    let sources = try Checkout.sources(of: target)
    try #require(!sources.isEmpty, "\(target) has no sources")
    for source in sources {
      for module in Checkout.modulesImported(by: try String(contentsOf: source, encoding: .utf8)) {
        #expect(allowed.contains(module), "\(target)/\(source.lastPathComponent) imports \(module)")
      }
    }
  }

  @Test("Imported modules are found, whatever surrounds the name")
  func importsAreFound() {
    let text = """
      // import NotThis
      import A
      @testable import B
      @preconcurrency package import C
      import struct D.Thing; import E.Part
      #if canImport(F)
        import F  // why
      #endif
      @_spi(X) public import class G.Thing
      let important = "import H"
      """
    #expect(Checkout.modulesImported(by: text) == ["A", "B", "C", "D", "E", "F", "G"])
  }

  @Test("A pure target's objects refer to no socket, file, clock or randomness", arguments: Checkout.pureTargets)
  func objects(_ target: String) throws {
    for object in try ObjectFile.all(of: target, onlyUndefined: true) {
      for symbol in object.undefinedSymbols where SystemSymbol(symbol) != nil {
        Issue.record("\(object.name) refers to \(symbol)")
      }
    }
  }

  @Test("Denied symbols are distinguished from allowed ones")
  func denials() {
    for symbol in [
      "socket", "$s5Glibc4openys5Int32VSPys4Int8VG_ADtF", "clock_gettime", "randombytes_buf", "RAND_bytes",
      "BN_priv_rand_range", "uv_now", "sendto",
      "$ss15ContinuousClockV3nowAB7InstantVvgZ", "$ss27SystemRandomNumberGeneratorVABycfC",
      "$ss17FixedWidthIntegerPsE6random2inxSNyxG_tFZ", "$sSlsE13randomElement0B0QzSgyF", "swift_task_create",
      "$ss5print_9separator10terminatoryypd_S2StF", "$sSTsE8shuffledSay7ElementQzGyF", "$sSMsSkRzrlE7shuffleyyF",
    ] {
      #expect(SystemSymbol(symbol) != nil, "\(symbol)")
    }
    for symbol in [
      "memcpy", "$s5Glibc5errnos5Int32Vvg", "crypto_sign_ed25519_seed_keypair", "BN_mod_exp_mont_consttime",
      "EVP_EncryptUpdate", "sodium_memzero",
      "$ss17FixedWidthIntegerPsE6random2in5usingxSNyxG_qd__ztSGRd__lFZ", "swift_retain", "$sSS6appendyySSF",
      "$s9HAPCrypto12RandomSourceV5bytesySays5UInt8VGSiF", "timed", "randomised",
      "$s10HAPProfile16AccessoryProfileV8shuffledy8HAPModel5IDMapVAGF",
    ] {
      #expect(SystemSymbol(symbol) == nil, "\(symbol)")
    }
  }
}
