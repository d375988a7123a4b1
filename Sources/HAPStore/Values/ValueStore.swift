import HAPModel

/// The stored values of one accessory. A commit takes microseconds and never waits for the disk.
package final class ValueStore: Sendable {
  /// The location of the values.
  private enum Place {
    case file(ValueFile, owner: Int64)
    case memory(ValueMemory)
  }

  private let place: Place

  init(file: ValueFile, key: String) throws(StoreError) { place = .file(file, owner: try file.owner(of: key)) }

  init(_ memory: ValueMemory) { place = .memory(memory) }

  /// nil: the values are in memory.
  var file: ValueFile? { if case .file(let file, _) = place { file } else { nil } }

  /// Returns all stored values, including those of characteristics that no longer exist.
  package func load() throws(StoreError) -> [AttributeID: Value] {
    switch place {
    case .file(let file, let owner): try file.load(owner)
    case .memory(let memory): memory.load()
    }
  }

  /// Stores `changes` as one transaction. On return, all of them survive a killed process; after an error, none was stored. If a
  /// characteristic occurs twice, the later entry counts.
  package func commit(_ changes: [(id: AttributeID, value: Value)]) throws(StoreError) {
    if changes.isEmpty { return }
    switch place {
    case .file(let file, let owner): try file.commit(changes, of: owner)
    case .memory(let memory): memory.commit(changes)
    }
  }

  /// Deletes the values of these characteristics.
  package func remove(_ ids: [AttributeID]) throws(StoreError) {
    if ids.isEmpty { return }
    switch place {
    case .file(let file, let owner): try file.remove(ids, of: owner)
    case .memory(let memory): memory.remove(ids)
    }
  }

  package func removeAll() throws(StoreError) {
    switch place {
    case .file(let file, let owner): try file.removeAll(of: owner)
    case .memory(let memory): memory.removeAll()
    }
  }
}
