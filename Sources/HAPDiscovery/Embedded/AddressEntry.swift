#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// One A or AAAA record of a host name, on one interface.
  ///
  /// Each has an entry group of its own, so that an address comes or goes without touching what else is advertised.
  final class AddressEntry {
    /// Avahi knows an entry by these, and can give it another address of the same.
    struct Place: Hashable {
      let interface: UInt32
      let isV4: Bool
    }

    let place: Place
    private(set) var address: IPAddress
    private let server: OpaquePointer
    private var group: OpaquePointer?
    private let onChange: (AvahiEntryGroupState) -> Void

    var isEstablished: Bool {
      group.map { avahi_s_entry_group_get_state($0) == AVAHI_ENTRY_GROUP_ESTABLISHED } ?? false
    }

    /// - Parameter onChange: called from within Avahi, also during `open`.
    init(
      _ place: Place, _ address: IPAddress, of server: OpaquePointer, onChange: @escaping (AvahiEntryGroupState) -> Void
    ) {
      self.place = place
      self.address = address
      self.server = server
      self.onChange = onChange
    }

    deinit { close() }

    /// - Returns: a status of Avahi's.
    func open(host: String) -> Int32 {
      group = avahi_s_entry_group_new(
        server,
        { _, _, state, userdata in Unmanaged<AddressEntry>.fromOpaque(userdata!).takeUnretainedValue().onChange(state)
        },
        Unmanaged.passUnretained(self).toOpaque())
      guard let group else { return avahi_server_errno(server) }
      let status = add(host, address, AVAHI_PUBLISH_NO_REVERSE)
      return status < 0 ? status : avahi_s_entry_group_commit(group)
    }

    /// Puts another address of the same kind in place of this one. What is told is the whole new set of the host's addresses, which takes
    /// the old one from every cache; a goodbye would take the others with it.
    /// - Returns: a status of Avahi's.
    func change(to new: IPAddress, host: String) -> Int32 {
      address = new
      return add(
        host, new, AvahiPublishFlags(rawValue: AVAHI_PUBLISH_NO_REVERSE.rawValue | AVAHI_PUBLISH_UPDATE.rawValue))
    }

    private func add(_ host: String, _ address: IPAddress, _ flags: AvahiPublishFlags) -> Int32 {
      var value = AvahiAddress(address)
      return avahi_server_add_address(
        server, group, AvahiIfIndex(place.interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), flags, "\(host).local", &value)
    }

    /// Takes it back, with a goodbye. To be called while the server is there, and not from within Avahi.
    func close() {
      guard let group else { return }
      self.group = nil
      avahi_s_entry_group_free(group)
    }
  }
#endif
