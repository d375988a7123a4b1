import HAPLoop
import Testing

@testable import HAPAccessoryPort

/// Checked: these tests fail without the test for cancellation; if `leave` resumes no task; if an open number is queued.
@Suite("The limit of handshakes", .timeLimit(.minutes(1))) struct HandshakeGateTests {
  /// Starts to wait, and returns when the gate has the request.
  private func wait(_ gate: HandshakeGate, _ number: UInt64) async -> Task<Bool, Never> {
    let before = gate.waitingCount
    let task = Task { await gate.enter(number) }
    while gate.waitingCount == before { await Task.yield() }
    return task
  }

  @Test("Attempts beyond the limit wait, and begin in their order")
  func order() async {
    let gate = HandshakeGate(limit: 2)
    #expect(await gate.enter(1))
    #expect(await gate.enter(2))
    #expect(await gate.enter(2), "an attempt that is open has its place")
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
    #expect(await gate.enter(1))
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
      return await gate.enter(1)
    }
    #expect(await task.value == false)
    #expect(gate.openCount == 0)
  }
}
