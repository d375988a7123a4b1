import HAPModel

/// The secret for a pairing: the setup code, and the whole setup payload if it is known. HAP R2 §4.2, §4.4.
package struct SetupSecret: Sendable {
  package let code: SetupCode
  package let payload: SetupPayload?

  /// Parses a setup payload, or a setup code with or without dashes.
  /// - Throws: `SetupCodeError`, `SetupPayloadError`, `SetupSecretError`.
  package init(_ text: String) throws {
    guard SetupPayload.isMeant(by: text) else {
      code = try SetupCode(typed: text)
      payload = nil
      return
    }
    let payload = try SetupPayload(uri: text)
    guard let code = payload.code else { throw SetupSecretError.noCode }
    guard payload.supportsIP || !payload.supportsBLE else { throw SetupSecretError.bluetoothOnly }
    self.code = code
    self.payload = payload
  }
}

/// A valid setup payload that can't be used.
package enum SetupSecretError: Error {
  /// The payload has no setup code.
  case noCode
  /// The accessory supports only HAP over Bluetooth LE.
  case bluetoothOnly
}
