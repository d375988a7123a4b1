import HAPCommandLine
import HAPController
import HAPModel

extension SetupSecret {
  /// Parses a setup payload, or a setup code with or without dashes.
  /// - Throws: an error that contains the reason.
  init(commandLine text: String) throws {
    do { try self.init(text) } catch SetupSecretError.noCode {
      throw UsageError("the payload has no setup code; enter the code from the label or the screen")
    } catch SetupSecretError.bluetoothOnly {
      throw UsageError("the accessory supports only HAP over Bluetooth LE; hapctl pairs over IP")
    }
  }

  /// Returns the named accessory, or else the one with the payload's setup ID.
  func target(named text: String?) throws(UsageError) -> Target {
    if let text { return try Target(text) }
    guard let id = payload?.setupID else {
      throw UsageError("TARGET is missing: a name, a device ID or HOST:PORT (not needed with a setup payload)")
    }
    return .setupID(id)
  }
}
