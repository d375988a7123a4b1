import Foundation
import Testing

@testable import HAPLoop

@Suite struct LoopTimerTests {
  @Test("A timer never fires early", arguments: [0, 1, 2, 7, 20]) func neverEarly(_ milliseconds: Int) async {
    let elapsed: UInt64 = await onLoop { loop, finish in
      let start = loop.readClock()
      // From here on, libuv's cached time is stale.
      while loop.readClock() < start + 3_300_000 {}
      let armed = loop.readClock()
      let timer = LoopTimer(loop)
      timer.onFire = { finish(loop.readClock() - armed) }
      timer.start(after: .milliseconds(milliseconds))
    }
    #expect(elapsed >= UInt64(milliseconds) * 1_000_000)
  }

  @Test("A negative delay fires in the next turn, and an infinite delay does not trap") func extremes() async {
    let fired: Bool = await onLoop { loop, finish in
      let never = LoopTimer(loop, onFire: { finish(false) })
      never.start(after: .seconds(Int64.max), repeat: .seconds(Int64.max))
      LoopTimer(loop, onFire: { finish(true) }).start(after: .seconds(-5))
    }
    #expect(fired)
  }

  @Test("A repeating timer keeps its interval, even if a callback takes long") func repeating() async {
    let times: [UInt64] = await onLoop { loop, finish in
      let times = Box<[UInt64]>([])
      let start = loop.readClock()
      let timer = LoopTimer(loop)
      timer.onFire = {
        times.value.append(loop.readClock() - start)
        if times.value.count == 1 { while loop.readClock() < start + 9_000_000 {} }
        if times.value.count == 4 {
          timer.cancel()
          finish(times.value)
        }
      }
      timer.start(after: .milliseconds(2), repeat: .milliseconds(3))
    }
    #expect(times.count == 4)
    for (index, time) in times.enumerated() { #expect(time >= UInt64(2 + 3 * index) * 1_000_000) }
  }

  @Test("A cancelled timer doesn't fire, and can be started again") func cancelling() async {
    let count: Int = await onLoop { loop, finish in
      let count = Box(0)
      let timer = LoopTimer(loop)
      timer.onFire = { count.value += 1 }
      timer.start(after: .milliseconds(1))
      #expect(timer.isActive)
      timer.cancel()
      timer.cancel()
      #expect(!timer.isActive)
      let other = LoopTimer(loop)
      other.onFire = {
        timer.onFire = {
          count.value += 10
          finish(count.value)
        }
        timer.start(after: .zero)
      }
      other.start(after: .milliseconds(5))
    }
    #expect(count == 10)
  }

  @Test("A closed timer ignores all calls; it may be closed twice and inside its callback") func closing() async {
    let count: Int = await onLoop { loop, finish in
      let count = Box(0)
      let timer = LoopTimer(loop)
      timer.onFire = {
        count.value += 1
        timer.close()
        timer.close()
        timer.start(after: .zero)
        timer.cancel()
        #expect(!timer.isActive)
      }
      timer.onClosed = { finish(count.value) }
      timer.start(after: .zero, repeat: .milliseconds(1))
    }
    #expect(count == 1)
  }

  @Test("Ten thousand timers are created and closed, and no handle is left") func many() async {
    let left: Int = await onLoop { loop, finish in
      let open = Box(10_000)
      for number in 0..<10_000 {
        let timer = LoopTimer(loop)
        timer.onFire = { timer.close() }
        timer.onClosed = {
          open.value -= 1
          if open.value == 0 { finish(loop.openHandleCount) }
        }
        if number.isMultiple(of: 2) { timer.start(after: .microseconds(number)) } else { timer.close() }
      }
    }
    #expect(left == 0)
  }
}

@Suite struct SignalWatcherTests {
  @Test("Each signal to the process is reported on the loop") func signal() async {
    let count: Int = await onLoop { loop, finish in
      let count = Box(0)
      do {
        let watcher = try SignalWatcher(loop, signal: SIGUSR2) {}
        watcher.onSignal = {
          count.value += 1
          if count.value == 2 {
            watcher.close()
            finish(count.value)
          } else {
            kill(getpid(), SIGUSR2)
          }
        }
        kill(getpid(), SIGUSR2)
      } catch { finish(-1) }
    }
    #expect(count == 2)
  }

  @Test("A signal that can't be caught is an error", arguments: [SIGKILL, 0, 4000]) func uncatchable(_ number: Int32)
    async
  {
    let failed: Bool = await onLoop { loop, finish in
      do throws(LoopError) {
        _ = try SignalWatcher(loop, signal: number) {}
        finish(false)
      } catch { finish(error.detail.contains("watching signal \(number)")) }
    }
    #expect(failed)
  }
}

@Suite struct DescriptorWatcherTests {
  @Test("Readability, writability and hang-up of a pipe are reported") func pipes() async {
    let seen: [DescriptorWatcher.Events] = await onLoop { loop, finish in
      let ends = Box<[Int32]>([0, 0])
      _ = pipe(&ends.value)
      let seen = Box<[DescriptorWatcher.Events]>([])
      do {
        let reader = try DescriptorWatcher(loop, descriptor: ends.value[0])
        let writer = try DescriptorWatcher(loop, descriptor: ends.value[1])
        writer.onEvent = {
          seen.value.append($0)
          writer.watch([])
          _ = write(ends.value[1], "x", 1)
        }
        reader.onEvent = { events in
          // After a hang-up a pipe is also readable, because its end can be read.
          seen.value.append(events.contains(.disconnect) ? .disconnect : events)
          if events.contains(.disconnect) {
            reader.close()
            return finish(seen.value)
          }
          var byte: UInt8 = 0
          _ = read(ends.value[0], &byte, 1)
          writer.onClosed = { close(ends.value[1]) }
          writer.close()
        }
        reader.onClosed = { close(ends.value[0]) }
        reader.watch([.readable, .disconnect])
        writer.watch(.writable)
      } catch { finish([]) }
    }
    #expect(seen == [.writable, .readable, .disconnect])
  }

  @Test("A closed descriptor and a plain file can't be watched") func unwatchable() async {
    let errors: [Bool] = await onLoop { loop, finish in
      let file = open(#filePath, O_RDONLY)
      defer { close(file) }
      finish(
        [9999, file].map { descriptor in
          do throws(LoopError) {
            _ = try DescriptorWatcher(loop, descriptor: descriptor)
            return false
          } catch { return error.detail.contains("descriptor \(descriptor)") }
        })
    }
    #expect(errors == [true, true])
  }
}
