import HAPHomeKit
import HAPHub
import HAPSimulator
import Testing

@testable import HAPHomeKitTesting

@Suite("Worlds for tests of apps: memory") struct ReleaseTests {
  /// A world and its hub, without keeping them alive.
  private final class References: Sendable {
    private let world: Weak<World>
    private let hub: Weak<HomeHub>

    init(_ world: World, _ hub: HomeHub?) { (self.world, self.hub) = (Weak(world), Weak(hub)) }

    var areReleased: Bool { world.object == nil && hub.object == nil }
  }

  private struct Weak<Object: AnyObject & Sendable>: Sendable {
    weak let object: Object?
    init(_ object: Object?) { self.object = object }
  }

  /// Uses a world as a test of an app does, and ends it.
  private func use() async throws -> References {
    let world = try await HomeWorld.start(accessories: [.init("Lamp", .new("LightBulb"))])
    let manager = try await world.makeManager()
    #expect(manager.homes.first?.accessories.count == 1)
    let references = References(world.world, world.machine.hub)
    await withCheckedContinuation { continuation in
      world.thread.whenTakenApart { continuation.resume() }
      world.end()
    }
    return references
  }

  @Test("A world that has ended is released, with its hub and its accessories") func released() async throws {
    let references = try await use()
    // The world's own thread releases it soon. Otherwise `Scripts/unit-tests` ends the process, and names this test.
    while !references.areReleased { await Task.yield() }
  }
}
