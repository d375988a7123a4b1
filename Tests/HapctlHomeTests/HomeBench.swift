import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWire
import Testing
import WorldTestSupport

@testable import HapctlHome

/// The output of a command.
struct Transcript: Equatable {
  var out = ""
  var error = ""
  var exit = ExitCode.well

  /// The JSON of the output.
  var json: JSONNode {
    get throws { try JSONNode.parse(Array(out.utf8)) }
  }
}

/// The host of a bench. Its world ends with the bench, which releases the objects of the world.
private final class BenchHost {
  let host = TestHost()
  deinit { _ = host.end() }
}

/// Runs commands of `hapctl home` against a hub in memory, in virtual time.
struct HomeBench {
  let hub = MemoryHub()
  /// Whether completion finds a folder with homes.
  var hasHomes = true
  private let place = BenchHost()
  private var host: TestHost { place.host }

  /// A bench without homes.
  init() {}

  /// A bench with a home of all test devices, with rooms: the lock in Hall, the lights in Living Room and Kitchen.
  static func filled() throws -> HomeBench {
    let bench = HomeBench()
    let zone = try #require(ZoneName("Test/City"))
    try bench.hub.prepare(
      .addHome(
        name: "My Home", zone: zone, location: Coordinate(latitude: 37.33, longitude: -122.03), owner: "Anna"))
    for device in DeviceDescription.all { try bench.hub.prepare(.addDevice(home: bench.hub.home.id, device)) }
    for name in ["Hall", "Living Room", "Kitchen"] {
      try bench.hub.prepare(.addRoom(home: bench.hub.home.id, name: name))
    }
    for (accessory, room) in [
      ("Front Door Lock", "Hall"), ("Stereo Light", "Living Room"), ("Kitchen Light", "Kitchen"),
    ] {
      try bench.hub.prepare(.moveAccessory(bench.id(accessory), room: bench.id(room)))
    }
    return bench
  }

  var home: Home { hub.home }

  /// The identifier of an object by its name.
  func id(_ name: String) throws -> HomeObjectID {
    let lookup = HomeLookup(home)
    return try #require(lookup.objects.first { $0.name == name }?.id, "no \(name)")
  }

  /// The identifier of a characteristic by its path.
  func characteristic(_ path: String) throws -> HomeObjectID {
    try HomeLookup(home).characteristic(path).characteristic.id
  }

  /// Runs `hapctl home` with the words.
  /// - Parameter answers: what a person types; nil: there is no terminal.
  func callAsFunction(
    _ words: String..., answers: [String]? = nil, environment: [String: String] = ["HOME": "/nowhere"]
  ) -> Transcript {
    run(words, answers: answers, environment: environment)
  }

  func run(
    _ words: [String], answers: [String]? = nil, environment: [String: String] = ["HOME": "/nowhere"]
  ) -> Transcript {
    let (out, error, rest) = (Guarded(""), Guarded(""), Guarded(answers ?? []))
    let terminal = Terminal(isTerminal: true, columns: 80, hasColour: false)
    let console = Console(
      out: { text in out.withLock { $0 += text } }, error: { text in error.withLock { $0 += text } },
      answer: { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }, errors: answers == nil ? .none : terminal,
      environment: { environment[$0] })
    let home = HomePlace(hasHomes: { [hasHomes] _ in hasHomes }) { [hub, host] _, _, report, body in
      do {
        return try host.run {
          let loop = try host.makeLoop("hapctl")
          defer { loop.stop() }
          let link = MemoryLink(hub, loop)
          let code = try await body(HomeSurroundings(link: link, loop: loop, zoneRules: MemoryHub.zoneRules))
          await link.close()
          return code
        }
      } catch { return report(error) }
    }
    let program = Program(
      name: "hapctl", version: "0", summary: "Test", commands: [.home(home)], nearest: { nearestName(to: $0, in: $1) })
    let exit = program.run(["home"] + words, console: console)
    return Transcript(out: out.withLock { $0 }, error: error.withLock { $0 }, exit: exit)
  }
}
