// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "GarageApp",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In your package, write the repository and a version: .package(url: "…", from: "…").
    .package(name: "hapsim", path: "../..")
  ],
  targets: [
    // The target of your app.
    .testTarget(
      name: "GarageAppTests",
      dependencies: [
        .product(name: "HAPSimulator", package: "hapsim"),
        // Only needed because the app of this example uses hapctl as its HomeKit client.
        .product(name: "hapctl", package: "hapsim"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
