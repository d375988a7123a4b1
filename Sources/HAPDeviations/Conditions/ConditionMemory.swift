import HAPCrypto
import HAPWire

/// What conditions remember: how often each was fitted, and when something fitted last.
///
/// What is remembered of a connection goes with it.
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

  /// - Parameter seed: of random conditions.
  init(seed: UInt64 = 0) { random = .seeded(seed) }

  /// Whether the message fits, with what came before; counts it where it does but for its number.
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
    // Last, so that a draw belongs to one message that fits in all else.
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

  /// Notes, behind the rules, that a message came that `after` of a rule may ask for.
  mutating func note(_ condition: MessageCondition, _ facts: MessageFacts) {
    for earlier in [condition.members.after, condition.members.notAfter].compactMap({ $0 }) {
      // Before what is earlier still is noted: a message is not earlier than itself.
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

  /// Those of which something is remembered.
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
