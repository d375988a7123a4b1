import HAPExpectation
import HAPLoop
import HAPPairing
import HAPSuite

extension CaseRun {
  func connect(_ connect: Connect) async throws {
    let name = connect.on
    if let former = connections.removeValue(forKey: name) { formerConnections.append(former) }
    var address = device.address
    if let text = connect.address {
      guard let other = device.addresses.first(where: { "\($0)" == text || "\($0.host)" == text }) else {
        throw StepProblem("\(text) is not an address of the accessory")
      }
      address = other
    }
    let limit = connect.within ?? .seconds(10)
    let outcome = await WireConnection.connect(name, to: address, within: limit, recorder: recorder, on: loop)
    let result: String
    switch outcome {
    case .connected(let connection):
      connections[name] = connection
      used.open(name)
      result = "connected"
    case .refused(let error): result = error.isNoWay ? "unreachable" : "refused"
    case .silent: result = "silent"
    }
    if let variable = connect.save {
      scope[variable] = .text(result)
      return
    }
    if case .refused(let error) = outcome {
      throw CaseFailure(
        "no connection to \(address)", sent: "a TCP connection to \(address)", accepted: ["it is accepted"],
        got: "\(error)")
    }
    if case .silent = outcome {
      throw CaseFailure(
        "no connection to \(address)", sent: "a TCP connection to \(address)", accepted: ["it is accepted"],
        got: "no answer within \(limit.roundText)", isSilence: true)
    }
  }

  func close(_ name: String, _ how: ConnectionEnding) throws(StepProblem) {
    try existing(name).close(how)
    if how != .half {
      connections[name] = nil
      held[name] = nil
    }
  }

  func secure(_ name: String, _ procedure: String, _ origin: KeyOrigin) throws(StepProblem) {
    let connection = try existing(name)
    let keys: SessionKeys? =
      switch origin {
      case .transient: setups[procedure]?.key.map { SessionKeys(transientPairSetup: $0) }
      case .verify: verifies[procedure]?.sessionKeys
      }
    guard let keys else { throw StepProblem("the procedure \"\(procedure)\" has no keys") }
    connection.secure(keys)
  }

  /// Waits until the accessory accepts connections again, after a hook restarted it.
  func reachable(within limit: Duration) async throws {
    let deadline = loop.readClock() &+ UInt64(max(limit / .nanoseconds(1), 0))
    while true {
      // The accessory's address may have changed. A new one was then announced.
      await findAgain(within: .zero)
      switch await WireConnection.connect(
        "probe", to: device.address, within: .seconds(2), recorder: recorder, on: loop)
      {
      case .connected(let connection):
        await connection.settle(within: .milliseconds(500))
        return
      case .refused, .silent:
        if loop.readClock() >= deadline {
          throw CaseFailure(
            "the accessory accepted no connection within \(limit.roundText)", accepted: ["a connection"], got: "none",
            isSilence: true)
        }
        try await pause(.milliseconds(100))
      }
    }
  }

  /// Waits on the loop.
  func pause(_ duration: Duration) async throws {
    lastSleeper += 1
    let number = lastSleeper
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        if Task.isCancelled { return continuation.resume() }
        let timer = LoopTimer(loop) { [self] in assumeIsolated { $0.wake(number) } }
        sleepers[number] = Sleeper(timer: timer, continuation: continuation)
        timer.start(after: duration)
      }
    } onCancel: {
      loop.startTask { await self.wake(number) }
    }
    if Task.isCancelled { throw CaseInterrupted() }
  }

  private func wake(_ number: UInt64) {
    guard let sleeper = sleepers.removeValue(forKey: number) else { return }
    sleeper.timer.close()
    sleeper.continuation.resume()
  }
}

extension LoopError {
  /// Whether this host has no route to the address.
  var isNoWay: Bool {
    switch code {
    case .networkUnreachable, .addressNotAvailable, .malformedAddress, .noSuchInterface, .permissionDenied: true
    default: false
    }
  }
}

/// A task that waits for a timer.
struct Sleeper {
  let timer: LoopTimer
  let continuation: CheckedContinuation<Void, Never>
}
