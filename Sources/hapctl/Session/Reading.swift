import HAPIP
import HAPModel

extension AttributeDatabase {
  /// The characteristics that paths name; without any path, all that permit something.
  func ids(forPaths paths: [String], else permission: Permissions) throws(SelectionError) -> [AttributeID] {
    guard paths.isEmpty else { return try paths.map { (path) throws(SelectionError) in try id(forPath: path) } }
    return characteristics.indices.filter { characteristics[$0].perms.contains(permission) }.map { id(ofSlot: $0) }
  }
}
