/// The sizes of the tables of a node, for checks of its limits.
package struct NodeLoad: Hashable, Sendable {
  /// Secured sessions.
  package var sessions = 0
  package var unsecuredSessions = 0
  /// Exchanges of all sessions.
  package var exchanges = 0
  package var handshakes = 0
  /// Sessions that peers can resume.
  package var resumptions = 0
  /// Exchanges of the interaction model that wait for a message.
  package var interactions = 0
  package var subscriptions = 0
  /// Events in the log.
  package var events = 0
  /// Whether a commissioning is in progress.
  package var isCommissioning = false
}

extension NodeServer {
  package var load: NodeLoad {
    var load = NodeLoad()
    for session in layer.sessions.indices {
      if layer.sessions[session].channel == nil { load.unsecuredSessions += 1 } else { load.sessions += 1 }
      load.exchanges += layer.sessions[session].exchanges.count
    }
    (load.handshakes, load.resumptions) = (handshakes.count, handshakes.resumptions.count)
    (load.interactions, load.subscriptions) = (interaction.waitingCount, interaction.subscriptionCount)
    load.events = interaction.log.count
    load.isCommissioning = node.failSafe != nil
    return load
  }
}
