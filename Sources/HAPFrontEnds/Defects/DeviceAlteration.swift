import HAPAttributes
import HAPDeviations
import HAPModel
import HAPWire

/// Changes the values that a device reports and receives, as its defect defines.
package struct DeviceAlteration {
  package typealias Change = (id: AttributeID, value: Value)

  private let changes: [DeviceChange]
  /// Values before a write, for characteristics whose writes are undone.
  private var known: [AttributeID: Value] = [:]

  package init(_ changes: [DeviceChange], _ database: AttributeDatabase) {
    self.changes = changes
    for slot in database.characteristics.indices {
      let characteristic = database.characteristics[slot]
      if changes.contains(where: { $0.written == .undo && $0.type == characteristic.type }) {
        known[database.id(ofSlot: slot)] = characteristic.value
      }
    }
  }

  /// Returns the changes to report instead of the device's, with their delays.
  package mutating func altered(
    _ said: [Change], by cause: DeviceChange.Cause, _ database: AttributeDatabase
  ) -> [(change: Change, delay: Duration)] {
    var result: [(change: Change, delay: Duration)] = []
    for change in said {
      var told: Change? = change
      var delay = Duration.zero
      for rule in fitting(change.id, cause, change.value, database) {
        switch rule.change {
        case .drop: told = nil
        case .value(let node): told?.value = Value(defect: node)
        case .beside(let distance): told?.value = change.value.moved(by: distance)
        case nil: break
        }
        if let wait = rule.delay { delay += wait }
        result += companions(of: change.id, rule, database).map { ($0, .zero) }
      }
      if let told { result.append((told, delay)) }
      if known[change.id] != nil { known[change.id] = change.value }
    }
    return result
  }

  /// Returns the write to pass to the device, or `nil` if the device must not receive it, and the resulting changes.
  package mutating func altered(
    _ write: ServiceWrite, _ database: AttributeDatabase
  ) -> (write: ServiceWrite?, changes: [Change], isTwice: Bool) {
    var followers: [Change] = []
    var isTwice = false
    let kept = write.entries.filter { entry in
      var isTold = true
      for rule in fitting(entry.id, .write, entry.value, database) {
        switch rule.written {
        case .ignore: isTold = false
        case .undo:
          isTold = false
          if let old = known[entry.id] { followers.append((entry.id, old)) }
        case .repeat: isTwice = true
        case nil: break
        }
        if rule.change == nil, rule.written == nil || !rule.also.isEmpty {
          followers += companions(of: entry.id, rule, database)
        }
      }
      if isTold, known[entry.id] != nil { known[entry.id] = entry.value }
      return isTold
    }
    let told = kept.first.map { ServiceWrite(first: $0, others: Array(kept.dropFirst())) }
    return (told, followers, isTwice)
  }

  private func fitting(
    _ id: AttributeID, _ cause: DeviceChange.Cause, _ value: Value, _ database: AttributeDatabase
  ) -> [DeviceChange] {
    guard let slot = database.slot(of: id) else { return [] }
    let type = database.characteristics[slot].type
    return changes.filter { rule in
      rule.type == type && (rule.aid.map { $0 == id.aid } ?? true) && (rule.cause.map { $0 == cause } ?? true)
        && (rule.value.map { Value(defect: $0).doubleValue == value.doubleValue } ?? true)
    }
  }

  private func companions(of id: AttributeID, _ rule: DeviceChange, _ database: AttributeDatabase) -> [Change] {
    guard let slot = database.slot(of: id) else { return [] }
    let near = database.service(ofSlot: slot).slots
    return rule.also.compactMap { type, node in
      let other =
        near.first { database.characteristics[$0].type == type }
        ?? database.characteristics.indices.first {
          database.characteristics[$0].type == type && database.id(ofSlot: $0).aid == id.aid
        }
      return other.map { (database.id(ofSlot: $0), Value(defect: node)) }
    }
  }
}

extension Value {
  /// Creates a value from its form in a defect.
  init(defect node: JSONNode) { self = Value(json: node) ?? .null }

  fileprivate func moved(by distance: Double) -> Value {
    switch self {
    case .integer(let number): .integer(number + (Int128(exactly: distance.rounded()) ?? 0))
    case .float(let number): .float(number + distance)
    case .bool(let bool): .bool(distance == 0 ? bool : !bool)
    case .null, .string, .data: self
    }
  }
}
