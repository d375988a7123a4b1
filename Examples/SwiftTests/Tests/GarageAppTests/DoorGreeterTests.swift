import HAPSimulator
import Testing

/// These tests run in simulated worlds: without sockets, without waiting, and with the same steps each time.
@Suite("The app greets a new door") struct DoorGreeterTests {
  private static let door = ProfileSource.new("garage-door-opener")

  @Test("A door that gets power after a night is greeted within two minutes") func withoutPower() async throws {
    try await withSimulatedWorld { world in
      let (home, phone) = (world.addHost("home"), world.addHost("phone"))
      home.losePower()
      let greeter = DoorGreeter(network: PhoneNetwork(phone: phone), clock: world.clock)
      async let attempts = greeter.greet("Garage")

      try await world.sleep(for: .seconds(12 * 3600))
      home.restorePower()
      let door = try await home.start(Self.door, name: "Garage")
      try await door.expect(.identified, within: .seconds(120))
      #expect(try await attempts > 500)
    }
  }

  @Test("A network that stalls does not stop the app") func stall() async throws {
    try await withSimulatedWorld { world in
      let (home, phone) = (world.addHost("home"), world.addHost("phone"))
      let door = try await home.start(Self.door, name: "Garage")
      let greeter = DoorGreeter(network: PhoneNetwork(phone: phone), clock: world.clock)

      // The app finds the door and connects, but gets no answer.
      world.network.stall(from: home, to: phone)
      async let attempts = greeter.greet("Garage")
      try await world.sleep(for: .seconds(60))
      world.network.resume()
      try await door.expect(.identified, within: .seconds(120))
      #expect(try await attempts > 1)
    }
  }

  @Test("On a bad network, the app greets a door that crashes several times") func bad() async throws {
    try await withSimulatedWorld(seeds: 1...20) { world in
      let (home, phone) = (world.addHost("home"), world.addHost("phone"))
      world.network.conditions = .init(latency: .milliseconds(200), jitter: .seconds(1), datagramLoss: 0.3)
      let greeter = DoorGreeter(network: PhoneNetwork(phone: phone), clock: world.clock)
      let greeting = world.startTask { try await greeter.greet("Garage") }

      var random = world.randomNumbers()
      for _ in 1...5 {
        _ = try await home.start(Self.door, name: "Garage")
        try await world.sleep(for: .milliseconds(Int.random(in: 0...4000, using: &random)))
        home.losePower()
        try await world.sleep(for: .milliseconds(Int.random(in: 0...4000, using: &random)))
        home.restorePower()
      }
      _ = try await home.start(Self.door, name: "Garage")
      let attempts = try await greeting.value
      #expect(attempts > 0, "in \(world)")
    }
  }
}
