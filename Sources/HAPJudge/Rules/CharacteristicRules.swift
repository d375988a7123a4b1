import HAPModel
import HAPWire

/// The rule "known-ids".
struct KnownIDs: JudgeRule {
  static let description = RuleDescription(
    "known-ids", .characteristics, .must,
    "requests only characteristics of the database that it read last",
    source: "HAP R2 §6.6, §6.7", impact: "The accessory answers -70409, and the user's request fails.",
    chance: "a read or a write")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    for id in request.readIDs + request.writeEntries.compactMap(\.attributeID) {
      if connection.knows(id) {
        findings.chance()
      } else {
        findings.breach("\(request.name) requests \(id), which isn't in the database")
      }
    }
  }
}

/// The rule "permissions".
struct KeepsPermissions: JudgeRule {
  static let description = RuleDescription(
    "permissions", .characteristics, .must,
    "reads only characteristics with pr, writes those with pw, subscribes to those with ev, and requests a response with wr",
    source: "HAP R2 §6.6.3, table 6-4", impact: "The accessory refuses with -70404, -70405 or -70406.",
    chance: "a read, a write or a subscription")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    let database = connection.accessory.database
    func check(_ id: AttributeID, _ permission: Permissions, _ action: String) {
      guard let characteristic = connection.characteristic(id) else { return }
      if characteristic.perms.contains(permission) { return findings.chance() }
      findings.breach("\(database.shown(id)) is \(action) without \(permission.names.joined())")
    }
    for id in request.readIDs { check(id, .pairedRead, "read") }
    for entry in request.writeEntries {
      guard let id = entry.attributeID else { continue }
      if entry["value"] != nil { check(id, .pairedWrite, "written") }
      // Ending a subscription that can't exist is harmless.
      if entry.flag("ev") == true { check(id, .events, "subscribed to") }
      if entry.flag("r") == true { check(id, .writeResponse, "written with r") }
    }
  }
}

/// The rule "values".
struct WritesValues: JudgeRule {
  static let description = RuleDescription(
    "values", .characteristics, .must,
    "writes values that match the characteristic's format, range, step, valid values and length",
    source: "HAP R2 §6.6.3, §6.7.2.2; field report: home-assistant/core#60203",
    impact: "The accessory refuses with -70410, and nothing happens.", chance: "a write of a value")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    let database = connection.accessory.database
    for entry in request.writeEntries {
      guard let node = entry["value"], let id = entry.attributeID, let characteristic = connection.characteristic(id),
        characteristic.perms.contains(.pairedWrite)
      else { continue }
      if let value = Value(json: node), (try? characteristic.admit(value)) != nil {
        findings.chance()
      } else {
        findings.breach(
          "\(database.shown(id)) of format \(characteristic.format.rawValue) was written \(node.compactText)"
        )
      }
    }
  }
}

/// The rule "timed-writes".
struct TimedWrites: JudgeRule {
  static let description = RuleDescription(
    "timed-writes", .characteristics, .must,
    "writes characteristics with tw, such as those of doors and locks, in a timed write: PUT /prepare, then the write with its pid",
    source: "HAP R2 §6.7.2.4", impact: "The accessory refuses, and the door stays as it is.",
    chance: "a write to a characteristic with tw")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    let isTimed = request.json?["pid"] != nil
    let database = connection.accessory.database
    for entry in request.writeEntries where entry["value"] != nil {
      guard let id = entry.attributeID, connection.characteristic(id)?.perms.contains(.timedWrite) == true else {
        continue
      }
      if isTimed {
        findings.chance()
      } else {
        findings.breach("\(database.shown(id)) has tw, but was written without a pid")
      }
    }
  }
}

/// The rule "prepared-writes".
struct PreparedWrites: JudgeRule {
  static let description = RuleDescription(
    "prepared-writes", .characteristics, .must,
    "gives a timed write the last pid that it prepared on the connection, once, before the ttl of that pid expires",
    source: "HAP R2 §6.7.2.4", impact: "The accessory refuses the whole write with -70410.",
    chance: "a write with a pid")

  private var prepared: [ObjectIdentifier: (pid: UInt64, until: Duration)] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = ObjectIdentifier(connection)
    switch act {
    case .asked(let request) where request.name == "PUT /prepare":
      let json = request.json
      guard let pid = json?["pid"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
        let ttl = json?["ttl"]?.integerValue.flatMap({ Int64(exactly: $0) })
      else { return }
      prepared[key] = (pid, scene.now + .milliseconds(min(max(ttl, 0), 1 << 40)))
    case .asked(let request) where request.name == "PUT /characteristics":
      guard let node = request.json?["pid"] else { return }
      guard let (pid, until) = prepared.removeValue(forKey: key) else {
        return findings.breach("a write has a pid, but none was prepared")
      }
      if node.integerValue.flatMap({ UInt64(exactly: $0) }) != pid {
        findings.breach("a write has a different pid than the prepared one")
      } else if scene.now > until {
        // If a fault impairs the network, the answer to the preparation may have been late.
        if connection.accessory.serves { findings.breach("a timed write arrived after its ttl") }
      } else {
        findings.chance()
      }
    case .closed: prepared[key] = nil
    default: break
    }
  }
}

/// The rule "no-polling".
struct NoPolling: JudgeRule {
  static let description = RuleDescription(
    "no-polling", .characteristics, .should,
    "relies on events for subscribed characteristics: doesn't read one ten times in ten seconds",
    source: "HAP R2 §6.8",
    impact: "Reads wake battery-powered devices and load small processors, without new information.",
    chance: "a read of a subscribed characteristic")

  private static let most = 10
  private static let span = Duration.seconds(10)
  private var reads: [ObjectIdentifier: Occurrences] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = ObjectIdentifier(connection)
    switch act {
    case .asked(let request):
      for id in request.readIDs where connection.subscriptions.contains(id) {
        findings.chance()
        let name = id.description
        reads[key, default: Occurrences(span: Self.span)].add(name, at: scene.now)
        guard reads[key]!.count(name, at: scene.now) >= Self.most else { continue }
        findings.breach(
          "\(connection.accessory.database.shown(id)) is subscribed to, but was read \(Self.most) times within ten seconds"
        )
        reads[key]!.forget(name)
      }
    case .closed: reads[key] = nil
    default: break
    }
  }
}

/// The rule "gathers-reads".
struct GathersReads: JudgeRule {
  static let description = RuleDescription(
    "gathers-reads", .characteristics, .should,
    "reads several characteristics in one request: doesn't read eight different ones in separate requests within a second",
    source: "HAP R2 §6.7.4", impact: "Reading a bridge with 100 accessories takes half a minute.", chance: "reads")

  private static let most = 8
  private struct Single { var id: AttributeID, at: Duration }
  private var singles: [ObjectIdentifier: [Single]] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = ObjectIdentifier(connection)
    switch act {
    case .asked(let request) where !request.readIDs.isEmpty:
      findings.chance()
      let ids = request.readIDs
      guard ids.count == 1 else { return singles[key] = nil }
      var list = singles[key, default: []].filter { scene.now - $0.at < .seconds(1) && $0.id != ids[0] }
      list.append(Single(id: ids[0], at: scene.now))
      if list.count >= Self.most {
        findings.breach("\(list.count) characteristics were read in separate requests within a second")
        list = []
      }
      singles[key] = list
    case .closed: singles[key] = nil
    default: break
    }
  }
}
