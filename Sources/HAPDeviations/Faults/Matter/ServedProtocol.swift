/// A protocol over which an accessory is served.
package enum ServedProtocol: String, CaseIterable, Sendable {
  case hap = "HAP"
  case matter = "Matter"
}

extension FaultChoice {
  /// The protocols on which the fault has an effect. At least one.
  package var protocols: [ServedProtocol] { ServedProtocol.allCases.filter { affects($0) } }

  private func affects(_ served: ServedProtocol) -> Bool {
    // The device, its starts, its time and its network are the same for all protocols.
    if !begin.isEmpty || !cycle.isEmpty || jump != nil { return true }
    if let defect, !defect.devices.isEmpty || defect.restart != nil { return true }
    switch served {
    case .hap: return defect != nil || network != nil || setup != nil
    case .matter:
      // Controllers and connections of a scope are those of HAP.
      guard scope.isForAll else { return false }
      return datagrams != nil || interaction != nil || network?.affectsDatagrams == true
    }
  }
}

extension NetworkFault {
  /// Whether it means something for datagrams: they have no connections, and are not divided.
  fileprivate var affectsDatagrams: Bool {
    delay > .zero || jitter > .zero || delayIn > .zero || stalls || isDeaf
  }
}
