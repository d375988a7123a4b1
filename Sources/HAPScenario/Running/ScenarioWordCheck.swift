import HAPIP
import HAPModel
import HAPVocabulary
import HAPWire

extension Scenario {
  /// The maximum number of reported problems.
  private static let mostProblems = 100

  /// Returns the names in all steps that match no accessory, characteristic or value in `world`. They would fail the
  /// scenario when their step runs.
  ///
  /// If a step adds, replaces or removes accessories, a name may match later, so only values are checked.
  package func wordProblems(in world: any ScenarioWorld) -> [JSONProblem] {
    var check = WordCheck(world: world, isComplete: !Self.changesAccessories(steps))
    check.take(steps)
    return Array(check.problems.prefix(Self.mostProblems))
  }

  private static func changesAccessories(_ steps: [ScenarioStep]) -> Bool {
    steps.contains { step in
      switch step.action {
      case .command(let step):
        switch step.command.action {
        case .add, .replace, .remove: true
        default: false
        }
      case .steps(let inner, _), .whenever(_, let inner): changesAccessories(inner)
      case .together(let branches), .choose(let branches): branches.contains(where: changesAccessories)
      case .nothing, .note, .expect, .never: false
      }
    }
  }
}

private struct WordCheck {
  let world: any ScenarioWorld
  /// Whether the set of accessories stays unchanged.
  let isComplete: Bool
  var problems: [JSONProblem] = []

  mutating func take(_ steps: [ScenarioStep]) {
    for step in steps {
      if case .when(let condition, _) = step.start { take(condition) }
      switch step.action {
      case .nothing, .note: break
      case .command(let command): take(command)
      case .expect(let condition, _), .never(let condition, _): take(condition)
      case .steps(let inner, _): take(inner)
      case .together(let branches), .choose(let branches): for branch in branches { take(branch) }
      case .whenever(let condition, let inner):
        take(condition)
        take(inner)
      }
    }
  }

  private mutating func take(_ step: ScenarioCommand) {
    let command = step.command
    switch command.action {
    case .set(let selector, let value):
      check(selector, of: command.accessory, step.characteristic, values: [(value, step.value)])
    case .stall(let selector, _): check(selector, of: command.accessory, step.characteristic, values: [])
    default: if let selector = command.accessory { check(selector, step.accessory) }
    }
  }

  private mutating func take(_ condition: ScenarioCondition) {
    switch condition {
    case .value(let value):
      check(
        value.words,
        values: value.tests.compactMap { test in
          switch test {
          case .equal(let value), .different(let value): value
          case .atLeast, .atMost: nil
          }
        })
    case .event(let event):
      if let words = event.words {
        check(words, values: [event.value].compactMap { $0 })
      } else if let accessory = event.accessory {
        check(accessory.selector, accessory.place)
      }
    case .any(let conditions), .all(let conditions): for condition in conditions { take(condition) }
    }
  }

  private mutating func check(_ words: CharacteristicWords, values: [ScenarioValue]) {
    check(words.selector, of: words.accessory, words.place, values: values.map { ($0.value, $0.place) })
  }

  private mutating func check(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?, _ place: WordPlace?,
    values: [(value: Value, place: WordPlace?)]
  ) {
    let subject: ScenarioSubject
    do throws(ScenarioTrouble) { subject = try world.subject(selector, of: accessory) } catch {
      if isComplete { report(error, at: place) }
      return
    }
    for (value, place) in values {
      do throws(ScenarioTrouble) { _ = try world.meaning(of: value, for: subject) } catch { report(error, at: place) }
    }
  }

  private mutating func check(_ accessory: AccessorySelector, _ place: WordPlace?) {
    guard isComplete else { return }
    do throws(ScenarioTrouble) { _ = try world.place(accessory) } catch { report(error, at: place) }
  }

  private mutating func report(_ trouble: ScenarioTrouble, at place: WordPlace?) {
    if let place { problems.append(place.problem(trouble.message)) }
  }
}
