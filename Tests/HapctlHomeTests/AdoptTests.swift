import Foundation
import HAPController
import HAPCrypto
import HAPHome
import HAPHubLink
import HAPModel
import HAPStore
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home adopt: pairings of other controllers")
struct AdoptTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "hapctl-home-\(UUID().uuidString)")

  /// The members of a pairing as aiohomekit writes them.
  private func pairing(_ device: UInt8, connection: String = "IP") -> String {
    let key = SigningKey(seed: SecretBytes([UInt8](repeating: device, count: 32)))
    return """
      {"AccessoryPairingID": "\(DeviceID.test(device))", "AccessoryLTPK": "\(String(repeating: "ab", count: 32))",
       "iOSPairingId": "9A0E2C66-0F6B-4E4C-8C0E-0123456789AB", "iOSDeviceLTSK": "\(String(repeating: Hexadecimal.text([device]), count: 32))",
       "iOSDeviceLTPK": "\(Hexadecimal.text(key.publicKey))", "AccessoryIP": "192.0.2.7", "AccessoryIPs": ["192.0.2.7", "2001:db8::7"],
       "AccessoryPort": 51826, "Connection": "\(connection)"}
      """
  }

  private func write(_ name: String, _ text: String) throws -> String {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// A home without accessories.
  private func bench() throws -> HomeBench {
    let bench = HomeBench()
    #expect(bench("new", "My Home", "--zone", "UTC").exit == .well)
    return bench
  }

  @Test("A pairing file of aiohomekit: one pairing, some of them, or all")
  func aiohomekit() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let one = try write("one.json", "{\"lock\": \(pairing(1))}")
    let bench = try bench()
    #expect(bench("adopt", one).out == "Added \"Front Door Lock\" in the room \"Default Room\".\n")
    guard case .adopt(let adoption)? = bench.hub.requests.last else { throw Wrong() }
    #expect(adoption.controllerSeed == [UInt8](repeating: 1, count: 32))
    #expect(adoption.accessoryKey == [UInt8](repeating: 0xAB, count: 32))
    #expect(adoption.addresses == ["192.0.2.7:51826", "[2001:db8::7]:51826"])
    #expect(adoption.controllerID == "9A0E2C66-0F6B-4E4C-8C0E-0123456789AB")

    let many = try write(
      "many.json",
      "{\"motion\": \(pairing(2)), \"strip\": \(pairing(4)), \"heat\": \(pairing(5)), \"ble\": \(pairing(6, connection: "BLE"))}"
    )
    #expect(
      bench("adopt", many).error.contains("has 3 pairings: name some of \"motion\", \"strip\", \"heat\", or use --all"))
    #expect(bench("adopt", many, "strip", "Heat").exit == .well)
    #expect(bench("adopt", many, "motoin").error.contains("did you mean \"motion\"?"))
    let all = bench("adopt", many, "--all", "--json")
    #expect(all.exit == .problem, "two of them are in the home already")
    let adopted = try all.json["adopted"]?.elements ?? []
    #expect(adopted.map { $0["name"]?.stringValue } == ["motion", "strip", "heat"])
    #expect(
      adopted[0]["accessories"]?.elements?.count == 1 && adopted[1]["error"]?.stringValue?.contains("(rule O2)") == true
    )
    #expect(bench.home.accessories.map(\.name.text) == ["Front Door Lock", "Strip", "Thermostat", "Motion Sensor"])
  }

  struct Wrong: Error {}

  private static let devices = """
    {"version": 1, "minor_version": 8, "key": "core.device_registry", "data": {"devices": [
      {"id": "d1", "area_id": "hall", "name": "Lock", "name_by_user": null, "config_entries": ["e1"],
       "identifiers": [["homekit_controller:accessory-id", "AA:BB:CC:00:00:01:aid:1"]]},
      {"id": "d2", "area_id": "living", "name": "Stereo Light", "name_by_user": "Hi-Fi 💡 Light", "config_entries": ["e2"],
       "identifiers": [["homekit_controller:accessory-id", "aa:bb:cc:00:00:03:aid:2"], ["other", "x", "y"]]},
      {"id": "d3", "area_id": null, "name": "Kitchen Light", "name_by_user": null,
       "identifiers": [["homekit_controller:accessory-id", "AA:BB:CC:00:00:03:aid:x"], ["mqtt", "z"]]}],
      "deleted_devices": []}}
    """
  private static let areas = """
    {"version": 1, "key": "core.area_registry", "data": {"areas": [
      {"id": "hall", "name": "Hall", "aliases": []}, {"id": "living", "name": "🛋 Living-Room (new)", "floor_id": null}]}}
    """

  @Test("Home Assistant: areas become rooms, and names of a person those of accessories, as far as a home allows them")
  func homeAssistant() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let entries = """
      {"version": 1, "key": "core.config_entries", "data": {"entries": [
        {"domain": "hue", "title": "Hue", "data": {"host": "x"}},
        {"domain": "homekit_controller", "entry_id": "e1", "title": "Lock", "data": \(pairing(1))},
        {"domain": "homekit_controller", "entry_id": "e2", "title": "Bridge", "data": \(pairing(3))}]}}
      """
    _ = try write("config/.storage/core.config_entries", entries)
    _ = try write("config/.storage/core.device_registry", Self.devices)
    let areas = try write("config/.storage/core.area_registry", Self.areas)
    for path in ["config", "config/.storage", "config/.storage/core.config_entries"] {
      let bench = try bench()
      let said = bench("adopt", folder.appending(path: path).path, "--all")
      #expect(
        said.out
          == "Added \"Front Door Lock\" in the room \"Hall\".\nAdded \"Bridge\" in the room \"Default Room\".\nAdded \"Hi Fi Light\" in the room \"Living Room new\".\nAdded \"Kitchen Light\" in the room \"Default Room\".\n",
        "\(said)")
      #expect(bench.home.rooms.map(\.name.text) == ["Hall", "Living Room new"])
    }
    try FileManager.default.removeItem(atPath: areas)
    let bench = try bench()
    #expect(
      bench("adopt", folder.appending(path: "config").path, "Lock").out
        == "Added \"Front Door Lock\" in the room \"Default Room\".\n")
  }

  @Test(
    "A malformed registry is refused with its place",
    arguments: ["{", "[]", "{\"data\": {\"areas\": [{\"id\": 1}]}}", "{\"data\": {\"areas\": {}}}"])
  func malformed(text: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try write(
      "core.config_entries",
      "{\"data\": {\"entries\": [{\"domain\": \"homekit_controller\", \"title\": \"L\", \"data\": \(pairing(1))}]}}")
    _ = try write("core.area_registry", text)
    let bench = try bench()
    let said = bench("adopt", folder.path)
    #expect(said.exit != .well && !said.error.isEmpty && bench.home.accessories.isEmpty, "\(said)")
  }

  @Test("After the removal of an accessory, the aliases of hapctl for it are named with the command that deletes them")
  func aliasAfterRemoval() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = ["HOME": "/nowhere", "XDG_STATE_HOME": folder.path]
    let store = try ControllerStore(folder: folder.path + "/hapctl")
    for (alias, device) in [("front door", 1), ("hot", 5)] as [(String, UInt8)] {
      try store.keep(
        ControllerPairing(
          alias: alias, accessoryID: Array(DeviceID.test(device).text.utf8),
          accessoryKey: [UInt8](repeating: 1, count: 32), controllerID: Array("C".utf8),
          controllerKey: SigningKey(seed: SecretBytes([UInt8](repeating: 7, count: 32))), addresses: []))
    }
    let bench = try bench()
    #expect(bench.run(["adopt", "front door"], environment: environment).exit == .well)
    #expect(
      bench.run(["remove", "Front Door Lock"], environment: environment).out
        == "Removed the accessory \"Front Door Lock\".\nhapctl has the pairing \"front door\" with it. If it was adopted, it no longer works: 'hapctl unpair \"front door\" --forget' deletes it.\n"
    )
    #expect(try store.pairings().count == 2, "keys are deleted only by the person")
    #expect(bench.run(["adopt", "hot"], environment: environment).exit == .well)
    #expect(!bench.run(["remove", "Thermostat", "--json"], environment: environment).out.contains("unpair"))
  }

  @Test("hapctl's own pairings, by alias or all of them")
  func own() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = folder.appending(path: "state").path
    let store = try ControllerStore(folder: state)
    for (alias, device) in [("door", 1), ("hot", 5)] as [(String, UInt8)] {
      try store.keep(
        ControllerPairing(
          alias: alias, accessoryID: Array(DeviceID.test(device).text.utf8),
          accessoryKey: [UInt8](repeating: 1, count: 32),
          controllerID: Array("C".utf8), controllerKey: SigningKey(seed: SecretBytes([UInt8](repeating: 7, count: 32))),
          addresses: []))
    }
    let bench = try bench()
    #expect(bench("adopt", "door", "--state", state).out == "Added \"Front Door Lock\" in the room \"Default Room\".\n")
    #expect(bench("adopt", "dor", "--state", state).error.contains("did you mean \"door\"?"))
    #expect(bench("adopt", "door", "hot", "--state", state).exit == .usage)
    #expect(bench("adopt", "--all", "--state", state).exit == .problem && bench.home.accessories.count == 2)
    #expect(bench("adopt", "--state", state).exit == .usage)
  }

  @Test("Files that can't be read, or have no pairing, are errors")
  func unreadable() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try bench()
    #expect(bench("adopt", "/nowhere/pairings.json").exit == .cannotRun)
    #expect(bench("adopt", try write("empty.json", "{}")).error.contains("has no pairing over IP"))
    #expect(bench("adopt", try write("bad.json", "{\"x\": {}}")).error.contains("bad.json:1:"))
    #expect(bench("adopt", folder.path).error.contains("has no file .storage/core.config_entries"))
    #expect(bench("adopt", try write("one.json", "{\"x\": \(pairing(1))}"), "x", "--all").exit == .usage)
    let foreign = try write("id.json", "{\"x\": \(pairing(1).replacing("AA:BB:CC:00:00:01", with: "nonsense"))}")
    #expect(bench("adopt", foreign).error.contains("\"nonsense\" is not a device ID"))
  }

  @Test(
    "A name of another program as a name of a home",
    arguments: [
      ("Living Room", "Living Room"), ("Kid's Room", "Kid's Room"), ("1. OG (Ost)", "1 OG Ost"), ("🛋", nil),
      ("'x'", "x"),
      ("", nil), (String(repeating: "ab ", count: 40), String(repeating: "ab ", count: 21) + "a"),
    ] as [(String, String?)])
  func names(text: String, name: String?) {
    #expect(text.asHomeName == name)
  }
}
