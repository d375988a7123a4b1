import HAPModel

/// A controller at an accessory, over its connections.
struct Relation: Hashable, Comparable {
  let controller: String
  /// Its id.
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

/// Connections that a controller ended right behind something that is no reason to: it shows to be a fault when the controller comes back at once,
/// from where it was, and subscribes to the same again, as one does that never meant to go.
struct HastyEnds {
  private struct End {
    var connection: JudgedConnection
    var text: String
    var until: Duration
  }

  private var ends: [Relation: End] = [:]
  private static let most = 100
  /// Who comes back later may have been started again, or have slept.
  private static let soon = Duration.seconds(3)

  /// The controller has ended a connection.
  mutating func add(_ connection: JudgedConnection, _ text: String, _ scene: JudgeScene) {
    guard let relation = Relation(connection), !connection.subscriptions.isEmpty else { return }
    ends = ends.filter { $0.value.until > scene.now }
    if ends.count < Self.most {
      ends[relation] = End(connection: connection, text: text, until: scene.now + min(Self.soon, scene.patience))
    }
  }

  /// A controller asks for something.
  /// - Returns: the end that it comes back from.
  mutating func comeback(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene
  ) -> (text: String, connection: JudgedConnection)? {
    guard case .asked(let request) = act, !ends.isEmpty, let relation = Relation(connection),
      let end = ends[relation], end.until > scene.now, end.connection.host == connection.host,
      // Another connection that was there all the time is another controller's of the same identity.
      let left = end.connection.leftAt, connection.openedAt >= left
    else { return nil }
    let wanted = request.writeEntries.filter { $0.flag("ev") == true }.compactMap(\.attributeID)
    guard !end.connection.subscriptions.isDisjoint(with: wanted) else { return nil }
    ends[relation] = nil
    return (end.text, end.connection)
  }
}
