import Foundation
import HAPCommandLine
import HAPController
import HAPCrypto
import HAPLoop
import HAPModel
import HAPStore
import HAPTestSupport
import HAPWire
import Testing

@testable import HapctlAccessories

@Suite struct PairingFileTests {
  private let key = String(repeating: "07", count: 32)
  private var publicKey: String {
    SigningKey(seed: SecretBytes([UInt8](repeating: 7, count: 32))).publicKey.map { String(format: "%02x", $0) }
      .joined()
  }
  private func entry(_ members: String = "") -> String {
    #"{"AccessoryPairingID":"AA:BB:CC:DD:EE:FF","AccessoryLTPK":"\#(String(repeating: "01", count: 32))","#
      + #""iOSPairingId":"me","iOSDeviceLTSK":"\#(key)","AccessoryIP":"10.0.0.1","AccessoryPort":80\#(members)}"#
  }

  @Test("Written pairings are read back")
  func roundTrip() throws {
    let read = try PairingFile.read(Array(#"{"door":\#(entry(#","AccessoryIPs":["10.0.0.1","fd00::1"]"#))}"#.utf8))
    #expect(read.map(\.alias) == ["door"] && read[0].addresses == ["10.0.0.1:80", "[fd00::1]:80"])
    let again = try PairingFile.read(Array(PairingFile.text(read).utf8))
    #expect(again[0].addresses == read[0].addresses && again[0].accessoryKey == read[0].accessoryKey)
    #expect(
      again[0].controllerKey.publicKey == read[0].controllerKey.publicKey
        && again[0].accessoryName == "AA:BB:CC:DD:EE:FF")
  }

  @Test("Home Assistant's entries are read; Bluetooth and other integrations are left out")
  func homeAssistant() throws {
    let text =
      #"{"version":1,"data":{"entries":[{"domain":"mqtt","data":{}},{"domain":"homekit_controller","title":"Hall","data":\#(entry())},"#
      + #"{"domain":"homekit_controller","title":"Lock","data":{"Connection":"BLE"}}]}}"#
    #expect(try PairingFile.read(Array(text.utf8)).map(\.alias) == ["Hall"])
  }

  @Test(
    "A malformed file is refused with its place, and no pairing is stored",
    arguments: [
      ("", "ends"), ("[]", "object"), (#"{"a":7}"#, "object"), (#"{"a":{}}"#, "a: "),
      (
        #"{"a":{"AccessoryPairingID":"x","AccessoryLTPK":"00","iOSPairingId":"me","iOSDeviceLTSK":"00"}}"#,
        "32 bytes in hexadecimal"
      ),
    ])
  func wrong(text: String, says: String) async throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let file = folder.path + "/pairings.json"
    try Data(text.utf8).write(to: URL(filePath: file))
    let said = await hapctl(["keys", "import", file, "--state", folder.path + "/ctl"])
    #expect(said.exit == .problem && said.error.contains(file + ":1:") && said.error.contains(says), "\(said)")
    #expect(await hapctl(["list", "--state", folder.path + "/ctl"]).out.hasPrefix("No pairing"))
  }

  @Test("A foreign key is refused; a taken alias gets a number; files are not overwritten")
  func keys() async throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let state = ["--state", folder.path + "/ctl"]
    func file(_ name: String, _ text: String) throws -> String {
      try Data(text.utf8).write(to: URL(filePath: folder.path + "/" + name))
      return folder.path + "/" + name
    }
    let wrong = try file("wrong", #"{"door":\#(entry(#","iOSDeviceLTPK":"\#(key)""#))}"#)
    #expect(await hapctl(["keys", "import", wrong] + state).error.contains("isn't the public key"))
    let one = try file("one", #"{"door":\#(entry(#","iOSDeviceLTPK":"\#(publicKey)""#))}"#)
    #expect(await hapctl(["keys", "import", one] + state).out == "door  AA:BB:CC:DD:EE:FF\n")
    #expect(await hapctl(["keys", "import", one] + state).out == "door  AA:BB:CC:DD:EE:FF\n", "imported again")
    let two = try file("two", #"{"door":\#(entry().replacing("AA:BB", with: "AA:00"))}"#)
    #expect(await hapctl(["keys", "import", two] + state).out == "door-2  AA:00:CC:DD:EE:FF\n")
    let out = folder.path + "/out"
    #expect(await hapctl(["keys", "export", "door-2", "-o", out] + state).exit == .well)
    #expect(await hapctl(["keys", "export", "-o", out] + state).error.contains("can't be created"))
    #expect(try PairingFile.read([UInt8](try Data(contentsOf: URL(filePath: out)))).map(\.alias) == ["door-2"])
    #expect((try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
    #expect(await hapctl(["keys", "steal", "x"] + state).exit == .usage)
  }
}
