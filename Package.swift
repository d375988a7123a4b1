// swift-tools-version: 6.1
import PackageDescription

// The dependencies between targets are the table of docs/internals/architecture.md; RepositoryTests compares the two.
let package = Package(
  name: "hapsim",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "hapsim", targets: ["hapsim"]),
    .executable(name: "hapctl", targets: ["hapctl"]),
    .executable(name: "haptest", targets: ["haptest"]),
    .library(name: "HAPController", targets: ["HAPController", "HAPModel"]),
    .library(name: "HAPHomeKit", targets: ["HAPHomeKit"]),
    // Apple's name, for apps that import HomeKit. A target that depends on it makes `canImport(HomeKit)` true in all
    // targets of the build.
    .library(name: "HomeKit", targets: ["HomeKit"]),
    .library(name: "HAPHomeKitTesting", targets: ["HAPHomeKitTesting"]),
    .library(name: "HAPSimulator", targets: ["HAPSimulator", "HAPModel", "HAPProfile"]),
  ],
  targets: [
    // C libraries, each imported by one Swift module.
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CLibcrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CQRencode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(
      name: "CTurboJPEG", pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
    // Part of macOS.
    .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
    .systemLibrary(
      name: "CPlist", pkgConfig: "libplist-2.0", providers: [.apt(["libplist-dev"]), .brew(["libplist"])]),
    .systemLibrary(
      name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    // math.h alone, for pure targets. Part of the C library.
    .systemLibrary(name: "CMath"),
    // Part of macOS.
    .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),

    // Generates Swift from suites, defects, faults and pages when a target with the plugin is built.
    .plugin(name: "EmbedTexts", capability: .buildTool(), dependencies: ["EmbedTool"]),
    .executableTarget(name: "EmbedTool", path: "Plugins/EmbedTool"),

    // Pure: no I/O, no clock, no random source.
    .target(name: "HAPCrypto", dependencies: ["CSodium", "CLibcrypto"]),
    .target(name: "HAPWire"),
    .target(name: "MDNS", dependencies: ["HAPWire"]),
    .target(name: "MatterWire", dependencies: ["HAPWire"]),
    .target(name: "MatterModel", dependencies: ["MatterWire", "HAPWire"]),
    .target(name: "MatterInteraction", dependencies: ["MatterModel", "MatterWire", "HAPWire"]),
    .target(
      name: "MatterProtocol", dependencies: ["MatterInteraction", "MatterModel", "MatterWire", "HAPCrypto", "HAPWire"]),
    .target(name: "HAPModel"),
    .target(name: "HAPAttributes", dependencies: ["HAPModel"]),
    .target(name: "HAPPairing", dependencies: ["HAPCrypto", "HAPWire", "HAPModel"]),
    .target(
      name: "MatterController",
      dependencies: ["MatterProtocol", "MatterInteraction", "MatterModel", "MatterWire", "HAPCrypto", "HAPWire"]),
    .target(
      name: "MatterBridge",
      dependencies: ["MatterModel", "MatterWire", "HAPAttributes", "HAPModel", "HAPWire", "CMath"]),
    .target(
      name: "HAPIP", dependencies: ["HAPAttributes", "HAPPairing", "HAPCrypto", "HAPWire", "HAPModel"]),
    .target(
      name: "HAPProfile", dependencies: ["HAPIP", "HAPPairing", "HAPAttributes", "HAPModel", "HAPWire"]),
    .target(
      name: "HAPCapture",
      dependencies: [
        "MatterProtocol", "MatterBridge", "MatterInteraction", "MatterModel", "MatterWire", "HAPIP", "HAPPairing",
        "HAPAttributes", "HAPProfile", "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    .target(name: "HAPAppleArchive", dependencies: ["CPlist", "HAPModel"]),
    .target(name: "HAPImport", dependencies: ["HAPAppleArchive", "HAPIP", "HAPProfile", "HAPModel", "HAPWire"]),
    .target(name: "HAPYAML", dependencies: ["CYAML", "HAPWire"]),
    .target(
      name: "HAPSuite", dependencies: ["HAPYAML", "HAPModel", "HAPWire"], exclude: ["Texts"], plugins: ["EmbedTexts"]),
    .target(
      name: "HAPDeviations",
      dependencies: [
        "HAPYAML", "HAPIP", "HAPProfile", "MatterModel", "MatterWire", "HAPModel", "HAPWire", "HAPCrypto",
      ],
      exclude: ["DefectTexts", "FaultTexts"], plugins: ["EmbedTexts"]),
    .target(name: "HAPDevices", dependencies: ["HAPAttributes", "HAPModel", "HAPWire"]),
    .target(
      name: "HAPVocabulary",
      dependencies: ["HAPDeviations", "HAPDevices", "HAPProfile", "HAPIP", "HAPModel", "HAPWire"]),
    .target(
      name: "HAPScenario", dependencies: ["HAPVocabulary", "HAPYAML", "HAPIP", "HAPModel", "HAPWire"]),
    .target(name: "HAPFleet", dependencies: ["HAPDeviations", "HAPYAML", "HAPModel", "HAPWire", "HAPCrypto"]),
    .target(name: "HAPJudge", dependencies: ["HAPReport", "HAPIP", "HAPModel", "HAPWire"]),
    .target(name: "HAPLint", dependencies: ["HAPModel", "HAPWire"]),
    .target(name: "HAPAlmanac", dependencies: ["CMath"]),
    .target(name: "HAPHome", dependencies: ["HAPAlmanac", "HAPModel", "HAPWire"]),
    .target(name: "HAPHomeEngine", dependencies: ["HAPHome", "HAPAlmanac", "HAPModel", "HAPWire"]),
    .target(name: "HAPHomeSetup", dependencies: ["HAPHome", "HAPModel"]),
    .target(
      name: "HAPHomeFile", dependencies: ["HAPHome", "HAPAlmanac", "HAPYAML", "HAPModel", "HAPWire"]),
    .target(name: "HAPReport", dependencies: ["HAPWire"], exclude: ["HTML/page"], plugins: ["EmbedTexts"]),
    .target(
      name: "HAPExpectation",
      dependencies: ["HAPSuite", "HAPReport", "HAPIP", "HAPPairing", "HAPModel", "HAPWire", "HAPCrypto"]),
    .target(
      name: "HAPFuzzing", dependencies: ["HAPExpectation", "HAPSuite", "HAPIP", "HAPModel", "HAPWire", "HAPCrypto"]),

    // I/O and time.
    .target(name: "HAPLoop", dependencies: ["CUV"]),
    .target(
      name: "HAPTransport",
      dependencies: ["HAPLoop", "HAPIP", "HAPPairing", "HAPAttributes", "HAPCrypto", "HAPModel", "HAPWire"]),
    .target(
      name: "HAPDiscovery",
      dependencies: ["MDNS", "HAPLoop", "HAPWire", "CDNSSD"]),
    .target(name: "HAPStore", dependencies: ["CSQLite", "HAPCrypto", "HAPModel"]),
    .target(
      name: "HAPController",
      dependencies: [
        "HAPTransport", "HAPDiscovery", "HAPStore", "HAPIP", "HAPPairing", "HAPModel", "HAPWire", "HAPLoop",
        "HAPCrypto",
      ]),
    .target(
      name: "HAPHubLink",
      dependencies: ["HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPLoop", "HAPModel", "HAPWire"]),
    .target(
      name: "HAPAccessoryPort",
      dependencies: [
        "HAPController", "HAPTransport", "HAPIP", "HAPPairing", "HAPHomeEngine", "HAPHome", "HAPLoop", "HAPStore",
        "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    .target(
      name: "HAPHub",
      dependencies: [
        "HAPAccessoryPort", "HAPHubLink", "HAPController", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPStore",
        "HAPLoop", "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    // Apple's API for homes. Only this library target and HAPHomeKitTesting use Foundation.
    .target(
      name: "HAPHomeKit",
      dependencies: [
        "HAPHub", "HAPHubLink", "HAPHomeSetup", "HAPHome", "HAPAlmanac", "HAPCommandLine", "HAPStore", "HAPLoop",
        "HAPIP", "HAPModel", "HAPWire",
      ], swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .target(name: "HomeKit", dependencies: ["HAPHomeKit"]),
    .target(
      name: "HAPHomeKitTesting",
      dependencies: [
        "HAPHomeKit", "HAPSimulator", "HAPSimulatorCore", "HAPHub", "HAPHubLink", "HAPHomeFile",
        "HAPHome", "HAPAlmanac", "HAPWorld", "HAPStore", "HAPLoop", "HAPModel",
      ], swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .target(
      name: "HAPProxy",
      dependencies: [
        "HAPController", "HAPTransport", "HAPDiscovery", "HAPStore", "HAPIP", "HAPPairing", "HAPAttributes", "HAPModel",
        "HAPWire", "HAPLoop", "HAPCrypto",
      ]),
    .target(
      name: "HAPMisbehaviour",
      dependencies: [
        "HAPController", "HAPTransport", "HAPStore", "HAPIP", "HAPPairing", "HAPModel", "HAPWire", "HAPLoop",
        "HAPCrypto",
      ]),
    .target(name: "HAPWorld", dependencies: ["HAPStore", "HAPLoop", "CSQLite"]),
    .target(
      name: "HAPPreparation",
      dependencies: [
        "HAPStore", "HAPProfile", "HAPDevices", "HAPDeviations", "HAPFleet", "HAPIP", "HAPPairing", "MatterBridge",
        "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    .target(
      name: "HAPFrontEnds",
      dependencies: [
        "HAPDeviations", "HAPDevices", "HAPTransport", "HAPDiscovery", "HAPLoop", "HAPIP", "HAPPairing",
        "HAPAttributes", "MDNS", "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    // Matter for a hosted accessory.
    .target(
      name: "HAPMatter",
      dependencies: [
        "HAPFrontEnds", "HAPDeviations", "HAPTransport", "HAPDiscovery", "HAPLoop", "HAPAttributes", "MatterBridge",
        "MatterProtocol", "MatterModel", "MatterWire", "HAPModel", "HAPCrypto",
      ]),
    .target(
      name: "HAPHost",
      dependencies: [
        "HAPPreparation", "HAPFrontEnds", "HAPDevices", "HAPDeviations", "HAPDiscovery", "HAPStore", "HAPProfile",
        "HAPLoop", "HAPIP", "HAPAttributes", "HAPModel", "HAPWire", "CQRencode", "CTurboJPEG",
      ]),
    .target(
      name: "HAPObservation",
      dependencies: [
        "HAPFrontEnds", "HAPJudge", "HAPReport", "HAPCapture", "HAPDiscovery", "HAPLoop", "HAPIP", "HAPAttributes",
        "HAPProfile", "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    .target(
      name: "HAPCommands",
      dependencies: [
        "HAPHost", "HAPScenario", "HAPVocabulary", "HAPDeviations", "HAPDevices", "HAPProfile", "HAPLoop", "HAPIP",
        "HAPModel", "HAPWire",
      ]),
    .target(
      name: "HAPSimulatorCore",
      dependencies: [
        "HAPCommands", "HAPHost", "HAPPreparation", "HAPWorld", "HAPDiscovery", "HAPStore", "HAPProfile", "HAPLoop",
        "HAPIP", "HAPModel", "HAPWire", "HAPVocabulary",
      ]),
    .target(
      name: "HAPSimulator",
      dependencies: [
        "HAPSimulatorCore", "HAPMatter", "HAPCommands", "HAPHost", "HAPWorld", "HAPDeviations", "HAPVocabulary",
        "HAPProfile", "HAPLoop", "HAPIP", "HAPModel", "HAPWire",
      ]),
    .target(
      name: "HAPWeb", dependencies: ["HAPLoop", "HAPIP", "HAPWire"], exclude: ["Page"], plugins: ["EmbedTexts"]),
    .target(
      name: "HAPHomeControl",
      dependencies: [
        "HAPWeb", "HAPHubLink", "HAPHomeSetup", "HAPHomeFile", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPLoop",
        "HAPModel", "HAPWire",
      ],
      exclude: ["Page", "OpenAPI"], plugins: ["EmbedTexts"]),
    .target(
      name: "HAPControl",
      dependencies: [
        "HAPWeb", "HAPCommands", "HAPHost", "HAPDevices", "HAPScenario", "HAPVocabulary", "HAPDeviations", "HAPProfile",
        "HAPIP", "HAPLoop", "HAPModel", "HAPWire",
      ],
      exclude: ["Page", "OpenAPI"], plugins: ["EmbedTexts"]),
    .target(
      name: "HAPTarget", dependencies: ["HAPSuite", "HAPProfile", "HAPDiscovery", "HAPLoop", "HAPModel", "HAPWire"]),
    .target(
      name: "HAPConformance",
      dependencies: [
        "HAPExpectation", "HAPFuzzing", "HAPTarget", "HAPSuite", "HAPLint", "HAPReport", "HAPLoop", "HAPIP",
        "HAPPairing", "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    .target(name: "HAPCommandLine", dependencies: ["HAPLoop"]),
    // The code of hapsim, divided by tasks: files and tables; preparation of a run; judging and recording of a run.
    .target(
      name: "HapsimFiles",
      dependencies: [
        "HAPCommandLine", "HAPPreparation", "HAPImport", "HAPCapture", "HAPProfile", "HAPDeviations", "HAPDevices",
        "HAPStore", "HAPLoop", "HAPModel", "HAPWire", "HAPCrypto",
      ]),
    .target(
      name: "HapsimInputs",
      dependencies: [
        "HapsimFiles", "HAPCommandLine", "HAPMatter", "HAPHost", "HAPPreparation", "HAPFleet", "HAPDeviations",
        "HAPProfile", "HAPStore", "HAPLoop", "HAPModel", "HAPWire",
      ]),
    .target(
      name: "HapsimObservation",
      dependencies: [
        "HapsimInputs", "HapsimFiles", "HAPCommandLine", "HAPObservation", "HAPHost", "HAPPreparation", "HAPJudge",
        "HAPReport", "HAPLoop", "HAPWire",
      ]),
    // A program without its main file, so that the simulated world can also run it.
    .target(
      name: "HapsimProgram",
      dependencies: [
        "HapsimFiles", "HapsimInputs", "HapsimObservation", "HAPCommandLine", "HAPControl", "HAPCommands",
        "HAPHost",
        "HAPPreparation", "HAPScenario", "HAPVocabulary", "HAPDiscovery", "HAPStore", "HAPLoop", "HAPModel", "HAPWire",
      ]),
    .executableTarget(name: "hapsim", dependencies: ["HapsimProgram", "HAPCommandLine", "HAPLoop"]),
    .executableTarget(name: "haptest", dependencies: ["HaptestProgram", "HAPCommandLine", "HAPLoop"]),
    .executableTarget(name: "hapctl", dependencies: ["HapctlProgram", "HAPCommandLine", "HAPLoop"]),
    // A program without its main file, so that the simulated world can also run it.
    .target(
      name: "HapctlProgram",
      dependencies: ["HapctlAccessories", "HapctlHub", "HapctlHome", "HAPCommandLine", "HAPWire"]),
    // The commands of hapctl for accessories, for hubs, and for homes.
    .target(
      name: "HapctlAccessories",
      dependencies: [
        "HAPController", "HAPProxy", "HAPMisbehaviour", "HAPProfile", "HAPTransport", "HAPStore", "HAPIP", "HAPPairing",
        "HAPModel", "HAPWire", "HAPLoop", "HAPCommandLine", "CEdit",
      ]),
    .target(
      name: "HapctlHub",
      dependencies: [
        "HAPHub", "HAPHomeControl", "HAPAccessoryPort", "HAPHubLink", "HAPHome", "HAPAlmanac", "HAPCommandLine",
        "HAPStore", "HAPLoop", "HAPWire",
      ]),
    .target(
      name: "HapctlHome",
      dependencies: [
        "HAPHomeSetup",
        "HAPHubLink", "HAPHomeFile", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPController", "HAPStore",
        "HAPCommandLine", "HAPLoop", "HAPModel", "HAPWire",
      ]),
    .target(
      name: "HaptestProgram",
      dependencies: [
        "HAPConformance", "HAPExpectation", "HAPFuzzing", "HAPTarget", "HAPSuite", "HAPLint", "HAPReport",
        "HAPCommandLine", "HAPTransport", "HAPStore", "HAPPairing", "HAPModel", "HAPWire", "HAPLoop", "HAPCrypto",
      ]),

    // Tests.
    .target(
      name: "HAPTestSupport",
      dependencies: ["HAPCrypto", "HAPWire", "HAPModel", "HAPProfile", "HAPIP", "HAPPairing", "HAPAttributes"],
      path: "Tests/HAPTestSupport"),
    // Tests in simulated worlds with multicast.
    .target(
      name: "WorldTestSupport", dependencies: ["HAPWorld", "HAPLoop"], path: "Tests/WorldTestSupport"),
    .testTarget(name: "HAPCryptoTests", dependencies: ["HAPCrypto", "HAPTestSupport"]),
    .testTarget(name: "HAPWireTests", dependencies: ["HAPWire", "HAPTestSupport"]),
    .testTarget(name: "MDNSTests", dependencies: ["MDNS", "HAPWire"]),
    .testTarget(name: "MatterWireTests", dependencies: ["MatterWire", "HAPWire", "HAPTestSupport"]),
    .testTarget(
      name: "MatterInteractionTests",
      dependencies: ["MatterInteraction", "MatterModel", "MatterWire", "HAPWire", "HAPTestSupport"]),
    .testTarget(
      name: "MatterProtocolTests",
      dependencies: [
        "MatterController", "MatterProtocol", "MatterModel", "MatterWire", "HAPCrypto", "HAPWire", "HAPTestSupport",
      ]),
    .testTarget(name: "HAPModelTests", dependencies: ["HAPModel", "HAPWire", "HAPTestSupport"]),
    .testTarget(name: "HAPAttributesTests", dependencies: ["HAPAttributes", "HAPPairing", "HAPTestSupport"]),
    .testTarget(name: "HAPPairingTests", dependencies: ["HAPPairing", "HAPTestSupport"]),
    .testTarget(
      name: "MatterBridgeTests",
      dependencies: [
        "MatterBridge", "MatterProtocol", "MatterInteraction", "MatterModel", "MatterWire", "HAPAttributes",
        "HAPProfile", "HAPModel", "HAPWire", "HAPCrypto", "HAPTestSupport",
      ]),
    .testTarget(name: "HAPIPTests", dependencies: ["HAPIP", "HAPTestSupport"]),
    .testTarget(name: "HAPProfileTests", dependencies: ["HAPProfile", "HAPTestSupport"]),
    .testTarget(name: "HAPAppleArchiveTests", dependencies: ["HAPAppleArchive", "CPlist", "HAPModel"]),
    .testTarget(name: "HAPCaptureTests", dependencies: ["HAPCapture", "HAPTestSupport"]),
    .testTarget(name: "HAPImportTests", dependencies: ["HAPImport", "HAPAppleArchive", "HAPTestSupport"]),
    .testTarget(name: "HAPLoopTests", dependencies: ["HAPLoop"]),
    .testTarget(name: "HAPTransportTests", dependencies: ["HAPTransport", "HAPTestSupport"]),
    .testTarget(name: "HAPDiscoveryTests", dependencies: ["HAPDiscovery", "WorldTestSupport"]),
    .testTarget(
      name: "HAPStoreTests", dependencies: ["HAPStore", "HAPWorld", "CSQLite", "HAPTestSupport"], exclude: ["Schemas"]),
    .testTarget(
      name: "HAPWorldTests",
      dependencies: [
        "HAPWorld", "WorldPrograms", "HAPCommandLine", "HAPConformance", "HAPHost", "HAPPreparation", "HAPStore",
        "HAPLoop",
        "HAPProfile", "HAPCrypto", "HAPModel",
        "HAPWire",
        "CSQLite",
      ]),
    .testTarget(name: "HAPDevicesTests", dependencies: ["HAPDevices", "HAPTestSupport"]),
    .testTarget(
      name: "HAPSimulatorTests",
      dependencies: [
        "HAPSimulator", "HAPSimulatorCore", "HAPCommands", "HAPHost", "HAPPreparation", "HAPFrontEnds", "HAPDevices",
        "HAPScenario", "HAPVocabulary", "HAPTestSupport", "WorldTestSupport",
      ]),
    // Runs a controller of a Matter node on a loop.
    .target(
      name: "MatterTestSupport", dependencies: ["HAPMatter", "MatterController", "MatterProtocol", "HAPLoop"],
      path: "Tests/MatterTestSupport"),
    .testTarget(
      name: "HAPMatterTests",
      dependencies: [
        "HAPMatter", "MatterTestSupport", "HAPCapture", "HAPObservation", "HAPCommands", "HAPHost", "HAPPreparation",
        "HAPFrontEnds", "HAPDeviations", "HAPProfile",
        "HAPStore", "HAPTransport", "HAPIP", "HAPPairing", "HAPDiscovery", "HAPWorld", "HAPLoop", "MatterController",
        "MatterInteraction", "MatterProtocol", "MatterModel",
        "MatterWire", "HAPFleet", "HAPModel", "HAPCrypto", "HAPWire",
      ]),
    .testTarget(name: "HAPWebTests", dependencies: ["HAPWeb", "HAPLoop", "HAPWire"]),
    .testTarget(
      name: "HAPControlTests",
      dependencies: [
        "HAPControl", "HAPWeb", "HAPCommands", "HAPVocabulary", "HAPHost", "HAPMatter", "HAPPreparation", "HAPScenario",
        "HAPDeviations",
        "HAPProfile", "HAPStore", "HAPLoop", "HAPModel", "HAPWire",
      ]),
    .testTarget(name: "HAPCommandLineTests", dependencies: ["HAPCommandLine"]),
    .testTarget(
      name: "HapsimTests",
      dependencies: [
        "HapsimProgram", "HapsimFiles", "HapsimInputs", "HapsimObservation", "HAPCommandLine", "HAPPreparation",
        "HAPReport", "HAPCommands", "HAPVocabulary", "HAPHost", "HAPDevices", "HAPStore", "HAPLoop",
        "HAPModel",
        "HAPWire",
        "HAPCrypto",
      ],
      exclude: ["Help"]),
    .testTarget(name: "HAPControllerTests", dependencies: ["HAPController", "HAPSimulator", "HAPModel"]),
    .testTarget(
      name: "HapctlTests",
      dependencies: [
        "HapctlProgram", "HapctlAccessories", "HAPController", "HAPProxy", "HAPCommandLine", "HAPDiscovery", "HAPStore",
        "HAPTransport", "HAPIP",
        "HAPPairing",
        "HAPCrypto", "HAPModel",
        "HAPWire", "HAPLoop", "HAPTestSupport", "WorldTestSupport",
      ],
      exclude: ["Help"]),
    .testTarget(
      name: "HAPHubLinkTests",
      dependencies: [
        "HAPHubLink", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPWorld", "HAPLoop", "HAPModel", "HAPWire",
        "HAPTestSupport",
      ]),
    .testTarget(
      name: "HAPAccessoryPortTests",
      dependencies: [
        "HAPAccessoryPort", "HAPController", "HAPSimulator", "HAPVocabulary", "HAPDeviations", "HAPTransport", "HAPIP",
        "HAPPairing", "HAPHomeEngine", "HAPHome", "HAPLoop", "HAPModel", "HAPWire", "HAPTestSupport",
      ]),
    .testTarget(
      name: "HAPHubTests",
      dependencies: [
        "HAPHub", "HAPHomeControl", "HAPWeb", "HAPAccessoryPort", "HAPHubLink", "HAPController", "HAPSimulator",
        "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPStore", "HAPWorld", "HAPLoop", "HAPModel", "HAPWire",
      ]),
    .testTarget(
      name: "HapctlHomeTests",
      dependencies: [
        "HapctlHome", "HAPHubLink", "HAPHomeFile", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPController",
        "HAPStore",
        "HAPCommandLine", "HAPLoop", "HAPModel", "HAPWire", "HAPCrypto", "HAPTestSupport", "WorldTestSupport",
      ]),
    .testTarget(name: "HAPYAMLTests", dependencies: ["HAPYAML", "HAPWire", "HAPTestSupport"]),
    .testTarget(
      name: "HAPSuiteTests", dependencies: ["HAPSuite", "HAPYAML", "HAPModel", "HAPWire", "HAPTestSupport"]),
    .testTarget(name: "HAPAlmanacTests", dependencies: ["HAPAlmanac"]),
    .testTarget(
      name: "HAPHomeTests", dependencies: ["HAPHomeSetup", "HAPHomeEngine", "HAPHubLink", "HAPHome", "HAPTestSupport"]),
    .testTarget(
      name: "HAPHomeFileTests",
      dependencies: ["HAPHomeFile", "HAPHome", "HAPAlmanac", "HAPModel", "HAPWire", "HAPTestSupport"]),
    .testTarget(name: "HAPJudgeTests", dependencies: ["HAPJudge", "HAPReport", "HAPIP", "HAPModel", "HAPWire"]),
    .testTarget(name: "HAPFleetTests", dependencies: ["HAPFleet", "HAPModel", "HAPWire", "HAPCrypto"]),
    .testTarget(
      name: "HAPVocabularyTests", dependencies: ["HAPVocabulary", "HAPDeviations", "HAPIP", "HAPModel", "HAPWire"]),
    .testTarget(
      name: "HAPScenarioTests", dependencies: ["HAPScenario", "HAPVocabulary", "HAPIP", "HAPModel", "HAPWire"]),
    .testTarget(
      name: "HAPDeviationsTests",
      dependencies: ["HAPDeviations", "HAPIP", "MatterModel", "HAPModel", "HAPWire", "HAPCrypto"]),
    .testTarget(name: "HAPLintTests", dependencies: ["HAPLint", "HAPModel", "HAPWire"]),
    .testTarget(name: "HAPReportTests", dependencies: ["HAPReport", "HAPWire"]),
    .testTarget(
      name: "HAPConformanceTests",
      dependencies: [
        "HAPConformance", "HAPExpectation", "HAPFuzzing", "HAPTarget", "HAPSuite", "HAPYAML", "HAPProfile", "HAPReport",
        "HAPVocabulary", "HAPTransport", "HAPDiscovery",
        "HAPIP", "HAPPairing", "HAPAttributes",
        "HAPLoop", "HAPModel", "HAPWire", "HAPCrypto", "HAPTestSupport", "WorldTestSupport",
      ]),
    .testTarget(
      name: "HaptestTests",
      dependencies: [
        "HaptestProgram", "HAPCommandLine", "HAPConformance", "HAPDeviations", "HAPReport", "HAPSuite", "HAPWire",
      ],
      exclude: ["Help"]),
    // Functions for a fuzzer: shared code, message targets, file and text targets, and the list of all.
    .target(name: "FuzzSupport", path: "Fuzz/Support"),
    .target(
      name: "FuzzMessages",
      dependencies: [
        "FuzzSupport", "HAPCrypto", "HAPWire", "HAPModel", "HAPIP", "HAPAttributes", "HAPCapture", "HAPJudge",
        "HAPReport", "MDNS", "HAPTestSupport", "HAPProfile",
      ],
      path: "Fuzz/Messages"),
    .target(
      name: "FuzzFiles",
      dependencies: [
        "FuzzSupport", "HAPWire", "HAPModel", "HAPIP", "HAPProfile", "HAPAppleArchive", "HAPImport", "HAPYAML",
        "HAPSuite", "HAPLint", "HAPDeviations", "HAPAlmanac",
      ],
      path: "Fuzz/Files"),
    .target(
      name: "FuzzMatter",
      dependencies: [
        "FuzzSupport", "MatterProtocol", "MatterInteraction", "MatterModel", "MatterWire", "HAPCrypto", "HAPWire",
      ],
      path: "Fuzz/Matter"),
    .target(
      name: "FuzzHomes",
      dependencies: [
        "FuzzSupport", "HAPHubLink", "HAPHomeFile", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPLoop", "HAPModel",
        "HAPWire",
      ],
      path: "Fuzz/Homes"),
    .target(
      name: "FuzzCommands",
      dependencies: [
        "FuzzSupport", "HAPScenario", "HAPVocabulary", "HAPIP", "HAPModel", "HAPWire", "HAPWeb", "HAPControl",
      ],
      path: "Fuzz/Commands"),
    .target(
      name: "FuzzTargets",
      dependencies: ["FuzzMessages", "FuzzMatter", "FuzzFiles", "FuzzHomes", "FuzzCommands"],
      path: "Fuzz/Targets"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    // The tests of an example package, also built here, so that its dependencies are not built twice.
    .testTarget(
      name: "GarageAppTests", dependencies: ["HAPSimulator", "hapctl"],
      path: "Examples/SwiftTests/Tests/GarageAppTests"),
    // An example package, for the same reason.
    .executableTarget(
      name: "ControllerExample", dependencies: ["HAPController", "HAPModel"],
      path: "Examples/Controller/Sources/ControllerExample"),
    // hapsim, hapctl and haptest as programs of a simulated world, and programs that run them.
    .target(
      name: "WorldPrograms",
      dependencies: [
        "HAPWorld", "HapsimProgram", "HapsimInputs", "HaptestProgram", "HapctlProgram", "HapctlHub", "HAPCommandLine",
        "HAPStore", "HAPLoop", "HAPCrypto",
      ],
      path: "Tests/WorldPrograms"),
    // Runs the demonstrations of Examples/Home.
    .executableTarget(
      name: "HomeStage",
      dependencies: [
        "WorldPrograms", "HapctlHub", "HAPHub", "HAPWorld", "HAPAlmanac", "HAPCommandLine", "HAPLoop", "HAPWire",
      ],
      path: "Tests/HomeStage"),
    .testTarget(
      name: "HomeStageTests", dependencies: ["HomeStage", "HapctlHub", "HAPHub", "HAPAlmanac", "HAPCommandLine"]),
    .executableTarget(
      name: "WorldRunner", dependencies: ["WorldPrograms", "HAPWorld", "HAPCommandLine", "HAPLoop"],
      path: "Tests/WorldRunner"),
    // The programs against each other, in simulated worlds.
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "WorldPrograms", "HapsimProgram", "HapctlProgram", "HaptestProgram", "HapctlAccessories", "HAPController",
        "HAPProxy", "HAPMisbehaviour", "HAPConformance", "HAPFuzzing",
        "HAPWorld", "HAPDeviations", "HAPJudge",
        "HAPTransport", "HAPStore",
        "HAPHubLink", "HAPHome", "HAPAlmanac", "HAPIP", "HAPPairing",
        "HAPModel", "HAPCommandLine", "HAPLoop", "HAPWire", "HAPCrypto",
      ]),
    // Random populations with random faults in simulated worlds.
    .target(
      name: "HAPSwarm",
      dependencies: [
        "HAPWorld", "HAPCommands", "HAPHost", "HAPPreparation", "HAPDeviations", "HAPProfile",
        "HAPDiscovery",
        "HAPTransport",
        "HAPStore",
        "HAPIP", "HAPPairing", "HAPModel", "HAPWire", "HAPLoop", "HAPCrypto",
      ],
      path: "Tests/HAPSwarm"),
    .target(
      name: "HAPHubSwarm",
      dependencies: ["HAPWorld", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPStore", "HAPModel", "HAPWire"],
      path: "Tests/HAPHubSwarm"),
    // A hub with real connections and simulated accessories, in a simulated world.
    .target(
      name: "HAPHomeSwarm",
      dependencies: [
        "HAPHub", "HAPAccessoryPort", "HAPHubLink", "HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPSimulatorCore",
        "HAPController", "HAPWorld", "HAPStore", "HAPLoop", "HAPModel", "HAPCrypto",
      ],
      path: "Tests/HAPHomeSwarm"),
    // The accessories of HAPSwarm as Matter nodes, too, with Matter controllers.
    .target(
      name: "HAPNodeSwarm",
      dependencies: [
        "HAPSwarm", "MatterTestSupport", "HAPMatter", "HAPHost", "HAPDiscovery", "MatterController",
        "MatterInteraction", "MatterProtocol", "MatterModel", "MatterWire", "HAPCrypto", "HAPWorld", "HAPLoop",
        "HAPModel",
      ],
      path: "Tests/HAPNodeSwarm"),
    .executableTarget(
      name: "Swarm", dependencies: ["HAPSwarm", "HAPNodeSwarm", "HAPHubSwarm", "HAPHomeSwarm"], path: "Tests/Swarm"),
    .testTarget(name: "SwarmTests", dependencies: ["HAPSwarm", "HAPNodeSwarm", "HAPHubSwarm", "HAPHomeSwarm"]),
    // Apps with `import HomeKit`: their code, and a main program that plays a script or attaches to the machine's hub.
    .target(name: "TextScreens", path: "Examples/Home/support/TextScreens"),
    .target(
      name: "AppStage", dependencies: ["HAPHomeKitTesting", "HAPSimulator", "HAPModel", "HomeKit", "TextScreens"],
      path: "Examples/Home/support/AppStage"),
    .target(name: "KilgoGarage", dependencies: ["HomeKit", "TextScreens"], path: "Examples/Home/kilgo/KilgoGarage"),
    .target(name: "HomeCatalog", dependencies: ["HomeKit", "TextScreens"], path: "Examples/Home/catalog/HomeCatalog"),
    .target(
      name: "ArriveHome", dependencies: ["HomeKit", "TextScreens"], path: "Examples/Home/arrive-home-app/ArriveHome"),
    .target(name: "HomeSetup", dependencies: ["HomeKit", "TextScreens"], path: "Examples/Home/setup-app/HomeSetup"),
    .executableTarget(name: "kilgo", dependencies: ["AppStage", "KilgoGarage"], path: "Examples/Home/kilgo/Program"),
    .executableTarget(
      name: "catalog", dependencies: ["AppStage", "HomeCatalog"], path: "Examples/Home/catalog/Program"),
    .executableTarget(
      name: "arrive-home-app", dependencies: ["AppStage", "ArriveHome"], path: "Examples/Home/arrive-home-app/Program"),
    .executableTarget(
      name: "setup-app", dependencies: ["AppStage", "HomeSetup"], path: "Examples/Home/setup-app/Program"),
    .testTarget(
      name: "HomeAppTests",
      dependencies: [
        "AppStage", "ArriveHome", "HomeCatalog", "HomeSetup", "KilgoGarage", "TextScreens", "HomeKit",
        "HAPHomeKitTesting", "HAPHomeFile", "HAPHub", "HAPSimulator", "HAPHome",
      ]),
    .testTarget(
      name: "HAPHomeKitTests",
      dependencies: [
        "HAPHomeKit", "HAPHomeKitTesting", "HAPSimulator", "HAPHubLink", "HAPHome", "HAPAlmanac", "HAPModel", "HAPWire",
        "HAPLoop", "HAPTestSupport",
      ]),
    .testTarget(
      name: "HomeFaultTests",
      dependencies: ["HAPHomeSwarm", "HAPHubLink", "HAPHome", "HAPAlmanac", "HAPWorld", "HAPModel"]),
    // Announces the services that it reads from standard input, for Tests/Interop.
    .executableTarget(
      name: "MDNSAnnouncer", dependencies: ["HAPDiscovery", "MDNS", "HAPLoop", "HAPWire"], path: "Tests/MDNSAnnouncer"),
    // Computes civil times by files of time zones, for Tests/Interop.
    .executableTarget(name: "AlmanacRunner", dependencies: ["HAPAlmanac"], path: "Tests/AlmanacRunner"),
    // Writes YAML and `.hashome` documents, for Tests/Interop.
    .executableTarget(
      name: "HomeFileRunner", dependencies: ["HAPHomeFile", "HAPYAML", "HAPWire"], path: "Tests/HomeFileRunner"),
    // Fills, opens and changes a store of homes, for Benchmarks/home_store.py.
    .executableTarget(
      name: "HomeStoreTool", dependencies: ["HAPStore", "HAPHome", "HAPModel"], path: "Benchmarks/HomeStoreTool"),
    // Runs the automation engine in virtual time, for Benchmarks/home_engine.py.
    .executableTarget(
      name: "HomeEngineTool", dependencies: ["HAPHomeEngine", "HAPHome", "HAPAlmanac", "HAPModel"],
      path: "Benchmarks/HomeEngineTool"),
    // Measures a Matter node without sockets, for Benchmarks/matter_node.py.
    .executableTarget(
      name: "MatterNodeTool",
      dependencies: [
        "MatterController", "MatterInteraction", "MatterProtocol", "MatterBridge", "MatterModel", "HAPAttributes",
        "HAPProfile", "HAPModel",
        "HAPCrypto",
      ],
      path: "Benchmarks/MatterNodeTool"),
    .testTarget(name: "RepositoryTests", dependencies: ["EmbedTool"]),
  ],
  swiftLanguageModes: [.v6]
)

// `make fuzz` builds with libFuzzer, which no other build needs.
if Context.environment["HAPSIM_FUZZ"] != nil {
  let fuzzed: Set<String> = [
    "HAPCrypto", "HAPWire", "HAPModel", "HAPAttributes", "HAPPairing", "HAPIP", "HAPProfile", "HAPCapture",
    "HAPAppleArchive", "HAPImport",
    "HAPYAML", "HAPSuite", "HAPScenario", "HAPVocabulary", "HAPDevices", "HAPJudge", "HAPReport", "HAPLint",
    "HAPAlmanac", "HAPHome", "HAPHomeEngine", "HAPHomeFile", "HAPHubLink", "HAPDeviations", "HAPWeb", "HAPControl",
    "MDNS", "MatterWire", "MatterModel", "MatterProtocol",
    "HAPTestSupport",
    "FuzzSupport",
    "FuzzMessages", "FuzzMatter",
    "FuzzFiles", "FuzzHomes",
    "FuzzCommands", "FuzzTargets",
  ]
  let flags = ["-sanitize=fuzzer,address", "-parse-as-library"]
  for target in package.targets where fuzzed.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(flags)]
  }
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/Runner",
      swiftSettings: [.unsafeFlags(flags)],
      linkerSettings: [
        .unsafeFlags(["-sanitize=fuzzer,address"]), .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux])),
      ]))
}

// `make unit-test TESTS="HAPModelTests …"` builds these test targets and what they depend on.
// RepositoryTests examines the build products of all targets.
let chosen = (Context.environment["HAPSIM_TESTS"] ?? "").split(separator: " ").map(String.init)
if !chosen.isEmpty, !chosen.contains("RepositoryTests") {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  func need(_ name: String) {
    guard let target = targets[name] else { fatalError("HAPSIM_TESTS: Package.swift has no target \(name)") }
    guard needed.insert(name).inserted else { return }
    for dependency in target.dependencies {
      if case .byNameItem(let name, _) = dependency { need(name) }
    }
    for case .plugin(let name, _) in target.plugins ?? [] { need(name) }
  }
  for name in chosen { need(name) }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
