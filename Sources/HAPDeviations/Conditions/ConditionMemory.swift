import HAPCrypto
import HAPWire

/// The state of conditions: how often each was met, and when a message last met it.
///
/// The state of a connection is discarded with the connection.
struct ConditionMemory {
  private enum Key: Hashable {
    case connection(UInt64)
    case controller(String)
    case accessory
  }

  private struct Entry: Hashable {
    var condition: ObjectIdentifier
    var key: Key
  }

  private struct Mark: Hashable {
    var name: String
    var key: Key
  }

  private var counts: [Entry: Int] = [:]
  private var moments: [Entry: Duration] = [:]
  private var marks: [Mark: Duration] = [:]
  private let random: RandomSource

  /// - Parameter seed: the seed of random conditions.
  init(seed: UInt64 = 0) { random = .seeded(seed) }

  /// Returns whether the message meets the condition, given the earlier messages. A message counts for `nth` if it
  /// meets all members that are evaluated before `nth`.
  mutating func fits(_ condition: MessageCondition, _ facts: MessageFacts) -> Bool {
    guard condition.fits(facts) else { return false }
    let members = condition.members
    if let after = members.after {
      guard let moment = moment(of: after, facts, members.scope) else { return false }
      if let within = members.within, facts.now - moment > within { return false }
    }
    if let notAfter = members.notAfter, moment(of: notAfter, facts, members.scope) != nil { return false }
    if let nth = members.nth {
      let entry = Entry(condition: ObjectIdentifier(condition), key: Self.key(facts.connection, members.scope))
      counts[entry, default: 0] += 1
      guard nth.fits(counts[entry] ?? 0) else { return false }
    }
    // Last, so that only a message that meets everything else uses a random number.
    guard let share = members.share else { return true }
    let draw = random.bytes(4).reduce(0.0) { $0 * 256 + Double($1) }
    return draw / 4_294_967_296 * 100 < share
  }

  private func moment(
    of condition: MessageCondition, _ facts: MessageFacts, _ scope: MessageCondition.Scope
  ) -> Duration? {
    let key = Self.key(facts.connection, scope)
    if case .mark(let name) = condition.members.kind { return marks[Mark(name: name, key: key)] }
    return moments[Entry(condition: ObjectIdentifier(condition), key: key)]
  }

  /// Records, after the rules ran, a message that the `after` of a rule may refer to.
  mutating func note(_ condition: MessageCondition, _ facts: MessageFacts) {
    for earlier in [condition.members.after, condition.members.notAfter].compactMap({ $0 }) {
      // Evaluated before earlier conditions are recorded: a message is not earlier than itself.
      let isFitting = fits(earlier, facts)
      note(earlier, facts)
      guard isFitting else { continue }
      for key in Self.keys(facts.connection) {
        moments[Entry(condition: ObjectIdentifier(earlier), key: key)] = facts.now
      }
    }
  }

  mutating func mark(_ name: String, _ facts: MessageFacts) {
    for key in Self.keys(facts.connection) { marks[Mark(name: name, key: key)] = facts.now }
  }

  mutating func forget(connection: UInt64) {
    let key = Key.connection(connection)
    counts = counts.filter { $0.key.key != key }
    moments = moments.filter { $0.key.key != key }
    marks = marks.filter { $0.key.key != key }
  }

  /// The connections with recorded state.
  var connections: Set<UInt64> {
    Set(
      (counts.keys.map(\.key) + moments.keys.map(\.key) + marks.keys.map(\.key)).compactMap { key in
        if case .connection(let id) = key { id } else { nil }
      })
  }

  private static func key(_ connection: ConnectionFacts, _ scope: MessageCondition.Scope) -> Key {
    switch scope {
    case .connection: .connection(connection.id)
    case .controller: connection.controller.map { .controller($0) } ?? .connection(connection.id)
    case .accessory: .accessory
    }
  }

  private static func keys(_ connection: ConnectionFacts) -> [Key] {
    [.connection(connection.id), .accessory] + (connection.controller.map { [.controller($0)] } ?? [])
  }
}
