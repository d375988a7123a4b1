#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// An mDNS responder inside the process: Avahi's own, on our loop, with neither a daemon nor D-Bus.
  ///
  /// It goes along with other responders on the machine: it claims no host name but those of its records, and no reverse
  /// name at all. (With Avahi's own publishing of addresses, a second responder on one machine would fight with the first
  /// over the reverse name for ever.) Stays open until `close()`.
  package final class EmbeddedResponder: Responder {
    package let loop: EventLoop
    private let choice: InterfaceChoice
    private let poll: AvahiPollOnLoop
    private let outbox: LoopTimer
    private let retry: LoopTimer
    private var backOff = BackOff()
    private var network: NetworkWatcher!
    private var mail: [() -> Void] = []
    /// By their numbers, since there may be thousands.
    private var records: [Int: EmbeddedAdvertiser] = [:]
    private var lastNumber = 0
    /// Those whose names are being probed for and told the first time: the others wait, in their order.
    private var beginning: Set<Int> = []
    private var waiting: [Int] = []
    /// Avahi looks through all that are being probed for with each of them, and the network need not hear of a thousand names in one second.
    private static let mostBeginning = 128
    /// Those that are advertised on.
    private(set) var interfaces: [NetworkInterface] = []
    private(set) var server: OpaquePointer?
    private var isRunning = false
    private var isClosed = false
    /// What went wrong with the server, while there is none.
    private var trouble: String?
    private(set) var selfCheck: SelfCheck!
    private var browser: OpaquePointer?

    /// - Parameter interfaces: names; empty means all that are up, can multicast, and are neither loopback nor point-to-point. A
    ///   loopback interface is used only when named.
    /// - Throws: `.noSuchInterface`.
    package init(_ loop: EventLoop, interfaces: [String] = []) throws(LoopError) {
      for name in interfaces { _ = try NetworkInterface.named(name) }
      self.loop = loop
      choice = InterfaceChoice(interfaces)
      poll = AvahiPollOnLoop(loop)
      outbox = LoopTimer(loop)
      retry = LoopTimer(loop)
      AvahiLog.install()
      // Its closures keep this object as long as it is open: Avahi has a pointer to it.
      outbox.onFire = { self.deliver() }
      retry.onFire = { [unowned self] in networkChanged() }
      network = NetworkWatcher(loop) { [unowned self] in networkChanged() }
      selfCheck = SelfCheck(loop) { [unowned self] isOn in setBrowsing(isOn) }
      networkChanged()
    }

    /// An advertiser for one more record.
    package func makeAdvertiser() -> any Advertiser {
      lastNumber += 1
      let advertiser = EmbeddedAdvertiser(self, number: lastNumber)
      records[lastNumber] = advertiser
      if isClosed { advertiser.close() }
      return advertiser
    }

    package func close() {
      guard !isClosed else { return }
      isClosed = true
      // Of thousands not all are said goodbye for: it would take minutes, and nobody waits that long for a process to end.
      let deadline = loop.now + Self.farewell
      var isInTime = true
      for record in inOrder where isInTime {
        record.close()
        isInTime = EventLoop.readClock() < deadline
      }
      if isInTime {
        stopServer()
        records = [:]
      } else {
        // Avahi has pointers to all of them until the process ends.
        _ = Unmanaged.passRetained(self)
      }
      mail = []
      network.close()
      outbox.close()
      retry.close()
    }

    func forget(_ advertiser: EmbeddedAdvertiser) { records[advertiser.number] = nil }

    /// As they were made: of two with one name the first has it.
    private var inOrder: [EmbeddedAdvertiser] { records.sorted { $0.key < $1.key }.map(\.value) }

    /// How long the end may take: three seconds.
    private static let farewell: UInt64 = 3_000_000_000

    /// Whether a record may begin now. Otherwise it is refreshed when it may.
    func admits(_ advertiser: EmbeddedAdvertiser) -> Bool {
      if beginning.contains(advertiser.number) { return true }
      guard beginning.count < Self.mostBeginning else {
        if !waiting.contains(advertiser.number) { waiting.append(advertiser.number) }
        return false
      }
      beginning.insert(advertiser.number)
      return true
    }

    /// A record is up, or has been given up: another one may begin.
    func hasBegun(_ advertiser: EmbeddedAdvertiser) {
      guard beginning.remove(advertiser.number) != nil, !waiting.isEmpty else { return }
      let next = waiting.removeFirst()
      later { self.records[next]?.refresh() }
    }

    /// Tells events and mends what has to be mended outside of Avahi's calls, which don't bear being called back into.
    func later(_ work: @escaping () -> Void) {
      if isClosed { return }
      mail.append(work)
      outbox.start(after: .zero)
    }

    private func deliver() {
      let mail = mail
      self.mail = []
      for work in mail where !isClosed { work() }
    }

    // MARK: The server

    /// The server, once it takes records; otherwise why it doesn't.
    enum Readiness {
      case ready(OpaquePointer)
      /// It will say when it is.
      case starting
      case impossible(String)
    }

    var readiness: Readiness {
      if interfaces.isEmpty { return .impossible(choice.absence) }
      if let trouble { return .impossible(trouble) }
      if isRunning, let server { return .ready(server) }
      return .starting
    }

    /// Interfaces and addresses come and go. The server minds interfaces by itself, the records mind their addresses.
    private func networkChanged() {
      interfaces = choice.chosen(from: network.interfaces)
      if server == nil, !interfaces.isEmpty { startServer() }
      for record in inOrder { record.refresh() }
    }

    private func startServer() {
      trouble = nil
      var config = AvahiServerConfig(choice, among: network.interfaces)
      var error: Int32 = 0
      server = avahi_server_new(
        poll.api, &config,
        { server, state, userdata in
          Unmanaged<EmbeddedResponder>.fromOpaque(userdata!).takeUnretainedValue().serverChanged(server, state)
        }, Unmanaged.passUnretained(self).toOpaque(), &error)
      avahi_server_config_free(&config)
      if server == nil { failed("the mDNS responder can't start: \(avahiText(of: error))") }
    }

    private func failed(_ reason: String) {
      trouble = reason
      isRunning = false
      retry.start(after: backOff.delay())
    }

    private func stopServer() {
      guard let server else { return }
      setBrowsing(false)
      self.server = nil
      isRunning = false
      avahi_server_free(server)  // says goodbye for what is still there
    }

    /// Also called from within `avahi_server_new`, when `self.server` is not known yet.
    private func serverChanged(_ server: OpaquePointer?, _ state: AvahiServerState) {
      switch state {
      case AVAHI_SERVER_RUNNING:
        isRunning = true
        backOff.reset()
        later { for record in self.inOrder { record.refresh() } }
      case AVAHI_SERVER_COLLISION:
        // Of a host name that isn't published; a new one, and it goes on.
        let name = AlternativeName.ofHost(String(cString: avahi_server_get_host_name(server)))
        later { if let server = self.server { avahi_server_set_host_name(server, name) } }
      case AVAHI_SERVER_FAILURE:
        isRunning = false
        let reason = avahiText(of: avahi_server_errno(server))
        later {
          for record in self.inOrder { record.unregister() }
          self.stopServer()
          self.failed("the mDNS responder failed: \(reason)")
          for record in self.inOrder { record.refresh() }
        }
      default:
        isRunning = false
      }
    }

    // MARK: The look at ourselves

    /// The browser learns from packets alone, and sees those that the machine gives back to itself: what it finds has left on the network.
    private func setBrowsing(_ isOn: Bool) {
      if let browser {
        avahi_s_service_browser_free(browser)
        self.browser = nil
      }
      guard isOn, let server else { return }
      browser = avahi_s_service_browser_new(
        server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), "_hap._tcp", nil,
        AvahiLookupFlags(rawValue: 0),
        { _, _, _, event, name, _, _, _, userdata in
          guard let name else { return }
          let responder = Unmanaged<EmbeddedResponder>.fromOpaque(userdata!).takeUnretainedValue()
          let seen = String(cString: name)
          switch event {
          case AVAHI_BROWSER_NEW: responder.later { responder.selfCheck.appeared(seen) }
          case AVAHI_BROWSER_REMOVE: responder.later { responder.selfCheck.disappeared(seen) }
          default: break
          }
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }
#endif
