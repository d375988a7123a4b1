import HAPModel
import HAPWire

/// Add, Remove and List Pairings: evaluates a request on `/pairings` against the current pairings. HAP R2 §5.10–5.12.
struct PairingsRequest {
  enum Method: Equatable {
    case add(Pairing)
    case remove(identifier: [UInt8])
    case list
  }

  /// The result of a request.
  struct Outcome {
    /// The answer after the change is stored.
    var answer: PairingAnswer
    /// nil: nothing to store.
    var change: StoredChange?
  }

  let method: Method
  private let hasIdentifier: Bool

  /// - Returns: nil if the message is malformed. It is answered without a reply, as HomeKitADK does.
  init?(_ message: TLV) {
    guard !message.hasDuplicates, message[TLVType.state] == [1], let method = message[TLVType.method], method.count == 1
    else { return nil }
    hasIdentifier = message[TLVType.identifier] != nil
    switch method[0] {
    case PairingMethod.addPairing.rawValue:
      guard let identifier = message[TLVType.identifier], (1...Pairing.maxIdentifierCount).contains(identifier.count),
        let key = message[TLVType.publicKey], key.count == 32,
        let permissions = message[TLVType.permissions], permissions.count == 1, permissions[0] <= 1
      else { return nil }
      self.method = .add(Pairing(identifier: identifier, publicKey: key, isAdmin: permissions[0] == 1))
    case PairingMethod.removePairing.rawValue:
      guard let identifier = message[TLVType.identifier], (1...Pairing.maxIdentifierCount).contains(identifier.count)
      else { return nil }
      self.method = .remove(identifier: identifier)
    case PairingMethod.listPairings.rawValue: self.method = .list
    default: return nil
    }
  }

  /// Returns the result of the request. It changes nothing.
  /// - Parameters:
  ///   - byAdmin: whether the session's controller currently has an admin pairing.
  ///   - quirks: the behaviour where stacks differ.
  func outcome(for pairings: [Pairing], byAdmin: Bool, quirks: PairingQuirks) -> Outcome {
    if method == .list, quirks.listNeedsIdentifier, !hasIdentifier {
      return Outcome(answer: .badRequest(.error(.unknown, state: 2)))
    }
    guard byAdmin || (method == .list && !quirks.listsForAdminsOnly) else {
      return failure(.authentication)
    }
    switch method {
    case .add(let new): return adding(new, to: pairings, quirks)
    case .remove(let identifier): return removing(identifier, from: pairings, quirks)
    case .list: return Outcome(answer: .reply(listing(pairings, quirks)))
    }
  }

  private func failure(_ error: PairingError) -> Outcome { Outcome(answer: .reply(.error(error, state: 2))) }

  private func success(_ change: StoredChange?) -> Outcome { Outcome(answer: .reply(TLV(state: 2)), change: change) }

  private func adding(_ new: Pairing, to pairings: [Pairing], _ quirks: PairingQuirks) -> Outcome {
    guard let index = pairings.firstIndex(where: { $0.identifier == new.identifier }) else {
      guard pairings.count < quirks.maximumPairings else { return failure(.maxPeers) }
      return success(.upsert(new))
    }
    // "If the pairing exists, its permissions are updated; another key under the same identifier is an error."
    guard pairings[index].publicKey == new.publicKey || quirks.overwritesKeys else {
      return failure(.unknown)
    }
    var after = pairings
    after[index] = new
    guard after.contains(where: { $0.isAdmin }) || !quirks.demotionDropsAll else {
      // The last admin gave up its admin rights. No controller could manage the accessory any longer.
      return Outcome(answer: .failure(nil), change: .remove(pairings.map(\.identifier)))
    }
    return success(.upsert(new))
  }

  private func removing(_ identifier: [UInt8], from pairings: [Pairing], _ quirks: PairingQuirks) -> Outcome {
    // "Removing a pairing that doesn't exist succeeds."
    guard pairings.contains(where: { $0.identifier == identifier }) else {
      guard quirks.removesUnknownPairings else { return failure(.unknown) }
      return success(nil)
    }
    let after = pairings.filter { $0.identifier != identifier }
    guard after.contains(where: { $0.isAdmin }) else {
      // "When the last admin is removed, all pairings are."
      return success(.remove(pairings.map(\.identifier)))
    }
    return success(.remove([identifier]))
  }

  private func listing(_ pairings: [Pairing], _ quirks: PairingQuirks) -> TLV {
    var reply = quirks.listHasState ? TLV(state: 2) : TLV()
    for (index, pairing) in pairings.enumerated() {
      if index > 0 { reply.append(TLVType.separator, []) }
      reply.append(TLVType.identifier, pairing.identifier)
      reply.append(TLVType.publicKey, pairing.publicKey)
      reply.append(TLVType.permissions, [pairing.isAdmin ? 1 : 0])
    }
    return reply
  }
}
