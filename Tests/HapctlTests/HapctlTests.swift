import Foundation
import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPModel
import HAPStore
import HAPTestSupport
import Synchronization
import Testing

@testable import hapctl

/// What hapctl said and how it ended, run in this process.
struct Transcript: Equatable {
  var out = ""
  var error = ""
  var exit = ExitCode.well
}

private final class Sink: Sendable {
  let text = Mutex("")
}

/// On a thread of its own: a command blocks until it is done, which a thread of the concurrency runtime must not.
func hapctl(_ words: [String], environment: [String: String] = ["HOME": "/nowhere"]) async -> Transcript {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: run(words, environment)) }
  }
}

private func run(_ words: [String], _ environment: [String: String]) -> Transcript {
  let (out, error) = (Sink(), Sink())
  let console = Console(
    out: { text in out.text.withLock { $0 += text } }, error: { text in error.text.withLock { $0 += text } },
    environment: { environment[$0] })
  let exit = Program.hapctl.run(words, console: console)
  return Transcript(out: out.text.withLock { $0 }, error: error.text.withLock { $0 }, exit: exit)
}

/// A folder of its own for one test, removed with its owner.
final class ScratchFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "hapctl-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct HapctlCommandLineTests {
  private func stored(_ name: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Help/\(name).txt")
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test("The help of hapctl and of every command is its stored copy; after a change: hapctl COMMAND --help > the copy")
  func help() async throws {
    #expect(await hapctl(["--help"]) == Transcript(out: try stored("hapctl")))
    for command in Program.hapctl.commands {
      #expect(await hapctl([command.name, "--help"]) == Transcript(out: try stored(command.name)))
    }
  }

  @Test(
    "Wrong usage is told, and nothing is asked of anybody",
    arguments: [
      (["pair", "garage", "--code", "031-45-154"], "no address with a port"),
      (["pair", "127.0.0.1:1"], "--code is missing"),
      (["pair", "127.0.0.1:1", "--code", "123-45-678"], "--code 123-45-678"),
      (["pair", "127.0.0.1:1", "--code", "031-45-154", "--alias", "a/b"], "slash"),
      (["pair", "10.0.0.300:1", "--code", "031-45-154"], "10.0.0.300"), (["put", "a/On"], "is missing"),
      (["put", "a/On", "true", "a/Hue"], "the last one has no value"),
      (["put", "a", "true"], "says no characteristic"),
      (["get", "a/On", "b/On"], "two accessories"), (["watch", "a", "--count", "0"], "--count"),
      (["get", "a", "--timeout", "never"], "--timeout"), (["lst"], "did you mean list?"),
    ])
  func usage(words: [String], says: String) async {
    let said = await hapctl(words)
    #expect(said.exit == .usage && said.out == "" && said.error.contains(says), "\(said)")
  }

  @Test("Without a folder to keep pairings in, nothing is done") func noFolder() async {
    #expect(await hapctl(["list"], environment: [:]).error.contains("give --state DIR"))
    #expect(await hapctl(["list"], environment: ["HOME": "/dev/null"]).exit == .cannotRun)
  }

  @Test("An accessory that isn't there, or isn't known, is told with what to do") func nobody() async {
    let folder = ScratchFolder()
    let state = ["--state", folder.path]
    let closed = await hapctl(["pair", "127.0.0.1:9", "--code", "031-45-154"] + state)
    #expect(closed.exit == .cannotRun && closed.error.contains("127.0.0.1:9: connection refused"))
    #expect(await hapctl(["list"] + state).out == "No pairing is kept in \(folder.path).\n")
    #expect(await hapctl(["get", "garage"] + state).error.contains("no pairing garage"))
    #expect(await hapctl(["get", "127.0.0.1:9"] + state).error.contains("hapctl pair 127.0.0.1:9"))
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

  @Test("What stands behind the first slash names the characteristic")
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

  @Test("Values have words and units, and are read as people write them")
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
