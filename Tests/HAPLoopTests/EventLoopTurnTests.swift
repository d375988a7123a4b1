import Foundation
import Synchronization
import Testing

@testable import HAPLoop

@Suite struct EventLoopTurnTests {
  @Test("The end of a turn comes after jobs, and before the loop blocks")
  func endOfTurnAfterJobs() async {
    let seen: [String] = await onLoop { loop, finish in
      let seen = Box<[String]>([])
      loop.atEndOfTurn {
        if seen.value.isEmpty || seen.value.last == "end" { return }
        seen.value.append("end")
        if seen.value.count > 2 { finish(seen.value) }
      }
      loop.schedule { seen.value.append("first") }
      loop.schedule { seen.value.append("second") }
    }
    #expect(seen == ["first", "second", "end"])
  }

  @Test("The end of a turn comes after timers, and before the loop blocks") func endOfTurnAfterTimers() async {
    let seen: [String] = await onLoop { loop, finish in
      let seen = Box<[String]>([])
      let timer = LoopTimer(loop)
      let other = LoopTimer(loop)
      timer.onFire = { seen.value.append("timer") }
      other.onFire = { seen.value.append("other") }
      loop.atEndOfTurn {
        guard seen.value.count == 2 else { return }
        seen.value.append("end")
        finish(seen.value)
      }
      timer.start(after: .milliseconds(3))
      other.start(after: .milliseconds(3))
    }
    #expect(Set(seen.prefix(2)) == ["timer", "other"])
    #expect(seen.last == "end")
  }

  @Test("Work scheduled by a hook runs even without other events") func hookSchedules() async {
    let ran: Bool = await onLoop { loop, finish in
      let once = Box(true)
      loop.atEndOfTurn {
        guard once.value else { return }
        once.value = false
        loop.schedule { finish(true) }
      }
    }
    #expect(ran)
  }

  @Test("A cancelled hook is not called again; hooks may cancel themselves and add others") func cancelledHook() async {
    let counts: [Int] = await onLoop { loop, finish in
      let counts = Box([0, 0])
      let hook = Box<TurnHook?>(nil)
      hook.value = loop.atEndOfTurn {
        counts.value[0] += 1
        hook.value?.cancel()
        loop.atEndOfTurn {
          counts.value[1] += 1
          if counts.value[1] == 3 { finish(counts.value) }
          loop.schedule {}
        }
      }
    }
    #expect(counts == [1, 3])
  }

  @Test("A hook on request runs once, at the end of a turn in which it was requested") func asked() async {
    let seen: [String] = await onLoop { loop, finish in
      let seen = Box<[String]>([])
      let asked = loop.hookOnRequest { seen.value.append("asked") }
      let other = Box(loop.hookOnRequest {})
      other.value = loop.hookOnRequest {
        seen.value.append("other")
        // A request while hooks run is served before the loop blocks.
        asked.ask()
      }
      let cancelled = loop.hookOnRequest { seen.value.append("cancelled") }
      asked.ask()
      asked.ask()
      cancelled.ask()
      cancelled.cancel()
      let steps = Box(0)
      loop.atEndOfTurn {
        steps.value += 1
        switch steps.value {
        case 1: loop.schedule { seen.value.append("second turn") }
        case 2:
          loop.schedule {
            seen.value.append("third turn")
            other.value.ask()
          }
        case 3: loop.schedule {}
        case 4:
          withExtendedLifetime((asked, other, cancelled)) { finish(seen.value) }
        default: break
        }
      }
    }
    #expect(seen == ["asked", "second turn", "third turn", "other", "asked"])
  }

  @Test("loop.now is constant within a turn and advances after it") func now() async {
    let times: [UInt64] = await onLoop { loop, finish in
      let first = loop.now
      while loop.readClock() < first + 2_000_000 {}
      let second = loop.now
      // A timer that is due before the end of the turn belongs to the turn.
      let hook = Box<TurnHook?>(nil)
      hook.value = loop.atEndOfTurn {
        hook.value?.cancel()
        let timer = LoopTimer(loop)
        timer.onFire = { finish([first, second, loop.now]) }
        timer.start(after: .milliseconds(1))
      }
    }
    #expect(times[0] == times[1])
    #expect(times[2] >= times[0] + 2_000_000)
  }
}
