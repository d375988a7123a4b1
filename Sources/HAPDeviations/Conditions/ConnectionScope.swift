import HAPWire

/// The connections that something applies to: all, those of a controller, or those with a number.
package struct ConnectionScope: Equatable, Sendable {
  /// The controller's pairing identifier, once it is verified.
  package var controller: Glob?
  /// The number of the connection, counted from 1 since the accessory started.
  package var connection: CountPattern?

  package init() {}

  package static let members = ["controller", "connection"]

  package init(_ node: JSONNode) throws(JSONProblem) {
    controller = try node["controller"]?.glob()
    connection = try node["connection"]?.count()
  }

  package var isForAll: Bool { self == ConnectionScope() }

  package func fits(connection number: UInt64, controller name: String?) -> Bool {
    if let connection, !connection.fits(Int(clamping: number)) { return false }
    if let controller { return name.map { controller.matches($0) } ?? false }
    return true
  }
}

extension Defect {
  /// Returns the defect limited to messages of these connections.
  package func limited(to scope: ConnectionScope) -> Defect {
    if scope.isForAll { return self }
    return with(
      rules: rules.map { rule in
        var rule = rule
        var members = rule.condition.members
        members.connections = scope
        rule.condition = MessageCondition(members)
        return rule
      }, records: records, devices: devices, restart: restart, sealings: sealings, idle: idle)
  }

  /// Returns all changes of the defects, except those that only take effect when an accessory starts.
  package static func joined(_ defects: [Defect]) -> Defect? {
    guard let first = defects.first else { return nil }
    return first.with(
      rules: defects.flatMap(\.rules), records: defects.flatMap(\.records), devices: defects.flatMap(\.devices),
      restart: defects.compactMap(\.restart).last, sealings: defects.flatMap(\.sealings),
      idle: defects.compactMap(\.idle).min())
  }
}
