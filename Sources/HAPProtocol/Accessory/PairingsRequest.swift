import HAPModel
import HAPWire

/// Add, Remove and List Pairings: what a request on `/pairings` means for the pairings at hand. HAP R2 §5.10–5.12.
struct PairingsRequest {
  enum Method: Equatable {
    case add(Pairing)
    case remove(identifier: [UInt8])
    case list
  }

  /// What is to be done and answered.
  struct Outcome {
    /// The answer's TLV when the store has kept the change.
    var reply: TLV
    /// Nil: nothing to keep.
    var change: StoredChange?
    /// The pairings afterwards.
    var pairings: [Pairing]
    /// An answer is not given any more: every pairing goes, the answer is 500 and the connection ends.
    var endsEverything = false
    /// The status of the answer.
    var status = AnswerStatus.ok
  }

  let method: Method
  private let hasIdentifier: Bool

  /// - Returns: nil when the message is malformed: it is answered with 400 and no body, as HomeKitADK does.
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

  /// Works out the answer. Nothing is changed here.
  /// - Parameters:
  ///   - byAdmin: whether the session's controller has an admin pairing at this moment.
  ///   - conduct: what to do where stacks differ.
  func outcome(for pairings: [Pairing], byAdmin: Bool, conduct: Conduct) -> Outcome {
    if method == .list, conduct.listNeedsIdentifier, !hasIdentifier {
      var outcome = failure(.unknown, pairings)
      outcome.status = .badRequest
      return outcome
    }
    guard byAdmin || (method == .list && !conduct.listsForAdminsOnly) else {
      return failure(.authentication, pairings)
    }
    switch method {
    case .add(let new): return adding(new, to: pairings, conduct)
    case .remove(let identifier): return removing(identifier, from: pairings, conduct)
    case .list: return Outcome(reply: listing(pairings, conduct), change: nil, pairings: pairings)
    }
  }

  private func failure(_ error: PairingError, _ pairings: [Pairing]) -> Outcome {
    var reply = TLV()
    reply.append(TLVType.state, [2])
    reply.append(TLVType.error, [error.rawValue])
    return Outcome(reply: reply, change: nil, pairings: pairings)
  }

  private var success: TLV {
    var reply = TLV()
    reply.append(TLVType.state, [2])
    return reply
  }

  private func adding(_ new: Pairing, to pairings: [Pairing], _ conduct: Conduct) -> Outcome {
    var after = pairings
    guard let index = pairings.firstIndex(where: { $0.identifier == new.identifier }) else {
      guard pairings.count < conduct.maximumPairings else { return failure(.maxPeers, pairings) }
      after.append(new)
      return Outcome(reply: success, change: .upsert(new), pairings: after)
    }
    // "If the pairing exists, its permissions are updated; another key under the same identifier is an error."
    guard pairings[index].publicKey == new.publicKey || conduct.overwritesKeys else {
      return failure(.unknown, pairings)
    }
    after[index] = new
    guard after.contains(where: { $0.isAdmin }) || !conduct.demotionDropsAll else {
      // The last admin took its own rights: nobody could ever manage the accessory again.
      return Outcome(
        reply: success, change: .remove(pairings.map(\.identifier)), pairings: [], endsEverything: true)
    }
    return Outcome(reply: success, change: .upsert(new), pairings: after)
  }

  private func removing(_ identifier: [UInt8], from pairings: [Pairing], _ conduct: Conduct) -> Outcome {
    // "Removing a pairing that doesn't exist succeeds."
    guard pairings.contains(where: { $0.identifier == identifier }) else {
      guard conduct.removesUnknownPairings else { return failure(.unknown, pairings) }
      return Outcome(reply: success, change: nil, pairings: pairings)
    }
    let after = pairings.filter { $0.identifier != identifier }
    guard after.contains(where: { $0.isAdmin }) else {
      // "When the last admin is removed, all pairings are."
      return Outcome(reply: success, change: .remove(pairings.map(\.identifier)), pairings: [])
    }
    return Outcome(reply: success, change: .remove([identifier]), pairings: after)
  }

  private func listing(_ pairings: [Pairing], _ conduct: Conduct) -> TLV {
    var reply = conduct.listHasState ? success : TLV()
    for (index, pairing) in pairings.enumerated() {
      if index > 0 { reply.append(TLVType.separator, []) }
      reply.append(TLVType.identifier, pairing.identifier)
      reply.append(TLVType.publicKey, pairing.publicKey)
      reply.append(TLVType.permissions, [pairing.isAdmin ? 1 : 0])
    }
    return reply
  }
}
