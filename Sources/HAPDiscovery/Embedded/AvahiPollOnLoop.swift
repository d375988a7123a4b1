#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Avahi's idea of a main loop, on ours: all its callbacks come on the loop's thread, so nothing needs a lock.
  final class AvahiPollOnLoop {
    let loop: EventLoop
    /// What Avahi is given; valid as long as this object.
    let api: UnsafeMutablePointer<AvahiPoll>

    init(_ loop: EventLoop) {
      self.loop = loop
      api = .allocate(capacity: 1)
      api.initialize(
        to: AvahiPoll(
          userdata: nil,
          watch_new: { api, descriptor, events, callback, userdata in
            Watch.make(AvahiPollOnLoop.of(api).loop, descriptor, events, callback, userdata)
          },
          watch_update: { Watch.of($0!).watch($1) },
          watch_get_events: { Watch.of($0!).happened },
          watch_free: { Unmanaged<Watch>.fromOpaque(UnsafeRawPointer($0!)).takeRetainedValue().free() },
          timeout_new: { api, time, callback, userdata in
            let timeout = Timeout(AvahiPollOnLoop.of(api).loop, callback, userdata)
            timeout.schedule(time)
            return OpaquePointer(Unmanaged.passRetained(timeout).toOpaque())
          },
          timeout_update: { Timeout.of($0!).schedule($1) },
          timeout_free: { Unmanaged<Timeout>.fromOpaque(UnsafeRawPointer($0!)).takeRetainedValue().free() }))
      api.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { api.deallocate() }

    private static func of(_ api: UnsafePointer<AvahiPoll>?) -> AvahiPollOnLoop {
      Unmanaged<AvahiPollOnLoop>.fromOpaque(api!.pointee.userdata).takeUnretainedValue()
    }
  }

  /// A descriptor of Avahi's.
  private final class Watch {
    private let watcher: DescriptorWatcher
    private let descriptor: Int32
    private let callback: AvahiWatchCallback?
    private let userdata: UnsafeMutableRawPointer?
    private var wanted: DescriptorWatcher.Events = []
    /// What the callback that is under way is about.
    private(set) var happened = AvahiWatchEvent(rawValue: 0)

    /// - Returns: nil when the descriptor can't be watched, which Avahi takes as a failure.
    static func make(
      _ loop: EventLoop, _ descriptor: Int32, _ events: AvahiWatchEvent, _ callback: AvahiWatchCallback?,
      _ userdata: UnsafeMutableRawPointer?
    ) -> OpaquePointer? {
      guard let watcher = try? DescriptorWatcher(loop, descriptor: descriptor) else { return nil }
      let watch = Watch(watcher, descriptor, callback, userdata)
      watch.watch(events)
      return OpaquePointer(Unmanaged.passRetained(watch).toOpaque())
    }

    private init(
      _ watcher: DescriptorWatcher, _ descriptor: Int32, _ callback: AvahiWatchCallback?,
      _ userdata: UnsafeMutableRawPointer?
    ) {
      self.watcher = watcher
      self.descriptor = descriptor
      self.callback = callback
      self.userdata = userdata
      watcher.onEvent = { self.tell($0) }
    }

    static func of(_ pointer: OpaquePointer) -> Watch {
      Unmanaged<Watch>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    func watch(_ events: AvahiWatchEvent) {
      wanted = []
      if events.rawValue & AVAHI_WATCH_IN.rawValue != 0 { wanted.insert(.readable) }
      if events.rawValue & AVAHI_WATCH_OUT.rawValue != 0 { wanted.insert(.writable) }
      if events.rawValue & AVAHI_WATCH_HUP.rawValue != 0 { wanted.insert(.disconnect) }
      watcher.watch(wanted)
    }

    func free() { watcher.close() }

    private func tell(_ events: DescriptorWatcher.Events) {
      var happened: UInt32 = 0
      if events.contains(.readable) { happened |= AVAHI_WATCH_IN.rawValue }
      if events.contains(.writable) { happened |= AVAHI_WATCH_OUT.rawValue }
      if events.contains(.disconnect) { happened |= AVAHI_WATCH_HUP.rawValue }
      if events.contains(.failure) {
        // Asking for a socket's error takes it away; else it would be told for ever. Then watching goes on.
        happened |= AVAHI_WATCH_ERR.rawValue
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        watcher.watch(wanted)
      }
      self.happened = AvahiWatchEvent(rawValue: happened)
      callback?(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), descriptor, self.happened, userdata)
      self.happened = AvahiWatchEvent(rawValue: 0)
    }
  }

  /// A wake-up time of Avahi's.
  private final class Timeout {
    private let timer: LoopTimer
    private let callback: AvahiTimeoutCallback?
    private let userdata: UnsafeMutableRawPointer?
    /// Whether it was last scheduled for a time that is over.
    private var isDue = false

    /// How long it goes on at once with what is due.
    private static let slice: UInt64 = 4_000_000

    init(_ loop: EventLoop, _ callback: AvahiTimeoutCallback?, _ userdata: UnsafeMutableRawPointer?) {
      timer = LoopTimer(loop)
      self.callback = callback
      self.userdata = userdata
      timer.onFire = { self.fire() }
    }

    /// Avahi does one of the things that are due, and wants to be woken up for the next at a time that is over: with a thousand records there are some
    /// ten thousand of them a second, and a timer of the loop takes a millisecond each.
    private func fire() {
      let end = EventLoop.readClock() + Self.slice
      repeat {
        isDue = false
        callback?(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), userdata)
      } while isDue && EventLoop.readClock() < end
    }

    static func of(_ pointer: OpaquePointer) -> Timeout {
      Unmanaged<Timeout>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    /// - Parameter time: by the wall clock, as Avahi counts; nil is never.
    func schedule(_ time: UnsafePointer<timeval>?) {
      isDue = false
      guard let time = time?.pointee else { return timer.cancel() }
      var now = timeval()
      gettimeofday(&now, nil)
      let left = Duration.seconds(time.tv_sec - now.tv_sec) + .microseconds(Int64(time.tv_usec) - Int64(now.tv_usec))
      isDue = left <= .zero
      timer.start(after: left)
    }

    func free() {
      isDue = false
      timer.close()
    }
  }
#endif
