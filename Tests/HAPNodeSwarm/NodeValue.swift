import HAPModel
import HAPSwarm
import MatterModel
import MatterWire

/// A value of a node that a swarm checks. Values are numbered, as in `ValueHistory`.
struct NodeValue: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The vendor's attribute of a characteristic that has no meaning.
    case token
    /// CurrentLevel, which is computed of Brightness.
    case level
    case power
    /// The label of the node.
    case label
    /// StartUpCurrentLevel, which only the node knows.
    case startUpLevel
  }

  let kind: Kind
  let endpoint: EndpointNumber
  /// `nil`: no characteristic has the value.
  let id: AttributeID?

  static let label = NodeValue(kind: .label, endpoint: 0, id: nil)

  /// The values of an accessory, in a fixed order.
  static func all(of accessory: AccessoryMachine) -> [NodeValue] {
    let ledger = accessory.ledger
    func endpoint(_ id: AttributeID) -> EndpointNumber {
      // The aggregator of a bridge is 1, and the accessory with the aid n is n.
      accessory.profile.name == NodeProfile.bridge.rawValue ? EndpointNumber(id.aid) : 1
    }
    let powers = ledger.switches.map { NodeValue(kind: .power, endpoint: endpoint($0), id: $0) }
    let numbers = ledger.watched.map { watched in
      NodeValue(kind: watched.count > 1000 ? .token : .level, endpoint: endpoint(watched.id), id: watched.id)
    }
    let levels = powers.map { NodeValue(kind: .startUpLevel, endpoint: $0.endpoint, id: nil) }
    return [label] + powers + numbers + levels
  }

  var path: AttributePath {
    switch kind {
    case .token: AttributePath(endpoint, Self.vendor, 0)
    case .level: AttributePath(endpoint, 0x08, 0)
    case .power: AttributePath(endpoint, 0x06, 0)
    case .label: AttributePath(0, 0x28, 5)
    case .startUpLevel: AttributePath(endpoint, 0x08, 0x4000)
    }
  }

  /// The first cluster of the vendor.
  static let vendor: ClusterID = 0xFFF1_FD01

  /// Whether it survives a loss of power, because it is stored before the answer leaves.
  var isDurable: Bool { kind == .label || kind == .startUpLevel }
  /// Whether it is written as an attribute. Others change by commands.
  var isWritable: Bool { kind != .level && kind != .power }

  /// The value with a number, in a write.
  func element(_ index: Int) -> Element.Value {
    switch kind {
    case .token: .unsigned(UInt64(index))
    case .level: .unsigned(Self.level(brightness: index))
    case .power: .bool(index == 1)
    case .label: .text(index == 0 ? "" : "Label \(index)")
    case .startUpLevel: index == 0 ? .null : .unsigned(UInt64(index - 1))
    }
  }

  /// The number of a value that was read; `nil`: the value is malformed.
  func index(_ element: Element.Value) -> Int? {
    switch (kind, element) {
    case (.token, .unsigned(let number)): Int(exactly: number)
    case (.level, .unsigned(let level)): (0...100).first { Self.level(brightness: $0) == level }
    case (.power, .bool(let isOn)): isOn ? 1 : 0
    case (.label, .text("")): 0
    case (.label, .text(let text)): text.hasPrefix("Label ") ? Int(text.dropFirst(6)) : nil
    case (.startUpLevel, .null): 0
    case (.startUpLevel, .unsigned(let level)): Int(exactly: level).map { $0 + 1 }
    default: nil
    }
  }

  /// Matter 1.4 application clusters §1.6: 1...254 for 0...100 %.
  private static func level(brightness: Int) -> UInt64 { UInt64(min(max((brightness * 508 + 100) / 200, 1), 254)) }
}

extension NodeValue: CustomStringConvertible {
  var description: String { "\(kind) of endpoint \(endpoint)" }
}
