import HAPModel

/// A controller and an accessory, over all their connections.
struct Relation: Hashable, Comparable {
  let controller: String
  /// The accessory's `id`.
  let accessory: String

  init?(_ connection: JudgedConnection) {
    guard let controller = connection.controller else { return nil }
    self.controller = controller
    accessory = connection.accessory.id
  }

  init(_ controller: String, _ accessory: any JudgedAccessory) {
    self.controller = controller
    self.accessory = accessory.id
  }

  static func < (one: Relation, other: Relation) -> Bool {
    (one.accessory, one.controller) < (other.accessory, other.controller)
  }
}

/// Connections that a controller ended immediately after something that is no reason to end them. Such an end is a
/// violation only if the controller immediately reconnects from the same host and subscribes to the same
/// characteristics, because then it did not intend to leave.
struct HastyEnds {
  private struct End {
    var connection: JudgedConnection
    var text: String
    var until: Duration
  }

  private var ends: [Relation: End] = [:]
  private static let most = 100
  /// The maximum time until a reconnection. A later one may follow a restart or sleep of the controller.
  private static let soon = Duration.seconds(3)

  /// Adds a connection that the controller has ended.
  mutating func add(_ connection: JudgedConnection, _ text: String, _ scene: JudgeScene) {
    guard let relation = Relation(connection), !connection.subscriptions.isEmpty else { return }
    ends = ends.filter { $0.value.until > scene.now }
    if ends.count < Self.most {
      ends[relation] = End(connection: connection, text: text, until: scene.now + min(Self.soon, scene.patience))
    }
  }

  /// Checks a request of a controller.
  /// - Returns: the earlier end of a connection, if this request shows that the controller has returned from it.
  mutating func comeback(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene
  ) -> (text: String, connection: JudgedConnection)? {
    guard case .asked(let request) = act, !ends.isEmpty, let relation = Relation(connection),
      let end = ends[relation], end.until > scene.now, end.connection.host == connection.host,
      // A connection that was already open belongs to another controller with the same identity.
      let left = end.connection.leftAt, connection.openedAt >= left
    else { return nil }
    let wanted = request.writeEntries.filter { $0.flag("ev") == true }.compactMap(\.attributeID)
    guard !end.connection.subscriptions.isDisjoint(with: wanted) else { return nil }
    ends[relation] = nil
    return (end.text, end.connection)
  }
}
