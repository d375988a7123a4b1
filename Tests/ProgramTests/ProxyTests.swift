import Foundation
import HAPCommandLine
import HAPController
import HAPIP
import HAPLoop
import HAPModel
import HAPProxy
import HAPStore
import HAPTransport
import HAPWire
import Testing
import WorldPrograms

@testable import HapctlAccessories

/// hapctl's proxy for a garage door of hapsim.
/// Checked: these tests fail with a proxy that does not follow `c#`, that forwards no events, or that doesn't answer
/// when the accessory is gone.
@Suite("hapctl proxy for hapsim, in a simulated world") struct ProxyTests {
  @Test("A controller of the proxy reads, writes and gets events of the accessory") func passesOn() throws {
    let transcript = Lines()
    let strangers = try Self.run(transcript) { bench in
      let (near, far) = (try await bench.open(bench.through), try await bench.open(bench.direct))
      #expect(
        try await near.client.request(.accessories).body == (try await far.client.request(.accessories)).body)

      let on = try await bench.id("On", near)
      #expect(try await near.client.request(.write([.init(on, ev: true)])).status == 204)
      #expect(try await far.client.request(.write([.init(on, value: .bool(true))])).status == 204)
      let event = try #require(try await bench.event(of: near))
      #expect(String(decoding: event.body, as: UTF8.self).contains("\"value\":1"))
      #expect(try await near.client.request(.write([.init(on, value: .bool(false))])).status == 204)
      let read = try await far.client.request(.read([on]))
      #expect(String(decoding: read.body, as: UTF8.self).contains("\"value\":0"))
      // For a refusal of the accessory, the proxy sends the same bytes.
      let state = try await bench.id("Current Door State", near)
      let refused = ControllerRequest.write([.init(state, value: .integer(0))])
      let (answer, original) = (try await near.client.request(refused), try await far.client.request(refused))
      #expect(answer.status == 207 && answer.body == original.body)
      await near.client.close()
      await far.client.close()
    }
    #expect(strangers == 0)
    for part in ["paired with", "PUT /characteristics", "On = true", "EVENT/1.0 200 OK", "status -70404"] {
      #expect(transcript.text.contains(part), "\(part) is missing in \(transcript.text)")
    }
  }

  @Test("A change of the accessory's database increases the proxy's own configuration number") func follows() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString).hasaccessory")
    defer { try? FileManager.default.removeItem(at: file) }
    let source = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.profile))
    var members = try #require(source as? [String: Any])
    let services = try #require(members["services"] as? [Any])
    members["services"] = services + [["type": "Outlet", "name": "Socket"]]
    try JSONSerialization.data(withJSONObject: members).write(to: file)

    let strangers = try Self.run(Lines()) { bench in
      #expect(try await bench.waitForNumber(1, of: bench.through))
      let answer = try await bench.garage.perform([
        ("command", .text("replace")), ("profile", .text(file.path)),
      ])
      #expect(answer["ok"]?.boolValue == true, "\(answer.compactText)")
      #expect(try await bench.waitForNumber(2, of: bench.through))
    }
    #expect(strangers == 0)
  }

  @Test("If the accessory is gone, the controller gets a status, and its connection ends") func gone() throws {
    let transcript = Lines()
    let strangers = try Self.run(transcript) { bench in
      let near = try await bench.open(bench.through)
      let on = try await bench.id("On", near)
      #expect(try await near.client.request(.write([.init(on, ev: true)])).status == 204)
      _ = try await bench.garage.stop()
      // The subscriptions belonged to the session, so the controller has to reconnect.
      #expect(try await bench.event(of: near) == nil)
      let again = try await bench.open(bench.through)
      let answer = try await again.client.request(.read([on]))
      #expect(answer.status == 207)
      #expect(String(decoding: answer.body, as: UTF8.self).contains("-70402"))
      await again.client.close()
    }
    #expect(strangers == 0)
    #expect(
      transcript.text.contains("the connection to the accessory is lost")
        && transcript.text.contains("can't be reached"))
  }

  // MARK: The bench

  private static let profile = Laboratory.profiles.appending(path: "garage-kilgo.hasaccessory")

  /// A garage door, its proxy, and a pairing with each.
  private struct Bench: Sendable {
    let garage: ServedProgram
    let direct: ControllerPairing
    let through: ControllerPairing

    func open(_ pairing: ControllerPairing) async throws -> OpenAccessory {
      try await OpenAccessory.open(pairing, on: garage.loop, timeout: .seconds(10))
    }

    func id(_ name: String, _ accessory: OpenAccessory) async throws -> AttributeID {
      let database = try await accessory.mirror().database
      let type = try #require(Catalogue.characteristic(named: name)?.type)
      let slot = try #require(database.characteristics.firstIndex { $0.type == type })
      return database.id(ofSlot: slot)
    }

    /// The next event, or `nil` if the accessory ends the connection. Throws after a minute without either.
    func event(of accessory: OpenAccessory) async throws -> LinkMessage? {
      let start = garage.loop.readClock()
      let limit = garage.loop.startTask {
        try await garage.loop.sleep(for: .seconds(60))
        await accessory.client.close()
      }
      defer { limit.cancel() }
      var events = accessory.client.events.makeAsyncIterator()
      let event = await events.next()
      if garage.loop.readClock() - start >= 60_000_000_000 { throw ServedProgram.Late(description: "no event came") }
      return event
    }

    /// Whether the accessory advertises this number within a minute.
    func waitForNumber(_ number: UInt32, of pairing: ControllerPairing) async throws -> Bool {
      let search = AccessorySearch(on: garage.loop, interfaces: ["lo"], limit: .seconds(60))
      defer { search.close() }
      for await event in search.events {
        if case .appeared(let found) = event, found.configurationNumber(of: pairing) == number { return true }
        if case .changed(let found) = event, found.configurationNumber(of: pairing) == number { return true }
      }
      return false
    }
  }

  /// - Returns: the number of jobs from outside the world.
  private static func run(
    _ transcript: Lines, _ body: @escaping @Sendable (Bench) async throws -> Void
  ) throws -> Int {
    let laboratory = SimulatedLaboratory()
    defer { laboratory.world.end() }
    let garage = try ServedProgram(["run", profile.path], in: laboratory)
    let (loop, disk, output) = (laboratory.loop, laboratory.disk, laboratory.makeLoop("output"))
    try laboratory.world.run {
      let direct = try await garage.pair()
      let readDatabase: @Sendable () async throws -> AttributeDatabase = {
        let accessory = try await OpenAccessory.open(direct, on: loop, timeout: .seconds(10))
        let database = try await accessory.mirror().database
        await accessory.client.close()
        return database
      }
      let database = try await readDatabase()
      let identity = try ProxyIdentity(before: direct, database, code: nil, folder: "/proxy", files: disk)
      let console = Console(out: { transcript.add($0) }, error: { transcript.add($0) })
      let lines = LineOutput(console, program: "hapctl proxy", on: output)
      let proxy = ProxyService(
        identity, before: direct, database,
        .init(host: .loopbackV4, port: 0, advertises: true, timeout: .seconds(10), interfaces: ["lo"]), on: loop,
        observedBy: { Transcript(to: lines, isJSON: false, database) }, readDatabase: readDatabase)
      let place = Place()
      try await proxy.start { place.address = $0 }
      let through = try await ControllerPairing.make(
        at: try #require(place.address), code: identity.setup.code.text, on: loop)
      try await body(Bench(garage: garage, direct: direct, through: through))
      await proxy.stop()
      identity.store.close()
      _ = try await garage.stop()
    }
    return laboratory.world.foreignJobCount
  }

  private final class Place: @unchecked Sendable {  // confined to the world's thread
    var address: SocketAddress?
  }
}
