import HAPModel
import Synchronization

/// Values that end with the process. They are cheap: an existing value is replaced in place.
final class ValueMemory: Sendable {
  private let values = Mutex<[AttributeID: Value]>([:])

  func load() -> [AttributeID: Value] { values.withLock { $0 } }

  func commit(_ changes: [(id: AttributeID, value: Value)]) {
    values.withLock { values in
      for (id, value) in changes {
        // As on disk, NaN becomes null.
        if case .float(let number) = value, number.isNaN { values[id] = .null } else { values[id] = value }
      }
    }
  }

  func remove(_ ids: [AttributeID]) {
    values.withLock { values in for id in ids { values[id] = nil } }
  }

  func removeAll() { values.withLock { $0.removeAll() } }
}
