import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Scenes: properties")
struct ScenePropertyTests {
  /// Returns the world after random events, when nothing happens any more.
  static func world(_ seed: UInt64) throws -> SceneWorld {
    var world = try SceneWorld(seed: seed)
    for _ in 0..<80 { world.randomEvent() }
    while let deadline = world.bench.run.nextDeadline { world.pass(deadline - world.bench.uptime) }
    return world
  }

  @Test(
    """
    In random homes with random executions, answers, losses and times, each write is sent at most once and has one \
    outcome; PUTs are as few as possible, in the order of the starts, one at a time, and the machine ends empty
    """)
  func random() throws {
    var seen: [String: Int] = [:]
    var puts = 0
    for seed in 0..<40 as Range<UInt64> {
      let world = try Self.world(seed)
      #expect(world.differences.isEmpty, "seed \(seed): \(world.differences.prefix(3))")
      #expect(world.executions.isEmpty && world.writes.isEmpty && world.outstanding.isEmpty, "seed \(seed)")
      #expect(world.bench.run.isIdle, "seed \(seed)")
      seen.merge(world.seen, uniquingKeysWith: +)
      puts += world.puts
    }
    // The test is worth something only if everything happens often.
    for kind in ["done", "refused", "not sent", "unknown"] { #expect(seen[kind, default: 0] > 1000, "\(seen)") }
    #expect(puts > 500, "\(puts)")
  }

  @Test("Waits that end at the same time end in the order of the device IDs, so that a run can be repeated")
  func order() throws {
    var scene = try SceneBench()
    let lamps = try (1...20).map { try scene.light($0) }
    try scene.write(lamps.reversed().map { HomeAction($0.id(0x25), true) })
    scene.advance(by: .seconds(10))
    #expect(scene.puts.map(\.id.device) == lamps.reversed().map(\.deviceID))
    #expect(scene.givenUp.map(\.device) == lamps.map(\.deviceID))
  }
}
