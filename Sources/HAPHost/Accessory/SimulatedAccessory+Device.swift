import HAPDevices
import HAPIP
import HAPModel
import HAPWire

/// Commands of the person at the device.
extension SimulatedAccessory {
  /// Does something at the device, to the service that the words name.
  /// - Parameters:
  ///   - aid: the accessory behind a bridge that is meant; nil: any.
  ///   - command: made with the service, where one could be told.
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
    // Of one accessory among several: only its own services are meant.
    let places = run.device.services(for: command(nil)).filter { $0.aid == aid }
    guard let place = places.first else {
      throw CommandError(.notPossible, "\"\(database.accessoryName(aid))\" has no service that this can be done to")
    }
    guard places.count == 1 else {
      let choices = places.map { "\($0)" }.joined(separator: ", ")
      throw CommandError(.ambiguous, "several services could be meant (\(choices)): say which with \"service\"")
    }
    try run.perform(command(place))
  }

  /// Gives a characteristic a value by hand.
  /// - Parameter value: as a command writes it.
  package func set(_ selector: CharacteristicSelector, to value: Value, aid: UInt64?) throws(CommandError) {
    let run = try running()
    let database = run.database
    let id = try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: aid) }
    guard let slot = database.slot(of: id) else {
      throw CommandError(.noSuchCharacteristic, "there is no characteristic \(id)")
    }
    try run.perform(.set(id, database.characteristics[slot].value(ofWritten: value)))
  }

  /// Leaves reads of a characteristic without an answer, until it starts anew at the latest.
  package func stall(_ selector: CharacteristicSelector, _ isStuck: Bool, aid: UInt64?) throws(CommandError) {
    let run = try running()
    let database = run.database
    let id = try CommandError.for { () throws(SelectionError) in try selector.resolve(in: database, aid: aid) }
    guard terms?.capture == nil else {
      throw CommandError(.notPossible, "a run that is captured has no stuck reads: its replay would not know of them")
    }
    run.setStuck(isStuck, id)
  }

  package func obstruct(_ isObstructed: Bool, at service: ServiceSelector?, aid: UInt64?) throws(CommandError) {
    try perform(at: service, aid: aid) { .obstruct(isObstructed, service: $0) }
  }

  package func perform(_ deed: Deed, at service: ServiceSelector?, aid: UInt64?) throws(CommandError) {
    try perform(at: service, aid: aid) { .deed(deed, service: $0) }
  }

  package func identify(aid: UInt64?) throws(CommandError) { try running().identifyByHand(aid: aid ?? 1) }
}
