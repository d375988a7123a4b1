import HAPLoop
import Testing

@testable import HAPAccessoryPort

/// Checked: these tests fail without the test for cancellation; if `leave` resumes no task; if an open number is queued;
/// if absent devices may use all places.
@Suite("The limit of handshakes") struct HandshakeGateTests {
  /// Starts to wait, and returns when the gate has the request.
  private func wait(_ gate: HandshakeGate, _ number: UInt64, isPresent: Bool = true) async -> Task<Bool, Never> {
    let before = gate.waitingCount
    let isDone = Guarded(false)
    let task = Task {
      let result = await gate.enter(number, isPresent: isPresent)
      isDone.withLock { $0 = true }
      return result
    }
    while gate.waitingCount == before {
      if isDone.withLock({ $0 }) {
        Issue.record("attempt \(number) did not wait")
        break
      }
      await Task.yield()
    }
    return task
  }

  @Test("Attempts beyond the limit wait, and begin in their order")
  func order() async {
    let gate = HandshakeGate(limit: 2)
    #expect(await gate.enter(1, isPresent: true))
    #expect(await gate.enter(2, isPresent: true))
    #expect(await gate.enter(2, isPresent: true), "an attempt that is open has its place")
    let third = await wait(gate, 3)
    let fourth = await wait(gate, 4)
    #expect(gate.openCount == 2)
    gate.leave(1)
    #expect(await third.value)
    #expect(gate.openCount == 2 && gate.waitingCount == 1)
    gate.leave(1)
    #expect(gate.waitingCount == 1, "a second end frees no place")
    gate.leave(3)
    #expect(await fourth.value)
    gate.leave(2)
    gate.leave(4)
    #expect(gate.openCount == 0)
  }

  @Test("An attempt that ends while it waits gets no place, and takes none")
  func endsWaiting() async {
    let gate = HandshakeGate(limit: 1)
    #expect(await gate.enter(1, isPresent: true))
    let second = await wait(gate, 2)
    let third = await wait(gate, 3)
    gate.leave(2)
    #expect(await second.value == false)
    #expect(gate.openCount == 1 && gate.waitingCount == 1)
    gate.leave(1)
    #expect(await third.value)
  }

  @Test("A cancelled task gets no place")
  func cancelled() async {
    let gate = HandshakeGate(limit: 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await gate.enter(1, isPresent: true)
    }
    #expect(await task.value == false)
    #expect(gate.openCount == 0)
  }

  @Test("Absent devices use at most half of the places, and present ones go first")
  func absent() async {
    let gate = HandshakeGate(limit: 4)
    for number: UInt64 in 1...2 { #expect(await gate.enter(number, isPresent: false)) }
    let third = await wait(gate, 3, isPresent: false)
    let fourth = await wait(gate, 4, isPresent: false)
    for number: UInt64 in 5...6 { #expect(await gate.enter(number, isPresent: true)) }
    let seventh = await wait(gate, 7)
    gate.leave(1)
    #expect(await seventh.value)
    #expect(gate.waitingCount == 2)
    // The fourth device is announced, so it overtakes the third one.
    gate.appeared(4)
    gate.leave(5)
    #expect(await fourth.value)
    gate.leave(6)
    #expect(await third.value)
    #expect(gate.openCount == 4 && gate.waitingCount == 0)
    for number: UInt64 in [2, 3, 4, 7] { gate.leave(number) }
    #expect(gate.openCount == 0)
  }

  @Test("An absent device that is announced while its attempt is open frees a place for absent ones")
  func appears() async {
    let gate = HandshakeGate(limit: 2)
    #expect(await gate.enter(1, isPresent: false))
    let second = await wait(gate, 2, isPresent: false)
    gate.appeared(1)
    #expect(await second.value)
    #expect(gate.openCount == 2)
  }
}
