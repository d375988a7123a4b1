import HAPPreparation
import HAPCrypto
import HAPDiscovery
import HAPHost
import HAPModel
import HAPStore

/// The stored state of an accessory.
struct StoredState {
  let deviceID: DeviceID
  let publicKey: [UInt8]
  let pairings: [Pairing]
  let failedTries: Int
  let configurationNumber: UInt16

  init(_ store: AccessoryStore) throws(StoreError) {
    let identity = try store.identity { preconditionFailure("an accessory that ran has an identity") }
    deviceID = identity.deviceID
    publicKey = SigningKey(seed: identity.keySeed).publicKey
    pairings = try store.pairings()
    failedTries = try store.failedTries()
    configurationNumber = try store.configurationNumber()
  }
}

/// The expected state of one accessory: values, pairings, identity, configuration. Confined to the world's thread.
package final class AccessoryLedger: @unchecked Sendable {  // see above
  /// The pairing state of a controller.
  enum Knowledge: Equatable {
    case no
    case yes(isAdmin: Bool)
    /// A request had no answer, so the state is unknown.
    case unknown
  }

  private let number: Int
  package private(set) var registers: [AttributeID: Register] = [:]
  /// The pairings by controller number.
  private(set) var pairings: [Int: Knowledge] = [:]
  /// The time of the last change of pairings without an answer.
  private(set) var unknownSince: UInt64 = 0
  /// The number of times a pairing was added, removed or became unknown.
  private(set) var pairingChanges = 0
  /// The device ID; `nil` if unknown, because a factory reset had no answer.
  private(set) var deviceID: DeviceID?
  /// The possible range of the number of refused setup codes: the answered refusals, plus those without an answer.
  private(set) var tries = 0...0
  private(set) var isAdvertisedAsPaired = false
  /// The last `c#`, and the revision of the profile that was served with it.
  private var configuration: (number: Int, revision: Int)?
  private var nextRevision = 0
  private var servedRevision = 0
  private var isResetting = false
  private var hasResetFailed = false
  /// The checked ids, in order.
  package private(set) var watched: [Watched] = []
  /// The characteristics On, in order. Their values are not in the registers.
  package private(set) var switches: [AttributeID] = []

  init(_ number: Int) { self.number = number }

  // MARK: Starts

  func started(_ prepared: PreparedAccessory, _ machine: AccessoryMachine) {
    let swarm = machine.swarm
    if isResetting {
      // The accessory deletes values before the identity.
      if prepared.deviceID != deviceID {
        wasReset(prepared.deviceID, machine)
      } else {
        crashed(at: swarm.now, losesValues: true)
      }
      isResetting = false
      hasResetFailed = false
    }
    if let deviceID, deviceID != prepared.deviceID {
      swarm.report(.identityIsKept, "accessory \(number) started as \(prepared.deviceID.text), not \(deviceID.text)")
    }
    deviceID = prepared.deviceID
    servedRevision = machine.profile.revision
    if watched.isEmpty { watch(prepared.database) }
  }

  private func watch(_ database: AttributeDatabase) {
    for slot in database.characteristics.indices {
      let characteristic = database.characteristics[slot]
      if characteristic.type == CharacteristicDefinition.on.type { switches.append(database.id(ofSlot: slot)) }
      guard let watched = Watched(database.id(ofSlot: slot), characteristic),
        let value = characteristic.value.doubleValue
      else { continue }
      self.watched.append(watched)
      registers[watched.id] = Register(watched: watched, history: ValueHistory(initial: watched.index(value)))
    }
    precondition(!watched.isEmpty, "the profile has no values to check")
  }

  func crashed(at time: UInt64, losesValues: Bool) {
    for id in registers.keys { registers[id]!.history.crashed(at: time, losesValues: losesValues) }
  }

  // MARK: Values

  package func begin(_ id: AttributeID, _ index: Int, by writer: Int, at time: UInt64) -> Int {
    registers[id]!.history.begin(index, by: writer, at: time)
  }

  /// - Parameter isDone: `false` if the write was refused.
  package func finish(_ id: AttributeID, _ place: Int, isDone: Bool, at time: UInt64) {
    if isDone { registers[id]!.history.finish(place, at: time) } else { registers[id]!.history.refuse(place) }
  }

  /// Notes that a write will have no answer.
  /// - Parameter time: the time until which it can still take effect.
  package func abandon(_ id: AttributeID, _ place: Int, until time: UInt64) {
    registers[id]!.history.abandon(place, until: time)
  }

  // MARK: Pairings

  func knowledge(of controller: Int) -> Knowledge { pairings[controller] ?? .no }
  var hasUnknownPairings: Bool { pairings.values.contains(.unknown) }
  var admins: [Int] { pairings.filter { $0.value == .yes(isAdmin: true) }.keys.sorted() }
  var isPaired: Bool { pairings.values.contains { $0 != .no } }

  func set(_ controller: Int, _ knowledge: Knowledge, at time: UInt64) {
    pairings[controller] = knowledge
    pairingChanges += 1
    if knowledge == .unknown { unknownSince = time }
  }

  /// Removes all pairings, because the last administrator was removed.
  func removeAllPairings() {
    pairings = [:]
    pairingChanges += 1
  }

  func wrongCodeBegins() { tries = tries.lowerBound...tries.upperBound + 1 }
  func wrongCodeRefused() { tries = tries.lowerBound + 1...tries.upperBound }
  /// Resets the count after a right code.
  func rightCode(isKnown: Bool) { tries = isKnown ? 0...0 : 0...tries.upperBound }

  // MARK: Configuration

  /// Records that a profile will be served. After a crash, it may be served already.
  func willServe(_ revision: Int) { nextRevision = revision }

  func willReset() { isResetting = true }

  /// Handles a failed reset that the accessory reported. Its values may already be deleted, and an unstored change may
  /// take effect after a crash.
  func resetFailed(at time: UInt64) {
    hasResetFailed = true
    crashed(at: time, losesValues: true)
  }

  private func wasReset(_ deviceID: DeviceID, _ machine: AccessoryMachine) {
    let time = machine.swarm.now
    self.deviceID = deviceID
    machine.swarm.second?.wasReset(machine, isWhole: !hasResetFailed)
    pairings = [:]
    tries = 0...0
    configuration = nil
    // A reset that could not be stored may take effect without the deletion of the values.
    if hasResetFailed { return crashed(at: time, losesValues: true) }
    for id in registers.keys { registers[id]!.history.reset(at: time) }
  }

  /// Checks a record that the accessory published or changed.
  func advertised(_ record: TextRecord, _ machine: AccessoryMachine) {
    let swarm = machine.swarm
    if isResetting, let text = record["id"], let id = DeviceID(text), id != deviceID {
      wasReset(id, machine)
      isResetting = false
    }
    isAdvertisedAsPaired = record["sf"].flatMap { Int($0) }.map { $0 & 1 == 0 } ?? false
    guard let number = record["c#"].flatMap({ Int($0) }) else {
      return swarm.report(.configurationRises, "accessory \(self.number) has no c#")
    }
    if let last = configuration {
      // The next revision may already be served. The number shows whether it is.
      let isNext = nextRevision != last.revision && number != last.number
      if number < last.number || (nextRevision == last.revision && number != last.number) {
        swarm.report(
          .configurationRises,
          "accessory \(self.number) has c# \(number) after \(last.number) with revision \(nextRevision)")
      }
      configuration = (number, isNext ? nextRevision : last.revision)
    } else {
      configuration = (number, servedRevision)
    }
  }

  /// Handles the accessory's answer that it serves the next revision.
  func reconfigured(_ number: UInt16, _ machine: AccessoryMachine) {
    servedRevision = nextRevision
    guard let last = configuration else { return }
    if Int(number) != last.number || last.revision != nextRevision {
      machine.swarm.report(
        .configurationRises,
        "accessory \(self.number) serves revision \(nextRevision) as c# \(number) and advertises \(last)")
    }
  }

  /// Checks that an accessory that has just started serves the current profile.
  func isServing(_ machine: AccessoryMachine) {
    guard let last = configuration, last.revision != nextRevision else { return }
    machine.swarm.report(
      .configurationRises,
      "accessory \(number) serves revision \(nextRevision) with c# \(last.number) of \(last.revision)")
  }

  // MARK: The end

  func compare(with stored: StoredState, _ machine: AccessoryMachine) {
    let swarm = machine.swarm
    if let deviceID, !isResetting, stored.deviceID != deviceID {
      swarm.report(.identityIsKept, "accessory \(number) has stored \(stored.deviceID.text), not \(deviceID.text)")
    }
    if let configuration, !isResetting, Int(stored.configurationNumber) != configuration.number {
      swarm.report(
        .configurationRises,
        "accessory \(number) has stored c# \(stored.configurationNumber), not \(configuration.number)")
    }
    if !isResetting, !tries.contains(stored.failedTries) {
      swarm.report(.triesAreKept, "accessory \(number) has stored \(stored.failedTries) wrong codes, not \(tries)")
    }
    for controller in swarm.controllers where !isResetting {
      let pairing = stored.pairings.first { $0.identifier == controller.identity.identifier }
      let isRight =
        switch knowledge(of: controller.number) {
        case .unknown: true
        case .no: pairing == nil
        case .yes(let isAdmin): pairing?.isAdmin == isAdmin && pairing?.publicKey == controller.identity.key.publicKey
        }
      if !isRight {
        swarm.report(
          .pairingsAgree,
          "accessory \(number) has stored \(pairing.map { "a pairing, admin \($0.isAdmin)," } ?? "no pairing") of controller \(controller.number): \(knowledge(of: controller.number)) is right"
        )
      }
    }
  }
}
