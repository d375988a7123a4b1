import HAPLoop
import HAPModel
import HAPWire

/// Takes commands for several running accessories, finds whom they are for, and answers each with one line of JSON.
///
/// Belongs to the loop that the accessories are pinned to.
package struct CommandDispatcher {
  private let accessories: [SimulatedAccessory]
  /// Called after the last accessory was stopped by a command.
  private let onAllStopped: () -> Void

  package init(_ accessories: [SimulatedAccessory], onAllStopped: @escaping () -> Void) {
    self.accessories = accessories
    self.onAllStopped = onAllStopped
  }

  /// Carries out the command on a line of JSON and returns the answer, without its end of line.
  package func answer(_ line: [UInt8]) -> String {
    let command: SimulatorCommand
    do throws(CommandRefusal) {
      command = try SimulatorCommand(json: line)
    } catch { return CommandAnswer.failure(error) }
    do throws(CommandError) {
      return try perform(command)
    } catch { return CommandAnswer.failure(id: command.id, error) }
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
