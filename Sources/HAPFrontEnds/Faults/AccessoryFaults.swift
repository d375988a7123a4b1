import HAPDeviations
import HAPIP
import HAPLoop
import HAPTransport

/// The faults that an accessory has at the moment, by name, over its restarts.
///
/// Belongs to the loop's thread.
package final class AccessoryFaults {
  package private(set) var active: [FaultChoice] = []

  package init() {}
  /// What those do that go round, by name.
  private var cycles: [String: FaultCycle] = [:]

  package var isEmpty: Bool { active.isEmpty }

  /// - Returns: the fault of the same name that was on.
  package func switchOn(_ fault: FaultChoice) -> FaultChoice? {
    let old = switchOff(fault.name)
    active.append(fault)
    return old
  }

  /// Those that are over when the accessory starts anew, since the device has forgotten them.
  package func forgetMomentary() -> [FaultChoice] {
    let momentary = active.filter { fault in
      fault.begin.contains { action in if case .stall = action { true } else { false } }
    }
    active.removeAll { fault in momentary.contains { $0.name == fault.name } }
    return momentary
  }

  /// What they do to messages and the device, as text: the same text is the same.
  var alterations: [String] { active.filter { $0.defect?.isInstalled == true }.map(\.text) }

  /// - Returns: nil: it wasn't on.
  package func switchOff(_ name: String) -> FaultChoice? {
    cycles.removeValue(forKey: name)?.stop()
    guard let index = active.firstIndex(where: { $0.name == name }) else { return nil }
    return active.remove(at: index)
  }

  /// Goes round until the fault of this name is over.
  package func goRound(_ name: String, _ cycle: FaultCycle) {
    cycles.updateValue(cycle, forKey: name)?.stop()
    cycle.start()
  }

  /// The accessory is gone, and nothing goes round any more.
  package func stop() {
    for (_, cycle) in cycles.sorted(by: { $0.key < $1.key }) { cycle.stop() }
    cycles = [:]
  }

  /// What is odd about what Pair Setup draws; nil: nothing.
  var setup: SetupFault? { active.compactMap(\.setup).reduce(nil) { $0?.joined(with: $1) ?? $1 } }

  /// What they and the accessory's defect do to messages, the record and the device; nil: nothing.
  func joined(with defect: Defect?) -> Defect? {
    let defects = active.compactMap(\.defect)
    guard !defects.isEmpty else { return defect }
    return Defect.joined((defect.map { [$0] } ?? []) + defects)
  }

  var hasNetworkFaults: Bool { active.contains { $0.network != nil } }

  /// Most connections before others are cut off.
  var refusesBeyond: Int? { active.compactMap { $0.network?.refusesBeyond }.min() }

  /// What the network does to a connection; nil: nothing.
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

/// A connection's share of a bad network.
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
