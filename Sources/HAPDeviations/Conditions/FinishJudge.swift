import HAPCrypto
import HAPModel
import HAPWire

/// Finds the error in M3 of Pair Verify, so that a defect can accept exactly that error.
package struct FinishJudge {
  private struct Exchange {
    var controllerKey: [UInt8]
    var accessoryKey: [UInt8] = []
    /// The pairings when M1 arrived.
    var paired: Set<[UInt8]> = []
  }

  private var current: [UInt64: Exchange] = [:]
  private var earlier: [Exchange] = []
  /// The pairing identifiers that existed when an M1 arrived, in order.
  private var known: [[UInt8]] = []

  /// The number of exchanges that are searched for a stale signature.
  private static let mostEarlier = 16
  /// The number of identifiers that are kept.
  private static let mostKnown = 64

  package init() {}

  package mutating func start(_ message: TLV, on connection: UInt64, _ pairings: [Pairing]) {
    conclude(connection)
    for pairing in pairings where !known.contains(pairing.identifier) { known.append(pairing.identifier) }
    known.removeFirst(max(0, known.count - Self.mostKnown))
    current[connection] = Exchange(
      controllerKey: message[TLVType.publicKey] ?? [], paired: Set(pairings.map(\.identifier)))
  }

  package mutating func startResponse(_ message: TLV, on connection: UInt64) {
    current[connection]?.accessoryKey = message[TLVType.publicKey] ?? []
  }

  package mutating func conclude(_ connection: UInt64) {
    guard let exchange = current.removeValue(forKey: connection), !exchange.accessoryKey.isEmpty else { return }
    earlier.append(exchange)
    if earlier.count > Self.mostEarlier { earlier.removeFirst() }
  }

  /// - Parameter key: the key that M3 is sealed with; `nil`: M2 was not sent.
  package func judge(
    _ message: TLV, on connection: UInt64, key: SecretBytes?, _ pairings: [Pairing]
  ) -> (verdict: MessageCondition.FinishVerdict, inner: TLV?) {
    guard let key, let exchange = current[connection] else { return (.order, nil) }
    guard let sealed = message[TLVType.encryptedData], sealed.count >= 16 else { return (.form, nil) }
    guard let plain = ChaChaPoly.open(sealed, key: key, nonce: "PV-Msg03") else { return (.tag, nil) }
    guard let inner = try? TLV(decoding: plain) else { return (.form, nil) }
    guard let identifier = inner[TLVType.identifier], let signature = inner[TLVType.signature], signature.count == 64
    else { return (.form, inner) }
    func holds(_ exchange: Exchange, _ pairing: Pairing, swapped: Bool = false) -> Bool {
      let (first, last) =
        swapped ? (exchange.accessoryKey, exchange.controllerKey) : (exchange.controllerKey, exchange.accessoryKey)
      return isValidSignature(signature, of: first + identifier + last, by: pairing.publicKey)
    }
    guard let pairing = pairings.first(where: { $0.identifier == identifier }) else {
      if exchange.paired.contains(identifier) { return (.removed, inner) }
      return (known.contains(identifier) ? .former : .stranger, inner)
    }
    if holds(exchange, pairing) { return (.good, inner) }
    if holds(exchange, pairing, swapped: true) { return (.swapped, inner) }
    if pairings.contains(where: { $0.identifier != identifier && holds(exchange, $0) }) { return (.otherKey, inner) }
    let others = earlier + current.filter { $0.key != connection }.map(\.value)
    return (others.contains { holds($0, pairing) } ? .earlier : .signature, inner)
  }
}
