import Foundation
import HAPHome
import HAPLoop
import Testing

@testable import HAPHubLink

/// The hub, its server and its apps on the threads of real loops.
@Suite("The hub's socket on real threads") struct HubThreadTests {
  @Test("Apps that send commands at once all have the hub's homes at the end") func concurrent() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hk-\(UInt32.random(in: 0...UInt32.max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/\(HubSocketServer.fileName)"
    let loops = ["hub", "apps"].map { EventLoop(name: $0) }
    for loop in loops { loop.start() }
    defer { for loop in loops.reversed() { loop.stop() } }
    let hub = TestHub(loops[0])
    let server = try loops[0].performAndWait {
      LoopBound<HubSocketServer?>(
        here: loops[0], try HubSocketServer(hub, at: path, owner: getuid(), on: loops[0]))
    }
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    var links: [HubSocketLink] = []
    for index in 0..<4 {
      let link = try await HubSocketLink.connect(to: path, on: loops[1])
      _ = try await link.ask(.attach(app: "app \(index)"))
      links.append(link)
    }
    await withTaskGroup(of: Void.self) { group in
      for link in links {
        group.addTask {
          for _ in 0..<60 { _ = try? await link.ask(.perform(hub.validCommand())) }
        }
      }
      group.addTask { for _ in 0..<200 { await hub.step() } }
    }
    let snapshot = await hub.snapshot
    for link in links {
      // The answer comes after all earlier events.
      guard case .status(let status) = try await link.ask(.status) else { throw CancellationError() }
      #expect(status.apps.map(\.processID) == Array(repeating: Int(getpid()), count: 4))
      #expect((link.replica.snapshot == snapshot) as Bool)
    }
    let open = loops[1].startTask { () async -> HomeError.Code? in
      do throws(HomeError) {
        _ = try await links[0].ask(.read([]))
        return nil
      } catch { return error.code }
    }
    await hub.wait { $0.heldCount == 1 }
    try loops[0].performAndWait {
      server.value?.close()
      server.value = nil
    }
    #expect(await open.value == .noHomeHub)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
