import HAPModel

extension IDMap.Scope {
  /// One thing that needs a number.
  struct Wish {
    var key: String
    /// The number that the profile writes down.
    var explicit: UInt64?
  }

  /// Why an explicit number is refused.
  enum Conflict: Error, Equatable {
    /// `key` had another number.
    case moved(key: String, from: UInt64, to: UInt64)
    /// The number was, or still is, another's; `keeps` is the number that `key` had, if any.
    case taken(key: String, id: UInt64, by: String?)
    /// All numbers are spent.
    case exhausted

    var key: String? {
      switch self {
      case .moved(let key, _, _), .taken(let key, _, _): key
      case .exhausted: nil
      }
    }
  }

  /// Under this key stands a freed number that counting has not reached: it must not be given out again either.
  private static func tombstone(_ id: UInt64) -> String { "freed:\(id)" }

  /// Gives each wish its number and frees what is wished for no more.
  ///
  /// Keys are distinct and so are explicit numbers: the caller has checked. The scope is as before when conflicts are returned.
  /// - Parameter renumber: explicit numbers win against the stored ones.
  mutating func settle(_ wishes: [Wish], renumber: Bool) -> [Conflict] {
    var conflicts: [Conflict] = []
    var owners: [UInt64: String] = [:]
    for (key, id) in ids { owners[id] = key }
    var result = IDMap.Scope(next: max(next, 1))
    for wish in wishes {
      guard let explicit = wish.explicit else { continue }
      let stored = ids[wish.key]
      if stored != explicit, !renumber {
        if let stored { conflicts.append(.moved(key: wish.key, from: stored, to: explicit)) }
        if let owner = owners[explicit] {
          conflicts.append(.taken(key: wish.key, id: explicit, by: owner.hasPrefix("freed:") ? nil : owner))
        } else if stored == nil, explicit < next {
          conflicts.append(.taken(key: wish.key, id: explicit, by: nil))
        }
      }
      result.ids[wish.key] = explicit
    }
    var taken = Set(result.ids.values).union(owners.keys)
    let claimed = Set(result.ids.values)
    for wish in wishes where wish.explicit == nil {
      if let stored = ids[wish.key], !claimed.contains(stored) {
        result.ids[wish.key] = stored
        continue
      }
      var id = result.next
      while taken.contains(id) {
        guard id < .max else { return conflicts + [.exhausted] }
        id += 1
      }
      guard id < .max else { return conflicts + [.exhausted] }
      taken.insert(id)
      result.ids[wish.key] = id
      result.next = id + 1
    }
    guard conflicts.isEmpty else { return conflicts }
    let used = Set(result.ids.values)
    for id in owners.keys where id >= result.next && !used.contains(id) { result.ids[Self.tombstone(id)] = id }
    self = result
    return []
  }
}
