import Foundation
import HAPCrypto
import Testing

@testable import HAPStore

@Suite struct ControllerStoreTests {
  private let folder = TemporaryFolder()

  private func pairing(_ alias: String, key: UInt8 = 1) -> ControllerPairing {
    ControllerPairing(
      alias: alias, accessoryID: Array("AA:BB:CC:DD:EE:FF".utf8), accessoryKey: [UInt8](repeating: key, count: 32),
      controllerID: Array("me".utf8), controllerKey: SigningKey(seed: SecretBytes([UInt8](repeating: 7, count: 32))),
      addresses: ["127.0.0.1:1", "[fd00::1]:2"])
  }

  @Test(
    "A stored pairing survives the process, is replaced by alias and can be removed; only the owner can read it"
  )
  func keeps() throws {
    let store = try ControllerStore(folder: folder.path + "/ctl")
    #expect(try store.pairings().isEmpty)
    try store.keep(pairing("b"))
    try store.keep(pairing("a"))
    try store.keep(pairing("b", key: 2))
    let again = try ControllerStore(folder: folder.path + "/ctl").pairings()
    #expect(again.map(\.alias) == ["a", "b"])
    #expect(again[1].accessoryKey == [UInt8](repeating: 2, count: 32) && again[1].accessoryName == "AA:BB:CC:DD:EE:FF")
    #expect(again[0].controllerKey.publicKey == pairing("a").controllerKey.publicKey)
    #expect(again[0].addresses == ["127.0.0.1:1", "[fd00::1]:2"] && again[0].controllerID == Array("me".utf8))
    #expect(try store.remove(alias: "a") && !store.remove(alias: "a"))
    #expect(try store.pairings().map(\.alias) == ["b"])
    for name in ["/ctl", "/ctl/controller.db"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path + name)[.posixPermissions] as? Int
      #expect(mode.map { $0 & 0o077 } == 0)
    }
  }

  @Test("A file of another format is an error with its path, and stays unchanged; a malformed key is reported")
  func damaged() throws {
    let file = folder.path + "/ctl/controller.db"
    do {
      let store = try ControllerStore(folder: folder.path + "/ctl")
      try store.keep(pairing("a"))
    }
    let raw = try Database(path: file)
    try raw.execute("UPDATE pairings SET controller_seed = x'00'")
    #expect(throws: StoreError.self) { try ControllerStore(folder: folder.path + "/ctl").pairings() }
    let other = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
    let rubbish = Data(repeating: 7, count: 5000)
    try rubbish.write(to: URL(filePath: other.path + "/controller.db"))
    #expect(throws: StoreError.self) { try ControllerStore(folder: other.path) }
    #expect(try Data(contentsOf: URL(filePath: other.path + "/controller.db")) == rubbish)
  }
}
