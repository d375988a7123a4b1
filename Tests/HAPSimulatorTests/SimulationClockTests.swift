import HAPLoop
import HAPModel
import Testing
@testable import HAPDevices
@testable import HAPHost

/// A value that is confined to one loop's thread.
final class OnThread<T>: @unchecked Sendable {
  var value: T
  init(_ value: T) { self.value = value }
}

/// Runs `body` on a new loop with a clock, and returns the result.
private func withClock<T: Sendable>(
  _ pace: SimulationClock.Pace = .standing, mostFirings: Int = SimulationClock.mostFirings,
  _ body: @escaping @Sendable (SimulationClock, _ finish: @escaping @Sendable (T) -> Void) -> Void
) async -> T {
  let loop = EventLoop(name: "clock")
  loop.start()
  let held = OnThread<SimulationClock?>(nil)
  let result = await withCheckedContinuation { continuation in
    loop.schedule {
      let clock = SimulationClock(pace, on: loop, mostFirings: mostFirings)
      held.value = clock
      body(clock) { continuation.resume(returning: $0) }
    }
  }
  loop.schedule {
    held.value?.close()
    held.value = nil
  }
  loop.stop()
  return result
}

@Suite("The simulated clock") struct SimulationClockTests {
  @Test("An advance fires due timers in order, each at its time; equal times in the order of their start")
  func order() async {
    let log: [String] = await withClock { clock, finish in
      let log = OnThread<[String]>([])
      func timer(_ name: String, after delay: Duration) -> SimulationTimer {
        let timer = SimulationTimer(clock) { log.value.append("\(name) \(clock.now.shortText)") }
        timer.start(after: delay)
        return timer
      }
      for (name, seconds) in [("c", 3), ("a", 1), ("late", 11), ("b", 1), ("d", 10), ("e", 3)] as [(String, Int)] {
        _ = timer(name, after: .seconds(seconds))
      }
      _ = timer("past", after: .seconds(-5))
      #expect(log.value.isEmpty)
      clock.advance(by: .seconds(10)) { result in
        log.value.append("then \(((try? result.get()) ?? .zero).shortText)")
        finish(log.value)
      }
    }
    #expect(log == ["past 0s", "a 1s", "b 1s", "c 3s", "e 3s", "d 10s", "then 10s"])
  }

  @Test("A timer fires once, moves when it is restarted, and never fires after cancelling or closing")
  func timers() async {
    let log: [String] = await withClock { clock, finish in
      let log = OnThread<[String]>([])
      let others = (0..<20).map { number in SimulationTimer(clock) { log.value.append("\(number)") } }
      for (number, other) in others.enumerated() { other.start(after: .seconds(number)) }
      let closed = SimulationTimer(clock) { log.value.append("closed") }
      closed.start(after: .seconds(1))
      closed.close()
      closed.start(after: .seconds(1))
      let ticking = SimulationTimer(clock) {
        log.value.append("tick")
        // Changed during a firing: one timer that is due now, and one that is no longer due.
        others[7].cancel()
        others[3].start(after: .seconds(100))
        others[19].start(after: .zero)
      }
      ticking.start(after: .seconds(50))
      ticking.start(after: .milliseconds(2500))
      clock.advance(by: .seconds(60)) { _ in finish(log.value) }
    }
    let rest = (4...18).filter { $0 != 7 }.map { "\($0)" }
    #expect(log == ["0", "1", "2", "tick", "19"] + rest)
  }

  @Test("Frozen time moves only by advances, one after another") func standing() async {
    let times: [String] = await withClock { clock, finish in
      let times = OnThread(["\(clock.now)"])
      let tick = OnThread<SimulationTimer?>(nil)
      // Enough firings for the first advance to take several turns, while the others wait.
      tick.value = SimulationTimer(clock) { tick.value?.start(after: .microseconds(1)) }
      tick.value?.start(after: .zero)
      for _ in 0..<3 {
        clock.advance(by: .milliseconds(30)) { _ in
          times.value.append("\(clock.now)")
          if times.value.count == 4 {
            tick.value?.close()
            clock.advance(by: .zero) { _ in finish(times.value + ["\(clock.now)"]) }
          }
        }
      }
    }
    #expect(times == ["0.0 seconds", "0.03 seconds", "0.06 seconds", "0.09 seconds", "0.09 seconds"])
  }

  @Test("An advance is limited to ten years, and can't be negative", arguments: [-1, 10 * 8766 * 3600 + 1]) func bounds(
    _ seconds: Int
  ) async {
    let error: CommandError? = await withClock { clock, finish in
      clock.advance(by: .seconds(seconds)) { result in
        do throws(CommandError) { _ = try result.get() } catch { return finish(error) }
        finish(nil)
      }
    }
    #expect(error?.code == .invalidValue)
  }

  @Test("Ten years can be advanced") func tenYears() async {
    let now: Duration = await withClock { clock, finish in
      clock.advance(by: .longestAdvance) { _ in finish(clock.now) }
    }
    #expect(now == .seconds(315_576_000))
  }

  @Test("Endless timers end the advance with an error, and the next one can start") func runAway() async {
    let messages: [String] = await withClock(mostFirings: 1000) { clock, finish in
      let firings = OnThread(0)
      let tick = OnThread<SimulationTimer?>(nil)
      tick.value = SimulationTimer(clock) {
        firings.value += 1
        tick.value?.start(after: firings.value < 100 ? .seconds(1) : .zero)
      }
      tick.value?.start(after: .seconds(1))
      clock.advance(by: .seconds(150)) { result in
        #expect(firings.value == 1000)
        #expect(clock.now == .seconds(100))
        guard case .failure(let error) = result else { return finish([]) }
        tick.value?.close()
        clock.advance(by: .seconds(1)) { result in
          finish([error.code.rawValue, error.message, (try? result.get())?.shortText ?? "failed"])
        }
      }
    }
    #expect(messages.first == "failed")
    #expect(messages.dropFirst().first?.contains("50s before the end, after 1000 timers fired") == true, "\(messages)")
    #expect(messages.last == "101s")
  }

  @Test("During an advance, other work of the loop gets its turns") func fairness() async {
    let isDone: Bool = await withClock { clock, finish in
      let mayEnd = OnThread(false)
      let tick = OnThread<SimulationTimer?>(nil)
      // Endless until other work on the loop ends it.
      tick.value = SimulationTimer(clock) { if !mayEnd.value { tick.value?.start(after: .zero) } }
      tick.value?.start(after: .zero)
      clock.advance(by: .seconds(1)) { result in finish((try? result.get()) != nil && mayEnd.value) }
      clock.loop.schedule { mayEnd.value = true }
    }
    #expect(isDone)
  }

  @Test("Real time can't be advanced") func running() async {
    let error: CommandError? = await withClock(.running(scale: 1)) { clock, finish in
      clock.advance(by: .seconds(1)) { result in
        do throws(CommandError) { _ = try result.get() } catch { return finish(error) }
        finish(nil)
      }
    }
    #expect(error?.code == .notPossible)
    #expect(error?.message.contains("--virtual-time") == true)
  }

  @Test("In real time, a jump fires the timers due on the way at their times, in order") func jump() async {
    let log: [String] = await withClock(.running(scale: 0.001)) { clock, finish in
      let log = OnThread<[String]>([])
      // Without the jump, this would take two weeks.
      let limit = LoopTimer(clock.loop)
      func end(_ word: String) {
        limit.close()
        finish(log.value + [word])
      }
      limit.onFire = { end("never") }
      limit.start(after: .seconds(10))
      let timers = ["b", "a"].map { name in
        SimulationTimer(clock) {
          log.value.append("\(name) \(Int((clock.now / .seconds(60)).rounded()))")
          if log.value.count == 3 { end(clock.now < .seconds(3601) ? "on time" : "late") }
        }
      }
      for (timer, minutes) in zip(timers, [20, 10]) { timer.start(after: .seconds(minutes * 60)) }
      clock.jump(by: .seconds(3600)) { result in log.value.append((try? result.get()) != nil ? "jumped" : "stood") }
    }
    #expect(log == ["jumped", "a 10", "b 20", "on time"])
  }

  @Test("A jump is limited, and is an advance if time is frozen") func jumpBounds() async {
    let codes: [String] = await withClock(.running(scale: 1)) { clock, finish in
      let codes = OnThread<[String]>([])
      for seconds in [-1, 10 * 8766 * 3600 + 1] {
        clock.jump(by: .seconds(seconds)) { result in
          if case .failure(let error) = result { codes.value.append(error.code.rawValue) }
        }
      }
      finish(codes.value)
    }
    #expect(codes == ["invalid-value", "invalid-value"])
    let now: Duration = await withClock { clock, finish in clock.jump(by: .seconds(5)) { _ in finish(clock.now) } }
    #expect(now == .seconds(5))
  }

  @Test("At any time scale, a timer sees the clock at its deadline", arguments: [0.5, 1, 1000, 100_000])
  func speeds(_ scale: Double) async {
    // One real millisecond, whatever the scale.
    let step = Duration.milliseconds(1) * scale
    let moments: [Duration] = await withClock(.running(scale: scale)) { clock, finish in
      let start = clock.now
      let moments = OnThread<[Duration]>([])
      let tick = OnThread<SimulationTimer?>(nil)
      tick.value = SimulationTimer(clock) {
        moments.value.append(clock.now - start)
        if moments.value.count < 5 { tick.value?.start(after: step) } else { finish(moments.value) }
      }
      tick.value?.start(after: step)
    }
    // The first start reads the clock again, so it may be later.
    let first = moments[0]
    #expect(moments == (0..<5).map { first + step * $0 })
    #expect(first >= step)
  }

  @Test("Time continues between timers") func passing() async {
    let isLater: Bool = await withClock(.running(scale: 100_000)) { clock, finish in
      let start = clock.now
      LoopTimer(clock.loop) { finish(clock.now >= start + .seconds(100)) }.start(after: .milliseconds(2))
    }
    #expect(isLater)
  }

  @Test("Closing ends pending advances with an error") func closing() async {
    let error: CommandError? = await withClock { clock, finish in
      let tick = OnThread<SimulationTimer?>(nil)
      tick.value = SimulationTimer(clock) { tick.value?.start(after: .zero) }
      tick.value?.start(after: .zero)
      clock.advance(by: .seconds(1)) { result in
        do throws(CommandError) { _ = try result.get() } catch { return finish(error) }
        finish(nil)
      }
      clock.close()
      clock.close()
    }
    #expect(error?.message == "the simulation has ended")
  }
}
