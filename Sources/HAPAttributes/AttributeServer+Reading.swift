import HAPModel

/// The result of a check whether a session may read a characteristic now.
package enum Readable {
  case slot(Int)
  /// - Parameter slot: nil: the characteristic does not exist.
  case failure(HAPStatus, slot: Int?)
}

extension AttributeServer {
  /// - Parameter failures: values that the device could not read.
  package func readable(
    _ id: AttributeID, by session: AttributeSession, _ failures: [AttributeID: HAPStatus] = [:]
  ) -> Readable {
    guard let slot = database.slot(of: id) else { return .failure(quirks.unknownRead, slot: nil) }
    guard database.characteristics[slot].perms.contains(.pairedRead) || !quirks.checksPermissions else {
      return .failure(.writeOnly, slot: slot)
    }
    if database.characteristics[slot].adminOnly.contains(.pairedRead), !isAdmin(session) {
      return .failure(.insufficientPrivileges, slot: slot)
    }
    if isUnreachable(id) { return .failure(.unableToCommunicate, slot: slot) }
    if !failures.isEmpty, let status = failures[id] { return .failure(status, slot: slot) }
    return .slot(slot)
  }

  /// Returns the value that a read returns: null if the value is a momentary event, such as a button press.
  package func listedValue(ofSlot slot: Int) -> Value { EventRules.listedValue(of: database.characteristics[slot]) }

  package func isAdmin(_ session: AttributeSession) -> Bool { session.frontEnd.isAdmin(session) }
}
