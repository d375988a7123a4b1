/// What became of a published service.
package enum MDNSReport: Equatable, Sendable {
  /// The names are verified on some interface, and the first announcement is due. Sent again after each rename, and after all interfaces were gone.
  case registered(MDNSServiceID, name: String, host: String)
  /// The system gave a packet back that announces the service, so the service is on the network. Once after each `registered`.
  case heard(MDNSServiceID)
  /// The instance name is taken; the next one is probed for. `registered` follows.
  case renamed(MDNSServiceID, from: String, to: String)
  /// The host name is taken; the next one is probed for. Sent for each service of the host.
  case hostRenamed(MDNSServiceID, from: String, to: String)
  /// Another host claims a name that was verified: it is probed for again. RFC 6762 §9.
  case conflict(MDNSServiceID, name: String)
  /// The name is taken, and the service may not rename. It is withdrawn, and its id is no longer valid.
  case gaveUp(MDNSServiceID, name: String)
}

/// An output of the responder.
package enum MDNSOutput: Equatable, Sendable {
  case send(MDNSPacket)
  case report(MDNSReport)
}
