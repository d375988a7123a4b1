/// A report on a published service.
package enum MDNSReport: Equatable, Sendable {
  /// The names are verified on an interface, and the first announcement is due. Reported again after each rename, and
  /// after all interfaces were gone.
  case registered(MDNSServiceID, name: String, host: String)
  /// A packet that announces the service was received by this machine, so the service is on the network. Reported once
  /// after each `registered`.
  case heard(MDNSServiceID)
  /// Another host has the instance name, and the next name is probed. `registered` follows.
  case renamed(MDNSServiceID, from: String, to: String)
  /// Another host has the host name, and the next name is probed. Reported for each service of the host.
  case hostRenamed(MDNSServiceID, from: String, to: String)
  /// Another host claims a verified name, which is therefore probed again. RFC 6762 §9.
  case conflict(MDNSServiceID, name: String)
  /// Another host has the name, and the service may not be renamed. It is withdrawn, and its id is no longer valid.
  case gaveUp(MDNSServiceID, name: String)
}

/// An output of the responder.
package enum MDNSOutput: Equatable, Sendable {
  case send(MDNSPacket)
  case report(MDNSReport)
}
