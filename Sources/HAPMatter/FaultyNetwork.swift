import HAPDeviations
import HAPFrontEnds
import HAPLoop
import MatterBridge

/// The network between a node and its controllers, with the faults that are on. Without one, datagrams pass at once.
///
/// Belongs to the loop's thread.
final class FaultyNetwork {
  typealias Datagram = DatagramShaper<SocketAddress>.Datagram

  private let timer: LoopTimer
  private let now: () -> Duration
  private let deliver: (Datagram) -> Void
  private var shaper = DatagramShaper<SocketAddress>()
  /// nil: no fault was ever on.
  private var faults: AccessoryFaults?

  /// - Parameter deliver: called with each datagram that arrives, in both directions.
  init(_ loop: EventLoop, now: @escaping () -> Duration, deliver: @escaping (Datagram) -> Void) {
    (self.now, self.deliver) = (now, deliver)
    timer = LoopTimer(loop)
    timer.onFire = { [unowned self] in
      let arrived = shaper.due(at: self.now())
      arm()
      arrived.forEach(deliver)
    }
  }

  func pass(_ datagram: Datagram) {
    guard let faults, !faults.datagrams.isEmpty || !shaper.isIdle else { return deliver(datagram) }
    let arrived = shaper.pass(datagram, &faults.datagrams, at: now())
    arm()
    arrived.forEach(deliver)
  }

  /// Applies the faults that are on from now on. Datagrams that are late arrive now, if no fault is left.
  func apply(_ faults: AccessoryFaults) {
    self.faults = faults
    shaper.network = faults.network
    guard faults.datagrams.isEmpty, faults.network == NetworkFault() else { return }
    let arrived = shaper.flush()
    arm()
    arrived.forEach(deliver)
  }

  private func arm() {
    if let deadline = shaper.nextDeadline { timer.start(after: deadline - now()) } else { timer.cancel() }
  }

  func close() { timer.close() }
}

extension RunningNode {
  /// Applies the faults that are on from now on.
  func apply(_ faults: AccessoryFaults) {
    let isAcknowledging = faults.active.allSatisfy { $0.datagrams?.effect != .withholdAcknowledgement }
    server.withholdsAcknowledgement = isAcknowledging ? nil : { faults.datagrams.withholdsAcknowledgement() }
    accessory.falseReads = []
    var lost: InteractionFault.Reports?
    for fault in faults.interactions {
      switch fault {
      case .status(let type, let status): accessory.falseReads.append(FalseRead(type, status: status))
      case .value(let type, let value): accessory.falseReads.append(FalseRead(type, value: value))
      case .lostReports(let reports): lost = reports
      }
    }
    // Once: each change makes the node forget which subscriptions have lost a report.
    server.withheldReports =
      switch lost {
      case nil: .none
      case .first: .first
      case .all: .all
      }
  }
}
