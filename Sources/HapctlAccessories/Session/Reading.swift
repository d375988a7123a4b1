import HAPIP
import HAPModel

extension AttributeDatabase {
  /// Returns the characteristics that the paths select; without a path, all that have the permission.
  func ids(forPaths paths: [String], else permission: Permissions) throws(SelectionError) -> [AttributeID] {
    guard paths.isEmpty else { return try paths.map { (path) throws(SelectionError) in try id(forPath: path) } }
    return characteristics.indices.filter { characteristics[$0].perms.contains(permission) }.map { id(ofSlot: $0) }
  }
}
