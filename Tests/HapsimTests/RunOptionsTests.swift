import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPModel
import HAPPreparation
import HAPStore
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

private func options(_ words: String..., environment: [String: String] = ["HOME": "/home/me"]) throws -> RunOptions {
  let arguments = try Arguments(parsing: words, options: RunOptions.definitions)
  return try RunOptions(arguments, environment: { environment[$0] })
}

@Suite struct RunOptionsAreRead {
  @Test("A profile alone has the defaults") func defaults() throws {
    #expect(
      try options("a.hasaccessory")
        == RunOptions(
          profiles: ["a.hasaccessory"], state: .folder("/home/me/.local/state/hapsim"), port: 0, interfaces: [],
          bonjour: .auto, json: false, commands: false, quiet: false))
  }

  @Test("All options are read") func all() throws {
    let read = try options(
      "--state", "/s", "--setup-code=031-45-154", "--setup-id", "7OSX", "--port", "51826", "--bind", "::1", "a",
      "--interface",
      "lo", "--interface=eth0", "--bonjour", "off", "--name", "Garage ä", "--seed", "18446744073709551615", "--json",
      "-q")
    #expect(
      read
        == RunOptions(
          profiles: ["a"], state: .folder("/s"), setupCode: try SetupCode("031-45-154"), setupID: SetupID("7OSX"),
          port: 51826, bind: "::1", interfaces: ["lo", "eth0"], bonjour: .off, name: "Garage ä", seed: .max, json: true,
          commands: false, quiet: true))
  }

  @Test("The port of the page is fixed, and must be free only if the user chose it") func pagePort() throws {
    let standard = try options("a").control
    #expect(standard.ports == Array(9427...9436) + [0] && !standard.isGiven)
    #expect(try options("a", "--control", "::1").control.ports == standard.ports)
    #expect(try options("a", "--control", "8080").control.ports == [8080])
    #expect(try options("a", "--control", "[::1]:0").control.ports == [0])
    #expect(try options("a", "--control", "off").control.ports == [])
    // Otherwise, a page that is open at the standard port would send its token to another program.
    #expect(try options("a", "--control-token", "a-secret-of-sorts").control.ports == [9427])
  }

  @Test("No browser is opened without --open") func opening() throws {
    #expect(try !options("a").control.opensPage)
    #expect(try options("a", "--open").control.opensPage)
  }

  @Test("The commands of BROWSER come first, then the desktop's default") func browsers() {
    let page = "http://127.0.0.1:9427/"
    func command(_ environment: [String: String]) -> String? { PageOpening.command(for: page) { environment[$0] } }
    #expect(command(["BROWSER": "firefox"]) == "firefox '\(page)'")
    #expect(command(["BROWSER": "w3m -N %s:lynx"]) == "w3m -N \(page) || lynx '\(page)'")
    // The shell removes quotes around the address.
    #expect(command(["BROWSER": "firefox '%s':lynx \"%s\""]) == "firefox '\(page)' || lynx \"\(page)\"")
    #if !canImport(Darwin)
      #expect(command(["DISPLAY": ":0", "BROWSER": " : "]) == "xdg-open '\(page)'")
      #expect(command(["WAYLAND_DISPLAY": "wayland-0"]) == "xdg-open '\(page)'")
      #expect(command([:]) == nil && command(["DISPLAY": ""]) == nil)
    #endif
  }

  @Test("A browser that ran for some time is not reported as failed") func browserEnd() {
    #expect(PageOpening.isFailure(.code(127), after: .seconds(1)))
    #expect(!PageOpening.isFailure(.code(0), after: .seconds(1)))
    #expect(!PageOpening.isFailure(.code(1), after: .seconds(60)))
    #expect(!PageOpening.isFailure(.signal(15), after: .seconds(60)))
  }

  @Test("--commands implies --json") func commands() throws {
    let read = try options("a", "--commands")
    #expect(read.commands && read.json)
  }

  @Test("Ids are kept unless --renumber accepts new ones") func renumber() throws {
    #expect(try !options("a").renumber)
    #expect(try options("a", "--renumber").renumber)
  }

  @Test("Ports count up from the first; 0 means any port for each") func ports() throws {
    let read = try options("a", "b", "c", "--port", "65533")
    #expect((0..<3).map(read.port(ofProfile:)) == [65533, 65534, 65535])
    #expect((0..<2).map(try options("a", "b").port(ofProfile:)) == [0, 0])
    #expect(throws: UsageError.self) { try options("a", "b", "c", "--port", "65534") }
  }

  @Test("Copies may share a setup code, a name pattern, and the ports of this machine's shard") func copies() throws {
    let read = try options(
      "a", "--count", "1000", "--setup-code", "031-45-154", "--name", "Lamp {n:4}", "--identity", "x", "--shard", "1/4",
      "--port", "65000", "--loops", "3")
    #expect(read.count == 1000 && read.identity == "x" && read.shard.description == "1/4" && read.loops == 3)
    #expect(try read.namePattern(1000)?.name(7) == "Lamp 0007")
    #expect(try options("a", "--count", "2", "--name", "Lamp").namePattern(2)?.name(2) == "Lamp 2")
    #expect(throws: UsageError.self) { try options("a", "--count", "2", "--name", "{m}").namePattern(2) }
  }

  @Test("The open files with which an accessory listens, also over Matter, are not for its connections")
  func openFiles() throws {
    let text = #"{ "format": "hasaccessory/1", "name": "Lamp", "services": [ { "type": "LightBulb" } ] }"#
    let profile = try #require(LoadedProfile(file: "x", json: Array(text.utf8)).profile)
    let prepared = PreparedAccessories([try PreparedAccessory(profile, in: .ephemeral(), random: .seeded(1))])
    defer { for accessory in prepared.accessories { accessory.close() } }
    let places = [ListeningPlace(.anyV6)]
    let listeners = try options("a", "--matter").listenerCount(at: places)
    #expect(try listeners == 3 && options("a").listenerCount(at: places) == 1)
    prepared.shareOpenFiles(1000, listeners: listeners)
    #expect(prepared.accessories.map(\.openFiles) == [997])
    prepared.shareOpenFiles(2, listeners: listeners)
    #expect(prepared.accessories.map(\.openFiles) == [0])
  }

  @Test("A few accessories share one loop, and so do runs that depend on order") func loops() throws {
    #expect(ServingLoop.count(try options("a"), for: 1) == 1)
    #expect(ServingLoop.count(try options("a", "--loops", "3"), for: 2) == 2)
    #expect(ServingLoop.count(try options("a", "--loops", "3"), for: 200) == 3)
    #expect(ServingLoop.count(try options("a", "--virtual-time"), for: 200) == 1)
  }

  @Test("A run can end by itself, and a clock jump is refused in a fleet") func others() throws {
    #expect(try options("a", "--duration", "90s").duration == .seconds(90))
    for wrong in ["0s", "soon", "2000h", "5"] {
      #expect(throws: UsageError.self) { try options("a", "--duration", wrong) }
    }
    #expect(try options("a", "--fault", "clock-jump").faults.count == 1)
    #expect(throws: UsageError.self) { try options("a", "--fault", "clock-jump", "--count", "2") }
  }

  @Test("The default state folder follows XDG if it is absolute, else HOME; without either it is required")
  func state() throws {
    func state(_ environment: [String: String]) throws -> RunOptions.State {
      try options("a", environment: environment).state
    }
    #expect(try state(["XDG_STATE_HOME": "/x", "HOME": "/h"]) == .folder("/x/hapsim"))
    #expect(try state(["XDG_STATE_HOME": "x", "HOME": "/h"]) == .folder("/h/.local/state/hapsim"))
    #expect(try state(["XDG_STATE_HOME": "", "HOME": "/h"]) == .folder("/h/.local/state/hapsim"))
    #expect(throws: UsageError.self) { try state([:]) }
    #expect(try options("a", "--ephemeral", environment: [:]).state == .ephemeral)
    #expect(try options("a", "--state", "rel", environment: [:]).state == .folder("rel"))
  }

  @Test("An address with an unknown interface is not a usage error: it is reported when it is used")
  func scopedAddress() throws {
    #expect(try options("a", "--bind", "fe80::1%nosuch0").bind == "fe80::1%nosuch0")
  }
}

@Suite struct RunRefuses {
  @Test(
    "Wrong values and combinations exit with 2 and name the option",
    arguments: [
      (["a", "--port", "65536"], "--port 65536: expected a whole number from 0 to 65535"),
      (["a", "--port", "-1"], "--port -1: expected a whole number from 0 to 65535"),
      (["a", "--port", "+80"], "--port +80: expected a whole number from 0 to 65535"),
      (["a", "--port="], "--port \"\": expected a whole number from 0 to 65535"),
      (["a", "--port", "80a"], "--port 80a: expected a whole number from 0 to 65535"),
      (["a", "--port", "1", "--port", "2"], "--port is given twice"),
      (["a", "--seed", "1.5"], "--seed 1.5: expected a whole number from 0 to 18446744073709551615"),
      (["a", "--seed", "18446744073709551616"], "--seed 18446744073709551616: expected a whole number"),
      (["a", "--setup-code", "03145154"], "--setup-code 03145154: a setup code is eight digits written XXX-XX-XXX"),
      (["a", "--setup-code", "111-11-111"], "--setup-code 111-11-111: HomeKit forbids"),
      (["a", "--setup-id", "7osx"], "--setup-id 7osx: a setup ID has four characters of 0-9 and A-Z"),
      (["a", "--bind", "localhost"], "--bind localhost: expected an IP address"),
      (["a", "--bind", "1.2.3.4.5"], "--bind 1.2.3.4.5: expected an IP address"),
      (["a", "--interface", ""], "--interface \"\": it can't be empty"),
      (["a", "--bonjour", "avahi"], "--bonjour avahi: expected auto, daemon, embedded or off"),
      (["a", "--name", ""], "--name \"\": a name is needed"),
      (["a", "--name", "a\u{7}b"], "--name a\u{FFFD}b: it contains a control character"),
      (["a", "--name", String(repeating: "ä", count: 33)], "--name "),
      (["a", "--state", "/s", "--ephemeral"], "--state and --ephemeral exclude each other"),
      (["a", "--state", "--ephemeral"], "--state needs a value: --state DIR"),
      (["a", "--state="], "--state \"\": it can't be empty"),
      (["a", "b", "--name", "x"], "--name is for one profile: 2 accessories can't share it"),
      (["a", "b", "--setup-code", "031-45-154"], "--setup-code is for one profile: 2 accessories can't share it"),
      (["a", "--open", "--control", "off"], "--control off and --open exclude each other"),
      (["a", "--json=yes"], "--json takes no value"),
      (["a", "--keep-running"], "--keep-running needs --commands"),
      (["a", "--prot", "1"], "unknown option --prot; did you mean --port?"),
      (["a", "-x"], "unknown option -x"),
      (["a", "--count", "0"], "--count 0: expected a whole number from 1 to 10000"),
      (["a", "--count", "10001"], "--count 10001: expected a whole number from 1 to 10000"),
      (["a", "--identity", "x"], "--identity and --shard need copies"),
      (["a", "--shard", "0/2"], "--identity and --shard need copies"),
      (["a", "--count", "4", "--shard", "2/2"], "--shard 2/2: expected I/N with I below N, such as 0/4"),
      (["a", "--count", "2", "--setup-id", "7OSX"], "--setup-id is for one accessory"),
      (["a", "--loops", "0"], "--loops 0: expected a whole number from 1 to 256"),
      (["a", "--count", "9", "--loops", "2", "--virtual-time"], "--loops: virtual time, scenarios"),
      (["a", "--count", "9", "--loops", "2", "--capture", "x"], "--loops: virtual time, scenarios"),
      (["a", "--count", "1000", "--port", "65000"], "--port 65000: 1000 accessories need ports beyond 65535"),
      (["a", "b", "--count", "300", "--port", "65000"], "--port 65000: 600 accessories need ports beyond 65535"),
    ])
  func refused(_ words: [String], _ message: String) {
    let said = hapsim(["run"] + words)
    #expect(said.exit == .usage)
    #expect(said.out == "")
    #expect(said.error.hasPrefix("hapsim run: " + message), "\(said.error)")
    #expect(said.error.hasSuffix("\nTry 'hapsim run --help'.\n"))
  }
}
