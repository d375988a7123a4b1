import HAPLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the calls to the daemon are made: on a loop of their own, since they wait for its answers, and a daemon that hangs must not hold up
/// an accessory. All of it belongs to that loop's thread, except where it says otherwise.
// Safe: `loop` and `choice` are constants. `init`, `absence` and `close` may come from any thread, and use the rest in work that they give to the
// loop. The others call from the loop: `DaemonRegistration` and `DeskConversations` get there by `schedule`, and the timers that all of them
// make trap on any other thread.
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

  /// Starts the loop. From any thread.
  init(_ choice: InterfaceChoice) {
    self.choice = choice
    // Avahi's library would otherwise advise the user, on standard error, to use another one.
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

  /// Whether a daemon answers, asked with a limit on the time. From any thread but the loop's.
  /// - Returns: why not; nil when it does.
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

  /// Takes everything back and ends the loop. Waits for it a little; a daemon that hangs notices by itself when the process is gone.
  /// From any thread but the loop's.
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

  /// Those to register on; 0 is all of them. nil: of those wanted there is none.
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

  // MARK: The look at ourselves

  /// On all interfaces, as a controller on this machine would.
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
