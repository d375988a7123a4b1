import HAPIP
import HAPModel
import HAPWire

/// The subscriptions of a persistent connection with the last received value of each, and the rule that decides which
/// values are news.
struct SubscriptionBook: Sendable {
  /// The source of values.
  enum Source {
    /// An event.
    case event
    /// A read after a reconnect.
    case catchUp
    /// A read after the user subscribed. Its values are not news.
    case quietly
  }

  /// nil: no value has been received yet.
  private var values: [AttributeID: JSONNode.Kind?] = [:]

  /// In ascending order.
  var ids: [AttributeID] { values.keys.sorted() }

  /// Adds subscriptions that the accessory accepted. The values of existing ones are kept.
  mutating func add(_ ids: [AttributeID]) {
    for id in ids where !values.keys.contains(id) { values[id] = .some(nil) }
  }

  mutating func remove(_ ids: [AttributeID]) { for id in ids { values.removeValue(forKey: id) } }

  /// Removes the subscriptions to characteristics that a database does not have.
  mutating func removeAll(notIn database: AttributeDatabase) {
    remove(values.keys.filter { database.slot(of: $0) == nil })
  }

  /// Stores values of subscribed characteristics.
  mutating func take(_ entries: [CharacteristicEntry]) {
    for entry in entries where entry.isSuccess && values.keys.contains(entry.id) {
      if let value = entry.value { values[entry.id] = .some(value.kind) }
    }
  }

  /// Returns whether an entry must be reported.
  func isNews(_ entry: CharacteristicEntry, from source: Source) -> Bool {
    switch source {
    case .event: return true
    case .quietly: return false
    case .catchUp:
      // The event of a button is read as null, so a press during a lost connection can't be detected.
      guard entry.isSuccess, let value = entry.value, !value.isNull else { return false }
      guard case .some(.some(let known)) = values[entry.id] else { return true }
      return !known.isSameValue(as: value.kind)
    }
  }
}

extension JSONNode.Kind {
  /// Returns whether two forms are the same value: some accessories write 1 for true, or 20.0 for 20.
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
