import HAPDeviations
import HAPIP
import HAPLoop
import HAPTransport

/// The active faults of an accessory, by name. They are kept across restarts.
///
/// Belongs to the loop's thread.
package final class AccessoryFaults {
  package private(set) var active: [FaultChoice] = []

  /// The faults of datagrams. Their counts and random numbers are kept across restarts, too.
  package var datagrams = DatagramScript(seed: 0)

  package init() {}
  /// The cycles of repeating faults, by name.
  private var cycles: [String: FaultCycle] = [:]

  package var isEmpty: Bool { active.isEmpty }

  /// - Returns: the fault of the same name that was on.
  package func switchOn(_ fault: FaultChoice) -> FaultChoice? {
    let old = switchOff(fault.name)
    active.append(fault)
    if let datagrams = fault.datagrams { self.datagrams.add(fault.name, datagrams) }
    return old
  }

  /// Removes the faults that end when the accessory restarts, because the device has lost their state.
  package func forgetMomentary() -> [FaultChoice] {
    let momentary = active.filter { fault in
      fault.begin.contains { action in if case .stall = action { true } else { false } }
    }
    active.removeAll { fault in momentary.contains { $0.name == fault.name } }
    return momentary
  }

  /// The faults that change messages and the device, as text. Equal texts mean equal changes.
  var alterations: [String] { active.filter { $0.defect?.isInstalled == true }.map(\.text) }

  /// - Returns: `nil` if it was not on.
  package func switchOff(_ name: String) -> FaultChoice? {
    cycles.removeValue(forKey: name)?.stop()
    datagrams.remove(name)
    guard let index = active.firstIndex(where: { $0.name == name }) else { return nil }
    return active.remove(at: index)
  }

  /// Runs a cycle until the fault with this name ends.
  package func goRound(_ name: String, _ cycle: FaultCycle) {
    cycles.updateValue(cycle, forKey: name)?.stop()
    cycle.start()
  }

  /// Stops all cycles, because the accessory is gone.
  package func stop() {
    for (_, cycle) in cycles.sorted(by: { $0.key < $1.key }) { cycle.stop() }
    cycles = [:]
  }

  /// The changes to the random numbers of Pair Setup; `nil`: none.
  var setup: SetupFault? { active.compactMap(\.setup).reduce(nil) { $0?.joined(with: $1) ?? $1 } }

  /// Returns the changes of the faults and of the accessory's defect to messages, the record and the device; `nil`:
  /// none.
  func joined(with defect: Defect?) -> Defect? {
    let defects = active.compactMap(\.defect)
    guard !defects.isEmpty else { return defect }
    return Defect.joined((defect.map { [$0] } ?? []) + defects)
  }

  /// The faults that affect all connections, and therefore front ends without connections of HAP, too.
  private var whole: [FaultChoice] { active.filter(\.scope.isForAll) }

  /// The faults of the whole network.
  package var network: NetworkFault {
    whole.compactMap(\.network).reduce(NetworkFault()) { $0.joined(with: $1) }
  }

  /// The changes to what a Matter node answers and reports.
  package var interactions: [InteractionFault] { whole.compactMap(\.interaction) }

  var hasNetworkFaults: Bool { active.contains { $0.network != nil } }

  /// The maximum number of connections before others are cut.
  var refusesBeyond: Int? { active.compactMap { $0.network?.refusesBeyond }.min() }

  /// Returns the network's effect on a connection; `nil`: none.
  func shaper(for connection: ConnectionCore, _ random: @escaping () -> Double) -> (any LinkShaper)? {
    let controller = connection.verifiedController
    let fitting = active.filter { $0.scope.fits(connection: connection.id.number, controller: controller) }
    guard
      let fault = fitting.compactMap(\.network).reduce(
        nil,
        { (both: NetworkFault?, other) in
          both?.joined(with: other) ?? other
        })
    else { return nil }
    return FaultyLink(fault, random)
  }
}

/// A connection on a faulty network.
private final class FaultyLink: LinkShaper {
  private var shaper: NetworkShaper

  init(_ fault: NetworkFault, _ chance: @escaping () -> Double) { shaper = NetworkShaper(fault, chance: chance) }

  func isSame(as other: any LinkShaper) -> Bool { (other as? FaultyLink)?.shaper.fault == shaper.fault }
  func goOn(from other: any LinkShaper) { if let other = other as? FaultyLink { shaper.goOn(from: other.shaper) } }
  var isStalled: Bool { shaper.fault.stalls }
  var delayIn: Duration { shaper.fault.delayIn }
  var isDeaf: Bool { shaper.fault.isDeaf }
  var cutsWithReset: Bool { shaper.fault.cutsWithReset }

  func send(_ bytes: [UInt8], at now: Duration) -> [LinkPiece] {
    shaper.send(bytes, at: now).map { LinkPiece(bytes: $0.bytes, due: $0.due, isLast: $0.isLast) }
  }
}
