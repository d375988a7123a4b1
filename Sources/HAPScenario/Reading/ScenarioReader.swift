import HAPModel
import HAPVocabulary
import HAPWire

/// A parser of scenarios. It reports all errors at once.
struct ScenarioReader {
  private let commandNames: [String]
  private(set) var problems: [JSONProblem] = []
  private var count = 0

  /// The maximum number of steps in a scenario, including nested ones.
  private static let mostSteps = 100_000
  private static let members = ["scenario", "profiles", "seed", "limit", "end", "steps"]

  init(_ commands: ScenarioCommands) { commandNames = commands.names }

  mutating func scenario(_ node: JSONNode) -> Scenario {
    var scenario = Scenario(name: "")
    attempt { reader throws(JSONProblem) in
      try node.refuseUnknownMembers(except: Self.members)
    }
    attempt { reader throws(JSONProblem) in
      scenario.name = try node.optionalString("scenario") ?? ""
    }
    attempt { reader throws(JSONProblem) in
      scenario.profiles = try node.list("profiles") { element throws(JSONProblem) in try element.asString() }
    }
    attempt { reader throws(JSONProblem) in
      scenario.seed = try node["seed"].map { node throws(JSONProblem) in
        UInt64(try node.asInteger(in: 0...Int128(UInt64.max)))
      }
    }
    attempt { reader throws(JSONProblem) in
      scenario.limit = try node["limit"].map { node throws(JSONProblem) in try node.scenarioDuration() }
    }
    attempt { reader throws(JSONProblem) in
      guard let word = try node.optionalString("end") else { return }
      guard let ending = Scenario.Ending(rawValue: word) else {
        throw try node.required("end").problem("expected stop or serve, not \"\(word)\"")
      }
      scenario.ending = ending
    }
    attempt { reader throws(JSONProblem) in
      scenario.steps = reader.steps(try node.required("steps"))
    }
    return scenario
  }

  private mutating func attempt(_ body: (inout ScenarioReader) throws(JSONProblem) -> Void) {
    do throws(JSONProblem) { try body(&self) } catch { problems.append(error) }
  }

  // MARK: Steps

  private mutating func steps(_ node: JSONNode) -> [ScenarioStep] {
    var steps: [ScenarioStep] = []
    attempt { reader throws(JSONProblem) in
      let elements = try node.asList()
      guard !elements.isEmpty else { throw node.problem("the list has no step") }
      for element in elements {
        reader.count += 1
        guard reader.count <= Self.mostSteps else {
          throw element.problem("there are more than \(Self.mostSteps) steps")
        }
        reader.attempt { reader throws(JSONProblem) in steps.append(try reader.step(element)) }
      }
    }
    return steps
  }

  /// The members that set the start of a step.
  private static let starts = ["at", "after", "when"]
  /// The members with an action, besides commands, and the members that belong to each.
  private static let actions: [(name: String, with: [String])] = [
    ("note", []), ("expect", ["within"]), ("never", ["for"]), ("do", ["times", "every", "chance"]),
    ("together", []), ("choose", []), ("whenever", ["do"]),
  ]

  private mutating func step(_ node: JSONNode) throws(JSONProblem) -> ScenarioStep {
    let members = try node.asObject()
    let known = Self.starts + Self.actions.flatMap { [$0.name] + $0.with } + commandNames
    try node.refuseUnknownMembers(except: known)
    var step = ScenarioStep(place: node.place)
    let starts = members.filter { Self.starts.contains($0.name) }
    if let second = starts.dropFirst().first {
      throw second.value.problem(
        "a step can have only one of at, after and when; this one already has \"\(starts[0].name)\"")
    }
    var used = Set(starts.map(\.name))
    if let start = starts.first { step.start = try self.start(start, of: node, &used) }
    let names = Self.actions.map(\.name) + commandNames
    var actions = members.filter { names.contains($0.name) }
    // The steps of a `whenever` are in `do`.
    if actions.contains(where: { $0.name == "whenever" }) { actions.removeAll { $0.name == "do" } }
    if let second = actions.dropFirst().first {
      throw second.value.problem("a step can have only one action; this one already has \"\(actions[0].name)\"")
    }
    if let action = actions.first {
      used.insert(action.name)
      used.formUnion(Self.actions.first { $0.name == action.name }?.with ?? [])
      step.action = try self.action(action, of: node)
    } else if starts.isEmpty {
      throw node.problem("the step has no action: a command, note, expect, never, do, together, choose or whenever")
    }
    for member in members where !used.contains(member.name) && !member.name.hasPrefix("x-") {
      throw member.value.problem("this step has no action that uses \"\(member.name)\"")
    }
    return step
  }

  private func start(
    _ member: JSONNode.Member, of node: JSONNode, _ used: inout Set<String>
  ) throws(JSONProblem) -> ScenarioStep.Start {
    switch member.name {
    case "at": return .at(try member.value.scenarioDuration())
    case "after": return .after(try member.value.scenarioSpan())
    default:
      used.insert("within")
      // If there is also an `expect`, `within` belongs to the `expect`.
      let within = node["expect"] == nil ? node["within"] : nil
      return .when(
        try ScenarioCondition(member.value),
        within: try within.map { node throws(JSONProblem) in try node.scenarioDuration() })
    }
  }

  private mutating func action(_ member: JSONNode.Member, of node: JSONNode) throws(JSONProblem) -> ScenarioStep.Action
  {
    let value = member.value
    switch member.name {
    case "note": return .note(try value.asString())
    case "expect":
      let condition = try ScenarioCondition(value)
      let within = try node["within"].map { node throws(JSONProblem) in try node.scenarioDuration() }
      // An event needs time to happen; a value is tested immediately.
      return .expect(condition, within: within ?? (condition.isEvent ? .seconds(10) : .zero))
    case "never":
      return .never(try ScenarioCondition(value), for: try node.required("for").scenarioDuration())
    case "do":
      let repetition = try ScenarioStep.Repetition(of: node)
      return .steps(steps(value), repetition)
    case "together", "choose":
      let branches = try value.asList()
      guard !branches.isEmpty else { throw value.problem("the list is empty") }
      let read = branches.map { steps($0) }
      return member.name == "choose" ? .choose(read) : .together(read)
    case "whenever":
      return .whenever(try ScenarioCondition(value), steps(try node.required("do")))
    default:
      guard let name = CommandName(rawValue: member.name) else {
        preconditionFailure("a step has the members of steps and commands")
      }
      return .command(try ScenarioCommand(name, Self.members(member)))
    }
  }

  /// Returns the members of `set: {…}`. A text alone is the accessory's name; a null value is the command without
  /// members.
  private static func members(_ member: JSONNode.Member) throws(JSONProblem) -> JSONNode {
    let value = member.value
    var members: [JSONNode.Member] = []
    if value.stringValue != nil {
      // The text after a fault command is the fault's name.
      let shorthand = member.name == "fault" ? "fault" : "accessory"
      members.append(JSONNode.Member(name: shorthand, place: value.place, value: value))
    } else if !value.isNull {
      let given = try value.asObject()
      if let id = given.first(where: { $0.name == "id" || $0.name == "command" }) {
        throw id.value.problem("there is no member \"\(id.name)\" here")
      }
      members += given
    }
    return JSONNode(.object(members), place: member.place, path: value.path)
  }
}

extension ScenarioCommand {
  /// - Parameter node: an object with the command's members.
  fileprivate init(_ name: CommandName, _ node: JSONNode) throws(JSONProblem) {
    command = try SimulatorCommand(name, membersOf: node)
    accessory = node["accessory"].map { WordPlace($0) }
    characteristic = node["characteristic"].map { WordPlace($0) }
    value = node["value"].map { WordPlace($0) }
  }
}

extension ScenarioStep.Repetition {
  init(of node: JSONNode) throws(JSONProblem) {
    every = try node["every"].map { node throws(JSONProblem) in try node.scenarioSpan() }
    if let times = node["times"] {
      if times.stringValue == "forever" {
        self.times = nil
      } else {
        guard times.stringValue == nil else { throw times.problem("expected a number or forever") }
        self.times = Int(try times.asInteger(in: 1...1_000_000_000))
      }
    } else if every != nil {
      times = nil
    }
    if let chance = node["chance"] {
      var number = chance.numberValue?.double
      if let text = chance.stringValue, text.hasSuffix("%") { number = Double(text.dropLast()) }
      guard let number, (0...100).contains(number) else {
        throw chance.problem("a percentage is expected, such as 30 or \"30%\"")
      }
      self.chance = number
    }
  }
}

extension JSONNode {
  func scenarioDuration() throws(JSONProblem) -> Duration {
    guard let text = stringValue, let duration = Duration(long: text) else {
      throw problem(
        "a duration such as 500ms, 12s, 1.5min, 2h or 30d is expected"
          + (stringValue.map { ", not \"\($0)\"" } ?? ", not \(kindName)"))
    }
    return duration
  }

  /// Parses `10s` or `5s..15s`.
  func scenarioSpan() throws(JSONProblem) -> DurationSpan {
    guard let text = stringValue, let dots = text.firstRange(of: "..") else {
      let duration = try scenarioDuration()
      return DurationSpan(least: duration, most: duration)
    }
    guard let least = Duration(long: String(text[..<dots.lowerBound])),
      let most = Duration(long: String(text[dots.upperBound...])), least <= most
    else { throw problem("two durations are expected, the shorter one first, such as 5s..15s, not \"\(text)\"") }
    return DurationSpan(least: least, most: most)
  }
}
