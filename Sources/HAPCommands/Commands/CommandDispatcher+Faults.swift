import HAPDevices
import HAPDeviations
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPVocabulary

extension CommandDispatcher {
  /// Switches on the initial faults of an accessory, one after another. Stops at the first refusal.
  /// - Parameter done: called on the loop, possibly before this function returns, with the reason of a refusal.
  package func begin(
    _ faults: some Sequence<FaultChoice>, at accessory: SimulatedAccessory,
    done: @escaping @Sendable (CommandError?) -> Void
  ) {
    var rest = Array(faults)[...]
    guard let fault = rest.popFirst() else { return done(nil) }
    let others = rest
    do throws(CommandError) {
      try switchFault(fault, true, at: accessory) { error in
        if let error { return done(error) }
        begin(others, at: accessory, done: done)
      }
    } catch { done(error) }
  }

  /// Serves one more accessory, with the faults of its profile.
  /// - Parameters:
  ///   - read: reads the accessory's profile; called off the loop.
  ///   - done: called on the loop.
  package func add(
    _ read: @escaping @Sendable () throws -> AccessoryProfile,
    done: @escaping @Sendable (Result<SimulatedAccessory, CommandError>) -> Void
  ) {
    simulation.add(read) { result in begin(with: result, done: done) }
  }

  /// Switches on the faults of an added accessory's profile. If one is refused, the accessory is not added.
  private func begin(
    with result: Result<SimulatedAccessory, CommandError>,
    done: @escaping @Sendable (Result<SimulatedAccessory, CommandError>) -> Void
  ) {
    guard case .success(let accessory) = result else { return done(result) }
    let simulation = simulation
    begin(accessory.assumeIsolated { $0.ownFaults }, at: accessory) { error in
      guard let error else { return done(result) }
      simulation.remove(accessory)
      done(.failure(error))
    }
  }

  /// Switches a fault on or off, and performs its actions in order. If an action is refused, the fault is reverted.
  func switchFault(
    _ fault: FaultChoice, _ isOn: Bool, at accessory: SimulatedAccessory,
    done: @escaping @Sendable (CommandError?) -> Void
  ) throws(CommandError) {
    let actions = try accessory.isolated { (accessory) throws(CommandError) -> [FaultAction] in
      if !isOn { return try accessory.switchFaultOff(fault.name).end }
      let old = try accessory.switchFaultOn(fault)
      return (old?.end ?? []) + fault.begin
    }
    var dispatcher = self
    dispatcher.subject = accessory
    let bound = dispatcher
    bound.carryOut(actions[...]) { error in
      if let error { return bound.takeBack(fault, error, done) }
      if !isOn { return done(nil) }
      bound.follow(fault, done)
    }
  }

  private func takeBack(_ fault: FaultChoice, _ error: CommandError, _ done: (CommandError?) -> Void) {
    subject?.assumeIsolated { _ = try? $0.switchFaultOff(fault.name) }
    done(CommandError(.notPossible, "\(fault.name): \(error.message)"))
  }

  /// Performs the later actions of a fault.
  private func follow(_ fault: FaultChoice, _ done: @escaping @Sendable (CommandError?) -> Void) {
    guard let subject else { return done(nil) }
    @Sendable func goOn() {
      subject.assumeIsolated { accessory in
        accessory.follow(fault) { action, then in
          let then = LoopBound(here: simulation.loop, then)
          carryOut([action]) { error in
            if let error { subject.assumeIsolated { $0.tellTrouble("\(fault.name): \(error.message)") } }
            then.value()
          }
        }
      }
      done(nil)
    }
    guard let jump = fault.jump else { return goOn() }
    simulation.clock.jump(by: jump) { result in
      if case .failure(let error) = result { return takeBack(fault, error, done) }
      goOn()
    }
  }

  /// Performs actions on `subject` one after another, without a sender: see `perform`. Stops at the first refusal.
  private func carryOut(_ actions: ArraySlice<FaultAction>, done: @escaping @Sendable (CommandError?) -> Void) {
    guard let action = actions.first else { return done(nil) }
    do throws(CommandError) {
      try perform(SimulatorCommand(SimulatorCommand.Action(action))) { outcome in
        switch outcome {
        case .success: carryOut(actions.dropFirst(), done: done)
        case .failure(let error): done(CommandError(.notPossible, error.message))
        }
      }
    } catch { done(error) }
  }
}
