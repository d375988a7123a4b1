import HAPIP
import HAPModel
import HAPWire

/// The subscriptions of a lasting connection with the last value that was received of each, and the rule by which values are news.
struct SubscriptionBook: Sendable {
  /// The source of values.
  enum Source {
    /// An event.
    case event
    /// A read after a lost connection was made again.
    case catchUp
    /// A read after the user subscribed. Its values are no news.
    case quietly
  }

  /// nil: no value was received yet.
  private var values: [AttributeID: JSONNode.Kind?] = [:]

  /// In ascending order.
  var ids: [AttributeID] { values.keys.sorted() }

  /// Adds subscriptions that the accessory agreed to. The values of those that exist are kept.
  mutating func add(_ ids: [AttributeID]) {
    for id in ids where !values.keys.contains(id) { values[id] = .some(nil) }
  }

  mutating func remove(_ ids: [AttributeID]) { for id in ids { values.removeValue(forKey: id) } }

  /// Removes the subscriptions to characteristics that a database does not have.
  mutating func removeAll(notIn database: AttributeDatabase) {
    remove(values.keys.filter { database.slot(of: $0) == nil })
  }

  /// Takes values.
  mutating func take(_ entries: [CharacteristicEntry]) {
    for entry in entries where entry.isSuccess && values.keys.contains(entry.id) {
      if let value = entry.value { values[entry.id] = .some(value.kind) }
    }
  }

  /// Whether an entry is to be reported.
  func isNews(_ entry: CharacteristicEntry, from source: Source) -> Bool {
    switch source {
    case .event: return true
    case .quietly: return false
    case .catchUp:
      // The event of a button reads as null, so a press during a lost connection cannot be detected.
      guard entry.isSuccess, let value = entry.value, !value.isNull else { return false }
      guard case .some(.some(let known)) = values[entry.id] else { return true }
      return !known.isSameValue(as: value.kind)
    }
  }
}

extension JSONNode.Kind {
  /// Whether two forms are the same value: some accessories write 1 for true, or 20.0 for 20.
  fileprivate func isSameValue(as other: JSONNode.Kind) -> Bool {
    if let number, let other = other.number { return number == other }
    return self == other
  }

  private var number: Double? {
    switch self {
    case .bool(let bool): bool ? 1 : 0
    case .number(let number): number.double
    case .null, .string, .array, .object: nil
    }
  }
}
