#if canImport(CAvahi)
  import CAvahi
  import Foundation
  import HAPLoop
  import Synchronization
  import Testing

  @testable import HAPDiscovery

  /// What Avahi's callbacks are given here: a closure. It stays for the rest of the process.
  private final class Callback: @unchecked Sendable {
    private static let all = Mutex<[Callback]>([])

    let run: (OpaquePointer, UInt32) -> Void

    init(_ run: @escaping (OpaquePointer, UInt32) -> Void) {
      self.run = run
      Self.all.withLock { $0.append(self) }
    }

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let watch: AvahiWatchCallback = { watch, _, event, userdata in
      Unmanaged<Callback>.fromOpaque(userdata!).takeUnretainedValue().run(watch!, event.rawValue)
    }
    static let timeout: AvahiTimeoutCallback = { timeout, userdata in
      Unmanaged<Callback>.fromOpaque(userdata!).takeUnretainedValue().run(timeout!, 0)
    }
  }

  private func wallClock(plus milliseconds: Int) -> timeval {
    var time = timeval()
    gettimeofday(&time, nil)
    let microseconds = Int(time.tv_usec) + milliseconds * 1000
    let seconds = Int((Double(microseconds) / 1_000_000).rounded(.down))
    return timeval(
      tv_sec: time.tv_sec + seconds, tv_usec: suseconds_t(microseconds - seconds * 1_000_000))
  }

  @Suite(.timeLimit(.minutes(2))) struct PollTests {
    /// Runs `body` on a loop with a poll of its own until it finishes, and checks that no handle is left.
    private func onPoll<T: Sendable>(
      _ body: @escaping @Sendable (UnsafeMutablePointer<AvahiPoll>, _ finish: @escaping (T) -> Void) -> Void
    ) async -> T {
      let loop = EventLoop(name: "poll")
      loop.start()
      let result: T = await withCheckedContinuation { continuation in
        loop.schedule {
          let poll = AvahiPollOnLoop(loop)
          body(poll.api) { result in
            // Closing takes until the end of the next turn.
            let timer = LoopTimer(loop)
            timer.onFire = {
              withExtendedLifetime(poll) {}
              #expect(loop.openHandleCount == 1)
              timer.close()
              continuation.resume(returning: result)
            }
            timer.start(after: .milliseconds(2))
          }
        }
      }
      loop.stop()
      return result
    }

    @Test("A timeout fires at its time on the wall clock, not before, and once until it is set again") func timeouts()
      async
    {
      let times: [Double] = await onPoll { api, finish in
        var times: [Double] = []
        let start = Date().timeIntervalSince1970
        var due = wallClock(plus: 20)
        let callback = Callback { timeout, _ in
          times.append(Date().timeIntervalSince1970 - start)
          if times.count == 2 {
            api.pointee.timeout_free(timeout)
            return finish(times)
          }
          var next = wallClock(plus: 10)
          api.pointee.timeout_update(timeout, &next)
        }
        _ = api.pointee.timeout_new(api, &due, Callback.timeout, callback.pointer)
      }
      #expect(times[0] >= 0.0199 && times[1] >= times[0] + 0.0099)
    }

    @Test("A timeout in the past fires at once; one without a time never does, until it gets one") func pastAndNever()
      async
    {
      let order: [String] = await onPoll { api, finish in
        var order: [String] = []
        var past = wallClock(plus: -5_000_000)
        let never = Callback { timeout, _ in
          order.append("never")
          api.pointee.timeout_free(timeout)
          finish(order)
        }
        let neverTimeout = api.pointee.timeout_new(api, nil, Callback.timeout, never.pointer)
        let first = Callback { timeout, _ in
          order.append("past")
          api.pointee.timeout_update(timeout, nil)
          api.pointee.timeout_free(timeout)
          var now = wallClock(plus: 0)
          api.pointee.timeout_update(neverTimeout, &now)
        }
        _ = api.pointee.timeout_new(api, &past, Callback.timeout, first.pointer)
      }
      #expect(order == ["past", "never"])
    }

    @Test("A timeout that is freed or taken back before its time stays silent") func freed() async {
      let fired: Int = await onPoll { api, finish in
        var fired = 0
        var soon = wallClock(plus: 1)
        let count = Callback { _, _ in fired += 1 }
        let one = api.pointee.timeout_new(api, &soon, Callback.timeout, count.pointer)
        let other = api.pointee.timeout_new(api, &soon, Callback.timeout, count.pointer)
        api.pointee.timeout_free(one)
        api.pointee.timeout_update(other, nil)
        var later = wallClock(plus: 10)
        let last = Callback { timeout, _ in
          api.pointee.timeout_free(timeout)
          api.pointee.timeout_free(other)
          finish(fired)
        }
        _ = api.pointee.timeout_new(api, &later, Callback.timeout, last.pointer)
      }
      #expect(fired == 0)
    }

    @Test("A watch tells what happened, also when asked within the callback, and can be changed and freed there")
    func watches() async {
      let seen: [UInt32] = await onPoll { api, finish in
        var ends: [Int32] = [0, 0]
        _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let (near, far) = (ends[0], ends[1])
        var seen: [UInt32] = []
        let callback = Callback { watch, event in
          seen.append(event)
          #expect(api.pointee.watch_get_events(watch).rawValue == event)
          if seen.count == 1 {
            api.pointee.watch_update(watch, AVAHI_WATCH_IN)
            _ = write(far, "x", 1)
            return
          }
          api.pointee.watch_free(watch)
          close(near)
          close(far)
          finish(seen)
        }
        let watch = api.pointee.watch_new(api, near, AVAHI_WATCH_OUT, Callback.watch, callback.pointer)
        #expect(api.pointee.watch_get_events(watch).rawValue == 0)
      }
      #expect(seen == [AVAHI_WATCH_OUT.rawValue, AVAHI_WATCH_IN.rawValue])
    }

    @Test("A descriptor that can't be watched gives no watch") func unwatchable() async {
      let isNil: Bool = await onPoll { api, finish in
        finish(api.pointee.watch_new(api, 9999, AVAHI_WATCH_IN, Callback.watch, nil) == nil)
      }
      #expect(isNil)
    }

    @Test("A thousand watches and timeouts come and go, and no handle is left") func many() async {
      let done: Bool = await onPoll { api, finish in
        for _ in 0..<1000 {
          var ends: [Int32] = [0, 0]
          _ = pipe(&ends)
          var soon = wallClock(plus: 1)
          let timeout = api.pointee.timeout_new(api, &soon, Callback.timeout, nil)
          let watch = api.pointee.watch_new(api, ends[0], AVAHI_WATCH_IN, Callback.watch, nil)
          api.pointee.watch_free(watch)
          api.pointee.timeout_free(timeout)
          ends.forEach { close($0) }
        }
        finish(true)
      }
      #expect(done)
    }
  }
#endif
