// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "ControllerExample",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In your package, write the repository and a version: .package(url: "…", from: "…").
    .package(name: "hapsim", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "ControllerExample",
      dependencies: [.product(name: "HAPController", package: "hapsim")])
  ],
  swiftLanguageModes: [.v6]
)
