#if canImport(CAvahi)
  import CAvahi
  import HAPLoop

  extension AvahiServerConfig {
    /// Of a server that publishes nothing by itself. To be freed with `avahi_server_config_free`.
    /// - Parameter interfaces: those there are.
    init(_ choice: InterfaceChoice, among interfaces: [NetworkInterface]) {
      self.init()
      avahi_server_config_init(&self)
      if choice.names.isEmpty {
        // Those that come later are used too. (Avahi leaves out what is point-to-point by itself.)
        for interface in interfaces where interface.isLoopback || interface.isPointToPoint {
          deny_interfaces = avahi_string_list_add(deny_interfaces, interface.name)
        }
      } else {
        for name in choice.names { allow_interfaces = avahi_string_list_add(allow_interfaces, name) }
        allow_point_to_point = 1
      }
      use_ipv4 = 1
      use_ipv6 = 1
      publish_aaaa_on_ipv4 = 0
      publish_addresses = 0
      publish_hinfo = 0
      publish_workstation = 0
      publish_domain = 0
      enable_wide_area = 0
    }
  }
#endif
