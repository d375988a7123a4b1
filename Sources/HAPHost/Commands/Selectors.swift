import HAPDevices
import HAPIP
import HAPModel
import HAPWire

/// Which accessory is meant: a server or one behind a bridge by its name, or an aid.
package enum AccessorySelector: Equatable, Sendable {
  case name(String)
  case aid(UInt64)

  package init(_ node: JSONNode) throws(JSONProblem) {
    if let name = node.stringValue {
      self = .name(name)
    } else if node.integerValue != nil {
      self = .aid(UInt64(try node.asInteger(in: 1...Int128(UInt64.max))))
    } else {
      throw node.problem("an accessory's name or aid is expected, not \(node.kindName)")
    }
  }

  /// Names are compared without case, spaces and hyphens.
  package func matches(name: String, aid: UInt64) -> Bool {
    switch self {
    case .name(let wanted): foldedName(wanted) == foldedName(name)
    case .aid(let wanted): wanted == aid
    }
  }
}

extension ServiceSelector {
  package static func member(of node: JSONNode) throws(JSONProblem) -> ServiceSelector? {
    guard let node = node["service"] else { return nil }
    if let name = node.stringValue { return .name(name) }
    guard node.integerValue != nil else {
      throw node.problem("a service's type, name or iid is expected, not \(node.kindName)")
    }
    return .iid(UInt64(try node.asInteger(in: 1...Int128(UInt64.max))))
  }
}

extension CharacteristicSelector {
  package init(_ node: JSONNode, service: ServiceSelector?) throws(JSONProblem) {
    guard let text = node.stringValue else {
      throw node.problem("a characteristic's name, type or address such as \"1.10\" is expected, not \(node.kindName)")
    }
    self.init(text, service: service)
  }
}

extension CommandError {
  /// What words named, or why they name nothing here.
  package static func `for`<T>(_ body: () throws(SelectionError) -> T) throws(CommandError) -> T {
    do throws(SelectionError) { return try body() } catch {
      let code: Code =
        switch error.code {
        case .noSuchService: .noSuchService
        case .noSuchCharacteristic: .noSuchCharacteristic
        case .ambiguous: .ambiguous
        }
      throw CommandError(code, error.message)
    }
  }
}
