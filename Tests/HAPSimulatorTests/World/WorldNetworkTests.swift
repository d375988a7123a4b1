import HAPLoop
import Testing
import WorldTestSupport

@testable import HAPSimulator
@testable import HAPSimulatorCore

@Suite("The library: connections and faults of a simulated world") struct WorldNetworkTests {
  @Test("Bytes arrive in order, in the portions that a reader asks for, and then the end") func reading() async throws {
    try await withSimulatedWorld { world in
      let (_, phone, door) = try await world.garage()
      let connection = try await phone.connect(to: try await phone.find("Garage"))
      try await connection.write(Array("POST /identify HTTP/1.1\r\nContent-Length: 0\r\n\r\n".utf8))
      #expect(try await connection.read(atMost: 4) == Array("HTTP".utf8))
      let rest = try await connection.read()
      #expect(String(decoding: rest, as: UTF8.self).hasPrefix("/1.1 204 "))
      try await door.expect(.identified)
      connection.finishWriting()
      #expect(try await connection.read() == [])
      #expect(try await connection.read() == [])
      #expect(await world.error { _ = try await connection.read(atMost: 0) } == .invalidValue)
      connection.close()
      connection.close()
      try await world.sleep(for: .milliseconds(1))
      #expect(await world.error { _ = try await connection.read() } == .stopped)
      #expect(await world.error { try await connection.write([1]) } == .stopped)
    }
  }

  @Test("One task reads at a time, and a cancelled read consumes nothing") func readers() async throws {
    try await withSimulatedWorld { world in
      let (_, phone, door) = try await world.garage()
      let connection = try await phone.connect(to: door.address, port: door.port)
      let reader = world.startTask { try await connection.read() }
      try await world.sleep(for: .milliseconds(1))
      #expect(await world.error { _ = try await connection.read() } == .notPossible)
      reader.cancel()
      let error = await #expect(throws: SimulatorError.self) { try await reader.value }
      #expect(error?.code == .cancelled)
      #expect(try await connection.identify() == "HTTP/1.1 204 No Content")
    }
  }

  @Test("An unreferenced connection is closed, and a reset one throws an error") func ending() async throws {
    try await withSimulatedWorld { world in
      let (_, phone, door) = try await world.garage()
      _ = try await phone.connect(to: door.address, port: door.port)
      try await door.expect(.disconnected)
      let connection = try await phone.connect(to: door.address, port: door.port)
      try await door.restart(.powerCut)
      #expect(await world.error { _ = try await connection.read() } == .reset)
      #expect(await world.error { try await connection.write([1]) } == .reset)
      connection.reset()
    }
  }

  @Test("A closed port, an unreachable host and a malformed address are distinct errors") func connecting()
    async throws
  {
    try await withSimulatedWorld { world in
      let (_, phone, door) = try await world.garage()
      #expect(await world.error { _ = try await phone.connect(to: door.address, port: 9) } == .refused)
      let begin = world.now
      #expect(await world.error { _ = try await phone.connect(to: "10.0.99.99", port: 80) } == .timedOut)
      #expect(world.now - begin > .seconds(60))
      for (address, port) in [("lamp", 80), ("fe80::1%eth0", 80), ("::1", 80), ("", 80), ("10.0.0.1", 0)] {
        #expect(
          await world.error { _ = try await phone.connect(to: address, port: UInt16(port)) } == .malformed, "\(address)"
        )
      }
      let task = world.startTask { try await phone.connect(to: "10.0.99.99", port: 80) }
      try await world.sleep(for: .seconds(1))
      task.cancel()
      #expect(await world.error { _ = try await task.value } == .cancelled)
    }
  }

  @Test("Latency applies, and traffic waits for the end of a cut and of a stall") func faults() async throws {
    try await withSimulatedWorld { world in
      let (home, phone, door) = try await world.garage()
      let connection = try await phone.connect(to: door.address, port: door.port)
      world.network.conditions = World.Conditions(latency: .seconds(2), jitter: .zero)
      #expect(world.network.conditions == World.Conditions(latency: .seconds(2), jitter: .zero))
      #expect(try await Self.time(world) { _ = try await connection.identify() } >= .seconds(4))
      world.network.conditions = World.Conditions()
      world.network.setConditions(World.Conditions(latency: .seconds(3)), from: home, to: phone)
      #expect(try await Self.time(world) { _ = try await connection.identify() } >= .seconds(3))
      world.network.setConditions(nil, from: home, to: phone)
      let faults: [(begin: @Sendable () -> Void, end: @Sendable () -> Void)] = [
        ({ world.network.cut() }, { world.network.heal() }),
        ({ world.network.stall() }, { world.network.resume() }),
        ({ world.network.cut(from: home, to: phone) }, { world.network.heal(from: home, to: phone) }),
        ({ world.network.stall(from: phone, to: home) }, { world.network.resume() }),
        ({ home.freeze() }, { home.thaw() }),
        ({ home.setConnected(false) }, { home.setConnected(true) }),
      ]
      for fault in faults {
        #expect(try await Self.time(world) { _ = try await connection.identify() } < .seconds(1))
        fault.begin()
        let end = world.startTask {
          try await world.sleep(for: .seconds(10))
          fault.end()
        }
        #expect(try await Self.time(world) { _ = try await connection.identify() } >= .seconds(10))
        try await end.value
      }
    }
  }

  private static func time(_ world: World, of body: () async throws -> Void) async throws -> Duration {
    let begin = world.now
    try await body()
    return world.now - begin
  }

  @Test("A browser sees accessories appear, change and disappear, and ends with its host")
  func browsing() async throws {
    try await withSimulatedWorld { world in
      let (home, phone, door) = try await world.garage()
      let stream = try await phone.services()
      var services = stream.makeAsyncIterator()
      #expect(await services.next()?.map(\.name) == ["Garage"])
      let lamp = try await home.start(.new("light-bulb"), name: "A lamp")
      #expect(await services.next()?.map(\.name) == ["A lamp", "Garage"])
      await lamp.stop()
      #expect(await services.next()?.map(\.name) == ["Garage"])
      let address = home.changeAddress()
      #expect(address == "10.0.0.3" && home.address == address)
      while await services.next()?.first?.address != address {}
      #expect(try await phone.connect(to: address, port: door.port).identify().contains("204"))
      phone.kill()
      #expect(await services.next() == nil)
      #expect(await world.error { _ = try await phone.find("Nobody", within: .seconds(3)) } == .timedOut)
      let search = world.startTask { try await phone.find("Nobody", within: .seconds(3)) }
      try await world.sleep(for: .seconds(1))
      phone.kill()
      #expect(await world.error { _ = try await search.value } == .stopped)
    }
  }

  @Test("A search is released with its loop if it is not stopped") func searchOnStoppedLoop() throws {
    let host = TestHost()
    let loop = try host.makeLoop("phone")
    let started = Started()
    try loop.performAndWait {
      let search = ServiceSearch(on: loop)
      started.search = search
      search.start { _ in
      } onEnd: { _ in
      }
    }
    try host.run { try await loop.sleep(for: .seconds(1)) }
    #expect(started.search != nil)
    loop.stop()
    #expect(started.search == nil)
    #expect(host.end())
  }
}

/// Confined to the world's thread.
private final class Started: @unchecked Sendable {
  weak var search: ServiceSearch?
}
