#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// Looks for records with Avahi's library inside the process: a server that publishes nothing, with a browser for each question.
  ///
  /// Records are asked for one by one, and not through Avahi's resolvers: those tell one address of a host only, and end the process when a
  /// stranger's SRV record names a host that is none (CVE-2021-3502).
  final class EmbeddedRecordSource: RecordSource {
    private let type: String
    private let choice: InterfaceChoice
    private let tell: (RecordEvent) -> Void
    private let poll: AvahiPollOnLoop
    private let outbox: LoopTimer
    private let retry: LoopTimer
    private var backOff = BackOff()
    private var network: NetworkWatcher!
    private var mail: [() -> Void] = []
    private var server: OpaquePointer?
    private var browser: OpaquePointer?
    private var searches: [Question: RecordSearch] = [:]
    private var isClosed = false

    /// - Parameter choice: of interfaces that exist; a loopback interface is used only when named.
    init(_ loop: EventLoop, _ choice: InterfaceChoice, type: String, tell: @escaping (RecordEvent) -> Void) {
      self.type = type
      self.choice = choice
      self.tell = tell
      poll = AvahiPollOnLoop(loop)
      outbox = LoopTimer(loop)
      retry = LoopTimer(loop)
      AvahiLog.install()
      // Its closures keep this object as long as it is open: Avahi has a pointer to it.
      outbox.onFire = { self.deliver() }
      retry.onFire = { [unowned self] in networkChanged() }
      network = NetworkWatcher(loop) { [unowned self] in networkChanged() }
      networkChanged()
    }

    func close() {
      guard !isClosed else { return }
      isClosed = true
      mail = []
      stopServer()
      network.close()
      outbox.close()
      retry.close()
    }

    func ask(_ question: Question) {
      guard let server, searches[question] == nil else { return }
      searches[question] = RecordSearch(question, server) { [unowned self] search, event in
        later {
          // Not of an earlier search for the same.
          if self.searches[question] === search { self.tell(event) }
        }
      }
    }

    func drop(_ question: Question) { searches.removeValue(forKey: question)?.close() }

    // MARK: The server

    private func networkChanged() {
      guard server == nil else { return }
      guard !choice.chosen(from: network.interfaces).isEmpty else { return lost(choice.absence) }
      retry.cancel()
      startServer()
    }

    private func startServer() {
      var config = AvahiServerConfig(choice, among: network.interfaces)
      config.disable_publishing = 1
      var error: Int32 = 0
      server = avahi_server_new(
        poll.api, &config,
        { _, state, userdata in
          guard state == AVAHI_SERVER_FAILURE else { return }
          let source = Unmanaged<EmbeddedRecordSource>.fromOpaque(userdata!).takeUnretainedValue()
          source.later { source.failed("the mDNS responder failed") }
        }, Unmanaged.passUnretained(self).toOpaque(), &error)
      avahi_server_config_free(&config)
      guard let server else { return failed("the mDNS responder can't start: \(avahiText(of: error))") }
      browser = avahi_s_service_browser_new(
        server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type, "local",
        AvahiLookupFlags(rawValue: 0),
        { _, interface, version, event, name, _, _, _, userdata in
          Unmanaged<EmbeddedRecordSource>.fromOpaque(userdata!).takeUnretainedValue()
            .heard(event, name, interface, version)
        }, Unmanaged.passUnretained(self).toOpaque())
      if browser == nil { return failed("the search can't start: \(avahiText(of: avahi_server_errno(server)))") }
      backOff.reset()
    }

    /// From within Avahi.
    private func heard(
      _ event: AvahiBrowserEvent, _ name: UnsafePointer<CChar>?, _ interface: AvahiIfIndex, _ version: AvahiProtocol
    ) {
      switch event {
      case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
        guard let name = name.flatMap({ String(validatingCString: $0) }) else { return }
        let link = Link(interface: UInt32(bitPattern: interface), version: version)
        later { self.tell(.instance(name, link, isThere: event == AVAHI_BROWSER_NEW)) }
      case AVAHI_BROWSER_FAILURE: later { self.failed("the search failed") }
      default: break  // all for now, cache exhausted
      }
    }

    private func failed(_ reason: String) {
      stopServer()
      retry.start(after: backOff.delay())
      lost(reason)
    }

    private func lost(_ reason: String) { later { self.tell(.lost(reason)) } }

    private func stopServer() {
      for search in searches.values { search.close() }
      searches = [:]
      if let browser { avahi_s_service_browser_free(browser) }
      browser = nil
      if let server { avahi_server_free(server) }
      server = nil
    }

    // MARK: News

    /// Outside of Avahi's calls, which don't bear being called back into.
    private func later(_ work: @escaping () -> Void) {
      if isClosed { return }
      mail.append(work)
      outbox.start(after: .zero)
    }

    private func deliver() {
      let mail = mail
      self.mail = []
      for work in mail where !isClosed { work() }
    }
  }

  /// A search for the records that answer one question.
  private final class RecordSearch {
    private static let mostData = 9000

    private let question: Question
    private let onEvent: (RecordSearch, RecordEvent) -> Void
    private var browser: OpaquePointer?

    /// - Parameter onEvent: called from within Avahi. No search is made for a name that is none.
    init(_ question: Question, _ server: OpaquePointer, onEvent: @escaping (RecordSearch, RecordEvent) -> Void) {
      self.question = question
      self.onEvent = onEvent
      guard let key = avahi_key_new(question.name, UInt16(AVAHI_DNS_CLASS_IN), question.type) else { return }
      defer { avahi_key_unref(key) }
      browser = avahi_s_record_browser_new(
        server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), key, AVAHI_LOOKUP_USE_MULTICAST,
        { _, interface, version, event, record, _, userdata in
          guard let record, event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE else { return }
          Unmanaged<RecordSearch>.fromOpaque(userdata!).takeUnretainedValue()
            .heard(
              record, Link(interface: UInt32(bitPattern: interface), version: version),
              isThere: event == AVAHI_BROWSER_NEW)
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func heard(_ record: UnsafeMutablePointer<AvahiRecord>, _ link: Link, isThere: Bool) {
      let data = [UInt8](unsafeUninitializedCapacity: Self.mostData) { buffer, count in
        let written = avahi_rdata_serialize(record, buffer.baseAddress, buffer.count)
        count = written <= buffer.count ? written : 0  // one that fails is told as the greatest number
      }
      onEvent(self, .record(question, link, data: data, isThere: isThere))
    }

    /// To be called while the server is there, and not from within Avahi.
    func close() {
      guard let browser else { return }
      self.browser = nil
      avahi_s_record_browser_free(browser)
    }
  }
#endif
