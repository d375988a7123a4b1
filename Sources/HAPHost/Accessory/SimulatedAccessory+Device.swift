import HAPDevices
import HAPIP
import HAPModel
import HAPWire

/// Commands of a person at the device.
extension SimulatedAccessory {
  /// Performs a command at the device, on the selected service.
  /// - Parameters:
  ///   - aid: the bridged accessory; `nil`: any.
  ///   - command: makes the command for the service, if one was determined.
  private func perform(
    at service: ServiceSelector?, aid: UInt64?, _ command: (AttributeID?) -> DeviceCommand
  ) throws(CommandError) {
    let run = try running()
    let database = run.database
    if let service {
      let place = try CommandError.for { () throws(SelectionError) in try service.resolve(in: database, aid: aid) }
      return try run.perform(command(place))
    }
    guard let aid, database.accessoryEntries.count > 1 else { return try run.perform(command(nil)) }
    // Of several accessories, only the services of this one qualify.
    let places = run.device.services(for: command(nil)).filter { $0.aid == aid }
    guard let place = places.first else {
      throw CommandError(.notPossible, "\"\(database.accessoryName(aid))\" has no service that supports this command")
    }
    guard places.count == 1 else {
      let choices = places.map { "\($0)" }.joined(separator: ", ")
      throw CommandError(.ambiguous, "several services qualify (\(choices)): name one with \"service\"")
    }
    try run.perform(command(place))
  }

  /// Sets the value of a characteristic by hand.
  /// - Parameter value: in the form of a command.
  package func set(_ selector: CharacteristicSelector, to value: Value, aid: UInt64?) throws(CommandError) {
    let run = try running()
    let database = run.database
    let id = try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: aid) }
    guard let slot = database.slot(of: id) else {
      throw CommandError(.noSuchCharacteristic, "there is no characteristic \(id)")
    }
    try run.perform(.set(id, database.characteristics[slot].value(ofWritten: value)))
  }

  /// Stops answering reads of a characteristic, until the accessory restarts at the latest.
  package func stall(_ selector: CharacteristicSelector, _ isStuck: Bool, aid: UInt64?) throws(CommandError) {
    let run = try running()
    let database = run.database
    let id = try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: aid) }
    guard terms?.capture == nil else {
      throw CommandError(.notPossible, "a captured run can't have stalled reads: its replay would not have them")
    }
    run.setStuck(isStuck, id)
  }

  package func obstruct(_ isObstructed: Bool, at service: ServiceSelector?, aid: UInt64?) throws(CommandError) {
    try perform(at: service, aid: aid) { .obstruct(isObstructed, service: $0) }
  }

  package func perform(_ action: PhysicalAction, at service: ServiceSelector?, aid: UInt64?) throws(CommandError) {
    try perform(at: service, aid: aid) { .physical(action, service: $0) }
  }

  package func identify(aid: UInt64?) throws(CommandError) { try running().identifyByHand(aid: aid ?? 1) }
}
