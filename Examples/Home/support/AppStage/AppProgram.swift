import Foundation
import HAPHomeKitTesting

/// The main program of an example: its script in a simulated world, or with `--real` its normal life.
public enum AppProgram {
  /// The folder of the examples, which has a folder for each app.
  static let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  /// The folder of the profiles of accessories.
  static let profiles = examples.appending(path: "../../Profiles").standardized

  /// Returns the folder of an example.
  public static func folder(of name: String) -> URL { examples.appending(path: name) }

  /// Plays the script of an example in a simulated world.
  /// - Parameters:
  ///   - name: the name of its folder.
  ///   - print: called with each line of the transcript.
  ///   - atEnd: called before the world ends.
  ///   - makeApp: creates the app, once for each start.
  @MainActor public static func play(
    _ name: String, print: @escaping (String) -> Void, atEnd: (HomeWorld) async throws -> Void = { _ in },
    makeApp: @escaping SimulatedRun.MakeApp
  ) async throws {
    let folder = folder(of: name)
    let script = try AppScript(String(contentsOf: folder.appending(path: "taps"), encoding: .utf8))
    try await SimulatedRun.run(script, in: folder, print: print, atEnd: atEnd, makeApp: makeApp)
  }

  /// Runs the example, and ends the process.
  /// - Parameters:
  ///   - name: the name of its folder.
  ///   - makeApp: creates the app.
  @MainActor public static func run(_ name: String, makeApp: @escaping SimulatedRun.MakeApp) async -> Never {
    if CommandLine.arguments.contains("--real") {
      await RealRun().run(makeApp(.current))
      exit(0)
    }
    do {
      try await play(name, print: { print($0) }, makeApp: makeApp)
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
      exit(1)
    }
  }
}
