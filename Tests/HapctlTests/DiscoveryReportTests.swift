import HAPController
import HAPCrypto
import HAPDiscovery
import HAPLoop
import HAPStore
import HAPTestSupport
import HAPWire
import Testing

@testable import HapctlAccessories

/// A discovered garage door, with some TXT entries replaced by these.
private func found(
  _ name: String = "Hall Door", port: UInt16 = 80,
  txt: [String] = ["c#=2", "id=AA:BB:CC:DD:EE:FF", "md=GD-1", "pv=1.1", "s#=1", "sf=1", "ci=4"]
) throws -> FoundAccessory {
  let host = try IPAddress("10.0.0.7")
  return FoundAccessory(
    DiscoveredService(
      name: name, host: "door.local", port: port,
      addresses: [SocketAddress(host: host, port: port), SocketAddress(host: try IPAddress("fd00::7"), port: port)],
      interface: 0, txt: txt.map { Array($0.utf8) }))
}

private func pairing(_ id: String, _ alias: String) -> ControllerPairing {
  ControllerPairing(
    alias: alias, accessoryID: Array(id.utf8), accessoryKey: [UInt8](repeating: 1, count: 32), controllerID: [1],
    controllerKey: SigningKey(seed: SecretBytes([UInt8](repeating: 7, count: 32))), addresses: [])
}

@Suite struct FoundAccessoryTests {
  @Test("It matches its name or its device ID in any case, and no other name")
  func names() throws {
    let door = try found()
    for name in ["Hall Door", "hall door", "AA:BB:CC:DD:EE:FF", "aa:bb:cc:dd:ee:ff"] { #expect(door.isCalled(name)) }
    for name in ["", "Hall", "Hall-Door", "GD-1", "AA:BB:CC:DD:EE:F", "10.0.0.7:80"] { #expect(!door.isCalled(name)) }
    #expect(try !found(txt: ["md=x"]).isCalled(""))
  }

  @Test("Our pairing with it is found by its device ID, in any spelling")
  func pairings() throws {
    let others = [pairing("11:22:33:44:55:66", "other"), pairing("aa:bb:cc:dd:ee:ff", "door")]
    #expect(try found().pairing(among: others)?.alias == "door")
    #expect(try found(txt: ["id=aa:bb:cc:dd:ee:ff"]).pairing(among: others)?.alias == "door")
    #expect(try found(txt: []).pairing(among: others + [pairing("", "none")]) == nil)
  }

  @Test("The configuration number is that of the record with the paired device ID, whatever its instance name")
  func configurationNumbers() throws {
    let door = pairing("aa:bb:cc:dd:ee:ff", "door")
    #expect(try found("Renamed").configurationNumber(of: door) == 2)
    #expect(try found("aa:bb:cc:dd:ee:ff", txt: ["id=11:22:33:44:55:66", "c#=9"]).configurationNumber(of: door) == nil)
    #expect(try found("aa:bb:cc:dd:ee:ff", txt: ["c#=9"]).configurationNumber(of: door) == nil)
  }

  @Test("A line has the relevant data, and reports missing entries")
  func lines() throws {
    #expect(
      try found().text(alias: nil)
        == "\"Hall Door\"  GD-1, Garage Door Opener  AA:BB:CC:DD:EE:FF  10.0.0.7:80  not paired  c# 2")
    #expect(
      try found("Door", txt: ["md=x", "id=AA:BB:CC:DD:EE:FF", "sf=0", "c#=7", "ci=5"]).text(alias: "d")
        == "Door  x, Lightbulb  AA:BB:CC:DD:EE:FF  10.0.0.7:80  paired  c# 7  called d")
    #expect(
      try found("Door", txt: ["ci=250"]).text(alias: nil)
        == "Door  no model, category 250  no device ID  10.0.0.7:80  pairing state unknown  no c#")
  }

  @Test("Texts from the network can't control the terminal")
  func control() throws {
    let evil = "\u{1B}[2J\n\u{9B}x\u{7F}"
    let hostile = try found(evil, txt: ["md=\(evil)", "id=\(evil)", "pv=\(evil)"])
    var report = DiscoveryReport(isWatching: true, isJSON: false)
    let said = report.take(.appeared(hostile)) { _ in nil }
    for line in said.out + said.errors + [hostile.title] {
      #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(line)")
    }
    #expect(said.errors.count > 3)
  }
}

@Suite struct DiscoveryReportTests {
  private func nobody(_: FoundAccessory) -> String? { nil }

  @Test("While watching, arrivals, visible changes and departures are shown")
  func watching() throws {
    var report = DiscoveryReport(isWatching: true, isJSON: false)
    let door = try found()
    let line = door.text(alias: nil)
    #expect(report.take(.appeared(door), alias: nobody).out == ["+ \(line)"])
    #expect(report.take(.changed(door), alias: nobody).out == [])
    let moved = try found(port: 81)
    #expect(report.take(.changed(moved), alias: nobody).out == ["~ \(line.replacing(":80", with: ":81"))"])
    #expect(report.take(.changed(moved)) { _ in "door" }.out.map { $0.hasSuffix("called door") } == [true])
    #expect(report.take(.gone(moved), alias: nobody).out == ["- \(line.replacing(":80", with: ":81"))"])
    #expect(report.take(.appeared(door), alias: nobody).out == ["+ \(line)"])
  }

  @Test("Without --watch, each accessory is shown once, with its deviations")
  func once() throws {
    var report = DiscoveryReport(isWatching: false, isJSON: false)
    #expect(!report.hasFound)
    let door = try found("Door", txt: ["c#=2", "id=AA:BB:CC:DD:EE:FF", "md=GD-1", "s#=1", "sf=1"])
    let said = report.take(.appeared(door), alias: nobody)
    #expect(said.out == [door.text(alias: nil)] && said.errors == ["note: Door: ci: it is missing"])
    #expect(report.take(.changed(try found("Door", port: 81)), alias: nobody).out == [])
    #expect(report.take(.gone(door), alias: nobody).out == [])
    #expect(report.hasFound)
  }

  @Test("Trouble lasts until an accessory is found")
  func trouble() throws {
    var report = DiscoveryReport(isWatching: true, isJSON: false)
    let said = report.take(.trouble("no network"), alias: nobody)
    #expect(said.out == [] && said.errors == ["hapctl discover: accessories can't be discovered: no network"])
    #expect(report.trouble == "no network")
    _ = report.take(.appeared(try found()), alias: nobody)
    #expect(report.trouble == nil)
  }

  @Test("With --json each event is an object on a line, and missing members are null")
  func json() throws {
    var report = DiscoveryReport(isWatching: true, isJSON: true)
    let door = try found()
    let line = try #require(report.take(.appeared(door)) { _ in "door" }.out.first)
    let object = try JSONNode.parse(Array(line.utf8))
    #expect(object["event"]?.stringValue == "appeared" && object["name"]?.stringValue == "Hall Door")
    #expect(object["alias"]?.stringValue == "door" && object["category"]?.stringValue == "garage-door-opener")
    #expect(try object.list("addresses").map { try $0.asString() } == ["10.0.0.7:80", "[fd00::7]:80"])
    #expect(line.contains(#""paired":false"#) && line.contains(#""configurationNumber":2"#))
    #expect(line.contains(#""setupHash":null"#) && line.contains(#""remarks":[]"#))
    #expect(report.take(.changed(door)) { _ in "door" }.out == [])
    #expect(
      report.take(.changed(try found(port: 81))) { _ in "door" }.out.first?.hasPrefix(#"{"event":"changed""#) == true)
    #expect(
      report.take(.gone(door), alias: nobody).out.first?.hasPrefix(#"{"event":"gone","name":"Hall Door""#) == true)
    let bare = report.take(.appeared(try found(txt: [])), alias: nobody)
    #expect(bare.errors == [] && bare.out[0].contains(#""paired":null"#))
    #expect(bare.out[0].contains(#""id: it is missing""#))
  }
}
