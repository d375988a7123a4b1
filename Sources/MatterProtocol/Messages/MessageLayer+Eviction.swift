import MatterModel

/// The choice of the session that ends when there are too many.
extension MessageLayer {
  /// Makes room for a secured session of its kind.
  mutating func makeRoom(for subject: Subject) {
    switch subject {
    case .passcode:
      evict(keeping: settings.passcodeSessions - 1) { session in
        if case .passcode = session.channel?.subject { true } else { false }
      }
    case .node(_, let fabric, _):
      var counts: [FabricIndex: Int] = [fabric: 1]
      for session in sessions {
        if case .node(_, let fabric, _) = session.channel?.subject { counts[fabric, default: 0] += 1 }
      }
      let guarantee = settings.sessionsPerFabric
      func isNode(_ session: MessageSession) -> Bool {
        if case .node = session.channel?.subject { true } else { false }
      }
      evict(keeping: settings.nodeSessions - 1, isNode) { session in
        counts[session.channel?.subject.fabric ?? 0, default: 0] > guarantee
      }
    }
  }

  /// Makes room for an unsecured session. A flood of first messages with forged addresses does not end the handshake of
  /// a peer that has acknowledged a message.
  mutating func makeRoomForUnsecuredSession() {
    evict(keeping: settings.unsecuredSessions - 1, { $0.ephemeral != nil }) { !$0.isConfirmed }
  }

  /// Ends the least recently used sessions of a kind until at most `limit` of them are left, first those that are
  /// preferred.
  private mutating func evict(
    keeping limit: Int, _ isOfKind: (MessageSession) -> Bool,
    preferring isPreferred: (MessageSession) -> Bool = { _ in true }
  ) {
    var candidates = sessions.indices.filter { isOfKind(sessions[$0]) }
    while candidates.count > max(limit, 0) {
      let preferred = candidates.filter { isPreferred(sessions[$0]) }
      let pool = preferred.isEmpty ? candidates : preferred
      guard let victim = pool.min(by: { sessions[$0].lastUse < sessions[$1].lastUse }) else { return }
      end(victim, .evicted, notifyingPeer: true)
      candidates = sessions.indices.filter { isOfKind(sessions[$0]) }
    }
  }
}
