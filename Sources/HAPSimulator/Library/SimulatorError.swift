import HAPSimulatorCore

/// Why a simulator did not do what it was asked, or what was expected of an accessory did not happen.
public struct SimulatorError: Error, Sendable, CustomStringConvertible {
  /// What callers decide on.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// As answers to commands have it: `no-such-characteristic`.
    public let rawValue: String

    /// Any text; those that simulators use are constants of this type.
    public init(rawValue: String) { self.rawValue = rawValue }
    fileprivate init(_ code: SimulationFailure.Code) { rawValue = code.rawValue }

    /// What was expected did not happen in time.
    public static let unmet = Code(.unmet)
    /// The task that waited was cancelled.
    public static let cancelled = Code(.cancelled)
    /// The simulator or the accessory has been stopped.
    public static let stopped = Code(.stopped)
    /// A profile can't be read or served. The message has a line for each problem, with file, line and column.
    public static let profile = Code(.profile)
    /// The state folder can't be used, or another process runs the accessory with it.
    public static let state = Code(.state)
    /// An address, a port or an interface can't be used.
    public static let network = Code(.network)
    /// A command is no JSON, or not the object it should be; or an argument is nothing that there is.
    public static let malformed = Code(.malformed)
    /// There is no command of this name.
    public static let unknownCommand = Code(.unknownCommand)
    /// Nothing here has the name of an accessory that was given.
    public static let noSuchAccessory = Code(.noSuchAccessory)
    /// No such controller is paired.
    public static let noSuchController = Code(.noSuchController)
    /// The accessory has no such service.
    public static let noSuchService = Code(.noSuchService)
    /// The accessory has no such characteristic.
    public static let noSuchCharacteristic = Code(.noSuchCharacteristic)
    /// Several are meant by what was said.
    public static let ambiguous = Code(.ambiguous)
    /// The characteristic does not take this value.
    public static let invalidValue = Code(.invalidValue)
    /// This accessory can't do that.
    public static let notPossible = Code(.notPossible)
    /// The simulator's own trouble, such as a disk that is full.
    public static let failed = Code(.failed)
    /// No program listens at the port of a ``World/Host``.
    public static let refused = Code(.refused)
    /// The other side of a ``World/Connection`` broke it off.
    public static let reset = Code(.reset)
    /// The other side of a ``World/Connection`` did not answer; or an accessory was not found in time.
    public static let timedOut = Code(.timedOut)
    /// In a simulated world nothing can happen any more, and the body waits.
    public static let stuck = Code(.stuck)
    /// The body of a simulated world has not ended at its limit of virtual time.
    public static let timeLimit = Code(.timeLimit)
    /// Work left a simulated world and came back from another thread, so that the run can't be repeated.
    public static let leftWorld = Code(.leftWorld)
  }

  /// What callers decide on.
  public let code: Code
  /// For people: a sentence without a full stop, or several lines.
  public let message: String
  /// Of what was expected and did not happen: what happened instead, the newest last; 20 events at most. Otherwise empty.
  public let events: [AccessoryEvent]

  /// Of what was expected: the file that expected it, as `#fileID` has it; nil for other errors. The message begins with it and the line.
  public let file: String?
  /// Of what was expected: the line that expected it; nil for other errors.
  public let line: Int?

  init(_ code: Code, _ message: String, at place: ExpectationPlace? = nil, events: [AccessoryEvent] = []) {
    file = place?.file
    line = place?.line
    self.code = code
    self.message = message
    self.events = events
  }

  /// The message, and under it a line for each event.
  public var description: String {
    guard code == .unmet else { return message }
    guard !events.isEmpty else { return "\(message)\nnothing has happened to it" }
    return "\(message)\nwhat has happened to it:\n" + events.map { "  \($0)" }.joined(separator: "\n")
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
