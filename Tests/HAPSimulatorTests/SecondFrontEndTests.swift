import HAPAttributes
import HAPFrontEnds
import HAPLoop
import HAPModel
import Synchronization
import Testing

@testable import HAPHost

/// A front end in memory, with one session from the start.
private final class MemoryFrontEnd: FrontEnd, AttributeFrontEnd {
  /// The calls to the front ends of one accessory, in order.
  final class Log: Sendable {
    private let steps = Mutex<[String]>([])
    private let count = Mutex(0)
    func add(_ step: String) { steps.withLock { $0.append(step) } }
    func newNumber() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
    var all: [String] { steps.withLock { $0 } }
  }

  private let parts: FrontEndParts
  private let log: Log
  /// The number of the front end, from 1.
  private let number: Int
  private let connection: UInt64
  /// Whether the front end fails to get its radio back.
  private let failsToGainRadio: Bool
  private lazy var session = AttributeSession(controller: nil, connection: self, frontEnd: self)
  /// Called with the values of each event.
  var onEvent: (([Value]) -> Void)?

  init(_ parts: FrontEndParts, _ log: Log, failsToGainRadio: Bool = false) {
    self.parts = parts
    self.log = log
    self.failsToGainRadio = failsToGainRadio
    number = log.newNumber()
    connection = parts.newConnection()
  }

  private func note(_ step: String) { log.add("\(number) \(step)") }

  private var now: Duration { .nanoseconds(Int64(clamping: parts.loop.now)) }

  func id(of type: TypeID) -> AttributeID? {
    let database = parts.attributes.database
    return database.characteristics.indices.first { database.characteristics[$0].type == type }
      .map { database.id(ofSlot: $0) }
  }

  func write(_ writes: [AttributeWrite]) -> [HAPStatus] {
    var transaction = WriteTransaction()
    transaction.writes = writes
    _ = parts.attributes.write(&transaction, isTimed: false, by: session, at: now)
    parts.perform()
    return transaction.statuses
  }

  // MARK: As a front end of a hosted accessory

  func start(_ visibility: Visibility) {
    note("start")
    parts.attributes.open(session)
  }

  func stop(_ ending: RunEnding) { note("\(ending)") }
  func loseRadio() { note("loses radio") }
  func gainRadio() throws(LoopError) {
    if failsToGainRadio { throw LoopError(.addressInUse, "the port is in use") }
    note("gains radio")
  }
  func setAnnounced(_ isAnnounced: Bool) { note("announced \(isAnnounced)") }
  func databaseWasReplaced(_ replacement: DatabaseReplacement) { note("c# \(replacement.configurationNumber)") }

  var connections: [ControllerConnection] {
    [ControllerConnection(number: connection, peer: "memory", controller: nil, session: session)]
  }

  func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int {
    guard connections.contains(where: isMeant) else { return 0 }
    note("disconnected")
    return 1
  }

  // MARK: As a front end of the attributes

  func isAdmin(_ session: AttributeSession) -> Bool { true }

  func sendEvents(of session: AttributeSession, at now: Duration) {
    let database = parts.attributes.database
    let values = session.waitingEvents.map { $0.value ?? database.characteristics[$0.slot].value }
    session.didSendEvents(at: now)
    onEvent?(values)
  }

  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {}
  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {}
  func reportMissing(_ id: AttributeID, in session: AttributeSession) {}
}

/// Checked: these tests fail with a `perform` that does nothing: the time limit was exceeded.
@Suite("A hosted accessory has a list of front ends") struct SecondFrontEndTests {
  /// Writes a garage's target door state through the front end, and waits for the event of its current door state.
  private func event(
    of made: LoopBound<MemoryFrontEnd>, afterWriting door: Int128, to served: ServedSimulation
  ) async throws -> [Value] {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[Value], any Error>) in
      served.loop.schedule {
        let frontEnd = made.value
        guard let target = frontEnd.id(of: CharacteristicDefinition.targetDoorState.type),
          let current = frontEnd.id(of: CharacteristicDefinition.currentDoorState.type)
        else { return continuation.resume(throwing: ServedSimulation.Failure(message: "the garage has no door")) }
        frontEnd.onEvent = { continuation.resume(returning: $0) }
        let statuses = frontEnd.write([
          AttributeWrite(current, subscribes: true), AttributeWrite(target, value: .integer(door)),
        ])
        #expect(statuses == [.success, .success])
      }
    }
  }

  @Test(
    "A front end next to the one over IP, or alone, writes, gets events, and is notified of the accessory's starts and ends",
    arguments: [true, false])
  func life(isBesideIP: Bool) async throws {
    let log = MemoryFrontEnd.Log()
    let made = Mutex<LoopBound<MemoryFrontEnd>?>(nil)
    let memory = FrontEndChoice.other { parts, _ in
      let frontEnd = MemoryFrontEnd(parts, log)
      made.withLock { $0 = $0 ?? LoopBound(here: parts.loop, frontEnd) }
      return frontEnd
    }
    let served = try await ServedSimulation([ProfileText.garage], frontEnds: isBesideIP ? [.ip, memory] : [memory])
    let first = try #require(made.withLock { $0 })
    // The device received the write, and opens the door.
    #expect(try await event(of: first, afterWriting: 0, to: served) == [.integer(2)])
    // This write has a turn of the loop without other events. Time is frozen, so the door has not moved and is closed
    // at once.
    #expect(try await event(of: first, afterWriting: 1, to: served) == [.integer(1)])
    #expect(try await served.value("Current Door State")?.integerValue == 1)

    try await served.command("radio", #""value": false"#)
    try await served.command("radio", #""value": true"#)
    try await served.command("announce", #""value": false"#)
    #expect(try await served.command("disconnect")["connections"]?.integerValue == 1)
    served.profiles.withLock {
      $0["other"] = ProfileText.garage.replacing("] }", with: #", { "type": "Switch", "name": "Fan" } ] }"#)
    }
    try await served.command("replace", #""profile": "other""#)
    try await served.command("reboot")
    try await served.stop()
    #expect(
      log.all == [
        "1 start", "1 loses radio", "1 gains radio", "1 announced false", "1 disconnected", "1 c# 2", "1 forRestart",
        "2 start", "2 orderly",
      ])
    #expect(!served.eventNames().contains("trouble"))
  }

  @Test("An accessory without HAP over IP has no port and no faults") func withoutIP() async throws {
    let log = MemoryFrontEnd.Log()
    let served = try await ServedSimulation(
      [ProfileText.garage], frontEnds: [.other { parts, _ in MemoryFrontEnd(parts, log) }])
    let accessory = try await served.command("status")["accessories"]?.elements?.first
    #expect(accessory?["port"]?.integerValue == 0)
    #expect(accessory?["configurationNumber"]?.integerValue == 1)
    #expect(
      try await served.refusal("fault", #""fault": "latency""#)
        == "not-possible: \"Garage\" is not served over IP; faults need HAP over IP")
    try await served.stop()
  }

  @Test("A fault that affects Matter alone is refused for an accessory without Matter")
  func withoutMatter() async throws {
    let served = try await ServedSimulation([ProfileText.garage])
    #expect(
      try await served.refusal("fault", #""fault": "drop-datagrams""#)
        == "not-possible: the fault affects Matter alone, and \"Garage\" is not served over Matter; serve it with --matter"
    )
    #expect(try await served.command("fault", #""fault": "latency""#)["withoutEffectOn"] == nil)
    #expect(try await served.command("status")["accessories"]?.elements?[0]["faults"]?.elements?.count == 1)
    try await served.stop()
  }

  /// Checked: this test fails without `loseRadio` in `AccessoryRun.gainRadio`: the front end over IP listened twice.
  @Test("If a front end can't get its radio back, no front end has one") func radio() async throws {
    let log = MemoryFrontEnd.Log()
    let served = try await ServedSimulation(
      [ProfileText.garage],
      frontEnds: [
        .ip, .other { parts, _ in MemoryFrontEnd(parts, log) },
        .other { parts, _ in MemoryFrontEnd(parts, log, failsToGainRadio: true) },
      ],
      // Another test could take the port while the radio is off.
      host: try ServedSimulation.ownHost(3))
    try await served.command("radio", #""value": false"#)
    #expect(try await served.refusal("radio", #""value": true"#).hasPrefix("failed: the radio stays off: "))
    let accessory = try await served.command("status")["accessories"]?.elements?.first
    #expect(accessory?["radio"]?.boolValue == false)
    // The port, which was open for a moment, is free again.
    #expect(try await served.refusal("radio", #""value": true"#).hasPrefix("failed: the radio stays off: the port"))
    try await served.stop()
    #expect(
      log.all == [
        "1 start", "2 start", "1 loses radio", "2 loses radio", "1 gains radio", "1 loses radio", "1 gains radio",
        "1 loses radio", "1 orderly", "2 orderly",
      ])
    #expect(served.eventNames().filter { $0 == "radio" }.count == 1)
  }

  /// Checked: this test fails with the same number for each connection.
  @Test("Connections of all front ends have different numbers") func numbers() async throws {
    let log = MemoryFrontEnd.Log()
    let memory = FrontEndChoice.other { parts, _ in MemoryFrontEnd(parts, log) }
    let served = try await ServedSimulation([ProfileText.garage], frontEnds: [memory, memory])
    let numbers = try await served.onLoop {
      served.simulation.accessories[0].assumeIsolated { $0.run?.frontEnds.flatMap(\.connections).map(\.number) }
    }
    #expect(numbers == [1, 2])
    try await served.stop()
  }

  @Test("An accessory with another front end than the one over IP is not captured") func capture() async throws {
    let log = MemoryFrontEnd.Log()
    let capture: @Sendable (Int, Int) -> CaptureMaker = { _, _ in { _ in preconditionFailure("a capture started") } }
    await #expect(throws: LoopError.self) {
      _ = try await ServedSimulation(
        [ProfileText.garage], frontEnds: [.ip, .other { parts, _ in MemoryFrontEnd(parts, log) }], capture: capture)
    }
  }
}
