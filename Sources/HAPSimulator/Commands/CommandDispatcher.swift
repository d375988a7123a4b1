import HAPLoop
import HAPModel
import HAPProfile
import HAPWire

/// Takes commands for several running accessories, finds whom they are for, and answers each with one line of JSON.
///
/// Belongs to the loop that the accessories are pinned to.
package struct CommandDispatcher {
  private let accessories: [SimulatedAccessory]
  private let readProfile: @Sendable (String) throws -> AccessoryProfile
  /// Called after the last accessory was stopped by a command.
  private let onAllStopped: () -> Void

  /// - Parameter readProfile: reads the profile at a path; called off the loop.
  package init(
    _ accessories: [SimulatedAccessory], readProfile: @escaping @Sendable (String) throws -> AccessoryProfile,
    onAllStopped: @escaping () -> Void
  ) {
    self.accessories = accessories
    self.readProfile = readProfile
    self.onAllStopped = onAllStopped
  }

  /// Carries out the command on a line of JSON and hands over the answer, without its end of line: at once, or for `replace` when it is done.
  package func answer(_ line: [UInt8], to answer: @escaping @Sendable (String) -> Void) {
    let command: SimulatorCommand
    do throws(CommandRefusal) {
      command = try SimulatorCommand(json: line)
    } catch { return answer(CommandAnswer.failure(error)) }
    do throws(CommandError) {
      if case .replace(let path) = command.action {
        try replace(by: path, command, answer)
      } else {
        answer(try perform(command))
      }
    } catch { answer(CommandAnswer.failure(id: command.id, error)) }
  }

  private func replace(
    by path: String, _ command: SimulatorCommand, _ answer: @escaping @Sendable (String) -> Void
  ) throws(CommandError) {
    let targets = try targets(of: command)
    guard targets.count == 1, targets[0].aid == nil else {
      throw CommandError(.notPossible, "a bridge's profile is replaced as a whole: name the bridge")
    }
    let read = readProfile
    targets[0].accessory.assumeIsolated {
      $0.replace({ try read(path) }) { result in
        switch result {
        case .success(let number):
          answer(
            CommandAnswer.success(id: command.id) {
              $0.key("configurationNumber")
              $0.integer(number)
            })
        case .failure(let error): answer(CommandAnswer.failure(id: command.id, error))
        }
      }
    }
  }

  private typealias Target = (accessory: SimulatedAccessory, aid: UInt64?)

  private func perform(_ command: SimulatorCommand) throws(CommandError) -> String {
    let targets = try targets(of: command)
    if command.action == .status {
      return CommandAnswer.success(id: command.id) { json in
        json.key("accessories")
        json.array { json in
          for target in targets { target.accessory.assumeIsolated { $0.writeStatus(to: &json) } }
        }
      }
    }
    for target in targets {
      let outcome = target.accessory.assumeIsolated { accessory -> Result<Void, CommandError> in
        Result { () throws(CommandError) in try accessory.perform(command.action, aid: target.aid) }
      }
      try outcome.get()
    }
    if command.action == .stop, accessories.allSatisfy({ $0.assumeIsolated { !$0.isRunning } }) { onAllStopped() }
    return CommandAnswer.success(id: command.id)
  }

  private func targets(of command: SimulatorCommand) throws(CommandError) -> [Target] {
    guard let selector = command.accessory else {
      if accessories.count == 1 || command.action == .status || command.action == .stop {
        return accessories.map { ($0, nil) }
      }
      throw CommandError(
        .ambiguous, "\(accessories.count) accessories are running (\(names)): say which with \"accessory\"")
    }
    var found: [Target] = []
    for accessory in accessories {
      // The server's own name means all of it: its characteristics and those behind the bridge.
      if selector.matches(name: accessory.name, aid: 0) {
        found.append((accessory, nil))
      } else {
        found += accessory.assumeIsolated { $0.aids(matching: selector) }.map { (accessory, $0) }
      }
    }
    guard !found.isEmpty else {
      throw CommandError(.noSuchAccessory, "no accessory \(selector) is running; there are \(names)")
    }
    guard found.count == 1 else { throw CommandError(.ambiguous, "\(found.count) accessories are \(selector)") }
    return found
  }

  private var names: String { accessories.map { "\"\($0.name)\"" }.joined(separator: ", ") }
}

extension AccessorySelector: CustomStringConvertible {
  package var description: String {
    switch self {
    case .name(let name): "\"\(name)\""
    case .aid(let aid): "\(aid)"
    }
  }
}
