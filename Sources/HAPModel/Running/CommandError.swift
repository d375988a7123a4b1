/// The reason why a command was not executed. Nothing was changed.
package struct CommandError: Error, Equatable, Sendable {
  /// A code for programs; its raw value is the `code` of an answer.
  package enum Code: String, Sendable {
    /// The line is not JSON, or not the required object.
    case malformed
    case unknownCommand = "unknown-command"
    case noSuchAccessory = "no-such-accessory"
    case noSuchController = "no-such-controller"
    case noSuchFabric = "no-such-fabric"
    case noSuchService = "no-such-service"
    case noSuchCharacteristic = "no-such-characteristic"
    /// Several items match.
    case ambiguous
    /// The characteristic does not allow this value.
    case invalidValue = "invalid-value"
    /// The device can't do this.
    case notPossible = "not-possible"
    /// An internal error, such as a full disk.
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
