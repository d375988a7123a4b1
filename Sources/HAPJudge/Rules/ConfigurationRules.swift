/// The rule "reads-new-database".
struct ReadsNewDatabase: JudgeRule {
  static let description = RuleDescription(
    "reads-new-database", .configuration, .should,
    "reads the database again when the c# of the accessory's record changes",
    source: "HAP R2 §6.4 table 6-7; field reports: HAP-python#13, #376",
    impact: "Added services are missing, and removed ones are still requested.",
    chance: "c# changes in the record while the controller is connected, or before it reconnects")

  private struct State {
    var name = ""
    var number: String?
    /// The controllers that have seen this number, and those that must read the database, with their deadlines. nil:
    /// the controller is not connected.
    var known: Set<String> = []
    var owing: [String: Duration?] = [:]
  }

  private var states: [String: State] = [:]
  private var live: [ObjectIdentifier: JudgedConnection] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard let controller = connection.controller else { return }
    let id = connection.accessory.id
    switch act {
    case .verified:
      live[ObjectIdentifier(connection)] = connection
      states[id, default: State()].known.insert(controller)
      if let owing = states[id]!.owing[controller], owing == nil {
        states[id]!.owing[controller] = .some(scene.now + scene.patience)
      }
    case .asked(let request) where request.name == "GET /accessories":
      if states[id]?.owing.removeValue(forKey: controller) != nil { findings.chance() }
    case .closed:
      live[ObjectIdentifier(connection)] = nil
      guard states[id]?.owing[controller] != nil, !isConnected(controller, id) else { return }
      states[id]!.owing[controller] = .some(nil)
    default: break
    }
  }

  private func isConnected(_ controller: String, _ accessory: String) -> Bool {
    live.values.contains { $0.controller == controller && $0.accessory.id == accessory }
  }

  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let id = accessory.id
    switch change {
    case .announced(let number):
      var state = states[id] ?? State()
      defer { states[id] = state }
      let former = state.number
      state.name = accessory.name
      state.number = number
      guard former != nil, former != number else { return }
      for controller in state.known {
        state.owing[controller] = .some(isConnected(controller, id) ? scene.now + scene.patience : nil)
      }
    case .unpaired(let identifier):
      states[id]?.known.remove(identifier)
      states[id]?.owing[identifier] = nil
    case .paired, .serves: break
    }
  }

  mutating func advance(_ scene: JudgeScene, _ findings: inout JudgeFindings) {
    func isDue(_ deadline: Duration?) -> Bool { deadline.map { scene.now >= $0 } ?? false }
    for id in states.keys.filter({ states[$0]!.owing.values.contains(where: isDue) }).sorted() {
      let state = states[id]!
      for controller in state.owing.keys.filter({ isDue(state.owing[$0]!) }).sorted() {
        states[id]!.owing[controller] = nil
        findings.breach(
          "\(controller) didn't read the database of \(state.name) again, although its c# is now \(state.number ?? "another")",
          on: live.values.filter { $0.controller == controller && $0.accessory.id == id }
            .min(by: JudgedConnection.precedes))
      }
    }
  }
}

/// The rule "keeps-database".
struct KeepsDatabase: JudgeRule {
  static let description = RuleDescription(
    "keeps-database", .configuration, .should,
    "keeps the database while c# is unchanged: reads it no more than three times on one connection within a minute",
    source: "HAP R2 §6.4 table 6-7", impact: "The largest of all answers is created, encrypted and sent without need.",
    chance: "a read of the database")

  private static let most = 3
  private var reads: [ObjectIdentifier: (accessory: String, times: Occurrences)] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = ObjectIdentifier(connection)
    switch act {
    case .asked(let request) where request.name == "GET /accessories":
      findings.chance()
      reads[key, default: (connection.accessory.id, Occurrences(span: .seconds(60)))].times.add("", at: scene.now)
      guard reads[key]!.times.count("", at: scene.now) > Self.most else { return }
      findings.breach("the database was read \(Self.most + 1) times within a minute")
      reads[key] = nil
    case .closed: reads[key] = nil
    default: break
    }
  }

  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    if case .announced = change { reads = reads.filter { $0.value.accessory != accessory.id } }
  }
}
