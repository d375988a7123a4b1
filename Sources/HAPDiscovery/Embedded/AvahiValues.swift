#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  /// Runs `body` with Avahi's list of `strings`, which puts them on the wire in this order.
  func withAvahiStrings<R>(_ strings: [[UInt8]], _ body: (UnsafeMutablePointer<AvahiStringList>?) -> R) -> R {
    // Adding puts in front, and writing to the wire turns the order round again.
    var list: UnsafeMutablePointer<AvahiStringList>?
    for string in strings { list = avahi_string_list_add_arbitrary(list, string, string.count) }
    defer { avahi_string_list_free(list) }
    return body(list)
  }

  extension AvahiAddress {
    init(_ address: IPAddress) {
      self.init()
      proto = AvahiProtocol(address.isV4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
      withUnsafeMutableBytes(of: &data) { $0.copyBytes(from: address.bytes) }
    }
  }

  /// Avahi's sentence for one of its error numbers.
  func avahiText(of error: Int32) -> String { String(cString: avahi_strerror(error)) }
#endif
