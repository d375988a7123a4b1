import HAPModel
import HAPProfile
import HAPWire
import MatterBridge

/// What the accessories of a profile become in Matter, with the numbers of accessories that were never served.
package struct MatterSide: Sendable {
  private let table: MappingTable
  /// The deviations of endpoints from the catalogue of Matter: warnings, because the profile can be served.
  package let problems: [ProfileProblem]

  /// - Returns: nil for a profile with errors.
  package init?(_ profile: AccessoryProfile) {
    guard let built = profile.builtForMatter else { return nil }
    let nodes = profile.nodes(in: built.database)
    table = MappingTable(of: built.database, MappingOverrides(built.matter, in: built.database)) { id in
      nodes[id]?.path.description
    }
    problems =
      table.endpoints.flatMap { endpoint in
        endpoint.problems.map { problem in
          let node = endpoint.service.flatMap { nodes[$0.id] }
          return ProfileProblem(
            rule: "matter-conformance", severity: .warning, path: node?.path.description ?? "",
            line: node?.place.line ?? 1, column: node?.place.column ?? 1,
            message: "\(problem.description): a controller may refuse endpoint \(endpoint.number)")
        }
      }.withoutRepetitions
  }

  /// The table as text.
  package var lines: [String] { table.lines }

  /// Writes the table as an object.
  package func write(to json: inout JSONWriter) { table.write(to: &json) }
}

extension AccessoryProfile {
  /// The errors of the members `matter`, which the profile stores unparsed.
  package var matterProblems: [ProfileProblem] {
    let nodes = matterNodes
    guard !nodes.isEmpty else { return [] }
    let problems: [JSONProblem]
    if let built = builtForMatter {
      var numbers = EndpointNumbers()
      problems =
        AccessoryPlan(
          built.database, MappingOverrides(built.matter, in: built.database), vendor: 0xFFF1, numbers: &numbers
        ).problems
    } else {
      problems = nodes.flatMap { MappingOverrides.problems(in: $0.node, ofService: $0.isOfService) }
    }
    return problems.map { ProfileProblem(rule: "matter", $0) }.withoutRepetitions
  }

  /// The accessory with the numbers of one that was never served; nil: the profile has errors.
  fileprivate var builtForMatter: BuiltAccessory? {
    var ids = IDMap()
    guard isServable, let deviceID = deviceID ?? DeviceID(bytes: [0, 0, 0, 0, 0, 1]) else { return nil }
    return try? build(ids: &ids, deviceID: deviceID)
  }
}

extension [ProfileProblem] {
  /// Copies of an accessory have the same problems.
  fileprivate var withoutRepetitions: [ProfileProblem] {
    var seen: Set<ProfileProblem> = []
    return filter { seen.insert($0).inserted }
  }
}
