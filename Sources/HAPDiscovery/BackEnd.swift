import HAPLoop

/// Who is to announce the accessories.
package enum BackEnd: String, CaseIterable, Sendable {
  /// The machine's mDNS daemon.
  case daemon
  /// A responder inside this process.
  case embedded

  /// Who `auto` takes, and why.
  package struct Choice: Equatable, Sendable {
    package let backEnd: BackEnd
    /// For people; empty where there is nothing to explain.
    package let reason: String
  }

  /// - Parameters:
  ///   - interfaces: those asked for by name; empty: all of the network.
  ///   - bindsToAddress: whether the accessories listen at one given address. A daemon tells all of the machine's.
  ///   - daemonAbsence: asks for the daemon, where it matters: nil when it answers, else why not.
  package static func choice(
    interfaces: [NetworkInterface], bindsToAddress: Bool, hasEmbedded: Bool = hasEmbedded, daemonAbsence: () -> String?
  ) -> Choice {
    guard hasEmbedded else { return Choice(backEnd: .daemon, reason: "the responder of macOS") }
    if !interfaces.isEmpty, interfaces.allSatisfy(\.isLoopback) {
      return Choice(backEnd: .embedded, reason: "a daemon may not be on loopback")
    }
    if bindsToAddress {
      return Choice(backEnd: .embedded, reason: "a daemon would tell other addresses than that of --bind")
    }
    if let absence = daemonAbsence() { return Choice(backEnd: .embedded, reason: absence) }
    return Choice(backEnd: .daemon, reason: "an mDNS daemon answers")
  }

  /// Whether this system has the embedded one. (macOS has a daemon that always runs.)
  package static var hasEmbedded: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
