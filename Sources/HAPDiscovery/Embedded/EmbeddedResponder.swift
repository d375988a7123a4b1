#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// An mDNS responder inside the process: Avahi's own, on our loop, with neither a daemon nor D-Bus.
  ///
  /// It goes along with other responders on the machine: it claims no host name but those of its records, and no reverse
  /// name at all. (With Avahi's own publishing of addresses, a second responder on one machine would fight with the first
  /// over the reverse name for ever.) Stays open until `close()`.
  package final class EmbeddedResponder {
    package let loop: EventLoop
    /// Interfaces asked for by name; none means every one of the local network.
    private let wantedNames: [String]
    let usesIPv6: Bool
    private let poll: AvahiPollOnLoop
    private let outbox: LoopTimer
    private let watchman: LoopTimer
    private var mail: [() -> Void] = []
    private var records: [EmbeddedAdvertiser] = []
    private(set) var interfaces: [NetworkInterface] = []
    private(set) var server: OpaquePointer?
    private var isRunning = false
    private var isClosed = false
    /// What went wrong with the responder as a whole, while it has no running server.
    private var trouble: String?

    /// - Parameters:
    ///   - interfaces: names; empty means all that are up, can multicast, and are neither loopback nor point-to-point. A
    ///     loopback interface is used only when named.
    ///   - usesIPv6: whether to speak over IPv6 and to tell IPv6 addresses too.
    /// - Throws: `.noSuchInterface`.
    package init(_ loop: EventLoop, interfaces: [String] = [], usesIPv6: Bool = false) throws(LoopError) {
      for name in interfaces { _ = try NetworkInterface.named(name) }
      self.loop = loop
      wantedNames = interfaces
      self.usesIPv6 = usesIPv6
      poll = AvahiPollOnLoop(loop)
      outbox = LoopTimer(loop)
      watchman = LoopTimer(loop)
      AvahiLog.install()
      // Both closures keep this object as long as it is open: Avahi has a pointer to it.
      outbox.onFire = { self.deliver() }
      watchman.onFire = { self.lookAtInterfaces() }
      watchman.start(after: .seconds(5), repeat: .seconds(5))
      self.interfaces = currentInterfaces()
      startServer()
    }

    /// An advertiser for one more record.
    package func makeAdvertiser() -> any Advertiser {
      let advertiser = EmbeddedAdvertiser(self)
      records.append(advertiser)
      if isClosed { advertiser.close() }
      return advertiser
    }

    /// Withdraws every record with a goodbye, and ends. Any number of times, also from events.
    package func close() {
      guard !isClosed else { return }
      isClosed = true
      for record in records { record.close() }
      records = []
      mail = []
      stopServer()
      outbox.close()
      watchman.close()
    }

    func forget(_ advertiser: EmbeddedAdvertiser) { records.removeAll { $0 === advertiser } }

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
      if let trouble { return .impossible(trouble) }
      if isRunning, let server { return .ready(server) }
      return .starting
    }

    private func startServer() {
      trouble = nil
      guard !interfaces.isEmpty else {
        trouble =
          wantedNames.isEmpty
          ? "no network interface is up that can multicast" : "\(wantedNames.joined(separator: ", ")) is not up"
        return
      }
      var config = AvahiServerConfig()
      avahi_server_config_init(&config)
      for interface in interfaces {
        config.allow_interfaces = avahi_string_list_add(config.allow_interfaces, interface.name)
      }
      config.use_ipv4 = 1
      config.use_ipv6 = usesIPv6 ? 1 : 0
      config.publish_aaaa_on_ipv4 = 0
      config.publish_addresses = 0
      config.publish_hinfo = 0
      config.publish_workstation = 0
      config.publish_domain = 0
      config.enable_wide_area = 0
      var error: Int32 = 0
      server = avahi_server_new(
        poll.api, &config,
        { server, state, userdata in
          Unmanaged<EmbeddedResponder>.fromOpaque(userdata!).takeUnretainedValue().serverChanged(server, state)
        }, Unmanaged.passUnretained(self).toOpaque(), &error)
      avahi_server_config_free(&config)
      if server == nil {
        isRunning = false
        trouble = "the mDNS responder can't start: \(avahiText(of: error))"
      }
    }

    private func stopServer() {
      guard let server else { return }
      self.server = nil
      isRunning = false
      avahi_server_free(server)  // says goodbye for what is still there
    }

    /// Also called from within `avahi_server_new`, when `self.server` is not known yet.
    private func serverChanged(_ server: OpaquePointer?, _ state: AvahiServerState) {
      switch state {
      case AVAHI_SERVER_RUNNING:
        isRunning = true
        later { for record in self.records { record.register() } }
      case AVAHI_SERVER_COLLISION:
        // Of a host name that isn't published; a new one, and it goes on.
        let name = alternativeHostName(String(cString: avahi_server_get_host_name(server)))
        later { if let server = self.server { avahi_server_set_host_name(server, name) } }
      case AVAHI_SERVER_FAILURE:
        isRunning = false
        let reason = avahiText(of: avahi_server_errno(server))
        later {
          // The look at the interfaces tries again.
          for record in self.records { record.unregister() }
          self.stopServer()
          self.trouble = "the mDNS responder failed: \(reason)"
          for record in self.records { record.register() }
        }
      default:
        isRunning = false
      }
    }

    // MARK: Interfaces

    private func currentInterfaces() -> [NetworkInterface] {
      NetworkInterface.all().filter { interface in
        guard interface.isUp else { return false }
        if !wantedNames.isEmpty { return wantedNames.contains(interface.name) }
        return interface.canMulticast && !interface.isLoopback && !interface.isPointToPoint
      }
    }

    /// Interfaces come and go, and get other addresses; then all is published anew.
    private func lookAtInterfaces() {
      let current = currentInterfaces()
      guard current != interfaces || (server == nil && !current.isEmpty) else { return }
      interfaces = current
      restart()
    }

    private func restart() {
      for record in records { record.unregister() }
      stopServer()
      startServer()
      for record in records { record.register() }
    }
  }
#endif
