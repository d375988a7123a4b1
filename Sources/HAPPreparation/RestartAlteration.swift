import HAPCrypto
import HAPDeviations
import HAPModel
import HAPProfile
import HAPStore

/// Changes the stored state of an accessory between its end and its next start, for a defect.
package struct RestartAlteration {
  private let change: RestartChange
  private let random: RandomSource
  private let identity: StoredIdentity
  private let pairings: [Pairing]
  private let values: [AttributeID: Value]
  private let tries: Int

  /// Saves the state before a factory reset; `nil`: no change concerns such a restart.
  package init?(
    _ changes: [RestartChange], _ cause: RestartChange.Cause, _ store: AccessoryStore, _ random: RandomSource
  ) throws(StoreError) {
    guard let change = RestartChange.joined(changes, by: cause) else { return nil }
    self.change = change
    self.random = random
    identity = try store.identity { .draw(deviceID: nil, from: random) }
    pairings = try store.pairings()
    values = try store.values.load()
    tries = try store.failedTries()
  }

  /// - Parameter profile: the profile of the next start.
  package func apply(to store: AccessoryStore, of profile: AccessoryProfile) throws(StoreError) {
    if !change.keeps.isDisjoint(with: [.id, .key]) {
      let new = try store.identity { .draw(deviceID: nil, from: random) }
      try store.replaceIdentity(
        StoredIdentity(
          deviceID: change.keeps.contains(.id) ? identity.deviceID : new.deviceID,
          keySeed: change.keeps.contains(.key) ? identity.keySeed : new.keySeed))
    }
    if change.keeps.contains(.pairings) { for pairing in pairings { try store.upsert(pairing) } }
    if change.keeps.contains(.values) {
      try store.values.commit(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
    if change.keeps.contains(.tries) { try store.setFailedTries(tries) }
    for memory in change.forgets { try forget(memory, store) }
    if change.shufflesIDs { try shuffle(store, profile) }
    if change.makesUsers {
      for pairing in try store.pairings() {
        try store.upsert(Pairing(identifier: pairing.identifier, publicKey: pairing.publicKey, isAdmin: false))
      }
    }
    if change.number != 0 {
      let (number, hash) = try store.configuration()
      try store.setConfiguration(number: UInt16(clamping: max(1, Int(number) &+ change.number)), hash: hash)
    }
  }

  /// Shuffles ids, and moves stored values with their characteristics.
  private func shuffle(_ store: AccessoryStore, _ profile: AccessoryProfile) throws(StoreError) {
    let old = try store.idMap()
    let new = profile.shuffled(old)
    let values = profile.moved(try store.values.load(), from: old, to: new)
    try store.values.removeAll()
    try store.setIDMap(new)
    try store.values.commit(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  private func forget(_ memory: RestartChange.Memory, _ store: AccessoryStore) throws(StoreError) {
    switch memory {
    case .pairings: try store.removeAllPairings()
    case .added: try store.removePairings(try store.pairings().dropFirst().map(\.identifier))
    case .values: try store.values.removeAll()
    case .tries: try store.setFailedTries(0)
    case .ids: try store.forgetIDs()
    case .id: try replace(store) { StoredIdentity(deviceID: $1.deviceID, keySeed: $0.keySeed) }
    case .key: try replace(store) { StoredIdentity(deviceID: $0.deviceID, keySeed: $1.keySeed) }
    case .configuration: try store.setConfiguration(number: 1, hash: try store.configuration().hash)
    }
  }

  /// - Parameter choose: combines the old and a new identity.
  private func replace(
    _ store: AccessoryStore, _ choose: (StoredIdentity, StoredIdentity) -> StoredIdentity
  ) throws(StoreError) {
    let pairings = try store.pairings()
    let old = try store.identity { .draw(deviceID: nil, from: random) }
    try store.replaceIdentity(choose(old, .draw(deviceID: nil, from: random)))
    for pairing in pairings { try store.upsert(pairing) }
  }
}

extension RestartChange.Cause {
  package init(_ restart: Restart) {
    switch restart {
    case .reboot: self = .reboot
    case .powerCut: self = .powerCut
    case .factoryReset: self = .factoryReset
    }
  }
}
