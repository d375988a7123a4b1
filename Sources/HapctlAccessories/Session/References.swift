import HAPCommandLine
import HAPController
import HAPIP
import HAPModel

extension AttributeDatabase {
  /// Returns the characteristic that the path after the target selects: "1.10", "Target Door State", "Light Bulb/On".
  func id(forPath path: String) throws(SelectionError) -> AttributeID {
    guard let slash = path.firstIndex(of: "/") else { return try CharacteristicSelector(path).resolve(in: self) }
    let service = String(path[..<slash])
    return try CharacteristicSelector(
      String(path[path.index(after: slash)...]), service: UInt64(service).map { .iid($0) } ?? .name(service)
    ).resolve(in: self)
  }
}

/// Returns the accessory of references that must all name the same one.
func oneTarget(_ references: [Reference]) throws(UsageError) -> Target {
  guard let first = references.first else { throw UsageError("TARGET is missing") }
  for other in references where other.target != first.target {
    throw UsageError("\(shown(first.target)) and \(shown(other.target)) are two accessories; specify only one")
  }
  return try Target(first.target)
}
