import HAPCrypto

/// The active faults of datagrams, with their counts and random numbers.
package struct DatagramScript: Sendable {
  private struct Entry {
    let name: String
    let fault: DatagramFault
    var used = 0
  }

  private var entries: [Entry] = []
  private let random: RandomSource

  /// - Parameter seed: the seed of the shares.
  package init(seed: UInt64) { random = .seeded(seed) }

  package var isEmpty: Bool { entries.isEmpty }

  /// Adds the fault with this name; its count begins.
  package mutating func add(_ name: String, _ fault: DatagramFault) {
    remove(name)
    entries.append(Entry(name: name, fault: fault))
  }

  package mutating func remove(_ name: String) { entries.removeAll { $0.name == name } }

  /// Returns the effects on the next datagram of a direction, in the order in which the faults were added.
  package mutating func effects(on direction: DatagramDirection) -> [DatagramFault.Effect] {
    strike { $0.effect != .withholdAcknowledgement && $0.directions.contains(direction) }
  }

  /// Returns whether the next acknowledgement is withheld.
  package mutating func withholdsAcknowledgement() -> Bool {
    !strike { $0.effect == .withholdAcknowledgement }.isEmpty
  }

  private mutating func strike(where isMeant: (DatagramFault) -> Bool) -> [DatagramFault.Effect] {
    var effects: [DatagramFault.Effect] = []
    for index in entries.indices where isMeant(entries[index].fault) {
      let fault = entries[index].fault
      if let count = fault.count, entries[index].used >= count { continue }
      guard fault.share == 100 || number(below: 100) < fault.share else { continue }
      if fault.count != nil { entries[index].used += 1 }
      effects.append(fault.effect)
    }
    return effects
  }

  /// Returns a random number. The bias of the remainder is negligible.
  func number(below limit: Int) -> Int {
    Int(random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % UInt64(limit))
  }

  /// Returns a random number from 0 to 1.
  func fraction() -> Double { Double(number(below: 1 << 53)) / Double(1 << 53) }
}
