import HAPModel

/// The values one accessory keeps over restarts. Cheap: a commit costs microseconds and never waits for the disk.
package final class ValueStore: Sendable {
  /// Where they are.
  private enum Place {
    case file(ValueFile, owner: Int64)
    case memory(ValueMemory)
  }

  private let place: Place

  init(file: ValueFile, key: String) throws(StoreError) { place = .file(file, owner: try file.owner(of: key)) }

  init(_ memory: ValueMemory) { place = .memory(memory) }

  /// nil: they are in memory.
  var file: ValueFile? { if case .file(let file, _) = place { file } else { nil } }

  /// All values kept, also of characteristics that are no more.
  package func load() throws(StoreError) -> [AttributeID: Value] {
    switch place {
    case .file(let file, let owner): try file.load(owner)
    case .memory(let memory): memory.load()
    }
  }

  /// Keeps `changes` as one transaction: all of them outlive a killed process on return, none was kept after an error.
  /// A later entry for the same characteristic wins.
  package func commit(_ changes: [(id: AttributeID, value: Value)]) throws(StoreError) {
    if changes.isEmpty { return }
    switch place {
    case .file(let file, let owner): try file.commit(changes, of: owner)
    case .memory(let memory): memory.commit(changes)
    }
  }

  /// Forgets the values of these characteristics.
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
