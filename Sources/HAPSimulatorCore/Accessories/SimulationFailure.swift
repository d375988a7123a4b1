import HAPCommands
import HAPLoop
import HAPModel
import HAPProfile
import HAPStore
import HAPVocabulary

/// The reason why a simulator could not perform a request, or why an expectation on an accessory was not met.
package struct SimulationFailure: Error, Sendable, CustomStringConvertible {
  /// The raw values are those of answers to commands, and some more.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
    fileprivate init(_ code: CommandError.Code) { rawValue = code.rawValue }

    package static let unmet = Code(rawValue: "unmet")
    package static let cancelled = Code(rawValue: "cancelled")
    package static let stopped = Code(rawValue: "stopped")
    package static let profile = Code(rawValue: "profile")
    package static let state = Code(rawValue: "state")
    package static let network = Code(rawValue: "network")
    package static let refused = Code(rawValue: "refused")
    package static let reset = Code(rawValue: "reset")
    package static let timedOut = Code(rawValue: "timed-out")
    package static let stuck = Code(rawValue: "stuck")
    package static let timeLimit = Code(rawValue: "time-limit")
    package static let leftWorld = Code(rawValue: "left-world")

    // Codes of commands.
    package static let malformed = Code(CommandError.Code.malformed)
    package static let unknownCommand = Code(CommandError.Code.unknownCommand)
    package static let noSuchAccessory = Code(CommandError.Code.noSuchAccessory)
    package static let noSuchController = Code(CommandError.Code.noSuchController)
    package static let noSuchFabric = Code(CommandError.Code.noSuchFabric)
    package static let noSuchService = Code(CommandError.Code.noSuchService)
    package static let noSuchCharacteristic = Code(CommandError.Code.noSuchCharacteristic)
    package static let ambiguous = Code(CommandError.Code.ambiguous)
    package static let invalidValue = Code(CommandError.Code.invalidValue)
    package static let notPossible = Code(CommandError.Code.notPossible)
    package static let failed = Code(CommandError.Code.failed)
  }

  package let code: Code
  /// A sentence without a full stop, or several lines.
  package let message: String
  /// The source location of an unmet expectation.
  package let place: ExpectationPlace?
  /// The events that happened instead of the expected one, the newest last.
  package let events: [RecordedEvent]

  package var description: String { message }

  package init(_ code: Code, _ message: String, at place: ExpectationPlace? = nil, events: [RecordedEvent] = []) {
    self.code = code
    self.message = message
    self.place = place
    self.events = events
  }
}

/// The source location of an expectation.
package struct ExpectationPlace: Sendable, CustomStringConvertible {
  package let file: String
  package let line: Int

  package init(_ file: String, _ line: Int) {
    self.file = file
    self.line = line
  }

  package var description: String { "\(file):\(line)" }
}

extension SimulationFailure {
  package static let stopped = SimulationFailure(.stopped, "the simulator has been stopped")
  package static let timePasses = SimulationFailure(
    .notPossible,
    "time is not frozen: use Simulator(time: .virtual) to freeze it, or World.sleep to advance that of a simulated world"
  )
  package static let cancelled = SimulationFailure(.cancelled, "the task was cancelled")

  /// Converts an error of the layers below.
  package init(_ error: any Error) {
    switch error {
    case let error as SimulationFailure: self = error
    case let error as CommandError: self.init(Code(error.code), error.message)
    case let error as CommandRefusal: self.init(error.error)
    case let error as ProfileErrors: self.init(.profile, "\(error)")
    case let error as ServiceRequestError: self.init(.profile, error.message)
    case let error as StoreError: self.init(.state, "\(error)")
    case let error as LoopError: self.init(.network, "\(error)")
    default: self.init(.failed, "\(error)")
    }
  }
}
