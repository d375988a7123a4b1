/// Why a command was not carried out. Nothing was changed.
package struct CommandError: Error, Equatable, Sendable {
  /// What callers decide on; its raw value is the `code` of an answer.
  package enum Code: String, Sendable {
    /// The line is no JSON, or not the object it should be.
    case malformed
    case unknownCommand = "unknown-command"
    case noSuchAccessory = "no-such-accessory"
    case noSuchController = "no-such-controller"
    case noSuchService = "no-such-service"
    case noSuchCharacteristic = "no-such-characteristic"
    /// Several are meant.
    case ambiguous
    /// The characteristic does not allow this value.
    case invalidValue = "invalid-value"
    /// This device can't do that.
    case notPossible = "not-possible"
    /// Our own trouble, such as a disk that is full.
    case failed
  }
  package var code: Code
  /// One sentence for people, without a full stop.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
