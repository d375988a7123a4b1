import HAPHome
import HAPHomeSwarm
import HAPHubLink
import HAPModel
import Testing

/// Faults of accessories while scenes are executed, each with its stated outcome. home.md §19.
@Suite("Faults during scenes") struct SceneFaultTests {
  enum Loss: CaseIterable { case radio, powerCut, dropMessage }

  @Test(
    "An accessory that is lost during a scene has an unknown outcome, the others are done, and nothing is sent twice",
    arguments: Loss.allCases)
  func lostDuringScene(_ loss: Loss) async throws {
    try await withHome(devices: 3) { it in
      try await it.addScene("Evening", 7)
      let lost = it.devices[1]
      // The answer is on its way for a second, so the write is carried out before the loss.
      await lost.switchOn(loss == .dropMessage ? "drop-message:message=write" : "latency:by=1s")
      let start = it.lab.now
      async let execution = it.app.execute(["Evening"])
      await it.lab.sleep(.milliseconds(500))
      switch loss {
      case .radio: await lost.perform("{\"command\": \"radio\", \"value\": false}")
      case .powerCut: lost.losePower()
      case .dropMessage: break
      }
      let result = try await execution
      let time = it.lab.now - start
      #expect(result.outcomes == [.done, .unknown, .done] && result.error?.code == .actionSetExecutionPartialSuccess)
      // A broken connection is noticed at once; silence has a limit.
      #expect(result.codes[1] == (loss == .radio ? .communicationFailure : .operationTimedOut))
      #expect(loss == .radio ? time < .seconds(2) : time > .seconds(9) && time < .seconds(11), "\(time)")
      switch loss {
      case .radio:
        try await it.becomes(1, reachable: false)
        await lost.perform("{\"command\": \"radio\", \"value\": true}")
        await lost.switchOff("latency")
      case .powerCut:
        try await it.becomes(1, reachable: false)
        await lost.start()
      case .dropMessage: await lost.switchOff("drop-message")
      }
      try await it.becomes(1, reachable: true)
      await it.lab.sleep(.seconds(5))
      #expect(loss == .dropMessage || it.reachability(of: 1) == [false, true], "\(it.reachability(of: 1))")
      for number in 0..<3 { #expect(try it.count(number, 7) == 1) }
      #expect(try await it.app.execute(["Evening"]).outcomes == [.done, .done, .done])
    }
  }

  @Test("A scene of three accessories that answer after a second takes a second")
  func latency() async throws {
    try await withHome(devices: 3) { it in
      try await it.addScene("Evening", 7)
      for device in it.devices { await device.switchOn("latency:by=1s") }
      let start = it.lab.now
      let result = try await it.app.execute(["Evening"])
      let time = it.lab.now - start
      #expect(result.error == nil && time >= .seconds(1) && time < .milliseconds(1200), "\(time)")
    }
  }

  @Test("An accessory that sends its answers and events in chunks is read, written and followed")
  func chunked() async throws {
    try await withHome(devices: 2) { it in
      try await it.addScene("Evening", 7)
      let motion = try #require(it.app.home.motion(of: it.devices[0]))
      for device in it.devices {
        await device.switchOn("chunked")
        await device.perform("{\"command\": \"disconnect\"}")
      }
      for number in 0..<2 { try await it.becomes(number, reachable: true) }
      await it.lab.sleep(.seconds(10))
      try await it.app.must(.subscribe([motion]))
      await it.lab.sleep(.seconds(1))
      #expect(try await it.app.execute(["Evening"]).error == nil)
      guard case .values(let readings) = try await it.app.must(.read([try it.lamp(0).token])) else { return }
      #expect(readings.map(\.value) == [.integer(7)])
      it.app.forgetEvents()
      await it.devices[0].setMotion(true)
      await it.lab.sleep(.seconds(1))
      let values = it.app.events.flatMap { event -> [CharacteristicReading] in
        if case .values(let readings, isCatchUp: false) = event { readings } else { [] }
      }
      #expect(values == [CharacteristicReading(motion, value: .bool(true))])
    }
  }

  @Test(
    "An accessory that answers in another protocol is blocked after three violations, also after a restart of the hub")
  func blocked() async throws {
    try await withHome(devices: 2) { it in
      try await it.addScene("Evening", 7)
      let accessory = try #require(it.app.home.accessories(of: it.devices[1]).first?.id)
      func isBlocked() -> Bool { it.app.model.homes.first?.accessories.find(accessory)?.isBlocked ?? false }
      try it.devices[1].serveGarbage()
      #expect(await it.lab.wait(atMost: .seconds(120), isBlocked))
      var result = try await it.app.execute(["Evening"])
      #expect(result.outcomes == [.done, .notSent] && result.codes[1] == .accessoryIsBlocked)
      it.hub.kill()
      #expect(await it.hub.start() == nil)
      #expect(await it.app.attach())
      #expect(isBlocked())
      it.devices[1].kill()
      await it.devices[1].start()
      await it.lab.sleep(.seconds(90))
      result = try await it.app.execute(["Evening"])
      #expect(result.codes[1] == .accessoryIsBlocked)
      try await it.app.perform(.unblockAccessory(accessory))
      try await it.becomes(1, reachable: true)
      #expect(try await it.app.execute(["Evening"]).error == nil)
    }
  }

  @Test("An accessory that lost its pairings can't be reached, with the reason, until it is removed and added")
  func lostState() async throws {
    try await withHome(devices: 2) { it in
      try await it.addScene("Evening", 7)
      let accessory = try #require(it.app.home.accessories(of: it.devices[1]).first?.id)
      await it.devices[1].switchOn("lost-state:what=pairings")
      await it.devices[1].perform("{\"command\": \"power-cut\"}")
      try await it.becomes(1, reachable: false)
      let isTold = await it.lab.wait(atMost: .seconds(60)) {
        it.app.snapshot?.unreachable[accessory]?.contains("reset: remove and add") ?? false
      }
      #expect(isTold, "\(it.app.snapshot?.unreachable[accessory] ?? "reachable")")
      let result = try await it.app.execute(["Evening"])
      #expect(result.outcomes == [.done, .notSent] && result.codes[1] == .accessoryNotReachable)
      await it.devices[1].switchOff("lost-state")
      try await it.app.must(.remove(accessory, forgets: false))
      try await it.app.add(it.devices[1])
      try await it.becomes(1, reachable: true)
    }
  }

  @Test("An accessory whose record is silent stays connected, and is reached at its stored address after a restart")
  func silence() async throws {
    try await withHome(devices: 2) { it in
      try await it.addScene("Evening", 7)
      await it.lab.sleep(.seconds(5))
      for device in it.devices { await device.switchOn("silence") }
      await it.lab.sleep(.seconds(300))
      #expect(try await it.app.execute(["Evening"]).error == nil && it.reachability(of: 0).isEmpty)
      it.hub.kill()
      #expect(await it.hub.start() == nil)
      #expect(await it.app.attach())
      for number in 0..<2 { try await it.becomes(number, reachable: true, within: .seconds(10)) }
      #expect(try await it.app.execute(["Evening"]).error == nil)
    }
  }
}
