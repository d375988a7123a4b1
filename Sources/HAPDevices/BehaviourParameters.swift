import HAPModel
import HAPWire

/// One parameter of a behaviour, as data. Profiles are checked against it; the documentation and `--help` are printed
/// from it.
package struct BehaviourParameter: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Text such as "12s".
    case duration
    /// One of these words.
    case choice([String])
    /// A number 0...1; false and true are 0 and 1.
    case fraction
    /// A number in this range.
    case number(ClosedRange<Double>)
    /// true or false.
    case flag
    /// A list of [time, value] pairs, or the name of a file with such lines.
    case series
    /// A characteristic of the service: its type, its name, or a vendor's description.
    case characteristic
    /// A list of objects, each with these members.
    case list([BehaviourParameter])
  }
  package enum Setting: Equatable, Sendable {
    case duration(Duration), choice(String), fraction(Double), number(Double), flag(Bool), series(ReplaySeries?)
    case characteristic(TypeID), list([BehaviourParameters])
  }

  /// The things that values in a profile may refer to.
  package struct Surroundings {
    /// The characteristics of the service.
    package var characteristics: [Characteristic]
    /// The files in the profile's folder; `nil`: the profile can name none.
    package var files: ReplayFiles?
  }

  package var name: String
  package var kind: Kind
  /// `nil`: the parameter is required. Only members of a list can be required.
  package var defaultSetting: Setting?
  /// One sentence for users.
  package var summary: String

  package init(_ name: String, _ kind: Kind, default setting: Setting?, _ summary: String) {
    self.name = name
    self.kind = kind
    defaultSetting = setting
    self.summary = summary
  }

  /// Reads the parameter's value from a profile. Adds a problem and returns `nil` if it can't be read.
  package func read(_ node: JSONNode, in surroundings: Surroundings, _ problems: inout [JSONProblem]) -> Setting? {
    do throws(JSONProblem) {
      guard case .list(let members) = kind else { return try read(node, in: surroundings) }
      var list: [BehaviourParameters] = []
      for element in try node.asList() {
        if let read = BehaviourParameters(element, members, in: surroundings, &problems) { list.append(read) }
      }
      return .list(list)
    } catch {
      problems.append(error)
      return nil
    }
  }

  private func read(_ node: JSONNode, in surroundings: Surroundings) throws(JSONProblem) -> Setting {
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
      switch surroundings.files?.series(name) {
      case .success(let series): return .series(series)
      case .failure(let problem): throw node.problem(problem.message)
      case nil: throw node.problem("a file can be named only in a profile that is a file itself")
      }
    case .characteristic: return .characteristic(try surroundings.characteristics.type(named: node))
    case .list: preconditionFailure("lists are read by the other method")
    }
  }
}

extension [Characteristic] {
  /// Returns the type of the characteristic that a profile names.
  fileprivate func type(named node: JSONNode) throws(JSONProblem) -> TypeID {
    guard let text = node.stringValue else {
      throw node.problem("a characteristic's type or name is expected, not \(node.kindName)")
    }
    let wanted = Catalogue.characteristic(named: text)?.type ?? TypeID(text)
    let found =
      first { $0.type == wanted } ?? first { $0.description.map(foldedName) == foldedName(text) }
    guard let found else {
      let hint = nearestName(to: text, in: map(\.shownName)).map { ": did you mean \"\($0)\"?" } ?? ""
      throw node.problem("the service has no characteristic \"\(text)\"\(hint)")
    }
    return found.type
  }
}

extension Characteristic {
  /// The catalogue's identifier, or the vendor's description, or the type.
  package var shownName: String { Catalogue.characteristic(type)?.identifier ?? description ?? type.description }
}

/// The complete parameters of one behaviour. Asking for a parameter that its kind does not declare is a programming
/// error and traps.
package struct BehaviourParameters: Equatable, Sendable {
  fileprivate(set) var settings: [String: BehaviourParameter.Setting]

  fileprivate init(settings: [String: BehaviourParameter.Setting]) { self.settings = settings }

  /// The defaults of all parameters. None may be required.
  package init(defaultsOf parameters: [BehaviourParameter]) {
    self.init(
      settings: Dictionary(
        uniqueKeysWithValues: parameters.compactMap { parameter in
          parameter.defaultSetting.map { (parameter.name, $0) }
        }))
  }

  /// Reads an object. A missing or unreadable member has its default; `nil` if a member without a default is missing.
  fileprivate init?(
    _ node: JSONNode, _ parameters: [BehaviourParameter], in surroundings: BehaviourParameter.Surroundings,
    _ problems: inout [JSONProblem]
  ) {
    self.init(defaultsOf: parameters)
    guard node.members != nil else {
      problems.append(node.problem("an object of parameters is expected, not \(node.kindName)"))
      return nil
    }
    problems += node.unknownMembers(except: parameters.map(\.name))
    var isComplete = true
    for parameter in parameters {
      if let value = node[parameter.name] {
        if let setting = parameter.read(value, in: surroundings, &problems) { settings[parameter.name] = setting }
      } else if parameter.defaultSetting == nil {
        problems.append(node.problem("\"\(parameter.name)\" is missing"))
      }
      if settings[parameter.name] == nil { isComplete = false }
    }
    guard isComplete else { return nil }
  }

  /// Whether the kind declares this parameter.
  package func has(_ name: String) -> Bool { settings[name] != nil }

  package func duration(_ name: String) -> Duration {
    guard case .duration(let duration)? = settings[name] else { preconditionFailure("no duration \(name) is declared") }
    return duration
  }

  package func choice(_ name: String) -> String {
    guard case .choice(let word)? = settings[name] else { preconditionFailure("no choice \(name) is declared") }
    return word
  }

  package func fraction(_ name: String) -> Double {
    guard case .fraction(let number)? = settings[name] else { preconditionFailure("no fraction \(name) is declared") }
    return number
  }

  package func number(_ name: String) -> Double {
    guard case .number(let number)? = settings[name] else { preconditionFailure("no number \(name) is declared") }
    return number
  }

  package func series(_ name: String) -> ReplaySeries? {
    guard case .series(let series)? = settings[name] else { preconditionFailure("no series \(name) is declared") }
    return series
  }

  package func flag(_ name: String) -> Bool {
    guard case .flag(let flag)? = settings[name] else { preconditionFailure("no flag \(name) is declared") }
    return flag
  }

  package func characteristic(_ name: String) -> TypeID {
    guard case .characteristic(let type)? = settings[name] else {
      preconditionFailure("no characteristic \(name) is declared")
    }
    return type
  }

  package func list(_ name: String) -> [BehaviourParameters] {
    guard case .list(let list)? = settings[name] else { preconditionFailure("no list \(name) is declared") }
    return list
  }
}

/// A behaviour that profiles can use, with its service type and parameters.
package struct BehaviourKind: Sendable {
  /// Returns the problems of parameters that are each readable. Takes the parameters, the member that they were read
  /// from, and the characteristics of the service.
  package typealias Judge = @Sendable (BehaviourParameters, JSONNode, [Characteristic]) -> [JSONProblem]

  /// `nil`: any service without its own behaviour, if the profile requests it.
  package let service: ServiceDefinition?
  /// One sentence for users.
  package let summary: String
  package let parameters: [BehaviourParameter]
  private let judge: Judge
  private let construct: @Sendable (DeviceService, BehaviourParameters) -> any Behaviour
  /// Made once, because a bridge may have a hundred services of one kind that the profile doesn't configure.
  private let defaults: BehaviourParameters

  package init(
    service: ServiceDefinition?, summary: String, parameters: [BehaviourParameter],
    judge: @escaping Judge = { _, _, _ in [] },
    construct: @escaping @Sendable (DeviceService, BehaviourParameters) -> any Behaviour
  ) {
    self.service = service
    self.summary = summary
    self.parameters = parameters
    self.judge = judge
    self.construct = construct
    defaults = BehaviourParameters(defaultsOf: parameters)
  }

  /// Reads a profile's `behaviour` member. Missing members have their defaults. All problems are reported together.
  ///
  /// - Parameters:
  ///   - characteristics: the characteristics of the service, which parameters may name.
  ///   - files: the files in the profile's folder; `nil`: the profile can name none.
  package func read(
    _ node: JSONNode?, for characteristics: [Characteristic], _ files: ReplayFiles? = nil
  ) -> (parameters: BehaviourParameters, problems: [JSONProblem]) {
    guard let node else { return (defaults, []) }
    var problems: [JSONProblem] = []
    let read = BehaviourParameters(
      node, parameters, in: .init(characteristics: characteristics, files: files), &problems)
    if let read, problems.isEmpty { problems = judge(read, node, characteristics) }
    return (read ?? defaults, problems)
  }

  package func make(_ service: DeviceService, _ parameters: BehaviourParameters) -> any Behaviour {
    construct(service, parameters)
  }

  /// The actions that a service supports if it has every characteristic that Apple allows for it.
  package var actions: [PhysicalAction.Kind] {
    let types = service.map { $0.required + $0.optional } ?? []
    let whole = DeviceService(
      id: AttributeID(aid: 1, iid: 1), type: service?.type ?? TypeID(apple: 0),
      characteristics: Dictionary(
        types.enumerated().map { ($1, AttributeID(aid: 1, iid: UInt64($0) + 2)) }, uniquingKeysWith: { a, _ in a }))
    let actions = make(whole, BehaviourParameters(defaultsOf: parameters)).actions
    return PhysicalAction.Kind.allCases.filter(actions.contains)
  }
}
