import HAPModel

/// Selects an accessory: a server or a bridged accessory by its name, or an accessory by its aid.
package enum AccessorySelector: Equatable, Sendable {
  case name(String)
  case aid(UInt64)

  /// Names are compared without case, spaces and hyphens.
  package func matches(name: String, aid: UInt64) -> Bool {
    switch self {
    case .name(let wanted): foldedName(wanted) == foldedName(name)
    case .aid(let wanted): wanted == aid
    }
  }
}

extension AccessorySelector: CustomStringConvertible {
  package var description: String {
    switch self {
    case .name(let name): "\"\(name)\""
    case .aid(let aid): "\(aid)"
    }
  }
}
