import HAPCommandLine
import HAPController
import HAPModel

extension SetupSecret {
  /// Reads a setup payload, or a setup code with or without dashes.
  /// - Throws: an error that names the reason.
  init(commandLine text: String) throws {
    do { try self.init(text) } catch SetupSecretError.noCode {
      throw UsageError("the payload has no setup code; give the code that is on the label or the screen")
    } catch SetupSecretError.bluetoothOnly {
      throw UsageError("the accessory has HAP over Bluetooth LE alone, and hapctl pairs over IP")
    }
  }

  /// The accessory that is meant: the one that was named, else the one with the payload's setup ID.
  func target(named text: String?) throws(UsageError) -> Target {
    if let text { return try Target(text) }
    guard let id = payload?.setupID else {
      throw UsageError("TARGET is missing: a name, a device ID or HOST:PORT (a setup payload makes it unnecessary)")
    }
    return .setupID(id)
  }
}
