import Foundation
import HAPCrypto
import HAPModel

@testable import HAPStore

/// A folder for one test, gone with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/hapstore-\(UUID().uuidString)"
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var state: String { path + "/state" }

  func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: state + "/" + name) }

  func write(_ data: Data, _ name: String) throws {
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: state + "/" + name))
  }

  func mode(_ name: String = "") -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: state + (name.isEmpty ? "" : "/" + name))
    return (attributes?[.posixPermissions] as? Int) ?? -1
  }
}

extension Pairing {
  static func test(_ number: UInt8, isAdmin: Bool = true) -> Pairing {
    Pairing(
      identifier: Array("00000000-0000-0000-0000-0000000000\(number < 10 ? "0" : "")\(number)".utf8),
      publicKey: [UInt8](repeating: number, count: 32), isAdmin: isAdmin)
  }
}

extension StoredIdentity {
  static let test = StoredIdentity(
    deviceID: DeviceID("AA:BB:CC:DD:EE:01")!, keySeed: SecretBytes([UInt8](repeating: 7, count: 32)))
}

extension StoredSetup {
  static let test = StoredSetup(
    code: try! SetupCode("031-45-154"), id: SetupID("7OSX")!, salt: Array(1...16),
    verifier: SecretBytes([UInt8](repeating: 9, count: 384)))
}

/// The code of the error that `body` throws.
func code(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch { return (error as? StoreError)?.code }
}
