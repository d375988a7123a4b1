import Foundation
import HAPCommandLine
import HAPModel
import HAPWire
import Testing

import HapctlProgram

@testable import HapctlAccessories

@Suite("Pairings as JSON") struct PairingJSONTests {
  private static let facts = #"{"alias":"door","deviceID":"AA:BB:CC:DD:EE:FF","addresses":["192.0.2.7:51826"]}"#

  @Test("keys and unpair print one JSON document without keys") func documents() async throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let state = ["--json", "--state", folder.path + "/ctl"]
    let key = String(repeating: "0", count: 64)
    let (file, copy) = (folder.path + "/in.json", folder.path + "/out.json")
    let pairing =
      #"{"AccessoryPairingID":"AA:BB:CC:DD:EE:FF","AccessoryLTPK":"\#(key)","iOSPairingId":"me","#
      + #""iOSDeviceLTSK":"\#(key)","AccessoryIP":"192.0.2.7","AccessoryPort":51826}"#
    try Data(#"{"door":\#(pairing)}"#.utf8).write(to: URL(filePath: file))

    let imported = await hapctl(["keys", "import", file] + state)
    #expect(imported == Transcript(out: #"{"file":"\#(file)","pairings":[\#(Self.facts)]}"# + "\n"))
    #expect(await hapctl(["list"] + state) == Transcript(out: #"{"pairings":[\#(Self.facts)]}"# + "\n"))
    let exported = await hapctl(["keys", "export", "-o", copy] + state)
    #expect(exported == Transcript(out: #"{"file":"\#(copy)","pairings":[\#(Self.facts)]}"# + "\n"))
    // Without a file, the document consists of the pairings.
    let shown = await hapctl(["keys", "export"] + state)
    #expect(try JSONNode.parse(Array(shown.out.utf8))["door"]?["iOSDeviceLTSK"]?.stringValue == key)

    let forgotten = await hapctl(["unpair", "door", "--forget"] + state)
    let removed = Self.facts.dropLast() + #","removedFromAccessory":false}"#
    #expect(forgotten == Transcript(out: removed + "\n"))
    let gone = await hapctl(["unpair", "door", "--forget"] + state)
    #expect(gone.exit == .problem && gone.out == "" && gone.error.contains("no pairing door"))
  }

  @Test("Each command that prints facts has --json; the others write a file or are interactive")
  func commands() {
    let single = Program.hapctl.commands.filter(\.commands.isEmpty)
    let without = single.filter { !$0.options.map(\.name).contains("json") }.map(\.name)
    #expect(without.sorted() == ["export", "resource", "shell"])
  }

  @Test("pairings add and pairings remove print the changed pairing as one JSON document")
  func atTheAccessory() {
    let other = Pairing(identifier: Array("A".utf8), publicKey: [UInt8](repeating: 0xAB, count: 32), isAdmin: true)
    let key = String(repeating: "ab", count: 32)
    #expect(
      addedJSON(other, ours: Array("B".utf8))
        == #"{"added":{"identifier":"A","publicKey":"\#(key)","admin":true,"ours":false}}"#)
    #expect(removedJSON("A") == #"{"removed":{"identifier":"A"}}"#)
  }

  @Test("A file without pairings over IP is an empty list") func empty() async throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let file = folder.path + "/in.json"
    try Data("{}".utf8).write(to: URL(filePath: file))
    let said = await hapctl(["keys", "import", file, "--json", "--state", folder.path + "/ctl"])
    #expect(said == Transcript(out: #"{"file":"\#(file)","pairings":[]}"# + "\n"))
  }
}
