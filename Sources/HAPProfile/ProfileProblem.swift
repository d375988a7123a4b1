import HAPWire

/// An error or warning about a profile, with its position.
public struct ProfileProblem: Hashable, Sendable, CustomStringConvertible {
  /// The severity of a problem.
  public enum Severity: String, Hashable, Sendable {
    /// The profile can't be served.
    case error
    /// The profile can be served, but iOS is reported to refuse or ignore it, or it is probably a mistake.
    case warning
  }

  /// The violated rule, such as `serial-length`. `ProfileRule` describes the rules.
  public var rule: String
  /// Whether the profile can be served in spite of the problem.
  public var severity: Severity
  /// For example `bridgedAccessories[1].services[0].characteristics[2].maxValue`. It is empty for the document itself.
  public var path: String
  /// From 1.
  public var line: Int
  /// From 1, in characters.
  public var column: Int
  /// One sentence, without the position.
  public var message: String

  /// Creates a problem. It is for validators of members that this module keeps raw: behaviours, faults, quirks.
  public init(
    rule: String, severity: Severity = .error, path: String, line: Int, column: Int, message: String
  ) {
    self.rule = rule
    self.severity = severity
    self.path = path
    self.line = line
    self.column = column
    self.message = message
  }

  /// "12:7: error: services[0].type: there is no service … [type-unknown]". Print it after the file name and a colon.
  public var description: String {
    let path = path.isEmpty ? "" : "\(path): "
    return "\(line):\(column): \(severity.rawValue): \(path)\(message) [\(rule)]"
  }
}

extension ProfileProblem {
  package init(_ rule: ProfileRule, at node: JSONNode, _ message: String) {
    self.init(rule, path: node.path.description, place: node.place, message)
  }

  package init(_ rule: ProfileRule, path: String, place: JSONPlace, _ message: String) {
    self.init(
      rule: rule.rawValue, severity: rule.severity, path: path, line: place.line, column: place.column,
      message: message)
  }

  /// Creates a problem that a validator of raw members found.
  package init(rule: String, severity: Severity = .error, _ problem: JSONProblem) {
    self.init(
      rule: rule, severity: severity, path: problem.path, line: problem.place.line, column: problem.place.column,
      message: problem.message)
  }
}

/// The error for a profile that can't be served. It has all problems, including warnings.
public struct ProfileErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file name of the profile.
  public var fileName: String
  /// In the order of the document; at least one is an error.
  public var problems: [ProfileProblem]

  /// Creates an error from problems that were found outside this module.
  public init(fileName: String, problems: [ProfileProblem]) {
    self.fileName = fileName
    self.problems = problems
  }

  /// One line for each problem.
  public var description: String { problems.map { "\(fileName):\($0)" }.joined(separator: "\n") }
}
