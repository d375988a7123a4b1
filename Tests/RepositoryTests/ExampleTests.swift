import Foundation
import Testing

/// Examples/SwiftTests is a separate package. Its tests are built and run here as a target of this package, because
/// building all of hapsim again would take minutes. This test checks the remaining part: the example's manifest.
///
/// Checked: these tests fail with `"HAPSimulater"` as the product's name in the example's manifest, and with another
/// folder as the target's path in ours.
struct ExampleTests {
  private struct Manifest: Decodable {
    struct Named: Decodable { let name: String }
    struct Target: Decodable {
      let name: String, type: String
      let path: String?
      let dependencies: [[String: [Part?]]]
    }
    /// `["HAPSimulator", "hapsim", null, null]`, or `["HAPSimulator", null]`; conditions are ignored.
    enum Part: Decodable {
      case text(String)
      case other
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = (try? container.decode(String.self)).map { .text($0) } ?? .other
      }
    }
    let name: String
    let products: [Named]
    let targets: [Target]
  }

  private func manifest(of folder: String) throws -> Manifest {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("house-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let json = try Checkout.output(of: [
      "swift", "package", "--package-path", folder, "--scratch-path", scratch.path, "dump-package",
    ])
    return try JSONDecoder().decode(Manifest.self, from: json)
  }

  @Test("The example's package has the tests that run here, and depends on existing products") func swiftTests()
    throws
  {
    let example = try manifest(of: "Examples/SwiftTests")
    let ours = try manifest(of: ".")
    let tests = try example.targets.first { $0.type == "test" }.orFail("the example has no tests")
    #expect(example.targets.count == 1)
    let same = try ours.targets.first { $0.name == tests.name }.orFail("\(tests.name) is no target here")
    #expect(same.type == "test" && same.path == "Examples/SwiftTests/Tests/\(tests.name)")
    let wanted = tests.dependencies.compactMap { dependency -> [String]? in
      dependency["product"]?.compactMap { if case .text(let text)? = $0 { text } else { nil } }
    }
    try #require(!wanted.isEmpty)
    for product in wanted {
      #expect(product.last == ours.name, "\(product)")
      #expect(ours.products.contains { $0.name == product.first }, "no product \(product) here")
    }
  }

  @Test(
    "The controller example's package has the program that is built here, and depends on an existing product")
  func controller() throws {
    let example = try manifest(of: "Examples/Controller")
    let ours = try manifest(of: ".")
    let program = try example.targets.first { $0.type == "executable" }.orFail("the example has no program")
    #expect(example.targets.count == 1)
    let same = try ours.targets.first { $0.name == program.name }.orFail("\(program.name) is no target here")
    #expect(same.type == "executable" && same.path == "Examples/Controller/Sources/\(program.name)")
    let products = program.dependencies.compactMap { dependency -> String? in
      if case .text(let text)? = dependency["product"]?.first ?? nil { text } else { nil }
    }
    #expect(products == ["HAPController"])
    #expect(ours.products.contains { $0.name == "HAPController" })
  }

  #if os(Linux)
    /// The path of the compiler's standard library, and of its plugins.
    private struct TargetInfo: Decodable {
      struct Paths: Decodable { let runtimeResourcePath: String }
      let paths: Paths
    }

    /// As a target of this package, the sources could use `package` declarations; a separate package can't.
    ///
    /// Checked: this test fails with `_ = SimulatorCommand.self` in a test: "cannot find 'SimulatorCommand' in scope";
    /// with `_ = OpenAccessory.self` in the controller example: "cannot find 'OpenAccessory' in scope".
    @Test(
      "The examples use only public declarations",
      arguments: [
        ("Examples/SwiftTests/Tests/GarageAppTests", ""),
        ("Examples/Controller/Sources/ControllerExample", "-parse-as-library"),
      ])
    func strangers(_ path: String, _ option: String) throws {
      let info = try Checkout.output(of: ["swiftc", "-print-target-info"])
      let plugins = try JSONDecoder().decode(TargetInfo.self, from: info).paths.runtimeResourcePath
      let folder = Checkout.folder.appendingPathComponent(path)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
      try #require(!files.isEmpty)
      let sources = Checkout.folder.appendingPathComponent("Sources")
      let maps = try FileManager.default.contentsOfDirectory(atPath: sources.path)
        .map { "\(sources.path)/\($0)/module.modulemap" }.filter { FileManager.default.fileExists(atPath: $0) }
      // A single array literal takes seconds to type-check.
      var command = [
        "swiftc", "-typecheck", "-swift-version", "6", "-package-name", "stranger", "-module-name",
        folder.lastPathComponent, "-I", try Checkout.buildFolder().appendingPathComponent("Modules").path,
        "-plugin-path", "\(plugins)/host/plugins/testing",
      ]
      if !option.isEmpty { command.append(option) }
      for map in maps { command += ["-Xcc", "-fmodule-map-file=\(map)"] }
      command += files.map { folder.appendingPathComponent($0).path }
      _ = try Checkout.output(of: command)
    }
  #endif
}
