import Foundation
import HAPCommandLine
import HAPCrypto
import HAPModel
import HAPStore
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

/// A folder with two accessories of one name and a third one; "Garage" is paired.
private func someState() throws -> ScratchFolder {
  let scratch = ScratchFolder()
  let folder = try StateFolder.open(path: scratch.path)
  for (key, name) in [("k1", "Garage"), ("k2", "Lamp"), ("k3", "Lamp")] {
    let store = try folder.accessory(key: key, name: name)
    let last = UInt8(key.utf8.last! - 48)
    _ = try store.identity {
      StoredIdentity(
        deviceID: DeviceID(bytes: [0, 0, 0, 0, 0, last])!, keySeed: SecretBytes([UInt8](repeating: last, count: 32)))
    }
    if key == "k1" {
      try store.upsert(
        Pairing(identifier: Array("PHONE".utf8), publicKey: Array(repeating: 0xAB, count: 32), isAdmin: true))
      try store.upsert(
        Pairing(identifier: Array("TABLET".utf8), publicKey: Array(repeating: 1, count: 32), isAdmin: false))
    }
    store.close()
  }
  return scratch
}

@Suite struct PairingsCommand {
  @Test("Each accessory of the folder is listed with its controllers") func list() throws {
    let state = try someState()
    #expect(
      hapsim(["pairings", "--state", state.path])
        == Transcript(
          out: """
            Garage  00:00:00:00:00:01
              PHONE  admin  key abababab…
              TABLET  user   key 01010101…
            Lamp  00:00:00:00:00:02
              not paired
            Lamp  00:00:00:00:00:03
              not paired

            """))
  }

  @Test("A running accessory is marked") func running() throws {
    let state = try someState()
    let folder = try StateFolder.open(path: state.path)
    let store = try folder.accessory(key: "k2")
    let said = hapsim(["pairings", "--state", state.path]).out
    #expect(said.contains("Lamp  00:00:00:00:00:02, running (process \(ProcessInfo.processInfo.processIdentifier))\n"))
    store.close()
  }

  @Test("JSON has names, keys, device IDs and complete public keys") func json() throws {
    let state = try someState()
    let said = try object(hapsim(["pairings", "--json", "--state", state.path]).out)
    #expect(said["state"] as? String == state.path)
    let accessories = try #require(said["accessories"] as? [[String: Any]])
    #expect(accessories.map { $0["key"] as? String } == ["k1", "k2", "k3"])
    #expect(accessories.map { $0["running"] as? Bool } == [false, false, false])
    let pairings = try #require(accessories[0]["pairings"] as? [[String: Any]])
    #expect(pairings.map { $0["identifier"] as? String } == ["PHONE", "TABLET"])
    #expect(pairings.map { $0["admin"] as? Bool } == [true, false])
    #expect(pairings[0]["publicKey"] as? String == String(repeating: "ab", count: 32))
  }

  @Test("A missing folder has no accessories, and is not created") func noFolder() {
    let path = ScratchFolder().path
    #expect(
      hapsim(["pairings", "--state", path]) == Transcript(out: "No accessory has run yet with the state in \(path).\n"))
    #expect(hapsim(["pairings", "--json", "--state", path]).out.hasSuffix("\"accessories\":[]}\n"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A file instead of a folder, or a damaged folder, is an error: exit status 3, one line")
  func unreadable() throws {
    let scratch = ScratchFolder()
    try Data("x".utf8).write(to: URL(filePath: scratch.path))
    for command in [["pairings"], ["reset", "--all", "--yes"]] {
      let said = hapsim(command + ["--state", scratch.path])
      #expect(said.exit == .cannotRun)
      #expect(said.out == "")
      #expect(said.error.hasPrefix("hapsim: ") && said.error.contains(scratch.path))
      #expect(said.error.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test("Without a default folder, --state is required") func noDefault() {
    for command in [["pairings"], ["reset", "--all"]] {
      let said = hapsim(command, environment: [:])
      #expect(said.exit == .usage)
      #expect(said.error.contains("give --state DIR"))
    }
  }
}

@Suite struct ResetCommand {
  private func known(_ state: ScratchFolder) throws -> [KnownAccessory] {
    try StateFolder.open(path: state.path).list()
  }

  @Test(
    "A reset accessory loses identity and controllers; the others keep theirs",
    arguments: ["Garage", "k1", "00:00:00:00:00:01"])
  func one(_ name: String) throws {
    let state = try someState()
    #expect(hapsim(["reset", name, "--yes", "--state", state.path]) == Transcript(out: "Garage was reset.\n"))
    let after = try known(state)
    #expect(after.map(\.deviceID?.text) == [nil, "00:00:00:00:00:02", "00:00:00:00:00:03"])
    #expect(after.map(\.pairings.count) == [0, 0, 0])
  }

  @Test("With --json a reset prints the accessories and the number of pairings that each lost") func json() throws {
    let state = try someState()
    let said = hapsim(["reset", "--all", "--yes", "--json", "--state", state.path])
    let reset = try #require(try object(said.out)["reset"] as? [[String: Any]])
    #expect(reset.map { $0["key"] as? String } == ["k1", "k2", "k3"])
    #expect(reset.map { $0["pairingsRemoved"] as? Int } == [2, 0, 0])
    #expect(
      try object(hapsim(["reset", "--all", "--json", "--state", ScratchFolder().path]).out)["reset"] as? [Int] == [])
  }

  @Test("--all resets each accessory") func all() throws {
    let state = try someState()
    #expect(hapsim(["reset", "--all", "-y", "--state", state.path]).exit == .well)
    #expect(try known(state).allSatisfy { $0.deviceID == nil && $0.pairings.isEmpty })
  }

  @Test("Without --yes the user is asked, and only y or yes confirms") func asked() throws {
    let state = try someState()
    for answer in ["", "n", "no", "yep", "Y?"] {
      let said = hapsim(["reset", "Garage", "--state", state.path], answer: answer)
      #expect(said.exit == .usage)
      #expect(said.error == "Reset Garage (2 pairings)? [y/N] Nothing was reset.\n")
    }
    #expect(try known(state)[0].pairings.count == 2)
    #expect(hapsim(["reset", "Garage", "--state", state.path], answer: "Y").out == "Garage was reset.\n")
    #expect(try known(state)[0].pairings.isEmpty)
  }

  @Test("Without a terminal --yes is required, and nothing is reset") func nobody() throws {
    let state = try someState()
    let said = hapsim(["reset", "--all", "--state", state.path])
    #expect(said.exit == .usage)
    #expect(said.error.contains("Garage (2 pairings), Lamp (0 pairings)") && said.error.contains("--yes"))
    #expect(try known(state)[0].pairings.count == 2)
  }

  @Test("An unknown or ambiguous name, no name, or names with --all are wrong usage, and nothing is reset")
  func names() throws {
    let state = try someState()
    let cases: [([String], String)] = [
      (["Garag", "--yes"], "has no accessory Garag; did you mean Garage?"),
      (["Garage", "Nothing", "--yes"], "has no accessory Nothing\n"),
      (
        ["Lamp", "--yes"],
        "2 accessories are named Lamp; give one of these instead of the name: 00:00:00:00:00:02, 00:00:00:00:00:03\n"
      ),
      ([], "give the names of the accessories, or --all"),
      (["Garage", "--all"], "--all and names exclude each other"),
      (["", "--yes"], "has no accessory \"\""),
    ]
    for (words, message) in cases {
      let said = hapsim(["reset", "--state", state.path] + words)
      #expect(said.exit == .usage)
      #expect(said.error.contains(message), "\(said.error)")
    }
    #expect(try known(state)[0].pairings.count == 2)
  }

  @Test("For an ambiguous name, the error lists the device IDs, or the key if there is no device ID")
  func oneName() throws {
    let state = try someState()
    #expect(hapsim(["reset", "00:00:00:00:00:02", "--yes", "--state", state.path]).exit == .well)
    let said = hapsim(["reset", "Lamp", "--yes", "--state", state.path])
    #expect(said.exit == .usage)
    #expect(said.error.hasSuffix(": k2, 00:00:00:00:00:03\n"), "\(said.error)")
    #expect(hapsim(["reset", "k2", "00:00:00:00:00:03", "--yes", "--state", state.path]).exit == .well)
  }

  @Test("If one accessory is running, none is reset") func running() throws {
    let state = try someState()
    let folder = try StateFolder.open(path: state.path)
    let store = try folder.accessory(key: "k3")
    let said = hapsim(["reset", "--all", "--yes", "--state", state.path])
    #expect(said.exit == .cannotRun)
    #expect(said.error.contains("\"Lamp\" is already running"))
    #expect(try known(state)[0].pairings.count == 2)
    store.close()
  }
}
