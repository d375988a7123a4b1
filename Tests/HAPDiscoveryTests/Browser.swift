#if canImport(CAvahi)
  import CAvahi
  import HAPLoop
  import Synchronization

  @testable import HAPDiscovery

  /// Looks at the network as another machine would: a responder without records of its own, on a loop of its own.
  final class Browser: @unchecked Sendable {
    struct Seen: Equatable, Sendable {
      var host: String
      var port: UInt16
      var txt: [String]
      var addresses: Set<String>
    }

    private struct Wish {
      var condition: ([String: Seen]) -> Bool
      var done: ([String: Seen]) -> Void
    }

    private let loop = EventLoop(name: "browser")
    // Of the loop's thread.
    private var poll: AvahiPollOnLoop?
    private var server: OpaquePointer?
    private var resolvers: [String: OpaquePointer] = [:]
    private var seen: [String: Seen] = [:]
    private var wishes: [Wish] = []

    init(interface: String) throws {
      loop.start()
      try loop.performAndWait { self.start(interface) }
    }

    /// Waits until what is seen by name fulfils `condition`.
    func seen(when condition: @escaping @Sendable ([String: Seen]) -> Bool) async -> [String: Seen] {
      await withCheckedContinuation { continuation in
        loop.schedule {
          self.wishes.append(Wish(condition: condition) { continuation.resume(returning: $0) })
          self.look()
        }
      }
    }

    func close() throws {
      try loop.performAndWait {
        avahi_server_free(self.server)
        self.server = nil
      }
      loop.stop()
    }

    private func start(_ interface: String) {
      AvahiLog.install()
      let poll = AvahiPollOnLoop(loop)
      self.poll = poll
      var config = AvahiServerConfig()
      avahi_server_config_init(&config)
      config.allow_interfaces = avahi_string_list_add(nil, interface)
      config.use_ipv6 = 0
      config.disable_publishing = 1
      config.publish_addresses = 0
      config.publish_hinfo = 0
      config.publish_workstation = 0
      config.publish_domain = 0
      config.enable_wide_area = 0
      var error: Int32 = 0
      server = avahi_server_new(poll.api, &config, { _, _, _ in }, nil, &error)
      avahi_server_config_free(&config)
      avahi_s_service_browser_new(
        server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_INET), "_hap._tcp", nil,
        AvahiLookupFlags(rawValue: 0),
        { _, interface, proto, event, name, _, _, _, userdata in
          guard let name else { return }
          Unmanaged<Browser>.fromOpaque(userdata!).takeUnretainedValue()
            .changed(event, String(cString: name), interface, proto)
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func changed(_ event: AvahiBrowserEvent, _ name: String, _ interface: AvahiIfIndex, _ proto: AvahiProtocol)
    {
      switch event {
      case AVAHI_BROWSER_NEW:
        // A resolver that is kept tells of every change.
        resolvers[name] = avahi_s_service_resolver_new(
          server, interface, proto, name, "_hap._tcp", nil, AvahiProtocol(AVAHI_PROTO_INET),
          AvahiLookupFlags(rawValue: 0),
          { _, _, _, event, name, _, _, host, address, port, txt, _, userdata in
            guard event == AVAHI_RESOLVER_FOUND, let name, let host, let address else { return }
            Unmanaged<Browser>.fromOpaque(userdata!).takeUnretainedValue()
              .found(String(cString: name), String(cString: host), address.pointee, port, txt)
          }, Unmanaged.passUnretained(self).toOpaque())
      case AVAHI_BROWSER_REMOVE:
        if let resolver = resolvers.removeValue(forKey: name) { avahi_s_service_resolver_free(resolver) }
        seen[name] = nil
        look()
      default: break
      }
    }

    private func found(
      _ name: String, _ host: String, _ address: AvahiAddress, _ port: UInt16,
      _ txt: UnsafeMutablePointer<AvahiStringList>?
    ) {
      var strings: [String] = []
      var next = txt
      while let entry = next {
        let text = UnsafeBufferPointer(
          start: avahi_string_list_get_text(entry), count: avahi_string_list_get_size(entry))
        strings.append(String(decoding: text, as: UTF8.self))
        next = avahi_string_list_get_next(entry)
      }
      var address = address
      var buffer = [CChar](repeating: 0, count: 64)
      avahi_address_snprint(&buffer, buffer.count, &address)
      let text = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      // Reading a record turns its order round.
      seen[name] = Seen(host: host, port: port, txt: strings.reversed(), addresses: [text])
      look()
    }

    private func look() {
      let seen = seen
      let fulfilled = wishes.filter { $0.condition(seen) }
      wishes.removeAll { $0.condition(seen) }
      for wish in fulfilled { wish.done(seen) }
    }
  }
#endif
