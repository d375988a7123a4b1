import Foundation
import HAPCrypto
import HAPModel
import HAPWorld

@testable import HAPStore

/// A folder for one test, removed afterwards; on a simulated disk in the second run of tests `OnBothDisks`.
final class TemporaryFolder: Sendable {
  let path: String
  private let disk = OnBothDisks.disk

  var files: any StoreFiles { if let disk { disk } else { SystemFiles() } }

  init() {
    path = FileManager.default.temporaryDirectory.path + "/hapstore-\(UUID().uuidString)"
    if disk == nil { try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
  }

  deinit { if disk == nil { try? FileManager.default.removeItem(atPath: path) } }

  var state: String { path + "/state" }

  /// Reopens the state folder.
  func open(report: @escaping @Sendable (String) -> Void = { _ in }) throws(StoreError) -> StateFolder {
    try StateFolder.open(path: state, files: files, report: report)
  }

  /// A connection to a file of the state folder.
  func database(_ name: String) throws -> Database { try Database(path: state + "/" + name, vfs: files.vfs) }

  func bytes(_ name: String) -> Data? {
    if let disk { return disk.contents(of: state + "/" + name).map { Data($0) } }
    return FileManager.default.contents(atPath: state + "/" + name)
  }

  func write(_ data: Data, _ name: String) throws {
    if let disk { return disk.place([UInt8](data), at: state + "/" + name) }
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: state + "/" + name))
  }

  func mode(_ name: String = "") -> Int {
    // A simulated disk has only one user.
    if let disk { return disk.contents(of: state + "/" + name) == nil ? -1 : 0o600 }
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
