import HAPCommandLine
import HAPController
import HAPIP
import HAPModel

extension AttributeDatabase {
  /// The characteristic that a path behind the target names: "1.10", "Target Door State", "Light Bulb/On".
  func id(forPath path: String) throws(SelectionError) -> AttributeID {
    guard let slash = path.firstIndex(of: "/") else { return try CharacteristicSelector(path).resolve(in: self) }
    let service = String(path[..<slash])
    return try CharacteristicSelector(
      String(path[path.index(after: slash)...]), service: UInt64(service).map { .iid($0) } ?? .name(service)
    ).resolve(in: self)
  }
}

/// References that all name one accessory.
func oneTarget(_ references: [Reference]) throws(UsageError) -> Target {
  guard let first = references.first else { throw UsageError("TARGET is missing") }
  for other in references where other.target != first.target {
    throw UsageError("\(shown(first.target)) and \(shown(other.target)) are two accessories; name one at a time")
  }
  return try Target(first.target)
}
