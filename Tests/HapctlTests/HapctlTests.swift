import Foundation
import HAPCommandLine
import HAPController
import HAPCrypto
import HAPLoop
import HAPModel
import HAPPairing
import HAPStore
import HAPTestSupport
import HAPTransport
import HAPWire
import Synchronization
import Testing

import HapctlProgram

@testable import HapctlAccessories

/// hapctl's output and exit status, run in this process.
struct Transcript: Equatable {
  var out = ""
  var error = ""
  var exit = ExitCode.well
}

private final class Sink: Sendable {
  let text = Mutex("")
}

/// Runs hapctl on a separate thread: a command blocks until it is done, which is forbidden on a thread of the
/// concurrency runtime.
func hapctl(_ words: [String], environment: [String: String] = ["HOME": "/nowhere"]) async -> Transcript {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: runHapctl(words, environment)) }
  }
}

/// Runs hapctl on the calling thread.
func runHapctl(_ words: [String], _ environment: [String: String] = ["HOME": "/nowhere"]) -> Transcript {
  let (out, error) = (Sink(), Sink())
  let console = Console(
    out: { text in out.text.withLock { $0 += text } }, error: { text in error.text.withLock { $0 += text } },
    environment: { environment[$0] })
  let exit = Program.hapctl.run(words, console: console)
  return Transcript(out: out.text.withLock { $0 }, error: error.text.withLock { $0 }, exit: exit)
}

/// A temporary folder for one test, removed with its owner.
final class ScratchFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "hapctl-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A public key of 32 zero bytes, in hexadecimal.
private let zeros = String(repeating: "0", count: 64)

@Suite struct HapctlCommandLineTests {
  /// Compares a help text with its copy, or writes the copy if HAPTEST_WRITE_DOCS is set.
  private func compare(_ name: String, _ help: Transcript) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Help/\(name).txt")
    if ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] != nil {
      try help.out.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(help == Transcript(out: try String(contentsOf: file, encoding: .utf8)), "\(name)")
  }

  /// The help of a command, and for a group also that of each of its commands.
  private func help(_ words: [String], _ command: Command) async -> String {
    let text = await hapctl(words + ["--help"]).out
    var parts: [String] = []
    for inner in command.commands { parts.append(await help(words + [inner.name], inner)) }
    return ([text] + parts).joined(separator: "\n")
  }

  @Test("The help of each command is its stored copy, with the commands of a group; HAPTEST_WRITE_DOCS=1 writes it")
  func help() async throws {
    try compare("hapctl", await hapctl(["--help"]))
    for command in Program.hapctl.commands {
      try compare(command.name, Transcript(out: await help([command.name], command)))
    }
  }

  @Test(
    "Wrong usage is reported before any request",
    arguments: [
      (["pair", "127.0.0.1:1"], "--code-file is missing"),
      (["pair", "127.0.0.1:1", "--code", "123-45-678"], "--code 123-45-678"),
      (["pair", "127.0.0.1:1", "--code", "031-45-154", "--alias", "a/b"], "slash"),
      (["pair", "127.0.0.1:1", "--code", "031-45-154", "--code-file", "x"], "exclude each other"),
      (["accessories", "a", "--raw", "--json"], "exclude each other"), (["put", "a/On", "1", "--json=1"], "no value"),
      (["get", "a", "--verbose=1"], "takes no value"), (["list", "--verbose"], "unknown option --verbose"),
      (["pair", "10.0.0.300:1", "--code", "031-45-154"], "10.0.0.300"), (["put", "a/On"], "is missing"),
      (["put", "a/On", "true", "a/Hue"], "the last characteristic has no value"),
      (["put", "a", "true"], "names no characteristic"),
      (["get", "a/On", "b/On"], "two accessories"), (["watch", "a", "--count", "0"], "--count"),
      (["get", "a", "--timeout", "never"], "--timeout"), (["lst"], "did you mean list?"),
      (["discover", "garage"], "unexpected argument garage"), (["discover", "--timeout", "0"], "--timeout 0"),
      (["discover", "--interface", "eth99"], "no interface named eth99; there are: "),
      (["get", "a", "--interface", ""], "no interface named ; there are: "), (["pair", "a"], "--code-file"),
      (["export", "a"], "-o FILE is missing"),
      (["export", "a", "-o", "x", "--category", "lamp"], "unknown category"),
      (["export", "a", "-o", "x", "--category", "lightbulp"], "did you mean lightbulb?"),
      (["pairings", "list"], "is missing"), (["pairings", "show", "a"], "list, add or remove"),
      (["pairings", "list", "a", "b"], "one TARGET"), (["pairings", "list", "a", "--admin"], "only with add"),
      (["pairings", "list", "a", "--identifier", "x"], "only with add"), (["pairings", "add", "a", "b"], "one TARGET"),
      (["pairings", "remove", "a", "b", "--key", zeros], "only with add"),
      (["pairings", "add", "a", "--key", zeros], "--identifier is missing"),
      (["pairings", "add", "a", "--identifier", "x"], "--key is missing"),
      (["pairings", "add", "a", "--identifier", "x", "--key", "00"], "32 bytes in hexadecimal"),
      (["pairings", "add", "a", "--identifier", zeros, "--key", zeros], "1 to 36 bytes"),
      (["pairings", "remove", "a"], "takes a TARGET and an ID"), (["resource", "a"], "--output is missing"),
      (["resource", "a", "-o", "x", "--width", "0"], "--width 0"),
      (["resource", "a", "-o", "x", "--height", "16385"], "--height 16385"),
      (["resource", "a", "-o", "x", "--aid", "0"], "--aid 0"), (["watch", "a", "--once=1"], "takes no value"),
    ])
  func usage(words: [String], says: String) async {
    let said = await hapctl(words)
    #expect(said.exit == .usage && said.out == "" && said.error.contains(says), "\(said)")
  }

  @Test("Without a folder for pairings, no command runs") func noFolder() async {
    #expect(await hapctl(["list"], environment: [:]).error.contains("give --state DIR"))
    #expect(await hapctl(["list"], environment: ["HOME": "/dev/null"]).exit == .cannotRun)
  }

  @Test("For an unreachable or unknown accessory, the error suggests what to do") func nobody() async {
    let folder = ScratchFolder()
    let state = ["--state", folder.path]
    let closed = await hapctl(["pair", "127.0.0.1:9", "--code", "031-45-154"] + state)
    #expect(closed.exit == .cannotRun && closed.error.contains("127.0.0.1:9: connection refused"))
    #expect(await hapctl(["list"] + state).out == "No pairing is saved in \(folder.path).\n")
    #expect(await hapctl(["unpair", "garage", "--forget"] + state).error.contains("no pairing garage"))
    #expect(await hapctl(["get", "127.0.0.1:9"] + state).error.contains("hapctl pair 127.0.0.1:9"))
  }
}

@Suite struct CodeFileTests {
  @Test(
    "A code file's first line is the code; for other contents, the error has the file's name but not the text",
    arguments: [
      ("031-45-154", nil), ("  031-45-154\r\nthe rest", nil), ("", "isn't a code"), ("031-45-15", "isn't a code"),
      ("sesame\n031-45-154", "isn't a code"), ("123-45-678\n", "too simple"),
      (String(repeating: "0", count: 5000), "more than 4096 bytes"),
    ] as [(String, String?)])
  func codeFile(text: String, says: String?) async throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let file = folder.path + "/code"
    try Data(text.utf8).write(to: URL(filePath: file))
    let said = await hapctl(["pair", "127.0.0.1:9", "--code-file", file, "--state", folder.path + "/ctl"])
    guard let says else { return #expect(said.exit == .cannotRun && said.error.contains("refused"), "\(said)") }
    #expect(said.error.contains(file) && said.error.contains(says) && !said.error.contains("sesame"), "\(said)")
    #expect(said.exit == (says == "more than 4096 bytes" ? .cannotRun : .usage))
  }

  @Test("A missing code file is reported") func noFile() async {
    let said = await hapctl(["pair", "127.0.0.1:9", "--code-file", "/nowhere/code"])
    #expect(said.exit == .cannotRun && said.error.contains("--code-file: /nowhere/code can't be read"), "\(said)")
  }
}

@Suite struct FailureTests {
  private func setup(_ error: UInt8, step: UInt8 = 2, delay: UInt64? = nil) -> String {
    Failure(pairSetup: PairingFailure(step: step, cause: .refused(error), retryDelay: delay)).message
  }

  @Test("A refusal of an accessory is reported with advice") func refusals() {
    #expect(setup(2, step: 4).contains("the code is wrong") && !setup(2, step: 6).contains("the code is wrong"))
    #expect(setup(3).contains("wait a while") && setup(3, delay: 7).contains("wait 7 s"))
    #expect(setup(4).contains("no room") && setup(5).contains("factory") && setup(6).contains("already paired"))
    #expect(setup(7).contains("half a minute") && setup(99).contains("error 99"))
    func verify(_ cause: PairingFailure.Cause) -> String {
      Failure(ClientError.pairing(PairingFailure(step: 4, cause: cause))).message
    }
    #expect(
      verify(.refused(2)).contains("no longer has this pairing") && verify(.refused(7)).contains("try again later"))
    #expect(verify(.wrongSignature).contains("reset") && verify(.brokenSeal).contains("the seal is broken"))
    #expect(verify(.otherAccessory(identifier: Array("X".utf8))).contains("another accessory, X"))
  }

  @Test("Exit statuses: 1 if the accessory refuses, 3 if it is unreachable or doesn't answer") func codes() {
    for error in [ClientError.unreachable([]), .timedOut("x"), .closed(during: "x"), .notSent(request: "x", nil)] {
      #expect(Failure(error).code == .cannotRun)
    }
    for error in [ClientError.status(400, request: "x"), .noTLV(request: "x"), .flooded, .unasked(200)] {
      #expect(Failure(error).code == .problem)
    }
  }
}

@Suite struct DatabaseJSONTests {
  @Test("The database as JSON has the accessory's structure, with names and values") func database() throws {
    let text = json(try AttributeDatabase(TestHome.accessories))
    let root = try JSONNode.parse(Array(text.utf8))
    let accessories = try root.required("accessories").asList()
    #expect(accessories.compactMap { $0["aid"]?.integerValue } == [1, 2])
    let characteristics = try accessories.flatMap { try $0.list("services") }.flatMap { try $0.list("characteristics") }
    #expect(
      characteristics.count
        == TestHome.accessories.reduce(0) { $0 + $1.services.reduce(0) { $0 + $1.characteristics.count } })
    let brightness = try #require(characteristics.first { $0["iid"]?.integerValue == 12 })
    #expect(brightness["name"]?.stringValue == "Brightness" && brightness["format"]?.stringValue == "int")
    #expect(brightness["value"]?.integerValue != nil && brightness["maxValue"]?.integerValue == 100)
    #expect(characteristics.first { $0["iid"]?.integerValue == 29 }?["value"] == nil, "it can't be read")
  }
}

@Suite struct TargetTests {
  @Test("A target is an address or a name, and a device ID is a name")
  func targets() throws {
    func address(_ text: String, _ port: UInt16) throws -> Target {
      .address(SocketAddress(host: try IPAddress(text), port: port))
    }
    #expect(try Target("192.0.2.7:51826") == address("192.0.2.7", 51826))
    #expect(try Target("[fd00::1]:80") == address("fd00::1", 80))
    #expect(try Target("localhost:80") == address("127.0.0.1", 80))
    for name in ["garage", "Hall Light", "AA:BB:CC:DD:EE:11", "AA:BB:CC:DD:EE:FF", "a:b", "lamp:70000", "x:0"] {
      #expect(try Target(name) == .name(name))
    }
    for wrong in ["nowhere.example:80", "1.2.3:80", "[fd00::1:80", "fd00::zz:80"] {
      #expect(throws: UsageError.self) { try Target(wrong) }
    }
  }

  @Test("The text after the first slash names the characteristic")
  func references() throws {
    #expect(Reference("garage/Target Door State").path == "Target Door State")
    #expect(Reference("garage/Light Bulb/On").path == "Light Bulb/On")
    #expect(Reference("garage").path == nil)
    let database = try AttributeDatabase(TestHome.accessories)
    #expect(try database.id(forPath: "1.11") == TestHome.id(TestHome.ID.on))
    #expect(try database.id(forPath: "10/Brightness") == TestHome.id(TestHome.ID.brightness))
    #expect(try database.id(forPath: "Light Bulb/brightness") == TestHome.id(TestHome.ID.brightness))
    #expect(throws: (any Error).self) { try database.id(forPath: "On") }
    #expect(throws: (any Error).self) { try database.id(forPath: "Fan/On") }
  }
}

@Suite struct CharacteristicTextTests {
  private func characteristic(_ type: UInt32, _ format: Format, unit: HAPModel.Unit? = nil) -> Characteristic {
    Characteristic(iid: 1, type: TypeID(apple: type), format: format, perms: .pairedRead, unit: unit)
  }

  @Test("Values have names and units, and are parsed in common spellings")
  func values() {
    let door = characteristic(0x32, .uint8)
    #expect(door.text(of: 0) == "open (0)" && door.text(of: 9) == "9")
    #expect(door.value(fromText: "Open") == 0 && door.value(fromText: "1") == 1 && door.value(fromText: "ajar") == nil)
    let on = characteristic(0x25, .bool)
    #expect(on.value(fromText: "on") == true && on.value(fromText: "0") == false && on.value(fromText: "2") == nil)
    let warmth = characteristic(0x11, .float, unit: .celsius)
    #expect(warmth.text(of: .float(21.5)) == "21.5 °C" && warmth.text(of: .float(20)) == "20 °C")
    #expect(warmth.value(fromText: "-3.5") == .float(-3.5) && warmth.value(fromText: "nan") == nil)
    let data = characteristic(0xF001, .data)
    #expect(data.text(of: .data([0, 255])) == "2 bytes: 00ff" && data.text(of: .data([])) == "no bytes")
    #expect(data.value(fromText: "00fF") == .data([0, 255]) && data.value(fromText: "0") == nil)
    #expect(characteristic(0x23, .string).text(of: "Hall") == "\"Hall\"" && door.text(of: .null) == "–")
  }
}

@Suite struct TakenValuesTests {
  private func door(_ change: (inout Constraints) -> Void) -> String {
    var characteristic = Characteristic(iid: 1, type: TypeID(apple: 0x33), format: .uint8, perms: .pairedWrite)
    change(&characteristic.constraints)
    return characteristic.takenValues
  }

  @Test("The hint lists the value names that the accessory's limits allow")
  func limits() {
    #expect(door { _ in } == "off, heat, cool, auto")
    #expect(
      door {
        $0.minValue = 1; $0.maxValue = 2
      } == "heat, cool")
    #expect(door { $0.maxValue = .float(0.5) } == "off")
    #expect(door { $0.validValuesRange = 1...2 } == "heat, cool")
    #expect(door { $0.minValue = 7 } == "7 to 255")
  }

  @Test("An empty list of valid values is treated as absent")
  func emptyValidValues() {
    #expect(door { $0.validValues = [] } == "off, heat, cool, auto")
    #expect(door { $0.validValues = [1, 3] } == "heat (1), auto (3)")
  }
}

@Suite struct FollowedSelectionTests {
  private let on = TestHome.id(TestHome.ID.on)
  private let motion = TestHome.id(TestHome.ID.motion)

  @Test("New characteristics stay pending when the connection is lost, and are subscribed with the next one")
  func pending() async throws {
    let (on, motion) = (on, motion)
    var selection = FollowedSelection(in: try AttributeDatabase([])) {
      $0.slot(of: motion) == nil ? [] : [on, motion]
    }
    #expect(selection.take(try AttributeDatabase(TestHome.accessories)) && selection.pending == [on, motion])
    let lost = await selection.subscribe { _ throws(ControllerError) in
      throw ControllerError(ClientError.closed(during: "PUT /characteristics"), "home")
    }
    #expect(lost.error?.causeText == "PUT /characteristics: the accessory closed the connection")
    #expect(selection.pending == [on, motion])
    #expect(!selection.take(try AttributeDatabase(TestHome.accessories)), "an equal database has no new ones")
    var asked: [AttributeID] = []
    let again = await selection.subscribe { ids throws(ControllerError) in
      asked = ids
      return []
    }
    #expect(again.error == nil && again.refused == [])
    #expect(asked == [on, motion] && selection.pending == [])
  }

  @Test("A pending characteristic that is missing in the next database is dropped")
  func dropped() throws {
    let on = on
    var selection = FollowedSelection(in: try AttributeDatabase([])) { $0.slot(of: on) == nil ? [] : [on] }
    #expect(selection.take(try AttributeDatabase(TestHome.accessories)) && selection.pending == [on])
    #expect(selection.take(try AttributeDatabase([])) && selection.pending == [])
  }
}

@Suite struct UsageErrorTests {
  @Test("A malformed code or payload has a clear error", arguments: ["X-HM://0076CDMX27OSX", "--code", "--code-file"])
  func words(form: String) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("code-\(UUID().uuidString)")
    try Data("X-HM://0076CDMX27OSX\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let words = form == "--code" ? [form, "X-HM://0076CDMX27OSX"] : form == "--code-file" ? [form, file.path] : [form]
    let said = await hapctl(["pair"] + words)
    #expect(said.exit == .usage && !said.error.contains("UsageError(") && !said.error.isEmpty)
  }
}

@Suite struct WatchTests {
  @Test("A delay is shown in seconds and tenths") func seconds() {
    #expect(Duration.seconds(2).inSeconds == "2 s" && Duration.milliseconds(799).inSeconds == "0.8 s")
    #expect(Duration.milliseconds(59_960).inSeconds == "60 s" && Duration.zero.inSeconds == "0 s")
  }
}
