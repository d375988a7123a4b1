import HAPCommands
import HAPHost
import HAPIP
import HAPLoop
import HAPModel
import HAPProfile
import HAPVocabulary
import HAPWire

/// The selection of a characteristic. On a bridge it can name the bridged accessory; `nil`: any.
package struct CharacteristicPlace: Sendable {
  let characteristic: CharacteristicSelector
  let accessory: AccessorySelector?

  package init(_ characteristic: CharacteristicSelector, of accessory: AccessorySelector?) {
    self.characteristic = characteristic
    self.accessory = accessory
  }
}

/// An accessory of a simulator, with its past events and the waits for future ones.
///
/// Belongs to the loop's thread, except for its constants.
// Safe: `card` and `record` have their own locks. The variables are used by `SimulatorCore` and in work that
// `RunningAccessory` gives to the loop. `accessory` is an actor of the loop, whose `assumeIsolated` traps on any other
// thread.
package final class ServedAccessory: @unchecked Sendable {
  /// The accessory's identity, for controllers and users.
  package struct Card: Sendable {
    package let name: String
    package let deviceID: String
    package let setupCode: String
    package let setupPayload: String
    package let category: String
    package let port: UInt16
  }

  package let loop: EventLoop
  package let record = EventRecord()
  package let card: Guarded<Card>
  /// Called once, when it is stopped.
  var onStop: () -> Void = {}

  private let clock: SimulationClock
  /// The time when the simulator was made, in the loop's clock.
  private let birth: UInt64
  package let accessory: SimulatedAccessory
  private let dispatcher: CommandDispatcher
  /// Whether events are recorded.
  private var isOpen = false
  private var waits: [Wait] = []
  private var isLooking = false

  /// - Parameter birth: the time when the simulator was made, in the loop's clock.
  init(
    _ accessory: SimulatedAccessory, of simulation: Simulation, in clock: SimulationClock, since birth: UInt64,
    on loop: EventLoop
  ) {
    self.accessory = accessory
    dispatcher = CommandDispatcher(simulation, readProfile: { try ProfileOrigin.file($0).load() }, onAllStopped: {})
    card = Guarded(Self.card(of: accessory))
    self.clock = clock
    self.birth = birth
    self.loop = loop
  }

  // MARK: Starting and stopping

  /// Switches on the faults that its profile has.
  func beginFaults(done: @escaping @Sendable (SimulationFailure?) -> Void) {
    dispatcher.begin(accessory.assumeIsolated { $0.ownFaults }, at: accessory) { error in
      done(error.map { SimulationFailure($0) })
    }
  }

  /// Starts to record events, once the accessory's start has succeeded. Earlier events are ignored.
  func open() { isOpen = true }

  private var isStopped: Bool { accessory.assumeIsolated { $0.isStopped } }

  /// Stops the accessory. May be called repeatedly.
  package func stop() {
    accessory.assumeIsolated { $0.stop() }
    let waiting = waits
    waits = []
    for wait in waiting { wait.finish(.stopped) }
    record.finish()
    let onStop = onStop
    self.onStop = {}
    onStop()
  }

  private func issueCard() {
    let new = Self.card(of: accessory)
    card.withLock { $0 = new }
  }

  private static func card(of accessory: SimulatedAccessory) -> Card {
    let (prepared, port) = accessory.assumeIsolated { ($0.prepared, $0.port) }
    return Card(
      name: prepared.name, deviceID: prepared.deviceID.text, setupCode: prepared.setupCode.text,
      setupPayload: prepared.setupPayload.uri, category: prepared.category.slug, port: port)
  }

  // MARK: Commands

  /// - Parameters:
  ///   - name: the bridged accessory; `nil`: the accessory itself.
  ///   - done: called with the answer.
  package func perform(
    _ action: SimulatorCommand.Action, of name: String? = nil, done: @escaping SimulatorCore.Done<CommandResult>
  ) {
    perform(SimulatorCommand(accessory: name.map { .name($0) }, action), done: done)
  }

  /// Carries out a command in its JSON form.
  /// - Parameter done: called with the answer, a line without its end.
  package func perform(json: String, done: @escaping SimulatorCore.Done<String>) {
    do throws(CommandRefusal) {
      let command = try SimulatorCommand(json: Array(json.utf8))
      switch command.action {
      case .add:
        done(.failure(SimulationFailure(.notPossible, "one accessory can't add another: use Simulator.start")))
      case .advance where clock.pace != .standing: done(.failure(.timePasses))
      case .stop, .remove:
        do throws(CommandError) { _ = try dispatcher.whole(command) } catch {
          return done(.failure(SimulationFailure(error)))
        }
        stop()
        done(.success(CommandReply(id: command.id, .success(.done)).text))
      default:
        perform(command) { result in done(result.map { CommandReply(id: command.id, .success($0)).text }) }
      }
    } catch { done(.failure(SimulationFailure(error))) }
  }

  private func perform(_ command: SimulatorCommand, done: @escaping SimulatorCore.Done<CommandResult>) {
    guard !isStopped else { return done(.failure(.stopped)) }
    do throws(CommandError) {
      try dispatcher.perform(command) { outcome in
        // The accessory may have another identity now.
        self.issueCard()
        // An accessory that cannot be restarted stops by itself, and has reported why.
        done(outcome.mapError { self.isStopped && $0.code != .failed ? .stopped : SimulationFailure($0) })
      }
    } catch { done(.failure(SimulationFailure(error))) }
  }

  package func replace(by origin: ProfileOrigin, done: @escaping SimulatorCore.Done<UInt16>) {
    guard !isStopped else { return done(.failure(.stopped)) }
    accessory.assumeIsolated {
      $0.replace({ try origin.load() }) { result in
        self.issueCard()
        // A stop may have come first.
        done(result.mapError { self.isStopped ? .stopped : SimulationFailure($0) })
      }
    }
  }

  // MARK: State

  package var pairings: Result<[Pairing], SimulationFailure> {
    if isStopped { return .failure(.stopped) }
    let pairings = accessory.assumeIsolated { $0.pairings }
    return pairings.map { .success($0) }
      ?? .failure(SimulationFailure(.notPossible, "\"\(accessory.assumeIsolated { $0.name })\" is restarting"))
  }

  package var activeFaults: [String] { accessory.assumeIsolated { $0.activeFaults.map(\.text) } }

  package func value(of name: CharacteristicPlace) throws(SimulationFailure) -> (value: Value, word: String?) {
    let (id, database) = try find(name)
    guard let slot = database.slot(of: id) else { throw SimulationFailure(.noSuchCharacteristic, "\(id) is gone") }
    let named = database.named(slot, database.characteristics[slot].value)
    return (named.value, named.word)
  }

  private func find(_ name: CharacteristicPlace) throws(SimulationFailure) -> (AttributeID, AttributeDatabase) {
    guard !isStopped else { throw .stopped }
    do throws(CommandError) {
      let id = try dispatcher.characteristic(name.characteristic, of: name.accessory).id
      return (id, accessory.assumeIsolated { $0.database })
    } catch { throw SimulationFailure(error) }
  }

  /// A characteristic and optionally a value of it, with their text.
  struct Subject {
    let id: AttributeID
    /// In canonical form.
    let value: Value?
    /// "Target Door State (1.12): open (0)"
    let text: String
  }

  /// - Throws: for a name that selects nothing, and for a value that the characteristic can't have.
  func subject(_ name: CharacteristicPlace, _ value: Value?) throws(SimulationFailure) -> Subject {
    let (id, database) = try find(name)
    guard let slot = database.slot(of: id) else { throw SimulationFailure(.noSuchCharacteristic, "\(id) is gone") }
    guard let value else { return Subject(id: id, value: nil, text: "\(database.named(slot))") }
    let characteristic = database.characteristics[slot]
    do throws(CommandError) {
      let meant = try characteristic.value(ofWritten: value.asWritten)
      // A characteristic that reads as null has no other value to read, but other values can be written to it.
      let canonical = meant.isNull ? meant : try characteristic.admitByHand(meant)
      return Subject(id: id, value: canonical, text: "\(database.named(slot, canonical))")
    } catch { throw SimulationFailure(error) }
  }

  /// Returns a characteristic's present value for users: "Target Door State (1.12): open (0)"; `nil`: it is gone.
  func state(of id: AttributeID) -> String? {
    let database = accessory.assumeIsolated { $0.database }
    return database.slot(of: id).map { "\(database.named($0, database.characteristics[$0].value))" }
  }

  // MARK: Events

  func hear(_ event: SimulatorEvent) {
    guard isOpen else { return }
    let told = RecordedEvent(
      event, at: clock.now, uptime: .nanoseconds(Int64(clamping: loop.readClock() - birth)))
    let number = record.add(told)
    var isTaken = false
    var met: [Wait] = []
    waits.removeAll { wait in
      let isMet = wait.condition.isMet(by: told) && !(wait.condition.takesIt && isTaken)
      if isMet {
        met.append(wait)
        isTaken = isTaken || wait.condition.takesIt
      }
      return isMet
    }
    if isTaken { record.take(number) }
    for wait in met { wait.finish(.met(told)) }
    lookLater()
    // An accessory that cannot be restarted stops by itself, and reports it.
    if told.name == "trouble", isStopped { loop.schedule { [self] in stop() } }
  }

  /// Waits for an event, or for a value. An event or value that is already present ends the wait.
  func wait(
    for condition: WaitCondition, within limit: Duration, _ ticket: WaitTicket,
    done: @escaping @Sendable (WaitEnding) -> Void
  ) {
    if ticket.isCancelled { return done(.cancelled) }
    if isStopped { return done(.stopped) }
    switch condition {
    case .event(let matches): if let event = record.take(matches) { return done(.met(event)) }
    case .value(let id, let value): if self.value(id) == value { return done(.met(nil)) }
    }
    let timer = LoopTimer(loop)
    let wait = Wait(condition, ticket, timer, done)
    timer.onFire = { [unowned self] in
      guard let index = waits.firstIndex(where: { $0.ticket === ticket }) else { return }
      waits.remove(at: index).finish(.late)
    }
    timer.start(after: limit)
    waits.append(wait)
  }

  /// Ends a wait.
  func giveUp(_ ticket: WaitTicket) {
    ticket.cancel()
    guard let index = waits.firstIndex(where: { $0.ticket === ticket }) else { return }
    waits.remove(at: index).finish(.cancelled)
  }

  private func value(_ id: AttributeID) -> Value? {
    let database = accessory.assumeIsolated { $0.database }
    return database.slot(of: id).map { database.characteristics[$0].value }
  }

  /// Schedules a check of the values. Events come before the database has their value, and values may change without
  /// an event, as in a restart.
  private func lookLater() {
    guard !isLooking, waits.contains(where: { !$0.condition.takesIt }) else { return }
    isLooking = true
    loop.schedule { [self] in
      isLooking = false
      var met: [Wait] = []
      waits.removeAll { wait in
        guard case .value(let id, let value) = wait.condition, self.value(id) == value else { return false }
        met.append(wait)
        return true
      }
      for wait in met { wait.finish(.met(nil)) }
    }
  }
}
