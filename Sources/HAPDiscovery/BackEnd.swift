import HAPLoop

/// The mDNS implementation that announces the accessories.
package enum BackEnd: String, CaseIterable, Sendable {
  /// The machine's mDNS daemon.
  case daemon
  /// A responder inside this process.
  case embedded

  /// The choice of `auto`, and its reason.
  package struct Choice: Equatable, Sendable {
    package let backEnd: BackEnd
    /// A text for the user. Empty if there is nothing to explain.
    package let reason: String
  }

  /// - Parameters:
  ///   - interfaces: the interfaces that the user named. Empty: all interfaces of the network.
  ///   - bindsToAddress: whether the accessories listen on one given address. A daemon announces all addresses of the machine.
  ///   - daemonAbsence: checks for the daemon if the choice depends on it. Returns nil if it answers, else the reason why it doesn't.
  package static func choice(
    interfaces: [NetworkInterface], bindsToAddress: Bool, daemonAbsence: () -> String?
  ) -> Choice {
    if !interfaces.isEmpty, interfaces.allSatisfy(\.isLoopback) {
      return Choice(backEnd: .embedded, reason: "a daemon possibly does not use the loopback interface")
    }
    if bindsToAddress {
      return Choice(backEnd: .embedded, reason: "a daemon would announce other addresses than that of --bind")
    }
    if let absence = daemonAbsence() { return Choice(backEnd: .embedded, reason: absence) }
    return Choice(backEnd: .daemon, reason: "an mDNS daemon answers")
  }
}
