#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// One record of an embedded responder.
  final class EmbeddedAdvertiser: Advertiser {
    /// More names than these are not tried: something is answering to every one.
    private static let mostRenames = 64

    private let responder: EmbeddedResponder
    private var record: ServiceRecord?
    private var events: ((AdvertisementEvent) -> Void)?
    /// As they are now, after renaming.
    private var name = ""
    private var host = ""
    private var renames = 0
    /// Counts what was published, so that news of an earlier record is not told to the next.
    private var edition = 0
    private var group: OpaquePointer?
    /// The failure told last, which isn't told again while it lasts.
    private var lastFailure: String?
    private var isClosed = false

    init(_ responder: EmbeddedResponder) { self.responder = responder }

    func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
      guard !isClosed else { return }
      withdraw()
      self.events = events
      do throws(RecordError) {
        try record.check()
      } catch {
        return tell(.failed(error.description))
      }
      self.record = record
      name = record.name
      host = record.host
      renames = 0
      register()
    }

    func update(txt pairs: [(key: String, value: String)]) {
      let txt = TextRecord(pairs)
      guard let record, record.txt != txt else { return }
      do throws(RecordError) {
        try txt.check()
      } catch {
        return tell(.failed(error.description))
      }
      self.record?.txt = txt
      guard let group, case .ready(let server) = responder.readiness else { return }
      let status = withAvahiStrings(txt.strings) { list in
        avahi_server_update_service_txt_strlst(
          server, group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AvahiPublishFlags(rawValue: 0),
          name, record.type, nil, list)
      }
      if status < 0 { tell(.failed("the TXT record can't be changed: \(avahiText(of: status))")) }
    }

    func withdraw() {
      edition += 1
      record = nil
      events = nil
      lastFailure = nil
      unregister()
    }

    func close() {
      guard !isClosed else { return }
      isClosed = true
      withdraw()
      responder.forget(self)
    }

    /// Takes the record's entries from the server, which says goodbye for them.
    func unregister() {
      guard let group else { return }
      self.group = nil
      avahi_s_entry_group_free(group)
    }

    /// Gives the record to the server, if there is one and it is ready.
    func register() {
      guard let record, group == nil else { return }
      switch responder.readiness {
      case .starting: return
      case .impossible(let reason): tell(.failed(reason))
      case .ready(let server):
        group = avahi_s_entry_group_new(
          server,
          { _, _, state, userdata in
            Unmanaged<EmbeddedAdvertiser>.fromOpaque(userdata!).takeUnretainedValue().groupChanged(state)
          }, Unmanaged.passUnretained(self).toOpaque())
        guard let group else { return tell(.failed("no entry group: \(avahiText(of: avahi_server_errno(server)))")) }
        fill(group, server, record)
      }
    }

    /// Adds the record's entries, under another name when one of ours has it already.
    private func fill(_ group: OpaquePointer, _ server: OpaquePointer, _ record: ServiceRecord) {
      while true {
        let status = add(record, to: group, of: server)
        if status == Int32(AVAHI_OK) { return }
        avahi_s_entry_group_reset(group)
        if status != Int32(AVAHI_ERR_COLLISION) {
          return fail("\(name) can't be advertised: \(avahiText(of: status))")
        }
        guard rename() else { return }
      }
    }

    /// - Returns: a status of Avahi's.
    private func add(_ record: ServiceRecord, to group: OpaquePointer, of server: OpaquePointer) -> Int32 {
      let places = addresses(of: record)
      if places.isEmpty { return Int32(AVAHI_ERR_INVALID_ADDRESS) }
      for (interface, address) in places {
        var value = AvahiAddress(address)
        let status = avahi_server_add_address(
          server, group, interface, AvahiProtocol(responder.usesIPv6 ? AVAHI_PROTO_UNSPEC : AVAHI_PROTO_INET),
          AVAHI_PUBLISH_NO_REVERSE, "\(host).local", &value)
        if status < 0 { return status }
      }
      let status = withAvahiStrings(record.txt.strings) { list in
        avahi_server_add_service_strlst(
          server, group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AvahiPublishFlags(rawValue: 0),
          name, record.type, nil, "\(host).local", record.port, list)
      }
      return status < 0 ? status : avahi_s_entry_group_commit(group)
    }

    /// The addresses to tell, each with the interface it is told on.
    private func addresses(of record: ServiceRecord) -> [(AvahiIfIndex, IPAddress)] {
      let interfaces = responder.interfaces
      var places: [(AvahiIfIndex, IPAddress)] = []
      for interface in interfaces {
        let own = interface.addresses
        let told =
          record.addresses.isEmpty
          ? own
          : record.addresses.filter { address in
            own.contains(address) || !interfaces.contains { $0.addresses.contains(address) }
          }
        for address in told where address.isV4 || responder.usesIPv6 {
          places.append((AvahiIfIndex(interface.index), address))
        }
      }
      return places
    }

    private func groupChanged(_ state: AvahiEntryGroupState) {
      switch state {
      case AVAHI_ENTRY_GROUP_ESTABLISHED:
        tell(.established(name))
      case AVAHI_ENTRY_GROUP_COLLISION:
        let edition = edition
        let collided = group
        responder.later {
          guard edition == self.edition, let record = self.record, let group = self.group, group == collided,
            case .ready(let server) = self.responder.readiness
          else { return }
          avahi_s_entry_group_reset(group)
          if self.rename() { self.fill(group, server, record) }
        }
      case AVAHI_ENTRY_GROUP_FAILURE:
        fail("\(name) can't be advertised: the responder gave it up")
      default: break  // uncommitted, registering
      }
    }

    /// Goes on to the next name. Avahi does not say whether service or host collided, so both get another; nobody sees
    /// the host's.
    /// - Returns: false when there have been too many.
    private func rename() -> Bool {
      guard renames < Self.mostRenames else {
        fail("the name \(record?.name ?? name) is taken, and so are \(renames) others made of it")
        return false
      }
      renames += 1
      let old = name
      name = alternativeServiceName(name)
      host = alternativeHostName(host)
      tell(.renamed(from: old, to: name))
      return true
    }

    private func fail(_ reason: String) {
      tell(.failed(reason))
      let edition = edition
      // Not at once: this may be a call from within the group.
      responder.later { if edition == self.edition { self.unregister() } }
    }

    private func tell(_ event: AdvertisementEvent) {
      switch event {
      case .failed(let reason):
        if reason == lastFailure { return }
        lastFailure = reason
      case .established, .renamed:
        lastFailure = nil
      }
      let edition = edition
      responder.later { if edition == self.edition { self.events?(event) } }
    }
  }
#endif
