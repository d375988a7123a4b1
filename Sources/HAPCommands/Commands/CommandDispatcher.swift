import HAPDevices
import HAPHost
import HAPIP
import HAPLoop
import HAPModel
import HAPProfile
import HAPWire

/// Takes commands for the accessories of a simulation, finds whom they are for, and answers each with one line of JSON.
///
/// Belongs to the loop that the accessories are pinned to.
package struct CommandDispatcher: CommandTaker {
  package typealias Answer = @Sendable (String) -> Void

  let simulation: Simulation
  private let readProfile: @Sendable (String) throws -> AccessoryProfile
  /// Called after the last accessory was stopped by a command.
  private let onAllStopped: @Sendable () -> Void
  /// Is shown each command as it comes; what it returns is called when the command was carried out.
  package var onCommand: (@Sendable (JSONNode) -> @Sendable () -> Void)?

  /// Who is meant: a command that names nobody means it, and one that names somebody an accessory of it. Nil: the only one, or all.
  package var subject: SimulatedAccessory?

  /// - Parameter readProfile: reads the profile at a path; called off the loop.
  package init(
    _ simulation: Simulation, readProfile: @escaping @Sendable (String) throws -> AccessoryProfile,
    onAllStopped: @escaping @Sendable () -> Void
  ) {
    self.simulation = simulation
    self.readProfile = readProfile
    self.onAllStopped = onAllStopped
  }

  /// Carries out the command on a line of JSON and hands over the answer, once, without its end of line: at once, or when it is done for what
  /// takes a moment (`advance`, `replace`, `add`, and what starts an accessory anew).
  package func answer(_ line: [UInt8], to answer: @escaping Answer) {
    let command: SimulatorCommand
    do throws(CommandRefusal) {
      command = try SimulatorCommand(json: line)
    } catch { return answer(CommandAnswer.failure(error)) }
    var answer = answer
    if let onCommand, let node = try? JSONNode.parse(line) {
      let onPerformed = onCommand(node)
      answer = { [answer] text in
        if (try? JSONNode.parse(Array(text.utf8)))?["ok"]?.boolValue == true { onPerformed() }
        answer(text)
      }
    }
    do throws(CommandError) { try perform(command, answer) } catch {
      answer(CommandAnswer.failure(id: command.id, error))
    }
  }

  package func perform(_ command: SimulatorCommand, _ answer: @escaping Answer) throws(CommandError) {
    let id = command.id
    func succeed(_ members: (inout JSONWriter) -> Void = { _ in }) {
      answer(CommandAnswer.success(id: id, members: members))
    }
    switch command.action {
    case .advance(let duration):
      simulation.clock.advance(by: duration) { result in
        answer(CommandAnswer.of(result, id: id) { $0.now($1) })
      }
    case .add(let path):
      let read = readProfile
      add({ try read(path) }) { result in
        answer(
          CommandAnswer.of(result, id: id) { json, accessory in
            accessory.assumeIsolated { $0.writeIntroduction(to: &json) }
          })
      }
    case .replace(let path):
      let read = readProfile
      try whole(command).assumeIsolated {
        $0.replace({ try read(path) }) { result in
          answer(
            CommandAnswer.of(result, id: id) {
              $0.key("configurationNumber")
              $0.integer($1)
            })
        }
      }
    case .conduct(let conduct):
      try whole(command).assumeIsolated {
        $0.restart(.reboot, with: conduct) { error in
          answer(error.map { CommandAnswer.failure(id: id, $0) } ?? CommandAnswer.success(id: id))
        }
      }
    case .restart(let restart):
      let accessory = try whole(command)
      accessory.assumeIsolated {
        $0.restart(restart) { error in
          if let error { return answer(CommandAnswer.failure(id: id, error)) }
          answer(
            CommandAnswer.success(id: id) { json in
              guard restart == .factoryReset else { return }
              json.key("deviceID")
              json.string(accessory.assumeIsolated { $0.prepared.deviceID.text })
            })
        }
      }
    case .list, .status:
      let targets = try targets(of: command)
      succeed { json in
        if command.action == .list { json.process(of: simulation) }
        json.key("accessories")
        json.array { json in
          for target in targets {
            target.accessory.assumeIsolated {
              if command.action == .list { $0.writeListing(to: &json) } else { $0.writeStatus(to: &json) }
            }
          }
        }
      }
    case .disconnect(let controller):
      let count = try whole(command).isolated { accessory throws(CommandError) in try accessory.disconnect(controller) }
      succeed {
        $0.key("connections")
        $0.integer(count)
      }
    case .unpair(let controller):
      try whole(command).isolated { accessory throws(CommandError) in
        try accessory.unpair(controller) { result in
          answer(
            CommandAnswer.of(result, id: id) {
              $0.key("pairings")
              $0.integer($1)
            })
        }
      }
    case .fault(let fault, let isOn):
      try switchFault(fault, isOn, at: whole(command)) { error in
        answer(error.map { CommandAnswer.failure(id: id, $0) } ?? CommandAnswer.success(id: id))
      }
    case .announce(let isTold):
      try whole(command).isolated { accessory throws(CommandError) in try accessory.setAnnounced(isTold) }
      succeed()
    case .radio(let isOn):
      try whole(command).isolated { accessory throws(CommandError) in try accessory.setRadio(isOn) }
      succeed()
    case .remove:
      simulation.remove(try whole(command))
      succeed()
    case .stop:
      if command.accessory == nil { stopAll() } else { try whole(command).assumeIsolated { $0.stopForGood() } }
      succeed()
      if simulation.accessories.allSatisfy({ $0.assumeIsolated { $0.isStopped } }) { onAllStopped() }
    case .set, .stall, .identify, .obstruct, .deed, .reachable:
      let target = try only(targets(of: command), command)
      try target.accessory.isolated { accessory throws(CommandError) in
        let aid = target.aid
        switch command.action {
        case .set(let characteristic, let value): try accessory.set(characteristic, to: value, aid: aid)
        case .identify: try accessory.identify(aid: aid)
        case .obstruct(let isObstructed, let service): try accessory.obstruct(isObstructed, at: service, aid: aid)
        case .deed(let deed, let service): try accessory.perform(deed, at: service, aid: aid)
        case .stall(let selector, let isStuck): try accessory.stall(selector, isStuck, aid: aid)
        case .reachable(let isReachable): try accessory.setReachable(isReachable, aid: aid)
        default: preconditionFailure("carried out above")
        }
      }
      succeed()
    }
  }

  // MARK: Whom it is for

  /// The accessory that is meant; behind a bridge with its aid.
  func place(of accessory: AccessorySelector) throws(CommandError) -> (accessory: SimulatedAccessory, aid: UInt64?) {
    let command = SimulatorCommand(accessory: accessory, .status)
    return try only(targets(of: command), command)
  }

  /// The accessory and the characteristic that words mean.
  package func characteristic(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?
  ) throws(CommandError) -> (accessory: SimulatedAccessory, id: AttributeID) {
    let command = SimulatorCommand(accessory: accessory, .status)
    let target = try only(targets(of: command), command)
    let database = target.accessory.assumeIsolated { $0.database }
    let id = try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: target.aid) }
    return (target.accessory, id)
  }

  private typealias Target = (accessory: SimulatedAccessory, aid: UInt64?)

  /// The server that is meant as a whole.
  package func whole(_ command: SimulatorCommand) throws(CommandError) -> SimulatedAccessory {
    let target = try only(targets(of: command), command)
    guard target.aid == nil || target.aid == 1 else {
      let name = target.accessory.assumeIsolated { $0.name }
      throw CommandError(
        .notPossible,
        "accessory \(command.accessory.map { "\($0)" } ?? "") is behind \"\(name)\", which this can be done to as a whole: name the bridge"
      )
    }
    return target.accessory
  }

  private func only(_ targets: [Target], _ command: SimulatorCommand) throws(CommandError) -> Target {
    guard let target = targets.first else { throw Self.refusal(of: nil, 0, ([], [])) }
    guard targets.count == 1 else { throw Self.refusal(of: nil, targets.count, names()) }
    return target
  }

  /// Those that are named; all when none is.
  private func targets(of command: SimulatorCommand) throws(CommandError) -> [Target] {
    guard let selector = command.accessory else { return candidates.map { ($0, nil) } }
    let found = matches(selector)
    guard found.count == 1 else { throw Self.refusal(of: selector, found.count, names()) }
    return found
  }

  private var candidates: [SimulatedAccessory] { subject.map { [$0] } ?? simulation.accessories }

  private func matches(_ selector: AccessorySelector) -> [Target] {
    var found: [Target] = []
    for accessory in candidates {
      // The server's own name means all of it: its characteristics and those behind the bridge.
      if selector.matches(name: accessory.assumeIsolated { $0.name }, aid: 0) {
        found.append((accessory, nil))
      } else {
        found += accessory.assumeIsolated { $0.aids(matching: selector) }.map { (accessory, $0) }
      }
    }
    return found
  }

  /// How many a selector means; nil means all.
  package func matchCount(_ selector: AccessorySelector?) -> Int {
    selector.map { matches($0).count } ?? simulation.accessories.count
  }

  func stopAll() { for accessory in simulation.accessories { accessory.assumeIsolated { $0.stop() } } }

  // MARK: What is said of them

  /// Of servers and the accessories behind them: what they are called.
  typealias Names = (servers: [(number: Int, name: String)], all: [String])

  func names() -> Names {
    var names: Names = ([], [])
    for accessory in simulation.accessories {
      accessory.assumeIsolated { accessory in
        let database = accessory.database
        names.servers.append((accessory.number, accessory.name))
        names.all += [accessory.name] + database.accessoryEntries.map { database.accessoryName($0.aid) }
      }
    }
    return names
  }

  /// Why no single accessory is meant.
  /// - Parameters:
  ///   - selector: nil: none was named.
  ///   - count: how many it means.
  ///   - names: of those there are, in their order.
  static func refusal(of selector: AccessorySelector?, _ count: Int, _ names: Names) -> CommandError {
    guard let selector else {
      if count == 0 { return CommandError(.noSuchAccessory, "no accessory is served") }
      return CommandError(
        .ambiguous, "\(count) accessories are served (\(listed(names.servers))): say which with \"accessory\"")
    }
    guard count == 0 else { return CommandError(.ambiguous, "\(count) accessories are \(selector)") }
    var hint = names.servers.isEmpty ? ": none is served" : "; there are \(listed(names.servers))"
    if case .name(let name) = selector, let meant = nearestName(to: name, in: names.all) {
      hint = ": did you mean \"\(meant)\"?"
    }
    return CommandError(.noSuchAccessory, "there is no accessory \(selector)\(hint)")
  }

  /// The first of them, where there are many.
  private static func listed(_ servers: [(number: Int, name: String)]) -> String {
    let names = servers.sorted { $0.number < $1.number }.prefix(12).map { "\"\($0.name)\"" }.joined(separator: ", ")
    return servers.count > 12 ? "\(names) and \(servers.count - 12) more" : names
  }
}

extension SimulatedAccessory {
  /// For who is on the loop already.
  nonisolated func isolated<T: Sendable>(
    _ body: @Sendable (isolated SimulatedAccessory) throws(CommandError) -> T
  ) throws(CommandError) -> T {
    try assumeIsolated { accessory in
      Result { () throws(CommandError) in try body(accessory) }
    }.get()
  }
}

extension CommandAnswer {
  fileprivate static func of<T>(
    _ result: Result<T, CommandError>, id: JSONNode?, _ members: (inout JSONWriter, T) -> Void
  ) -> String {
    switch result {
    case .success(let value): success(id: id) { members(&$0, value) }
    case .failure(let error): failure(id: id, error)
    }
  }
}

extension JSONWriter {
  /// Simulated time in seconds.
  fileprivate mutating func now(_ time: Duration) {
    key("now")
    let (seconds, attoseconds) = time.components
    double(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// The members of an answer to `list` that are the process's: its time, and the address of its page.
  mutating func process(of simulation: Simulation) {
    key("time")
    object { $0.members(of: simulation.clock) }
    guard let page = simulation.pageAddress else { return }
    key("control")
    string(page)
  }

  /// Of an object: simulated time in seconds, and how fast it goes.
  package mutating func members(of clock: SimulationClock) {
    now(clock.now)
    key("scale")
    switch clock.pace {
    case .running(let scale): double(scale)
    case .standing, .jumping: integer(0)
    }
  }
}

extension AccessorySelector: CustomStringConvertible {
  package var description: String {
    switch self {
    case .name(let name): "\"\(name)\""
    case .aid(let aid): "\(aid)"
    }
  }
}
