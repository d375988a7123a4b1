import HAPSimulatorCore

/// The reason why a simulator could not perform a request, or why an expectation on an accessory was not met.
public struct SimulatorError: Error, Sendable, CustomStringConvertible {
  /// The code of an error, for decisions of callers.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code as in answers to commands: `no-such-characteristic`.
    public let rawValue: String

    /// Creates a code from any text. The codes that simulators use are constants of this type.
    public init(rawValue: String) { self.rawValue = rawValue }
    fileprivate init(_ code: SimulationFailure.Code) { rawValue = code.rawValue }

    /// An expectation was not met in time.
    public static let unmet = Code(.unmet)
    /// The waiting task was cancelled.
    public static let cancelled = Code(.cancelled)
    /// The simulator or the accessory has been stopped.
    public static let stopped = Code(.stopped)
    /// A profile can't be read or served. The message has a line for each problem, with file, line and column.
    public static let profile = Code(.profile)
    /// The state folder can't be used, or another process runs the accessory with it.
    public static let state = Code(.state)
    /// An address, a port or an interface can't be used.
    public static let network = Code(.network)
    /// A command is not JSON, or not the expected object; or an argument is invalid.
    public static let malformed = Code(.malformed)
    /// There is no command with this name.
    public static let unknownCommand = Code(.unknownCommand)
    /// No accessory has the given name.
    public static let noSuchAccessory = Code(.noSuchAccessory)
    /// No such controller is paired.
    public static let noSuchController = Code(.noSuchController)
    /// The accessory is not in such a fabric.
    public static let noSuchFabric = Code(.noSuchFabric)
    /// The accessory has no such service.
    public static let noSuchService = Code(.noSuchService)
    /// The accessory has no such characteristic.
    public static let noSuchCharacteristic = Code(.noSuchCharacteristic)
    /// Several objects have the given name.
    public static let ambiguous = Code(.ambiguous)
    /// The characteristic does not accept this value.
    public static let invalidValue = Code(.invalidValue)
    /// The accessory can't do this.
    public static let notPossible = Code(.notPossible)
    /// An error of the simulator's environment, such as a full disk.
    public static let failed = Code(.failed)
    /// No program listens on the port of a ``World/Host``.
    public static let refused = Code(.refused)
    /// The other side reset a ``World/Connection``.
    public static let reset = Code(.reset)
    /// The other side of a ``World/Connection`` did not answer, or an accessory was not found in time.
    public static let timedOut = Code(.timedOut)
    /// The body of a simulated world waits, but nothing more can happen in it.
    public static let stuck = Code(.stuck)
    /// The body of a simulated world did not end within its limit of virtual time.
    public static let timeLimit = Code(.timeLimit)
    /// Work left a simulated world and returned from another thread, so the run can't be repeated.
    public static let leftWorld = Code(.leftWorld)
  }

  /// The code, for decisions of callers.
  public let code: Code
  /// The message for users: a sentence without a full stop, or several lines.
  public let message: String
  /// For an unmet expectation: the events that happened instead, the newest last, at most 20. Otherwise empty.
  public let events: [AccessoryEvent]

  /// For an unmet expectation: its file, as in `#fileID`; `nil` for other errors. The message begins with the file and
  /// the line.
  public let file: String?
  /// For an unmet expectation: its line; `nil` for other errors.
  public let line: Int?

  init(_ code: Code, _ message: String, at place: ExpectationPlace? = nil, events: [AccessoryEvent] = []) {
    file = place?.file
    line = place?.line
    self.code = code
    self.message = message
    self.events = events
  }

  /// The message, followed by a line for each event.
  public var description: String {
    guard code == .unmet else { return message }
    guard !events.isEmpty else { return "\(message)\nno events" }
    return "\(message)\nevents:\n" + events.map { "  \($0)" }.joined(separator: "\n")
  }
}

extension SimulatorError.Code: CustomStringConvertible {
  /// The raw value.
  public var description: String { rawValue }
}

extension SimulatorError {
  init(_ failure: SimulationFailure) {
    self.init(
      Code(failure.code), failure.message, at: failure.place,
      events: failure.events.map { AccessoryEvent($0) })
  }
}
