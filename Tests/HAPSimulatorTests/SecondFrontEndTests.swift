import HAPAttributes
import HAPFrontEnds
import HAPLoop
import HAPModel
import Synchronization
import Testing

@testable import HAPHost

/// A front end in memory, with one session that is there from the start.
private final class MemoryFrontEnd: FrontEnd, AttributeFrontEnd {
  /// What happened to the front ends of one accessory, in order.
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
  /// Of the front end among those of the accessory, from 1.
  private let number: Int
  private lazy var session = AttributeSession(controller: nil, connection: self, frontEnd: self)
  /// Called with the values of each event.
  var onEvent: (([Value]) -> Void)?

  init(_ parts: FrontEndParts, _ log: Log) {
    self.parts = parts
    self.log = log
    number = log.newNumber()
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
  func setRadio(_ isOn: Bool) { note("radio \(isOn)") }
  func setAnnounced(_ isAnnounced: Bool) { note("announced \(isAnnounced)") }
  func databaseWasReplaced() { note("replaced") }

  var connections: [ControllerConnection] {
    [ControllerConnection(number: 1000, peer: "memory", controller: nil, session: session)]
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

/// Seen to fail: with a `perform` that does nothing, the time limit was exceeded.
@Suite("A hosted accessory has a list of front ends", .timeLimit(.minutes(1))) struct SecondFrontEndTests {
  @Test("A front end beside the one over IP writes, gets events, and follows the accessory's life") func life()
    async throws
  {
    let log = MemoryFrontEnd.Log()
    let made = Mutex<LoopBound<MemoryFrontEnd>?>(nil)
    let served = try await ServedSimulation([ProfileText.garage]) { parts in
      let frontEnd = MemoryFrontEnd(parts, log)
      made.withLock { $0 = LoopBound(here: parts.loop, frontEnd) }
      return frontEnd
    }
    let first = try #require(made.withLock { $0 })
    /// What the event says after the door was told to open (0) or close (1).
    func event(afterWriting door: Int128) async throws -> [Value] {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[Value], any Error>) in
        served.loop.schedule {
          let frontEnd = first.value
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
    // The device has got the write, and opens the door.
    #expect(try await event(afterWriting: 0) == [.integer(2)])
    // In a turn in which nothing else happens. Time stands still, so the door is closed at once.
    #expect(try await event(afterWriting: 1) == [.integer(1)])
    #expect(try await served.value("Current Door State")?.integerValue == 1)

    try await served.command("radio", #""value": false"#)
    try await served.command("radio", #""value": true"#)
    try await served.command("disconnect")
    try await served.command("reboot")
    try await served.stop()
    #expect(
      log.all == [
        "1 start", "1 radio false", "1 radio true", "1 disconnected", "1 forRestart", "2 start", "2 orderly",
      ])
  }
}
