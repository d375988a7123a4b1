import HAPModel
import HAPWire

/// One parameter of a behaviour, as data: what profiles are checked against, and what the documentation and `--help` print.
package struct BehaviourParameter: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Text such as "12s".
    case duration
    /// One of these words.
    case choice([String])
    /// A number 0...1; false and true are 0 and 1.
    case fraction
    /// A number of this range.
    case number(ClosedRange<Double>)
    /// true or false.
    case flag
    /// A list of [time, value] pairs, or the name of a file with such lines.
    case series
  }
  package enum Setting: Equatable, Sendable {
    case duration(Duration), choice(String), fraction(Double), number(Double), flag(Bool), series(ReplaySeries?)
  }

  package var name: String
  package var kind: Kind
  package var defaultSetting: Setting
  /// One sentence for people.
  package var summary: String

  init(_ name: String, _ kind: Kind, default setting: Setting, _ summary: String) {
    self.name = name
    self.kind = kind
    defaultSetting = setting
    self.summary = summary
  }

  /// Reads the parameter's value from a profile.
  /// - Parameter files: those beside the profile; nil: it can name none.
  func read(_ node: JSONNode, _ files: ReplayFiles?) throws(JSONProblem) -> Setting {
    switch kind {
    case .duration:
      let example = "a duration such as \"12s\", \"500ms\" or \"1.5min\" is expected"
      if let number = node.numberValue { throw node.problem("\(example): did you mean \"\(number.text)s\"?") }
      guard let text = node.stringValue else { throw node.problem("\(example), not \(node.kindName)") }
      guard let duration = Duration(text) else { throw node.problem("\(example), not \"\(text)\"") }
      return .duration(duration)
    case .choice(let words):
      let list = words.map { "\"\($0)\"" }.joined(separator: " or ")
      guard let text = node.stringValue else { throw node.problem("\(list) is expected, not \(node.kindName)") }
      guard words.contains(text) else {
        let hint = nearestName(to: text, in: words).map { ": did you mean \"\($0)\"?" } ?? ""
        throw node.problem("\(list) is expected, not \"\(text)\"\(hint)")
      }
      return .choice(text)
    case .fraction:
      if let bool = node.boolValue { return .fraction(bool ? 1 : 0) }
      guard let number = node.numberValue?.double, (0...1).contains(number) else {
        throw node.problem(
          "a number from 0 to 1, true or false is expected, not \(node.numberValue?.text ?? node.kindName)")
      }
      return .fraction(number)
    case .number(let range):
      guard let number = node.numberValue?.double, range.contains(number) else {
        let (low, high) = (Value.float(range.lowerBound).text, Value.float(range.upperBound).text)
        throw node.problem(
          "a number from \(low) to \(high) is expected, not \(node.numberValue?.text ?? node.kindName)")
      }
      return .number(number)
    case .flag:
      guard let flag = node.boolValue else { throw node.problem("true or false is expected, not \(node.kindName)") }
      return .flag(flag)
    case .series:
      guard let name = node.stringValue else {
        guard node.elements != nil else {
          throw node.problem(
            "a list of [time, value] pairs or the name of a CSV file is expected, not \(node.kindName)")
        }
        return .series(try ReplaySeries(node))
      }
      switch files?.series(name) {
      case .success(let series): return .series(series)
      case .failure(let problem): throw node.problem(problem.message)
      case nil: throw node.problem("a file can be named only in a profile that is a file itself")
      }
    }
  }
}

/// The parameters of one behaviour, complete. Asking for one that its kind does not declare is our own mistake and traps.
package struct BehaviourParameters: Equatable, Sendable {
  fileprivate(set) var settings: [String: BehaviourParameter.Setting]

  /// Whether the kind declares such a parameter.
  func has(_ name: String) -> Bool { settings[name] != nil }

  func duration(_ name: String) -> Duration {
    guard case .duration(let duration)? = settings[name] else { preconditionFailure("no duration \(name) is declared") }
    return duration
  }

  func choice(_ name: String) -> String {
    guard case .choice(let word)? = settings[name] else { preconditionFailure("no choice \(name) is declared") }
    return word
  }

  func fraction(_ name: String) -> Double {
    guard case .fraction(let number)? = settings[name] else { preconditionFailure("no fraction \(name) is declared") }
    return number
  }

  func number(_ name: String) -> Double {
    guard case .number(let number)? = settings[name] else { preconditionFailure("no number \(name) is declared") }
    return number
  }

  func series(_ name: String) -> ReplaySeries? {
    guard case .series(let series)? = settings[name] else { preconditionFailure("no series \(name) is declared") }
    return series
  }

  func flag(_ name: String) -> Bool {
    guard case .flag(let flag)? = settings[name] else { preconditionFailure("no flag \(name) is declared") }
    return flag
  }
}

/// A behaviour that profiles can use: for which service, with which parameters.
package struct BehaviourKind: Sendable {
  package let service: ServiceDefinition
  /// One sentence for people.
  package let summary: String
  package let parameters: [BehaviourParameter]
  private let construct: @Sendable (DeviceService, BehaviourParameters) -> any Behaviour

  init(
    service: ServiceDefinition, summary: String, parameters: [BehaviourParameter],
    construct: @escaping @Sendable (DeviceService, BehaviourParameters) -> any Behaviour
  ) {
    self.service = service
    self.summary = summary
    self.parameters = parameters
    self.construct = construct
  }

  /// Reads a profile's `behaviour` member; what is not in it has its default. All problems are found at once.
  /// - Parameter files: those beside the profile; nil: it can name none.
  func read(_ node: JSONNode?, _ files: ReplayFiles? = nil) -> (
    parameters: BehaviourParameters, problems: [JSONProblem]
  ) {
    var settings = Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.defaultSetting) })
    guard let node else { return (.init(settings: settings), []) }
    guard node.members != nil else {
      return (.init(settings: settings), [node.problem("an object of parameters is expected, not \(node.kindName)")])
    }
    var problems = node.unknownMembers(except: parameters.map(\.name))
    for parameter in parameters {
      guard let value = node[parameter.name] else { continue }
      do throws(JSONProblem) { settings[parameter.name] = try parameter.read(value, files) } catch {
        problems.append(error)
      }
    }
    return (.init(settings: settings), problems)
  }

  func make(_ service: DeviceService, _ parameters: BehaviourParameters) -> any Behaviour {
    construct(service, parameters)
  }
}
