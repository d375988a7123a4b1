import Foundation
import HAPSimulator

/// The app under test; in your tests, use your app. This one is very small and uses `hapctl` as its HomeKit client. `hapctl` is a separate process that
/// gets only the address and the setup code of the accessory.
final class GarageApp: Sendable {
  private let home: URL

  /// Pairs with a door, as an app does after its user has scanned the code.
  init(pairingWith door: RunningAccessory) async throws {
    home = FileManager.default.temporaryDirectory.appendingPathComponent("garage-app-\(UUID().uuidString)")
    try await hapctl("pair", "\(door.address):\(door.port)", "--code", door.setupCode, "--alias", "door")
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  func openDoor() async throws { try await hapctl("put", "door/Target Door State", "open") }

  func closeDoor() async throws { try await hapctl("put", "door/Target Door State", "closed") }

  /// Returns the state that an app would show: "open", "closing", …
  func doorState() async throws -> String { try await hapctl("get", "door/Current Door State") }

  /// Waits until the door reports a change of its state, and returns the state.
  func nextDoorState() async throws -> String {
    try await hapctl("watch", "door/Current Door State", "--count", "1", "--once")
  }

  /// - Returns: the output of hapctl.
  @discardableResult
  private func hapctl(_ arguments: String...) async throws -> String {
    let process = Process()
    process.executableURL = try Self.program
    process.arguments = arguments + ["--state", home.path]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    // hapctl writes only some lines, which fit into the pipe's buffer.
    func text(_ pipe: Pipe) -> String {
      String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    guard status == 0 else {
      throw Failure(description: "hapctl \(arguments[0]) ended with exit status \(status): \(text(errors))")
    }
    return text(output)
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// The path of hapctl, in the folder of the tests' bundle.
  private static var program: URL {
    get throws {
      guard let bundle = CommandLine.arguments.first(where: { $0.contains(".xctest") }),
        let end = bundle.range(of: ".xctest")?.lowerBound
      else { throw Failure(description: "the test bundle is not among the arguments \(CommandLine.arguments)") }
      return URL(fileURLWithPath: String(bundle[..<end])).deletingLastPathComponent().appendingPathComponent("hapctl")
    }
  }
}
