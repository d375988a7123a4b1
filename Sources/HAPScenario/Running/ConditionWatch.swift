import HAPModel
import HAPVocabulary
import HAPWire

/// A watched condition whose names have been resolved.
final class ConditionWatch {
  private indirect enum Leaf {
    case value(ScenarioSubject, [Test])
    case event(EventCondition, ScenarioSubject?, ScenarioPlace?, Value?)
    case any([ConditionWatch])
    case all([ConditionWatch])
  }
  private enum Test {
    case equal(Value)
    case different(Value)
    case atLeast(Double)
    case atMost(Double)
  }

  let condition: ScenarioCondition
  private let leaf: Leaf
  private let world: any ScenarioWorld
  /// Whether the event has happened. An event happens once and is remembered.
  private var hasHappened = false

  init(_ condition: ScenarioCondition, _ world: any ScenarioWorld) throws(ScenarioTrouble) {
    self.condition = condition
    self.world = world
    switch condition {
    case .value(let value):
      let subject = try world.subject(value.words.selector, of: value.words.accessory)
      var tests: [Test] = []
      for test in value.tests {
        switch test {
        case .equal(let wanted): tests.append(.equal(try world.meaning(of: wanted.value, for: subject)))
        case .different(let other): tests.append(.different(try world.meaning(of: other.value, for: subject)))
        case .atLeast(let least): tests.append(.atLeast(least))
        case .atMost(let most): tests.append(.atMost(most))
        }
      }
      leaf = .value(subject, tests)
    case .event(let event):
      var subject: ScenarioSubject?
      if let words = event.words { subject = try world.subject(words.selector, of: words.accessory) }
      var value = event.value?.value
      if let subject, let given = value { value = try world.meaning(of: given, for: subject) }
      var place: ScenarioPlace?
      if subject == nil, let accessory = event.accessory { place = try world.place(accessory.selector) }
      leaf = .event(event, subject, place, value)
    case .any(let conditions): leaf = .any(try Self.each(conditions, world))
    case .all(let conditions): leaf = .all(try Self.each(conditions, world))
    }
  }

  private static func each(
    _ conditions: [ScenarioCondition], _ world: any ScenarioWorld
  ) throws(ScenarioTrouble) -> [ConditionWatch] {
    var watches: [ConditionWatch] = []
    for condition in conditions { watches.append(try ConditionWatch(condition, world)) }
    return watches
  }

  /// Whether the condition is true now, or its event has happened.
  var isFulfilled: Bool {
    switch leaf {
    case .value(let subject, let tests):
      guard let value = world.value(of: subject) else { return false }
      return tests.allSatisfy { test in
        switch test {
        case .equal(let wanted): value.equals(wanted)
        case .different(let other): !value.equals(other)
        case .atLeast(let least): value.number.map { $0 >= least } ?? false
        case .atMost(let most): value.number.map { $0 <= most } ?? false
        }
      }
    case .event: return hasHappened
    case .any(let watches): return watches.contains(where: \.isFulfilled)
    case .all(let watches): return watches.allSatisfy(\.isFulfilled)
    }
  }

  /// Whether only a controller or the network can fulfil the condition now, and no simulated time. For an event with a
  /// value, the device must already have that value, because reaching it can take simulated time.
  var isOutside: Bool {
    switch leaf {
    case .value: return false
    case .event(let event, let subject, _, let value):
      guard event.name == "told", let subject, let value else {
        return EventVocabulary[event.name]?.isOutside ?? false
      }
      return world.value(of: subject)?.equals(value) ?? false
    case .any(let watches), .all(let watches): return watches.allSatisfy { $0.isFulfilled || $0.isOutside }
    }
  }

  /// - Returns: whether the watch waited for this event.
  @discardableResult
  func hear(_ event: ScenarioEvent) -> Bool {
    switch leaf {
    case .value: return false
    case .event(let condition, let subject, let place, let value):
      guard !hasHappened, condition.fits(event, subject, place, value) else { return false }
      hasHappened = true
      return true
    case .any(let watches), .all(let watches):
      // Each event fulfils only one condition.
      return watches.contains { $0.hear(event) }
    }
  }

  /// The actual state, for a message; empty if there is none.
  var finding: String {
    switch leaf {
    case .value(let subject, _):
      guard let value = world.value(of: subject) else { return "\(subject.name) no longer exists" }
      return "\(subject.name) is \(world.text(of: value, for: subject))"
    case .event: return hasHappened ? "" : "it didn't happen"
    case .any(let watches), .all(let watches):
      return watches.map(\.finding).filter { !$0.isEmpty }.joined(separator: "; ")
    }
  }
}

extension EventCondition {
  fileprivate func fits(
    _ event: ScenarioEvent, _ subject: ScenarioSubject?, _ place: ScenarioPlace?, _ value: Value?
  ) -> Bool {
    guard event.name == name else { return false }
    if let subject {
      guard event.accessory == subject.accessory, event["aid"] == .integer(Int128(subject.aid)),
        event["iid"] == .integer(Int128(subject.iid))
      else { return false }
    } else if let place {
      guard event.accessory == place.accessory else { return false }
      // An event of a whole bridge has no aid.
      if let aid = place.aid, let told = event["aid"], told != .integer(Int128(aid)) { return false }
    }
    if let value {
      let isWord = value.stringValue.map { event["word"]?.stringValue == $0 } ?? false
      guard isWord || Self.fits(event["value"], value) else { return false }
    }
    return members.allSatisfy { Self.fits(event[$0.name], $0.pattern) }
  }

  private static func fits(_ value: Value?, _ pattern: Value) -> Bool {
    guard let value else { return pattern.isNull }
    if let text = value.stringValue, let glob = pattern.stringValue { return Glob(glob).matches(text) }
    return value.equals(pattern)
  }
}

extension Value {
  /// Whether the values are equal. Numbers are compared numerically; true and false equal 1 and 0 if the other value is
  /// a number.
  fileprivate func equals(_ other: Value) -> Bool {
    if let mine = doubleValue, let theirs = other.doubleValue, boolValue == nil || other.boolValue == nil {
      return mine == theirs
    }
    return self == other
  }

  /// The value as a number; nil for true, false and values that are not numbers.
  fileprivate var number: Double? { boolValue == nil ? doubleValue : nil }
}
