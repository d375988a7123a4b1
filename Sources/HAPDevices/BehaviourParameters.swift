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
    /// A characteristic of the service: its type, its name, or a vendor's description.
    case characteristic
    /// A list of objects, each with these members.
    case list([BehaviourParameter])
  }
  package enum Setting: Equatable, Sendable {
    case duration(Duration), choice(String), fraction(Double), number(Double), flag(Bool), series(ReplaySeries?)
    case characteristic(TypeID), list([BehaviourParameters])
  }

  /// What values in a profile may refer to.
  package struct Surroundings {
    /// Those of the service.
    package var characteristics: [Characteristic]
    /// Those in the folder of the profile; nil: it can name none.
    package var files: ReplayFiles?
  }

  package var name: String
  package var kind: Kind
  /// Nil: it must be given, which goes for members of a list alone.
  package var defaultSetting: Setting?
  /// One sentence for people.
  package var summary: String

  package init(_ name: String, _ kind: Kind, default setting: Setting?, _ summary: String) {
    self.name = name
    self.kind = kind
    defaultSetting = setting
    self.summary = summary
  }

  /// Reads the parameter's value from a profile. Nil when it can't be read; then there is a problem more.
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
    case .list: preconditionFailure("lists are read by the other one")
    }
  }
}

extension [Characteristic] {
  /// The type of the one that a profile names.
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

/// The parameters of one behaviour, complete. Asking for one that its kind does not declare is our own mistake and traps.
package struct BehaviourParameters: Equatable, Sendable {
  fileprivate(set) var settings: [String: BehaviourParameter.Setting]

  fileprivate init(settings: [String: BehaviourParameter.Setting]) { self.settings = settings }

  /// All of them as they are where nothing is said. None may be required.
  package init(defaultsOf parameters: [BehaviourParameter]) {
    self.init(
      settings: Dictionary(
        uniqueKeysWithValues: parameters.compactMap { parameter in
          parameter.defaultSetting.map { (parameter.name, $0) }
        }))
  }

  /// Reads an object. What is not in it, or can't be read, has its default; nil when one without a default is missing.
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

  /// Whether the kind declares such a parameter.
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

/// A behaviour that profiles can use: for which service, with which parameters.
package struct BehaviourKind: Sendable {
  /// The problems of parameters that can be read one by one: in the member they were read from, for a service with these characteristics.
  package typealias Judge = @Sendable (BehaviourParameters, JSONNode, [Characteristic]) -> [JSONProblem]

  /// Nil: any service without a behaviour of its own, where the profile asks for it.
  package let service: ServiceDefinition?
  /// One sentence for people.
  package let summary: String
  package let parameters: [BehaviourParameter]
  private let judge: Judge
  private let construct: @Sendable (DeviceService, BehaviourParameters) -> any Behaviour
  /// Made once: a bridge has a hundred services of one kind of which the profile says nothing.
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

  /// Reads a profile's `behaviour` member; what is not in it has its default. All problems are found at once.
  ///
  /// - Parameters:
  ///   - characteristics: those of the service, which parameters may name.
  ///   - files: those in the folder of the profile; nil: it can name none.
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

  /// The deeds for a service that has all that Apple allows it.
  package var deeds: [Deed.Kind] {
    let types = service.map { $0.required + $0.optional } ?? []
    let whole = DeviceService(
      id: AttributeID(aid: 1, iid: 1), type: service?.type ?? TypeID(apple: 0),
      characteristics: Dictionary(
        types.enumerated().map { ($1, AttributeID(aid: 1, iid: UInt64($0) + 2)) }, uniquingKeysWith: { a, _ in a }))
    let deeds = make(whole, BehaviourParameters(defaultsOf: parameters)).deeds
    return Deed.Kind.allCases.filter(deeds.contains)
  }
}
