import HAPModel
import HAPWire

/// The rule "reconnects".
struct Reconnects: JudgeRule {
  static let description = RuleDescription(
    "reconnects", .connections, .should,
    "reconnects when a connection with its subscriptions was lost",
    source: "HAP R2 §6.2.3, §6.8", impact: "The controller misses all events until a user opens the app.",
    chance: "the accessory loses a connection with subscriptions, and can be reached again")

  private struct Loss {
    var connection: JudgedConnection
    var at: Duration
  }

  private var losses: [Relation: Loss] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .closed:
      guard let relation = Relation(connection), !connection.wasLeft, !connection.subscriptions.isEmpty else { return }
      losses[relation] = Loss(connection: connection, at: scene.now)
    // An attempt from this host, or by this controller, is enough: the network may prevent more.
    case .opened, .asked, .verified:
      for (relation, loss) in losses where relation.accessory == connection.accessory.id {
        guard loss.connection.host == connection.host || relation.controller == connection.controller else { continue }
        losses[relation] = nil
        findings.chance()
      }
    default: break
    }
  }

  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch change {
    case .unpaired(let identifier): losses[Relation(identifier, accessory)] = nil
    // The accessory can be reached from now on.
    case .serves(true): for key in losses.keys where key.accessory == accessory.id { losses[key]!.at = scene.now }
    case .serves(false), .paired, .announced: break
    }
  }

  mutating func advance(_ scene: JudgeScene, _ findings: inout JudgeFindings) {
    let due = losses.keys.filter { relation in
      losses[relation].map { $0.connection.accessory.serves && scene.now - $0.at >= scene.patience } ?? false
    }
    for relation in due.sorted() {
      guard let loss = losses.removeValue(forKey: relation) else { continue }
      // A controller that is no longer paired doesn't have to reconnect.
      guard loss.connection.accessory.hasPaired(relation.controller) else { continue }
      findings.breach(
        "\(relation.controller) lost its connection to \(loss.connection.accessory.name), and did not reconnect",
        on: loss.connection)
    }
  }
}

/// The rule "no-reconnect-storm".
struct NoReconnectStorm: JudgeRule {
  static let description = RuleDescription(
    "no-reconnect-storm", .connections, .should,
    "waits longer and longer between connections that fail: no more than five in ten seconds",
    source: "field report: mongoose-os-apps/shelly-homekit#561",
    impact: "An accessory that has just restarted can't serve any controller.",
    chance: "a failed connection")

  private static let most = 5
  /// The connections that ended before a request was served, by origin.
  private var failures = Occurrences(span: .seconds(10))
  /// The time of the last such end, by origin.
  private var lastEnds: [String: Duration] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = connection.origin
    switch act {
    case .closed:
      guard !connection.hasServed else { return failures.forget(key) }
      // Several connections that end together are no storm: each was opened before the others ended.
      if let last = lastEnds[key], connection.openedAt < last { return }
      if lastEnds.count >= 1000 { lastEnds = lastEnds.filter { scene.now - $0.value < .seconds(10) } }
      lastEnds[key] = scene.now
      failures.add(key, at: scene.now)
      let count = failures.count(key, at: scene.now)
      guard count > Self.most else { return findings.chance() }
      findings.breach("\(count) connections of \(connection.host) failed within ten seconds")
      failures.forget(key)
    case .answered: if connection.hasServed { failures.forget(key) }
    default: break
    }
  }
}

/// The rule "no-idle-connections".
struct NoIdleConnections: JudgeRule {
  static let description = RuleDescription(
    "no-idle-connections", .connections, .should,
    "uses a connection that it opens: the first request arrives within ten seconds",
    source: "field reports: Bouke/HAP#65, HAP-python#190",
    impact: "An accessory has few connections; idle ones keep others out.", chance: "a connection")

  private static let span = Duration.seconds(10)
  private var silent: [ObjectIdentifier: JudgedConnection] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = ObjectIdentifier(connection)
    switch act {
    // If a fault impairs the network, the controller's bytes may not arrive.
    case .opened: if connection.accessory.serves { silent[key] = connection }
    case .arrived, .asked: if silent.removeValue(forKey: key) != nil { findings.chance() }
    case .closed: silent[key] = nil
    default: break
    }
  }

  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    if case .serves(false) = change { silent = silent.filter { $0.value.accessory.id != accessory.id } }
  }

  mutating func advance(_ scene: JudgeScene, _ findings: inout JudgeFindings) {
    let due = silent.values.filter { scene.now - $0.openedAt >= Self.span }
    for connection in due.sorted(by: JudgedConnection.precedes) {
      silent[ObjectIdentifier(connection)] = nil
      findings.breach("\(connection.host) has been connected for ten seconds without a request", on: connection)
    }
  }
}

/// The rule "patience".
struct Patience: JudgeRule {
  static let description = RuleDescription(
    "patience", .connections, .should,
    "waits at least five seconds for an answer before it closes a connection",
    source: "field report: homebridge-script2#42",
    impact: "Devices that sleep, and bridges to slow networks, appear to be offline.",
    chance: "an answer that takes more than three seconds")

  private static let least = Duration.seconds(5)
  private var ends = HastyEnds()

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .answered: if let owed = connection.owed, scene.now - owed.at >= .seconds(3) { findings.chance() }
    case .left:
      guard let (request, at) = connection.owed, scene.now - at < Self.least else { return }
      let waited = (scene.now - at).components
      let tenths = waited.attoseconds / 100_000_000_000_000_000
      ends.add(connection, "\(request.name) was abandoned after \(waited.seconds).\(tenths) s", scene)
    case .asked:
      if let end = ends.comeback(act, on: connection, scene) { findings.breach(end.text, on: end.connection) }
    default: break
    }
  }
}

/// The rule "keeps-connection".
struct KeepsConnection: JudgeRule {
  static let description = RuleDescription(
    "keeps-connection", .connections, .should,
    "keeps using a connection after a request was refused, or failed for one characteristic",
    source: "HAP R2 §6.7.2.2, §6.7.4.2",
    impact: "One unreachable device also makes all other devices of its bridge unavailable.",
    chance: "a refusal on a connection with subscriptions")

  private static let span = Duration.seconds(1)
  private var ends = HastyEnds()

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .answered(let answer?): if answer.isRefusal, !connection.subscriptions.isEmpty { findings.chance() }
    case .left:
      guard connection.owed == nil, connection.wasRefused, let at = connection.lastAnswerAt, scene.now - at < Self.span
      else { return }
      ends.add(connection, "the connection was closed after an answer with status \(connection.lastStatus ?? 0)", scene)
    case .asked:
      if let end = ends.comeback(act, on: connection, scene) { findings.breach(end.text, on: end.connection) }
    default: break
    }
  }
}
