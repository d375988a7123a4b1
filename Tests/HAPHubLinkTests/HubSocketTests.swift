import HAPHome
import HAPHomeEngine
import HAPLoop
import HAPWorld
import Testing

@testable import HAPHubLink

@Suite("The hub's socket") struct HubSocketTests {
  @Test("The app that sent a command gets its changes, and the others get the event; both replicas are the hub's homes")
  func twoApps() throws {
    let world = try HubWorld()
    try world.run {
      let (one, two) = (try await TestApp.start("one", in: world), try await TestApp.start("two", in: world))
      for step in 0..<200 {
        let command = await world.hub.validCommand()
        let asker = step % 3 == 0 ? two : one
        guard case .changed(let changes) = try await asker.link.ask(.perform(command)) else {
          Issue.record("no changes")
          return
        }
        await world.hub.step()
        let event = HubEvent.changed(changes, app: step % 3 == 0 ? "two" : "one")
        try await one.loop.sleep(for: .milliseconds(10))
        #expect(!asker.seen.contains(event))
        #expect((step % 3 == 0 ? one : two).seen.contains(event))
        let snapshot = await world.hub.snapshot
        #expect((one.snapshot == snapshot) as Bool && (two.snapshot == snapshot) as Bool, "step \(step)")
      }
      #expect(one.missedCount == 0 && two.missedCount == 0)
    }
    world.end()
  }

  @Test("After the answer to a command, the replica has its changes; a place that the app sets is in its replica, too")
  func ownChanges() throws {
    let world = try HubWorld()
    try world.run {
      let (one, two) = (try await TestApp.start("one", in: world), try await TestApp.start("two", in: world))
      let home = try #require(one.snapshot?.model.homes.first)
      _ = try await one.link.ask(.perform(.addRoom(home: home.id, name: "Attic")))
      #expect(one.snapshot?.model.homes.first?.rooms.last?.name.text == "Attic")
      let person = PersonState(home.users[0].id, .home)
      #expect(try await one.link.ask(.place(person)) == .done)
      #expect(one.snapshot?.persons == [person])
      try await one.loop.sleep(for: .seconds(1))
      #expect(two.snapshot?.persons == [person] && two.seen.contains(.person(person)))
      #expect(!one.seen.contains(.person(person)))
    }
    world.end()
  }

  @Test("A refused command is the error of the app that sent it, with its rule")
  func refused() throws {
    let world = try HubWorld()
    try world.run {
      let app = try await TestApp.start("one", in: world)
      let home = try #require(app.snapshot?.model.homes.first)
      let error = await #expect(throws: HomeError.self) {
        try await app.link.ask(.perform(.addRoom(home: home.id, name: "!")))
      }
      #expect(error?.rule == .n4 && error?.message.isEmpty == false)
    }
    world.end()
  }

  @Test("A killed app is forgotten, and the others continue; a late app has the present homes")
  func killedAndLate() throws {
    let world = try HubWorld()
    try world.run {
      let (one, two) = (try await TestApp.start("one", in: world), try await TestApp.start("two", in: world))
      for _ in 0..<20 { await world.hub.step() }
      two.process.kill()
      await world.hub.wait { $0.clientCount == 1 }
      for _ in 0..<20 { await world.hub.step() }
      let late = try await TestApp.start("late", in: world)
      let snapshot = await world.hub.snapshot
      #expect((late.snapshot == snapshot) as Bool)
      for _ in 0..<20 { await world.hub.step() }
      try await one.loop.sleep(for: .seconds(1))
      let last = await world.hub.snapshot
      #expect((late.snapshot == last) as Bool && (one.snapshot == last) as Bool)
      #expect(await world.hub.status.apps.map(\.name) == ["late", "one"])
      #expect(try world.hub.loop.performAndWait { world.server?.appCount } == 2)
    }
    world.end()
  }

  @Test("A slow app loses events, gets missed once, and is up to date after it has attached again")
  func slow() throws {
    let world = try HubWorld()
    try world.run {
      let (fast, slow) = (try await TestApp.start("fast", in: world), try await TestApp.start("slow", in: world))
      slow.process.freeze()
      let big = HubEvent.found(
        NewAccessory(
          device: .init("AA:BB:CC:00:00:01")!, name: String(repeating: "x", count: 1000), model: nil, category: nil,
          setupHash: nil))
      for index in 0..<2400 {
        if index % 8 == 0 { await world.hub.step() }
        await world.hub.send(big)
        if index % 100 == 0 { try await fast.loop.sleep(for: .milliseconds(100)) }
      }
      #expect(await world.hub.status.apps.map(\.gaps) == [0, 1])
      slow.process.thaw()
      try await fast.loop.sleep(for: .seconds(5))
      #expect(slow.missedCount == 1 && fast.missedCount == 0)
      // 2.4 MB were sent. 1 MiB waited in the hub, and the rest is what the system's socket takes.
      #expect((1000..<2000).contains(slow.seen.count { $0 == big }), "\(slow.seen.count { $0 == big })")
      for _ in 0..<50 { await world.hub.step() }
      try await fast.loop.sleep(for: .seconds(1))
      let snapshot = await world.hub.snapshot
      #expect((slow.snapshot == snapshot) as Bool && (fast.snapshot == snapshot) as Bool)
    }
    world.end()
  }

  @Test("Between lost events and the next attach, an app has no replica")
  func noReplica() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("one")
      let link = try await HubSocketLink.connect(to: HubWorld.path, on: loop)
      #expect(link.replica.snapshot == nil)
      _ = try await link.ask(.attach(app: "one"))
      #expect(link.replica.snapshot != nil)
      await world.hub.send(.missed)
      try await loop.sleep(for: .seconds(1))
      #expect(link.replica.snapshot == nil)
      await world.hub.step()
      let home = try #require(await world.hub.snapshot.model.homes.first)
      _ = try await link.ask(.perform(.addRoom(home: home.id, name: "Attic")))
      #expect(link.replica.snapshot == nil)
      _ = try await link.ask(.attach(app: "one"))
      let snapshot = await world.hub.snapshot
      #expect((link.replica.snapshot == snapshot) as Bool)
    }
    world.end()
  }

  @Test("A request that waits for an accessory does not delay later ones")
  func slowRequest() throws {
    let world = try HubWorld()
    try world.run {
      let app = try await TestApp.start("one", in: world)
      let link = app.link
      let order = Guarded<[String]>([])
      let read = app.loop.startTask {
        _ = try? await link.ask(.read([]))
        order.withLock { $0.append("read") }
      }
      let identify = app.loop.startTask {
        _ = try? await link.ask(.identify(HomeObjectID("00000000-0000-4000-8000-000000000001")!))
        order.withLock { $0.append("identify") }
      }
      await world.hub.wait { $0.heldCount == 2 }
      _ = try await link.ask(.status)
      order.withLock { $0.append("status") }
      await world.hub.release()
      await read.value
      await identify.value
      let found = order.withLock { $0 }
      #expect(found.first == "status" && Set(found) == ["status", "read", "identify"])
    }
    world.end()
  }

  @Test("A cancelled request fails with 23, and its changes are in the replica nevertheless")
  func cancelled() throws {
    let world = try HubWorld()
    try world.run {
      let app = try await TestApp.start("one", in: world)
      let home = try #require(app.snapshot?.model.homes.first).id
      let link = app.link
      for command in [HubRequest.read([]), .perform(.addRoom(home: home, name: "Attic"))] {
        let task = app.loop.startTask { () async -> HomeError.Code? in
          do throws(HomeError) {
            _ = try await link.ask(command)
            return nil
          } catch { return error.code }
        }
        task.cancel()
        #expect(await task.value == .operationCancelled)
      }
      await world.hub.release()
      try await app.loop.sleep(for: .seconds(1))
      let snapshot = await world.hub.snapshot
      #expect((app.snapshot == snapshot) as Bool && snapshot.model.homes[0].rooms.last?.name.text == "Attic")
    }
    world.end()
  }

  // MARK: Ends

  @Test(
    "When the hub ends, open requests fail with 91, events end, and the replica is empty",
    arguments: [
      "killed", "stopped", "closed", "closed by the app", "loop ended",
    ])
  func ends(_ how: String) throws {
    let world = try HubWorld()
    try world.run {
      let app = try await TestApp.start("one", in: world)
      let link = app.link
      let request = world.hub.loop.startTask { () async -> HomeError? in
        do throws(HomeError) {
          _ = try await link.ask(.read([]))
          return nil
        } catch { return error }
      }
      await world.hub.wait { $0.heldCount == 1 }
      switch how {
      case "killed": world.hubProcess.kill()
      case "stopped":
        let other = try await TestApp.start("two", in: world)
        #expect(try await other.link.ask(.stop) == .done)
      case "closed": try world.hub.loop.performAndWait { world.server?.close() }
      case "closed by the app": await link.close()
      default: app.loop.stop()
      }
      let error = await request.value
      #expect(error?.code == .noHomeHub && error?.message.isEmpty == false)
      #expect(link.replica.snapshot == nil)
      let later = await #expect(throws: HomeError.self) { try await link.ask(.status) }
      #expect(later?.code == .noHomeHub)
      if how != "loop ended" {
        try await app.loop.sleep(for: .seconds(1))
        #expect(app.seen.last == (how == "stopped" ? .stopping : nil))
      }
      await link.close()
    }
    world.end()
  }

  @Test("The socket of a killed hub is replaced, that of a running hub is not; a closed server removes it")
  func stale() throws {
    let world = try HubWorld()
    let refusal = #expect(throws: LoopError.self) { try world.restart() }
    #expect(refusal?.code == .addressInUse && refusal?.detail.contains(HubWorld.path) == true)
    world.hubProcess.kill()
    world.end()

    let second = try HubWorld()
    second.hubProcess.kill()
    #expect(second.host.localPlace(HubWorld.path) == .dead)
    try second.restart()
    try second.run {
      _ = try await TestApp.start("one", in: second)
      try second.hub.loop.performAndWait { second.server?.close() }
      #expect(second.host.localPlace(HubWorld.path) == .nothing)
      let (_, loop) = try second.process("two")
      let error = await #expect(throws: HomeError.self) {
        _ = try await HubSocketLink.connect(to: HubWorld.path, on: loop)
      }
      #expect(error?.code == .noHomeHub && error?.message.contains("run 'hapctl hub run'") == true)
    }
    second.end()
  }

  @Test(
    "Only the owner of the folder and root are served", arguments: [(7, nil), (0, nil), (8, 17)] as [(UInt32, Int?)])
  func users(_ uid: UInt32, _ code: Int?) throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("one", uid: uid)
      do throws(HomeError) {
        let link = try await HubSocketLink.connect(to: HubWorld.path, on: loop)
        #expect(code == nil)
        await link.close()
      } catch { #expect(error.code.rawValue == code) }
    }
    world.end()
  }

  @Test("With 128 apps, another one is refused with 49, until one of them ends")
  func manyApps() throws {
    let world = try HubWorld()
    try world.run {
      let (process, loop) = try world.process("many")
      let other = try world.process("other")
      for _ in 0..<128 {
        _ = try RawApp.connect(loop)
        try await loop.sleep(for: .milliseconds(1))
      }
      await world.hub.wait { $0.clientCount == 128 }
      let error = await #expect(throws: HomeError.self) {
        _ = try await HubSocketLink.connect(to: HubWorld.path, on: other.loop)
      }
      #expect(error?.code == .maximumObjectLimitReached)
      process.kill()
      await world.hub.wait { $0.clientCount == 0 }
      _ = try await HubSocketLink.connect(to: HubWorld.path, on: other.loop)
    }
    world.end()
  }
}
