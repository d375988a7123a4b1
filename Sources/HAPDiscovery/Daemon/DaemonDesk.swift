import HAPLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes the calls to the daemon on a separate loop. The calls block until the daemon answers, and a daemon that hangs must not block an
/// accessory. Everything in it belongs to that loop's thread, unless stated otherwise.
// Safe: `loop` and `choice` are constants. `init`, `absence` and `close` can run on any thread; they access the other members only in work
// that they schedule on the loop. The other methods run on the loop: `DaemonRegistration` and `DeskConversations` get there by `schedule`,
// and their timers trap on any other thread.
final class DaemonDesk: @unchecked Sendable {
  let loop: EventLoop
  let choice: InterfaceChoice
  private(set) lazy var selfCheck = SelfCheck(loop) { [unowned self] isOn in
    isBrowsing = isOn
    browse()
  }
  private var registrations: [ObjectIdentifier: DaemonRegistration] = [:]
  private var network: (any InterfaceWatch)?
  private var browser: ServiceReference?
  private lazy var browserRetry = LoopTimer(loop) { [unowned self] in browse() }
  private var isBrowsing = false

  /// Starts the loop. Callable from any thread.
  init(_ choice: InterfaceChoice) {
    self.choice = choice
    // Otherwise Avahi's library prints a warning about its use to standard error.
    setenv("AVAHI_COMPAT_NOWARN", "1", 0)
    loop = EventLoop(name: "dns-sd")
    loop.start()
    loop.schedule { self.open() }
  }

  private func open() {
    if choice.names.isEmpty { return }
    network = loop.driver.watchInterfaces(of: loop) { [unowned self] in
      for registration in registrations.values { registration.interfacesChanged() }
    }
  }

  /// Checks within a time limit whether a daemon answers. Callable from any thread except the loop's.
  /// - Returns: the reason why it doesn't answer; nil if it does.
  func absence(waitingAtMost limit: Duration) -> String? {
    let answer: String?? = loop.perform(waitingAtMost: limit) {
      do throws(DaemonError) {
        try ServiceReference.browse("_hap._tcp", on: self.loop) { _ in }.close()
        return nil
      } catch {
        return error.description
      }
    }
    return answer ?? "the mDNS daemon has not answered for \(limit.components.seconds) s"
  }

  /// Withdraws everything and ends the loop. Waits at most 3 s for that. A daemon that hangs detects the end of the process itself.
  /// Callable from any thread except the loop's.
  func close() {
    let done: Bool? = loop.perform(waitingAtMost: .seconds(3)) {
      for registration in self.registrations.values { registration.close() }
      self.registrations = [:]
      self.browserRetry.close()
      self.browser?.close()
      self.network?.close()
      return true
    }
    if done != nil { loop.stop() }
  }

  /// The interfaces to register on; 0 means all. nil: none of the named interfaces exists.
  var interfaces: [UInt32]? {
    if choice.names.isEmpty { return [0] }
    let chosen = choice.chosen(from: network?.interfaces ?? []).map(\.index)
    return chosen.isEmpty ? nil : chosen
  }

  func registration(_ id: ObjectIdentifier) -> DaemonRegistration {
    if let there = registrations[id] { return there }
    let new = DaemonRegistration(self)
    registrations[id] = new
    return new
  }

  func forget(_ id: ObjectIdentifier) { registrations.removeValue(forKey: id)?.close() }

  // MARK: Self-check

  /// Browses on all interfaces, as a controller on this machine would.
  private func browse() {
    browserRetry.cancel()
    browser?.close()
    browser = nil
    guard isBrowsing else { return }
    browser = try? ServiceReference.browse("_hap._tcp", on: loop) { [unowned self] reply in
      switch reply {
      case .found(let name, _): selfCheck.appeared(name)
      case .gone(let name, _): selfCheck.disappeared(name)
      case .failed: browserRetry.start(after: .seconds(1))
      case .registered, .record: break
      }
    }
    if browser == nil { browserRetry.start(after: .seconds(1)) }
  }
}
