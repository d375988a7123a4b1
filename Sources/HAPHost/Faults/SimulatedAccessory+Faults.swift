import HAPDeviations
import HAPFrontEnds
import HAPModel

/// Switching faults on and off.
extension SimulatedAccessory {
  /// - Returns: the fault of the same name that was switched on before.
  package func switchFaultOn(_ fault: FaultChoice) throws(CommandError) -> FaultChoice? {
    let run = try running()
    guard terms?.capture == nil else {
      throw CommandError(.notPossible, "a captured run can't have faults: its replay would not have them")
    }
    let served = run.servedProtocols
    guard fault.protocols.contains(where: served.contains) else {
      throw CommandError(
        .notPossible,
        fault.protocols == [.matter]
          ? "the fault affects Matter alone, and \"\(name)\" is not served over Matter; serve it with --matter"
          : "\"\(name)\" is not served over IP; faults need HAP over IP")
    }
    let old = faults.switchOn(fault)
    apply(to: run)
    run.tellOfFault(fault, isOn: true)
    return old
  }

  /// Returns the protocols over which it is served, and on which a fault has no effect.
  package func protocolsWithoutEffect(of fault: FaultChoice) -> [ServedProtocol] {
    run.map { $0.servedProtocols.filter { !fault.protocols.contains($0) } } ?? []
  }

  package func switchFaultOff(_ name: String) throws(CommandError) -> FaultChoice {
    let run = try running()
    guard let fault = faults.switchOff(name) else {
      let names = faults.active.map(\.name)
      throw CommandError(
        .notPossible,
        "the fault \"\(name)\" is not on\(names.isEmpty ? "" : "; active faults: \(names.joined(separator: ", "))")")
    }
    apply(to: run)
    run.tellOfFault(fault, isOn: false)
    return fault
  }

  /// Continues with a fault that was switched on and whose first actions were performed.
  package func follow(_ fault: FaultChoice, _ perform: @escaping (FaultAction, @escaping () -> Void) -> Void) {
    guard faults.active.contains(fault) else { return }
    if fault.isOneShot { _ = try? switchFaultOff(fault.name) }
    if !fault.cycle.isEmpty { faults.goRound(fault.name, FaultCycle(fault.cycle, on: loop, perform)) }
  }

  /// Reports that a step of a fault failed. During a restart that is not an error.
  package func tellTrouble(_ text: String) {
    guard isRunning else { return }
    terms?.sink?(SimulatorEvent(accessory: name, .trouble(text)))
  }
}
