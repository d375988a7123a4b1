#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// One record of an embedded responder.
  final class EmbeddedAdvertiser: Advertiser {
    /// More names than these are not tried: something is answering to every one.
    static let mostRenames = 64
    /// How often a name that was established is probed for again before it is given up.
    static let mostDefences = 8

    private let responder: EmbeddedResponder
    let number: Int
    private var record: ServiceRecord?
    private var events: ((AdvertisementEvent) -> Void)?
    /// As they are now, after renaming.
    private var name = ""
    private var host = ""
    private var renames = 0
    private var defences = 0
    private var lastDefence: UInt64 = 0
    /// Counts what was published, so that news of an earlier record is not told to the next.
    private var edition = 0
    /// The group of SRV and TXT, and of the PTR records when it is complete.
    private var service: OpaquePointer?
    /// Whether the PTR records were added. They come after all others are probed for, so that a controller that finds the service gets the others too.
    private var isComplete = false
    private var addresses: [AddressEntry] = []
    /// The name under which it was told to be up, since it last wasn't.
    private var establishedName: String?
    private var toldAddresses: Set<IPAddress> = []
    /// The failure told last, which isn't told again while it lasts.
    private var lastFailure: String?
    private var isClosed = false

    /// - Parameter number: its place among those of the responder.
    init(_ responder: EmbeddedResponder, number: Int) {
      self.responder = responder
      self.number = number
    }

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
      defences = 0
      refresh()
    }

    func update(txt: TextRecord) {
      guard let record, record.txt != txt else { return }
      do throws(RecordError) {
        try txt.check()
      } catch {
        return tell(.failed(error.description))
      }
      self.record?.txt = txt
      guard let service, case .ready(let server) = responder.readiness else { return }
      let status = withAvahiStrings(txt.strings) { list in
        avahi_server_update_service_txt_strlst(
          server, service, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
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

    /// Takes everything from the server, which says goodbye for it.
    func unregister() {
      responder.selfCheck.cancel(self)
      establishedName = nil
      toldAddresses = []
      isComplete = false
      if let service {
        self.service = nil
        avahi_s_entry_group_free(service)
      }
      closeAddresses()
      responder.hasBegun(self)
    }

    /// Brings what the server has in line with the record and the machine's addresses.
    func refresh() {
      guard let record else { return }
      switch responder.readiness {
      case .starting: return
      case .impossible(let reason):
        unregister()
        tell(.failed(reason))
      case .ready(let server):
        let wanted = places(of: record)
        guard !wanted.isEmpty else {
          unregister()
          return tell(.failed("\(responder.interfaces.map(\.name).joined(separator: ", ")) has no address"))
        }
        guard service != nil || responder.admits(self) else { return }
        guard setAddresses(wanted, server) else { return }
        if service == nil { register(record, server) }
        tellState()
      }
    }

    // MARK: The service

    /// Adds the record's entries, under another name when one of ours has it already.
    private func register(_ record: ServiceRecord, _ server: OpaquePointer) {
      service = makeGroup(server)
      if let service { fill(service, server, record) }
    }

    /// - Returns: `nil` if it fails; the failure is reported.
    private func makeGroup(_ server: OpaquePointer) -> OpaquePointer? {
      let group = avahi_s_entry_group_new(
        server,
        { _, group, state, userdata in
          Unmanaged<EmbeddedAdvertiser>.fromOpaque(userdata!).takeUnretainedValue().serviceChanged(group, state)
        }, Unmanaged.passUnretained(self).toOpaque())
      if group == nil { fail("no entry group: \(avahiText(of: avahi_server_errno(server)))") }
      return group
    }

    private func fill(_ group: OpaquePointer, _ server: OpaquePointer, _ record: ServiceRecord) {
      while true {
        let entries = ServiceEntries(server: server, name: name, type: record.type)
        var status = entries.addClaims(to: group, host: host, port: record.port, txt: record.txt)
        if status >= 0 { status = avahi_s_entry_group_commit(group) }
        if status >= 0 { return }
        avahi_s_entry_group_reset(group)
        if status != Int32(AVAHI_ERR_COLLISION) {
          return fail("\(name) can't be advertised: \(avahiText(of: status))")
        }
        guard rename() else { return }
      }
    }

    /// From within Avahi.
    private func serviceChanged(_ group: OpaquePointer?, _ state: AvahiEntryGroupState) {
      switch state {
      case AVAHI_ENTRY_GROUP_ESTABLISHED:
        // At once, because Avahi announces SRV and TXT when this callback returns.
        if group == service { complete() }
        soon { $0.tellState() }
      case AVAHI_ENTRY_GROUP_COLLISION:
        let collided = service
        soon { advertiser in
          guard let record = advertiser.record, let service = advertiser.service, service == collided,
            case .ready(let server) = advertiser.responder.readiness
          else { return }
          advertiser.isComplete = false
          avahi_s_entry_group_reset(service)
          if advertiser.defends() || advertiser.rename() { advertiser.fill(service, server, record) }
        }
      case AVAHI_ENTRY_GROUP_FAILURE:
        fail("\(name) can't be advertised: the responder gave it up")
      default: break  // uncommitted, registering
      }
    }

    /// Replaces the group that was probed for with one that has the PTR records too, so that Avahi announces all of them together. Does nothing until
    /// all other records are established. It may be called from a callback of Avahi, because Avahi allows a callback to free its group.
    private func complete() {
      guard !isComplete, let record, case .ready(let server) = responder.readiness, let claims = service,
        avahi_s_entry_group_get_state(claims) == AVAHI_ENTRY_GROUP_ESTABLISHED,
        addresses.allSatisfy(\.isEstablished), let group = makeGroup(server)
      else { return }
      isComplete = true
      service = group
      let entries = ServiceEntries(server: server, name: name, type: record.type)
      let status = entries.addAll(to: group, host: host, port: record.port, txt: record.txt)
      // After the same records were added again, so that Avahi says no goodbye for them.
      avahi_s_entry_group_free(claims)
      if status < 0 { fail("\(name) can't be advertised: \(avahiText(of: status))") }
    }

    /// Whether the same name is probed for once more: RFC 6762 §9 has who finds a conflict in an established record do that, and only who loses
    /// the probe takes another name. What Avahi takes for a conflict may be our own answer with the TXT record of a moment ago, which it
    /// still had in its queue (avahi/avahi#117).
    private func defends() -> Bool {
      let now = responder.loop.now
      // A quiet minute, and what was before is of no account.
      if now - lastDefence > 60_000_000_000 { defences = 0 }
      lastDefence = now
      guard establishedName == name, defences < Self.mostDefences else { return false }
      defences += 1
      establishedName = nil
      responder.selfCheck.cancel(self)
      return true
    }

    /// Goes on to the next name.
    /// - Returns: false when there have been too many.
    private func rename() -> Bool {
      guard mayRename() else { return false }
      let old = name
      name = AlternativeName.ofService(name)
      establishedName = nil
      responder.selfCheck.cancel(self)
      tell(.renamed(from: old, to: name))
      return true
    }

    private func mayRename() -> Bool {
      guard record?.isRenamed != false else {
        fail("the name \(record?.name ?? name) is taken")
        return false
      }
      guard renames < Self.mostRenames else {
        fail("the name \(record?.name ?? name) is taken, and so are \(renames) others made of it")
        return false
      }
      renames += 1
      return true
    }

    // MARK: The host's addresses

    /// The addresses to tell, by the interface they are told on.
    private func places(of record: ServiceRecord) -> [AddressEntry.Place: [IPAddress]] {
      let interfaces = responder.interfaces
      var places: [AddressEntry.Place: [IPAddress]] = [:]
      for interface in interfaces {
        let own = interface.addresses
        let told =
          record.addresses.isEmpty
          ? own
          : record.addresses.filter { address in
            own.contains(address) || !interfaces.contains { $0.addresses.contains(address) }
          }
        for address in told {
          places[.init(interface: interface.index, isV4: address.isV4), default: []].append(address)
        }
      }
      return places
    }

    /// - Returns: false when it failed, which was told, or when it starts over under another host name.
    private func setAddresses(_ wanted: [AddressEntry.Place: [IPAddress]], _ server: OpaquePointer) -> Bool {
      for entry in addresses where wanted[entry.place] == nil { entry.close() }
      addresses.removeAll { wanted[$0.place] == nil }
      for (place, wanted) in wanted {
        let there = addresses.filter { $0.place == place }
        var missing = wanted.filter { address in !there.contains { $0.address == address } }
        // One that goes makes room for one that comes. Where none comes, the entry repeats one that stays: see `AddressEntry.change`.
        for entry in there where !wanted.contains(entry.address) {
          let status = entry.change(to: missing.popLast() ?? wanted[0], host: host)
          if status < 0 { return failedAddress(status) }
        }
        for address in missing {
          let entry = AddressEntry(place, address, of: server) { [weak self] in self?.addressChanged($0) }
          addresses.append(entry)
          let status = entry.open(host: host)
          if status < 0 { return failedAddress(status) }
        }
      }
      return true
    }

    private func failedAddress(_ status: Int32) -> Bool {
      if status == Int32(AVAHI_ERR_COLLISION) {
        soon { $0.renameHost() }
      } else {
        fail("the address of \(name) can't be advertised: \(avahiText(of: status))")
      }
      return false
    }

    /// From within Avahi.
    private func addressChanged(_ state: AvahiEntryGroupState) {
      switch state {
      case AVAHI_ENTRY_GROUP_ESTABLISHED: soon { $0.tellState() }
      case AVAHI_ENTRY_GROUP_COLLISION: soon { $0.renameHost() }
      case AVAHI_ENTRY_GROUP_FAILURE: fail("the address of \(name) can't be advertised: the responder gave it up")
      default: break
      }
    }

    /// Somebody else has our host's name. Nobody sees it, so a new one is no news.
    private func renameHost() {
      guard record != nil, mayRename() else { return }
      host = AlternativeName.ofHost(host)
      unregister()
      refresh()
    }

    private func closeAddresses() {
      let old = addresses
      addresses = []
      for entry in old { entry.close() }
    }

    // MARK: News

    /// Tells that it is up, when it is and that's new; or which addresses it has now.
    private func tellState() {
      complete()
      guard let service, isComplete, avahi_s_entry_group_get_state(service) == AVAHI_ENTRY_GROUP_ESTABLISHED,
        addresses.allSatisfy(\.isEstablished)
      else { return }
      let now = Set(addresses.map(\.address))
      defer { toldAddresses = now }
      responder.hasBegun(self)
      if establishedName != name {
        establishedName = name
        tell(.established(name))
        responder.selfCheck.look(for: name, onBehalfOf: self) { [weak self] outcome in
          guard let self else { return }
          switch outcome {
          case .seen: tell(.seen(name))
          case .unseen(let time): tell(.unseen(name, after: time))
          }
        }
      } else if toldAddresses != now {
        tell(.addresses(now.sorted { ($0.isV4 ? 0 : 1, "\($0)") < ($1.isV4 ? 0 : 1, "\($1)") }))
      }
    }

    private func fail(_ reason: String) {
      tell(.failed(reason))
      // Not at once: this may be a call from within a group.
      soon { $0.unregister() }
    }

    private func tell(_ event: AdvertisementEvent) {
      switch event {
      case .failed(let reason):
        if reason == lastFailure { return }
        lastFailure = reason
      case .established, .renamed: lastFailure = nil
      case .addresses, .seen, .unseen: break
      }
      soon { $0.events?(event) }
    }

    /// Outside of Avahi's calls, if this record is still the one that is published then.
    private func soon(_ work: @escaping (EmbeddedAdvertiser) -> Void) {
      let edition = edition
      responder.later { if edition == self.edition { work(self) } }
    }
  }
#endif
