import HAPDevices
import HAPHost
import HAPIP
import HAPLoop
import HAPModel
import HAPProfile
import HAPVocabulary
import HAPWire

/// A receiver of commands for the accessories of a simulation. It finds the accessory of each command, and replies once
/// to each.
///
/// Belongs to the loop that the accessories are pinned to.
package struct CommandDispatcher: CommandTaker {
  package typealias Answer = @Sendable (CommandOutcome) -> Void

  let simulation: Simulation
  private let readProfile: @Sendable (String) throws -> AccessoryProfile
  /// Called after the last accessory was stopped by a command.
  private let onAllStopped: @Sendable () -> Void
  /// Called with each command. The returned closure is called after the command was carried out.
  package var onCommand: (@Sendable (SimulatorCommand) -> @Sendable () -> Void)?

  /// The default accessory: commands without a name go to it, and names select accessories within it. nil: the only
  /// accessory, or all.
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

  /// Performs a command of a sender and returns its outcome once. Commands that take time (`advance`, `replace`, `add`,
  /// and all restarts of an accessory) return it later, the others immediately.
  package func take(_ command: SimulatorCommand, done: @escaping Answer) {
    let onPerformed = onCommand?(command)
    let answer: Answer = { outcome in
      if case .success = outcome { onPerformed?() }
      done(outcome)
    }
    do throws(CommandError) { try perform(command, answer) } catch { answer(.failure(error)) }
  }

  /// Performs a command without a sender: it is not passed to `onCommand`.
  package func perform(_ command: SimulatorCommand, _ answer: @escaping Answer) throws(CommandError) {
    switch command.action {
    case .advance(let duration):
      simulation.clock.advance(by: duration) { result in answer(result.map { .time($0) }) }
    case .add(let path):
      let read = readProfile
      add({ try read(path) }) { result in
        answer(result.map { accessory in .added(accessory.assumeIsolated { $0.introduction }) })
      }
    case .replace(let path):
      let read = readProfile
      try whole(command).assumeIsolated {
        $0.replace({ try read(path) }) { result in answer(result.map { .configurationNumber($0) }) }
      }
    case .quirks(let quirks):
      try whole(command).assumeIsolated {
        $0.restart(.reboot, with: quirks) { error in answer(error.map { .failure($0) } ?? .success(.done)) }
      }
    case .restart(let restart): self.restart(try whole(command), restart, answer)
    case .list:
      let listings = try targets(of: command).map { target in target.accessory.assumeIsolated { $0.listing } }
      answer(.success(.list(ProcessListing(simulation), listings)))
    case .status:
      answer(
        .success(.status(try targets(of: command).map { target in target.accessory.assumeIsolated { $0.status } })))
    case .disconnect(let controller):
      let count = try whole(command).isolated { accessory throws(CommandError) in try accessory.disconnect(controller) }
      answer(.success(.connections(count)))
    case .unpair(let controller):
      try whole(command).isolated { accessory throws(CommandError) in
        try accessory.unpair(controller) { result in answer(result.map { .pairings($0) }) }
      }
    case .fault(let fault, let isOn):
      let accessory = try whole(command)
      try switchFault(fault, isOn, at: accessory) { error in
        if let error { return answer(.failure(error)) }
        let protocols = accessory.assumeIsolated { $0.protocolsWithoutEffect(of: fault) }
        answer(.success(isOn ? .fault(withoutEffectOn: protocols) : .done))
      }
    case .announce(let isTold):
      try whole(command).isolated { accessory throws(CommandError) in try accessory.setAnnounced(isTold) }
      answer(.success(.done))
    case .radio(let isOn):
      try whole(command).isolated { accessory throws(CommandError) in try accessory.setRadio(isOn) }
      answer(.success(.done))
    case .openWindow, .closeWindow, .removeFabric: try performAtNode(command, answer)
    case .remove:
      simulation.remove(try whole(command))
      answer(.success(.done))
    case .stop:
      if command.accessory == nil { stopAll() } else { try whole(command).assumeIsolated { $0.stopForGood() } }
      answer(.success(.done))
      if simulation.accessories.allSatisfy({ $0.assumeIsolated { $0.isStopped } }) { onAllStopped() }
    case .set, .stall, .identify, .obstruct, .physical, .reachable:
      try performAtDevice(command)
      answer(.success(.done))
    }
  }

  private func restart(_ accessory: SimulatedAccessory, _ restart: Restart, _ answer: @escaping Answer) {
    accessory.assumeIsolated {
      $0.restart(restart) { error in
        if let error { return answer(.failure(error)) }
        guard restart == .factoryReset else { return answer(.success(.done)) }
        answer(.success(.deviceID(accessory.assumeIsolated { $0.prepared.deviceID.text })))
      }
    }
  }

  /// Performs a command at an accessory as a Matter node.
  private func performAtNode(_ command: SimulatorCommand, _ answer: @escaping Answer) throws(CommandError) {
    try whole(command).isolated { accessory throws(CommandError) in
      switch command.action {
      case .openWindow(let kind, let seconds):
        answer(.success(.window(try accessory.openWindow(kind, seconds: seconds))))
      case .removeFabric(let index):
        try accessory.removeFabric(index) { error in answer(error.map { .failure($0) } ?? .success(.done)) }
      default:
        try accessory.closeWindow()
        answer(.success(.done))
      }
    }
  }

  /// Performs a command that one accessory performs immediately: the server itself, or a bridged accessory.
  private func performAtDevice(_ command: SimulatorCommand) throws(CommandError) {
    let target = try only(targets(of: command), command)
    try target.accessory.isolated { accessory throws(CommandError) in
      let aid = target.aid
      switch command.action {
      case .set(let characteristic, let value): try accessory.set(characteristic, to: value, aid: aid)
      case .identify: try accessory.identify(aid: aid)
      case .obstruct(let isObstructed, let service): try accessory.obstruct(isObstructed, at: service, aid: aid)
      case .physical(let action, let service): try accessory.perform(action, at: service, aid: aid)
      case .stall(let selector, let isStuck): try accessory.stall(selector, isStuck, aid: aid)
      case .reachable(let isReachable): try accessory.setReachable(isReachable, aid: aid)
      default: preconditionFailure("\(command.name) is not performed at a device")
      }
    }
  }

  // MARK: Selection of accessories

  /// Returns the selected accessory; for a bridged accessory, also its aid.
  func place(of accessory: AccessorySelector) throws(CommandError) -> (accessory: SimulatedAccessory, aid: UInt64?) {
    let command = SimulatorCommand(accessory: accessory, .status)
    return try only(targets(of: command), command)
  }

  /// Returns the accessory and the characteristic that the words select.
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

  /// Returns the selected server as a whole.
  package func whole(_ command: SimulatorCommand) throws(CommandError) -> SimulatedAccessory {
    let target = try only(targets(of: command), command)
    guard target.aid == nil || target.aid == 1 else {
      let name = target.accessory.assumeIsolated { $0.name }
      throw CommandError(
        .notPossible,
        "accessory \(command.accessory.map { "\($0)" } ?? "") belongs to \"\(name)\", and this command applies only to the whole bridge: name the bridge"
      )
    }
    return target.accessory
  }

  private func only(_ targets: [Target], _ command: SimulatorCommand) throws(CommandError) -> Target {
    guard let target = targets.first else { throw Self.refusal(of: nil, 0, ([], [])) }
    guard targets.count == 1 else { throw Self.refusal(of: nil, targets.count, names()) }
    return target
  }

  /// Returns the selected accessories; all if the command names none.
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
      // The server's name selects the whole server: its characteristics and those of bridged accessories.
      if selector.matches(name: accessory.assumeIsolated { $0.name }, aid: 0) {
        found.append((accessory, nil))
      } else {
        found += accessory.assumeIsolated { $0.aids { selector.matches(name: $0, aid: $1) } }.map { (accessory, $0) }
      }
    }
    return found
  }

  /// Returns the number of accessories that a selector matches; nil matches all.
  package func matchCount(_ selector: AccessorySelector?) -> Int {
    selector.map { matches($0).count } ?? simulation.accessories.count
  }

  func stopAll() { for accessory in simulation.accessories { accessory.assumeIsolated { $0.stop() } } }

  // MARK: Error messages

  /// The names of servers and of all accessories.
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

  /// Returns the reason why the selector does not match exactly one accessory.
  /// - Parameters:
  ///   - selector: the selector; nil: the command named none.
  ///   - count: the number of matches.
  ///   - names: the existing names, in order.
  static func refusal(of selector: AccessorySelector?, _ count: Int, _ names: Names) -> CommandError {
    guard let selector else {
      if count == 0 { return CommandError(.noSuchAccessory, "no accessory is served") }
      return CommandError(
        .ambiguous, "\(count) accessories are served (\(listed(names.servers))): select one with \"accessory\"")
    }
    guard count == 0 else { return CommandError(.ambiguous, "\(count) accessories match \(selector)") }
    var hint = names.servers.isEmpty ? ": none is served" : "; there are \(listed(names.servers))"
    if case .name(let name) = selector, let meant = nearestName(to: name, in: names.all) {
      hint = ": did you mean \"\(meant)\"?"
    }
    return CommandError(.noSuchAccessory, "there is no accessory \(selector)\(hint)")
  }

  /// Returns the first names; if there are more, also their number.
  private static func listed(_ servers: [(number: Int, name: String)]) -> String {
    let names = servers.sorted { $0.number < $1.number }.prefix(12).map { "\"\($0.name)\"" }.joined(separator: ", ")
    return servers.count > 12 ? "\(names) and \(servers.count - 12) more" : names
  }
}

extension SimulatedAccessory {
  /// Runs a body for a caller that is already on the loop.
  nonisolated func isolated<T: Sendable>(
    _ body: @Sendable (isolated SimulatedAccessory) throws(CommandError) -> T
  ) throws(CommandError) -> T {
    try assumeIsolated { accessory in
      Result { () throws(CommandError) in try body(accessory) }
    }.get()
  }
}
