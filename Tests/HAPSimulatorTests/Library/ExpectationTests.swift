import HAPModel
import HAPWire
import Testing
@testable import HAPHost
@testable import HAPSimulator
@testable import HAPSimulatorCore

@Suite("The library: expectations") struct ExpectationTests {
  /// The id of a characteristic of `ProfileText.garage`.
  private func id(_ name: CharacteristicName, of door: RunningAccessory) async throws -> String {
    let subject = try await door.served.loop.result { [served = door.served] done in
      done(Result { () throws(SimulationFailure) in try served.subject(name.place, nil).id })
    }
    return "\(subject)"
  }

  @Test("A controller's write fulfils one expectation, before or after it starts") func written() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    async let later = door.written("TargetDoorState", "open", within: .seconds(60))
    let controller = try await PairedController(pairingWith: door)
    let target = try await id("TargetDoorState", of: door)
    try await controller.write(target, 0)
    #expect(try await later.controller == controller.identifier)
    try await controller.write(target, 1)
    let event = try await door.written("TargetDoorState", "closed", by: controller.identifier)
    #expect("\(event.characteristic.map { "\($0)" } ?? "")" == target)
    #expect(event.characteristicName == "Target Door State")
    #expect(event.value == 1 && event.word == "closed" && event.kind == .wrote && event.accessory == "Garage")
    #expect(event.text.contains("wrote Target Door State"))
    // Each write was used.
    for value: Value? in ["open", "closed", nil] {
      let error = await #expect(throws: SimulatorError.self) {
        try await door.written("TargetDoorState", value, within: .zero)
      }
      #expect(error?.code == .unmet)
    }
    try await controller.write(target, 0)
    door.forgetEvents()
    await #expect(throws: SimulatorError.self) { try await door.written("TargetDoorState", within: .zero) }
    try await controller.write(target, 1)
    await #expect(throws: SimulatorError.self) {
      try await door.written("TargetDoorState", by: "another controller", within: .zero)
    }
    try await door.written("TargetDoorState", within: .zero)
    await controller.close()
    await simulator.stop()
  }

  @Test("Two concurrent expectations need two writes") func concurrent() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    let controller = try await PairedController(pairingWith: door)
    let target = try await id("TargetDoorState", of: door)
    async let one = door.written("TargetDoorState", within: .seconds(60))
    async let other = door.written("TargetDoorState", within: .seconds(60))
    try await controller.write(target, 0)
    try await controller.write(target, 1)
    let words = try await [one.word, other.word]
    #expect(Set(words) == ["open", "closed"])
    await controller.close()
    await simulator.stop()
  }

  @Test("notWritten succeeds at its time limit, and fails at the first write") func negative() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    let controller = try await PairedController(pairingWith: door)
    let target = try await id("TargetDoorState", of: door)
    try await door.notWritten("TargetDoorState", within: .milliseconds(10))
    let never = Task {
      try await door.notWritten("TargetDoorState", "open", within: .seconds(60), file: "Mine.swift", line: 3)
    }
    try await controller.write(target, 0)
    var error = await #expect(throws: SimulatorError.self) { try await never.value }
    #expect(error?.code == .unmet && error?.file == "Mine.swift" && error?.line == 3)
    #expect(
      error?.message.contains(
        "Mine.swift:3: not expected of \"Garage\" within 1min: a controller writes Target Door State") == true,
      "\(error?.message ?? "")")
    #expect(error?.message.contains("but it happened: \(controller.identifier) wrote Target Door State") == true)
    // Past events count unless an expectation has used them.
    try await controller.write(target, 1)
    try await door.notWritten("TargetDoorState", "open", within: .zero)
    try await door.notWritten("TargetDoorState", by: "another controller", within: .zero)
    try await door.written("TargetDoorState", "closed")
    try await door.notWritten("TargetDoorState", within: .zero)
    try await door.expectNo(.unpaired, within: .zero)
    error = await #expect(throws: SimulatorError.self) {
      try await door.expectNo("a session", within: .zero) { $0.kind == .verified }
    }
    #expect(error?.code == .unmet)
    error = await #expect(throws: SimulatorError.self) {
      try await door.notWritten("TargetDoorState", "opn", within: .zero)
    }
    #expect(error?.code == .invalidValue && error?.file == nil)
    let task = Task { try await door.notWritten("TargetDoorState", within: .seconds(600)) }
    task.cancel()
    error = await #expect(throws: SimulatorError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    await controller.close()
    await simulator.stop()
  }

  @Test("Requests, including reads, are reported only if enabled") func requests() async throws {
    for tells in [true, false] {
      let simulator = try await Simulator(tellsRequests: tells)
      let door = try await simulator.start(.json(ProfileText.garage))
      let controller = try await PairedController(pairingWith: door)
      let target = try await id("TargetDoorState", of: door)
      try await controller.read(target)
      if tells {
        try await door.expect("the state is read") {
          $0.kind == .requested && $0.text.contains("GET /characteristics?id=\(target)")
        }
      } else {
        try await door.expectNo(.requested, within: .zero)
      }
      await controller.close()
      await simulator.stop()
    }
  }

  @Test("An unmet expectation reports the place, the condition, the present value and the other events")
  func unmet() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    var error = await #expect(throws: SimulatorError.self) {
      try await door.written("TargetDoorState", "open", within: .milliseconds(20), file: "Mine/Tests.swift", line: 7)
    }
    #expect(error?.events.isEmpty == true)
    var lines = error?.description.split(separator: "\n").map(String.init) ?? []
    #expect(
      lines.first
        == "Mine/Tests.swift:7: expected of \"Garage\" within 20ms: a controller writes Target Door State (1.13): open (0); now it is Target Door State (1.13): closed (1)",
      "\(lines)")
    #expect(lines.last == "no events")
    try await simulator.advance(by: .seconds(3))
    try await door.set("TargetDoorState", to: "open")
    error = await #expect(throws: SimulatorError.self) {
      try await door.expect(.subscribed, of: "CurrentDoorState", by: "phone", within: .zero)
    }
    lines = error?.description.split(separator: "\n").map(String.init) ?? []
    #expect(lines.first?.contains("ExpectationTests.swift:") == true)
    #expect(
      lines.first?.contains("\"subscribed\" of Current Door State (1.11) by controller phone") == true, "\(lines)")
    #expect(lines.dropFirst().first == "events:")
    #expect(lines.dropFirst(2).allSatisfy { $0.hasPrefix("  0:00:03.000 (+") }, "\(lines)")
    #expect(lines.contains { $0.contains("Target Door State (1.13): open (0)") }, "\(lines)")
    error = await #expect(throws: SimulatorError.self) {
      try await door.becomes("CurrentDoorState", "open", within: .zero)
    }
    #expect(error?.message.contains("Current Door State (1.11): open (0); now it is") == true)
    error = await #expect(throws: SimulatorError.self) {
      try await door.expect("the door is painted", within: .zero) { _ in false }
    }
    #expect(error?.message.hasSuffix("within 0s: the door is painted") == true)
    error = await #expect(throws: SimulatorError.self) { try await door.expect(.wrote, "open") }
    #expect(error?.code == .malformed && error?.message.contains("name the characteristic") == true)
    for _ in 0..<30 { try await door.identify() }
    error = await #expect(throws: SimulatorError.self) { try await door.expect(.paired, within: .seconds(-1)) }
    #expect(error?.events.count == 20)
    await simulator.stop()
  }

  @Test("An expectation of a value waits for the value, and an event may fulfil any number of such expectations")
  func becomes()
    async throws
  {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    try await door.becomes("CurrentDoorState", "closed", within: .zero)
    try await door.becomes("CurrentDoorState", 1, within: .zero)
    async let opening: Void = door.becomes("CurrentDoorState", "opening", within: .seconds(60))
    async let open: Void = door.becomes("CurrentDoorState", "open", within: .seconds(60))
    async let openToo: Void = door.becomes("CurrentDoorState", "open", within: .seconds(60))
    try await door.set("TargetDoorState", to: "open")
    try await opening
    try await simulator.advance(by: .seconds(3600))
    _ = try await (open, openToo)
    // A value without an event: the restart restores it.
    try await door.set("ObstructionDetected", to: true)
    async let back: Void = door.becomes("ObstructionDetected", false, within: .seconds(60))
    try await door.restart(.factoryReset)
    try await back
    await simulator.stop()
  }

  @Test("A custom condition finds its event") func predicate() async throws {
    let simulator = try await Simulator()
    let lamp = try await simulator.start(.new("LightBulb:Brightness"))
    async let dimmed = lamp.expect("it is dimmed below half", within: .seconds(60)) {
      $0.kind == .changed && $0.characteristicName == "Brightness" && ($0.value?.intValue ?? 100) < 50
    }
    for percent in [90, 60, 30, 20] { try await lamp.set("Brightness", to: .integer(Int128(percent))) }
    #expect(try await dimmed.value == 30)
    await simulator.stop()
  }

  @Test("A waiting expectation fails when the simulator or the accessory stops") func stopWhileWaiting() async throws {
    for byAccessory in [true, false] {
      let simulator = try await Simulator()
      let door = try await simulator.start(.json(ProfileText.garage))
      let events = door.events()
      let written = Task { _ = try await door.written("TargetDoorState", within: .seconds(60)) }
      let becomes = Task { try await door.becomes("CurrentDoorState", "open", within: .seconds(60)) }
      async let heard = events.reduce(into: 0) { count, _ in count += 1 }
      try await door.identify()
      if byAccessory { await door.stop() } else { await simulator.stop() }
      for wait in [written, becomes] {
        let result = await wait.result
        let error = #expect(throws: SimulatorError.self) { try result.get() }
        #expect(error?.code == .stopped)
      }
      #expect(await heard == 1)
      await simulator.stop()
    }
  }

  @Test("A waiting expectation fails when the accessory can't restart") func notBack() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    let written = Task { _ = try await door.written("TargetDoorState", within: .seconds(60)) }
    let events = door.events()
    // This simulates a restart whose state can't be read.
    try await door.served.loop.result { [served = door.served] done in
      served.accessory.assumeIsolated { $0.stop() }
      served.hear(SimulatorEvent(accessory: "Garage", .trouble("the restart failed: the disk is gone")))
      done(.success(()))
    }
    let result = await written.result
    let error = #expect(throws: SimulatorError.self) { try result.get() }
    #expect(error?.code == .stopped)
    #expect(await events.reduce(into: []) { $0.append($1.kind) } == [.trouble])
    await simulator.stop()
  }

  @Test("A wait ends with its task, even if the task was cancelled before") func cancelled() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    let waits: [@Sendable () async throws -> Void] = [
      { try await door.written("TargetDoorState", within: .seconds(60)) },
      { try await door.becomes("CurrentDoorState", "open", within: .seconds(60)) },
      { try await door.expect(.paired, within: .seconds(60)) },
    ]
    for wait in waits {
      for isEarly in [true, false] {
        let task = Task {
          if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
          try await wait()
        }
        if !isEarly {
          // Whether it waits already or not, the result is the same.
          try await door.identify()
          task.cancel()
        }
        let result = await task.result
        let error = #expect(throws: SimulatorError.self) { try result.get() }
        #expect(error?.code == .cancelled)
      }
    }
    // Cancelled expectations use no events.
    let controller = try await PairedController(pairingWith: door)
    try await door.expect(.paired)
    await controller.close()
    await simulator.stop()
  }

  // MARK: The stream

  @Test("A stream has the events after its creation, and ends with the accessory") func stream()
    async throws
  {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    try await door.set("TargetDoorState", to: "open")
    let events = door.events()
    try await door.identify()
    try await door.set("ObstructionDetected", to: true)
    await simulator.stop()
    var kinds: [AccessoryEvent.Kind] = []
    for await event in events { kinds.append(event.kind) }
    #expect(kinds.first == .identified && kinds.dropFirst().contains(.changed), "\(kinds)")
    for await _ in events { Issue.record("an event after the end") }
  }

  private func event(_ number: Int) -> RecordedEvent {
    RecordedEvent(SimulatorEvent(accessory: "A", .trouble("\(number)")), at: .zero, uptime: .milliseconds(1250))
  }

  @Test("Above the limit, the oldest events are dropped, and the stream reports how many") func dropped()
    async throws
  {
    let listener = EventListener()
    for number in 1...EventListener.room + 37 { listener.tell(event(number)) }
    var events = AccessoryEvents(listener).makeAsyncIterator()
    let first = try #require(await events.next())
    #expect(first.kind == .dropped && first.accessory == "A" && first.value == nil && first.controller == nil)
    #expect(first.text == "37 events were dropped here because the record was full")
    #expect(first.json == #"{"event":"dropped","accessory":"A","count":37}"#)
    #expect(await events.next()?.text == "trouble: 38")
    listener.finish()
    var rest: [String] = []
    while let next = await events.next() { rest.append(next.text) }
    #expect(rest.count == EventListener.room - 1 && rest.last == "trouble: \(EventListener.room + 37)")
  }

  @Test("A history is bounded, and reports the number of dropped events") func history() {
    let record = EventRecord()
    for number in 1...20_000 { record.add(event(number)) }
    let history = record.history
    #expect(history.count <= 11_001 && history.first?.name == "dropped")
    #expect(history.last?.text == "trouble: 20000")
    let kept = history.count - 1
    #expect(history.first?.text == "\(20_000 - kept) events were dropped here because the record was full")
    #expect(record.last(3).map(\.text) == ["trouble: 19998", "trouble: 19999", "trouble: 20000"])
    record.forget()
    #expect(record.history.isEmpty)
    // Dropped events can't fulfil an expectation any more, and cause no error.
    record.take(19_000)
    #expect(record.take { _ in true } == nil)
  }

  @Test("Several tasks may read one stream; each event goes to one task, and never to a cancelled one") func readers()
    async throws
  {
    let listener = EventListener()
    let events = AccessoryEvents(listener)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await listener.next()?.text
    }
    #expect(await early.value == nil)
    let idle = Task { await listener.next()?.text }
    idle.cancel()
    #expect(await idle.value == nil)
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 { group.addTask { await events.reduce(into: 0) { count, _ in count += 1 } } }
      for number in 0..<500 { listener.tell(event(number)) }
      listener.finish()
      return await group.reduce(into: 0) { $0 += $1 }
    }
    #expect(counts == 500)
  }

  @Test("A released listener gets no events") func letGoListener() {
    let record = EventRecord()
    weak var gone: EventListener?
    do {
      let events = AccessoryEvents(record.listen())
      gone = Mirror(reflecting: events).children.first?.value as? EventListener
      #expect(gone != nil)
    }
    record.add(event(1))
    #expect(gone == nil)
  }

  @Test("An event has a readable line and JSON") func texts() throws {
    #expect(event(1).description == "0:00:00.000 (+1.25 s)  trouble: 1")
    let node = try JSONNode.parse(Array(event(1).json.utf8))
    #expect(node["event"]?.stringValue == "trouble" && node["message"]?.stringValue == "1")
    #expect(
      SimulatorError.Code.unmet.description == "unmet" && AccessoryEvent.Kind.selfCheck.description == "self-check")
  }
}
