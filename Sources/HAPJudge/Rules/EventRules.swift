import HAPModel
import HAPWire

/// The rule "resubscribes".
struct Resubscribes: JudgeRule {
  static let description = RuleDescription(
    "resubscribes", .events, .must,
    "renews all its subscriptions after it has reconnected from a lost connection",
    source: "HAP R2 §6.8.2", impact: "Subscriptions end with their connection: the controller receives no more events.",
    chance: "the accessory loses a connection with subscriptions, and the controller verifies again")

  private struct Loss {
    var subscriptions: Set<AttributeID>
    /// The number of lost connections that have not been replaced. The time limit starts when it is 0: a controller
    /// does not have to renew the subscriptions of another controller with the same identity.
    var awaited: Int
    /// The deadline; nil while lost connections have not been replaced.
    var deadline: Duration?
    var connection: JudgedConnection
  }

  private var losses: [Relation: Loss] = [:]
  private var live: [ObjectIdentifier: JudgedConnection] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard let relation = Relation(connection) else { return }
    switch act {
    case .verified:
      live[ObjectIdentifier(connection)] = connection
      guard var loss = losses[relation] else { return }
      loss.connection = connection
      loss.awaited = max(0, loss.awaited - 1)
      if loss.awaited == 0 { loss.deadline = loss.deadline ?? scene.now + scene.patience }
      losses[relation] = loss
    // A new subscription counts from its answer on.
    case .answered: if missing(relation)?.isEmpty == true { settle(relation, &findings) }
    case .closed:
      guard live.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
      if connection.wasLeft, !connection.attempted.isEmpty {
        // The controller left by itself with subscriptions, so it doesn't have to renew them.
        if !live.values.contains(where: { Relation($0) == relation }) { losses[relation] = nil }
        return
      }
      let isLost = !connection.wasLeft && !connection.subscriptions.isEmpty
      guard isLost || losses[relation] != nil else { return }
      var loss = losses[relation] ?? Loss(subscriptions: [], awaited: 0, connection: connection)
      if isLost { loss.subscriptions.formUnion(connection.subscriptions) }
      loss.awaited += 1
      loss.deadline = nil
      losses[relation] = loss
    default: break
    }
  }

  private mutating func settle(_ relation: Relation, _ findings: inout JudgeFindings) {
    losses[relation] = nil
    findings.chance()
  }

  /// Returns the subscriptions that have not been renewed; nil if none was lost, or the controller has not reconnected.
  private func missing(_ relation: Relation) -> Set<AttributeID>? {
    guard let loss = losses[relation], loss.deadline != nil else { return nil }
    var missing = loss.subscriptions
    for connection in live.values where Relation(connection) == relation { missing.subtract(connection.attempted) }
    return missing.filter { loss.connection.accessory.database.slot(of: $0) != nil }
  }

  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch change {
    case .unpaired(let identifier): losses[Relation(identifier, accessory)] = nil
    // The obstacle has ended, so the time limit starts again.
    case .serves(true):
      for key in losses.keys where key.accessory == accessory.id && losses[key]!.deadline != nil {
        losses[key]!.deadline = scene.now + scene.patience
      }
    case .serves(false), .paired, .announced: break
    }
  }

  mutating func advance(_ scene: JudgeScene, _ findings: inout JudgeFindings) {
    let due = losses.keys.filter { relation in losses[relation]?.deadline.map { scene.now >= $0 } ?? false }
    for relation in due.sorted() {
      guard let loss = losses[relation], loss.connection.accessory.serves, let missing = missing(relation)
      else { continue }
      guard !missing.isEmpty else {
        settle(relation, &findings)
        continue
      }
      losses[relation] = nil
      guard loss.connection.accessory.hasPaired(relation.controller) else { continue }
      let database = loss.connection.accessory.database
      let names = missing.sorted().prefix(5).map { database.shown($0) }.joined(separator: ", ")
      let more = missing.count > 5 ? " and \(missing.count - 5) more" : ""
      findings.breach(
        "\(relation.controller) has reconnected, but is no longer subscribed to \(names)\(more)", on: loss.connection)
    }
  }
}

/// The rule "survives-events".
struct SurvivesEvents: JudgeRule {
  static let description = RuleDescription(
    "survives-events", .events, .should, "keeps using a connection after an event",
    source: "HAP R2 §6.8.2; field reports: HAP-python#346, #360",
    impact: "Each turn of a knob makes the controller reconnect.", chance: "an event")

  private static let span = Duration.seconds(1)
  private var ends = HastyEnds()

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .told: findings.chance()
    case .left:
      guard let at = connection.lastEventAt, scene.now - at < Self.span, at >= connection.lastAnswerAt ?? .zero else {
        return
      }
      ends.add(connection, "the connection was closed after an event", scene)
    case .asked:
      if let end = ends.comeback(act, on: connection, scene) { findings.breach(end.text, on: end.connection) }
    default: break
    }
  }
}
