import HAPLoop
import HAPWorld
import Testing

/// An object of the main actor, such as an app's delegate.
@MainActor private final class Screen {
  private var texts: [String] = []
  static func make() -> Screen { Screen() }
  func show(_ text: String) { texts.append(text) }
  func shown() -> [String] { texts }
}

private actor Stamp {
  private let loop: EventLoop
  init(_ loop: EventLoop) { self.loop = loop }
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  func time() -> UInt64 { loop.now }
}

@Suite("The main actor and a simulated world") struct WorldMainActorTests {
  @Test("The clock waits for callbacks to the main actor and for their calls to a loop") func callbacks() async throws {
    let hosts = try TwoHosts(includesMainQueue: true)
    let times: [String] = try await hosts.world.runApart(WorldLimits(), atEnd: { $0 }) {
      let near = hosts.near
      let screen = await Screen.make()
      let stamp = Stamp(near)
      let begin = await stamp.time()
      near.schedule {
        for second in 1...3 {
          LoopTimer(near) {
            near.startTask { @MainActor in
              screen.show("\((await stamp.time() - begin) / 1_000_000)")
              near.schedule {
                LoopTimer(near) { near.startTask { @MainActor in screen.show("later") } }.start(after: .zero)
              }
            }
          }.start(after: .seconds(second))
        }
      }
      try await near.sleep(for: .seconds(4))
      return await screen.shown()
    }
    #expect(times == ["1000", "later", "2000", "later", "3000", "later"])
    #expect(hosts.world.now == .seconds(4) && hosts.world.foreignJobCount == 0)
  }

  @Test("A world that waits for the main queue can't run on it") func onMainQueue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      guard let hosts = try? TwoHosts(includesMainQueue: true) else { return }
      await MainActor.run { try? hosts.world.run { try await hosts.near.sleep(for: .seconds(1)) } }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("use runApart"))
  }
}
