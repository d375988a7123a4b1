import HAPModel
import HAPProtocol

extension AttributeDatabase {
  /// The characteristics that paths name; without any path, all that permit something.
  func ids(forPaths paths: [String], else permission: Permissions) throws(SelectionError) -> [AttributeID] {
    guard paths.isEmpty else { return try paths.map { (path) throws(SelectionError) in try id(forPath: path) } }
    return characteristics.indices.filter { characteristics[$0].perms.contains(permission) }.map { id(ofSlot: $0) }
  }
}

extension OpenAccessory {
  /// Reads characteristics, many in one request.
  func read(_ ids: [AttributeID]) async throws -> [CharacteristicEntry] {
    var entries: [CharacteristicEntry] = []
    for start in stride(from: 0, to: ids.count, by: 100) {
      entries += try await self.entries(.read(Array(ids[start..<min(start + 100, ids.count)])))
    }
    return entries
  }

  /// Subscribes, or no longer.
  /// - Returns: one line for each that is refused, and how many aren't.
  func subscribe(_ ids: [AttributeID], _ isOn: Bool = true) async throws -> (refusals: [String], done: Int) {
    let refused = try await entries(.write(ids.map { .init($0, ev: isOn) })).filter { !$0.isSuccess }
    return (refused.map { "\($0.id) can't be watched: status \($0.status ?? 0)" }, ids.count - refused.count)
  }
}
