import HAPCrypto
import HAPDeviations
import HAPIP
import HAPLoop
import HAPModel

/// The state of an accessory's defect. It is kept across restarts.
package final class DefectState {
  package let script: DefectScript
  var judge = FinishJudge()
  /// The verdict on the M3 that is being answered, by connection.
  var finishes: [UInt64: MessageCondition.FinishVerdict] = [:]
  /// The time when a connection last ended during a Pair Setup.
  var abandonedSetup: Duration?
  package var restart: (at: Duration, cause: RestartChange.Cause)?
  /// Pairing identifiers in the order of pairing.
  private var controllers: [String] = []

  /// - Parameter seed: the seed of random conditions.
  package init(_ defect: Defect, seed: UInt64 = 0) { script = DefectScript(defect, seed: seed) }

  /// The loop's randomness, or the defect's replacement for it. Used only on the loop.
  package func random(on loop: EventLoop) -> RandomSource {
    let source = loop.random
    guard let change = script.defect.random else { return source }
    let script = LoopBound(here: loop, script)
    return RandomSource { room in
      if change.path == nil || change.path == script.value.path {
        for index in 0..<room.count { room[index] = UInt8(truncatingIfNeeded: index &* 7 &+ 1) }
      } else {
        room.copyBytes(from: source.bytes(room.count))
      }
    }
  }

  func facts(
    of connection: ConnectionCore, _ pairings: [Pairing], address: String?
  ) -> ConnectionFacts {
    for pairing in pairings where !controllers.contains(pairing.name) { controllers.append(pairing.name) }
    let controller = connection.verifiedController
    let number = controller.flatMap { controllers.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    return ConnectionFacts(
      id: connection.id.number, isSecured: connection.isSecured,
      isAdmin: pairings.contains { $0.name == controller && $0.isAdmin }, controller: controller,
      controllerNumber: number, isVerifying: connection.isVerifying, isSettingUp: connection.isSettingUp,
      isSubscribed: connection.isSubscribed, isPartial: !connection.incoming.isEmpty, address: address)
  }
}
