import HAPWire

/// One thing that is wrong with a profile, and where.
public struct ProfileProblem: Hashable, Sendable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: String, Hashable, Sendable {
    /// It can't be served.
    case error
    /// It can, but iOS is reported to refuse or ignore it, or it is probably not meant.
    case warning
  }

  /// The rule that is broken, `serial-length`. What it asks for: `ProfileRule`.
  public var rule: String
  /// Whether it can be served all the same.
  public var severity: Severity
  /// `bridgedAccessories[1].services[0].characteristics[2].maxValue`; empty for the document itself.
  public var path: String
  /// From 1.
  public var line: Int
  /// From 1, in characters.
  public var column: Int
  /// One sentence for people, without the place.
  public var message: String

  /// For validators of members that this module keeps raw: behaviours, faults, conduct.
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

  /// "12:7: error: services[0].type: there is no service … [type-unknown]", to be written behind the file's name and a colon.
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

  /// A problem found by a validator of raw members.
  package init(rule: String, severity: Severity = .error, _ problem: JSONProblem) {
    self.init(
      rule: rule, severity: severity, path: problem.path, line: problem.place.line, column: problem.place.column,
      message: problem.message)
  }
}

/// A profile that can't be served: everything that is wrong with it, warnings too.
public struct ProfileErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name the profile was read under.
  public var fileName: String
  /// In the order of the document; at least one is an error.
  public var problems: [ProfileProblem]

  /// Problems that were found elsewhere.
  public init(fileName: String, problems: [ProfileProblem]) {
    self.fileName = fileName
    self.problems = problems
  }

  /// A line for each problem.
  public var description: String { problems.map { "\(fileName):\($0)" }.joined(separator: "\n") }
}
