import HAPModel

/// The values one accessory keeps over restarts. Cheap: a commit costs microseconds and never waits for the disk.
package final class ValueStore: Sendable {
  let file: ValueFile
  private let owner: Int64

  init(file: ValueFile, key: String) throws(StoreError) {
    self.file = file
    owner = try file.owner(of: key)
  }

  /// All values kept, also of characteristics that are no more.
  package func load() throws(StoreError) -> [AttributeID: Value] { try file.load(owner) }

  /// Keeps `changes` as one transaction: all of them outlive a killed process on return, none was kept after an error.
  /// A later entry for the same characteristic wins.
  package func commit(_ changes: [(AttributeID, Value)]) throws(StoreError) {
    if !changes.isEmpty { try file.commit(changes, of: owner) }
  }

  /// Forgets the values of these characteristics.
  package func remove(_ ids: [AttributeID]) throws(StoreError) {
    if !ids.isEmpty { try file.remove(ids, of: owner) }
  }

  package func removeAll() throws(StoreError) { try file.removeAll(of: owner) }
}
