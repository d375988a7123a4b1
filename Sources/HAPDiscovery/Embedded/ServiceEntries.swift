#if canImport(CAvahi)
  import CAvahi

  /// The records of one service, as Avahi takes them one by one.
  ///
  /// Avahi's own function for a service adds all of them at once. Then Avahi answers a question for the type with the PTR record alone while SRV, TXT and
  /// the addresses are still being probed for, and a controller finds a service without an address.
  struct ServiceEntries {
    /// Of records with a host's name, and of all others, in seconds. RFC 6762 §10.
    private static let hostTTL: UInt32 = 120
    private static let otherTTL: UInt32 = 4500

    let server: OpaquePointer
    let name: String
    let type: String

    private var instance: String { DomainName.escaped(name.utf8) + ".\(type).local" }

    /// Adds SRV and TXT, whose name is probed for.
    /// - Returns: a status of Avahi's.
    func addClaims(to group: OpaquePointer, host: String, port: UInt16, txt: TextRecord) -> Int32 {
      addUnique(to: group, host, port, txt, [AVAHI_PUBLISH_UNIQUE])
    }

    /// Adds and commits SRV and TXT that were probed for, together with the PTR records of the type and of the list of types. RFC 6763 §4.1, §9.
    /// - Returns: a status of Avahi's.
    func addAll(to group: OpaquePointer, host: String, port: UInt16, txt: TextRecord) -> Int32 {
      var status = addUnique(to: group, host, port, txt, [AVAHI_PUBLISH_UNIQUE, AVAHI_PUBLISH_NO_PROBE])
      if status >= 0 { status = addPointer(to: group, "\(type).local", instance) }
      if status >= 0 { status = addPointer(to: group, "_services._dns-sd._udp.local", "\(type).local") }
      if status >= 0 { status = avahi_s_entry_group_commit(group) }
      // The same records without NO_PROBE, so that Avahi probes for the name again after a conflict. RFC 6762 §9.
      if status >= 0 { status = addUnique(to: group, host, port, txt, [AVAHI_PUBLISH_UNIQUE, AVAHI_PUBLISH_UPDATE]) }
      return status
    }

    private func addUnique(
      to group: OpaquePointer, _ host: String, _ port: UInt16, _ txt: TextRecord, _ flags: [AvahiPublishFlags]
    ) -> Int32 {
      let status = add(to: group, instance, AVAHI_DNS_TYPE_SRV, Self.hostTTL, flags) { data in
        data.srv.priority = 0
        data.srv.weight = 0
        data.srv.port = port
        data.srv.name = avahi_normalize_name_strdup("\(host).local")
      }
      if status < 0 { return status }
      return add(to: group, instance, AVAHI_DNS_TYPE_TXT, Self.otherTTL, flags) { data in
        withAvahiStrings(txt.strings) { data.txt.string_list = avahi_string_list_copy($0) }
      }
    }

    private func addPointer(to group: OpaquePointer, _ name: String, _ target: String) -> Int32 {
      add(to: group, name, AVAHI_DNS_TYPE_PTR, Self.otherTTL, []) { data in
        data.ptr.name = avahi_normalize_name_strdup(target)
      }
    }

    private func add(
      to group: OpaquePointer, _ name: String, _ type: Int, _ ttl: UInt32, _ flags: [AvahiPublishFlags],
      _ fill: (inout AvahiRecord.__Unnamed_union_data) -> Void
    ) -> Int32 {
      guard let record = avahi_record_new_full(name, UInt16(AVAHI_DNS_CLASS_IN), UInt16(type), ttl) else {
        return Int32(AVAHI_ERR_NO_MEMORY)
      }
      defer { avahi_record_unref(record) }
      fill(&record.pointee.data)
      return avahi_server_add(
        server, group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
        AvahiPublishFlags(rawValue: flags.reduce(0) { $0 | $1.rawValue }), record)
    }
  }
#endif
