import HAPModel

extension IDMap.Scope {
  /// A request for a number.
  struct Request {
    var key: String
    /// The number that the profile states.
    var explicit: UInt64?
  }

  /// The reason why an explicit number is refused.
  enum Conflict: Error, Equatable {
    /// `key` had another number.
    case moved(key: String, from: UInt64, to: UInt64)
    /// The number belongs to the entry with the key `by`. `nil`: it was used before and freed.
    case taken(key: String, id: UInt64, by: String?)
    /// No number is left.
    case exhausted

    var key: String? {
      switch self {
      case .moved(let key, _, _), .taken(let key, _, _): key
      case .exhausted: nil
      }
    }
  }

  /// The key of a freed number above `next`. The counter would otherwise assign it again.
  private static func tombstone(_ id: UInt64) -> String { "freed:\(id)" }

  /// Assigns a number to each request, and frees the numbers that are no longer requested.
  ///
  /// The caller has checked that keys and explicit numbers are unique. If conflicts are returned, the scope is unchanged.
  /// - Parameter renumber: explicit numbers override the stored ones.
  mutating func settle(_ requests: [Request], renumber: Bool) -> [Conflict] {
    var conflicts: [Conflict] = []
    var owners: [UInt64: String] = [:]
    for (key, id) in ids { owners[id] = key }
    var result = IDMap.Scope(next: max(next, 1))
    for request in requests {
      guard let explicit = request.explicit else { continue }
      let stored = ids[request.key]
      if stored != explicit, !renumber {
        if let stored { conflicts.append(.moved(key: request.key, from: stored, to: explicit)) }
        if let owner = owners[explicit] {
          conflicts.append(.taken(key: request.key, id: explicit, by: owner.hasPrefix("freed:") ? nil : owner))
        } else if stored == nil, explicit < next {
          conflicts.append(.taken(key: request.key, id: explicit, by: nil))
        }
      }
      result.ids[request.key] = explicit
    }
    var taken = Set(result.ids.values).union(owners.keys)
    let claimed = Set(result.ids.values)
    for request in requests where request.explicit == nil {
      if let stored = ids[request.key], !claimed.contains(stored) {
        result.ids[request.key] = stored
        continue
      }
      var id = result.next
      while taken.contains(id) {
        guard id < .max else { return conflicts + [.exhausted] }
        id += 1
      }
      guard id < .max else { return conflicts + [.exhausted] }
      taken.insert(id)
      result.ids[request.key] = id
      result.next = id + 1
    }
    guard conflicts.isEmpty else { return conflicts }
    let used = Set(result.ids.values)
    for id in owners.keys where id >= result.next && !used.contains(id) { result.ids[Self.tombstone(id)] = id }
    self = result
    return []
  }
}
