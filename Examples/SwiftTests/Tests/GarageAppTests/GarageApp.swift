import Foundation
import HAPSimulator

/// The app under test. Yours stands in its place: this one is as small as an app can be, and lets `hapctl` speak HomeKit, a process of its own
/// that knows nothing of the simulator but an address and a setup code.
final class GarageApp: Sendable {
  private let home: URL

  /// Pairs with a door, as an app does when its user has scanned the code.
  init(pairingWith door: RunningAccessory) async throws {
    home = FileManager.default.temporaryDirectory.appendingPathComponent("garage-app-\(UUID().uuidString)")
    try await hapctl("pair", "\(door.address):\(door.port)", "--code", door.setupCode, "--alias", "door")
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  func openDoor() async throws { try await hapctl("put", "door/Target Door State", "open") }

  func closeDoor() async throws { try await hapctl("put", "door/Target Door State", "closed") }

  /// What the app would show: "open", "closing", …
  func doorState() async throws -> String { try await hapctl("get", "door/Current Door State") }

  /// Waits until the door says that its state has changed.
  func nextDoorState() async throws -> String {
    try await hapctl("watch", "door/Current Door State", "--count", "1", "--once")
  }

  /// - Returns: what it wrote.
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
    // It writes some lines, which a pipe has room for.
    func text(_ pipe: Pipe) -> String {
      String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    guard status == 0 else {
      throw Failure(description: "hapctl \(arguments[0]) ended with \(status): \(text(errors))")
    }
    return text(output)
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// It is built beside the tests.
  private static var program: URL {
    get throws {
      guard let bundle = CommandLine.arguments.first(where: { $0.contains(".xctest") }),
        let end = bundle.range(of: ".xctest")?.lowerBound
      else { throw Failure(description: "where the tests were built is not among \(CommandLine.arguments)") }
      return URL(fileURLWithPath: String(bundle[..<end])).deletingLastPathComponent().appendingPathComponent("hapctl")
    }
  }
}
