import HAPModel
import HAPProfile
import HAPWire
import MatterBridge

/// What the accessories of a profile become in Matter, with the numbers of accessories that were never served.
package struct MatterSide: Sendable {
  private let table: MappingTable
  /// The deviations of endpoints from the catalogue of Matter: warnings, because the profile can be served.
  package let problems: [ProfileProblem]

  /// - Throws: the errors of the profile.
  package init(_ profile: AccessoryProfile) throws(ProfileErrors) {
    let built = try profile.builtForMatter()
    let nodes = profile.nodes(in: built.database)
    table = MappingTable(of: built.database, MappingOverrides(built.matter, in: built.database)) { id in
      nodes[id]?.path.description
    }
    var found: [ProfileProblem] = []
    // Copies of an accessory have the same problem at several endpoints.
    var endpoints: [ProfileProblem: [UInt16]] = [:]
    for endpoint in table.endpoints {
      let node = endpoint.service.flatMap { nodes[$0.id] }
      for problem in endpoint.problems {
        let warning = ProfileProblem(
          rule: "matter-conformance", severity: .warning, path: node?.path.description ?? "",
          line: node?.place.line ?? 1, column: node?.place.column ?? 1, message: problem.description)
        if endpoints[warning] == nil { found.append(warning) }
        if endpoints[warning]?.last != endpoint.number { endpoints[warning, default: []].append(endpoint.number) }
      }
    }
    problems = found.map { warning in
      var complete = warning
      complete.message += ": a controller may refuse \(Self.shown(endpoints[warning] ?? []))"
      return complete
    }
  }

  /// "endpoint 1", or "endpoints 2, 3, 4, 5, 6 and 7 more".
  private static func shown(_ endpoints: [UInt16]) -> String {
    let most = 5
    let listed = endpoints.prefix(most).map { "\($0)" }.joined(separator: ", ")
    if endpoints.count == 1 { return "endpoint \(listed)" }
    return "endpoints \(listed)" + (endpoints.count > most ? " and \(endpoints.count - most) more" : "")
  }

  /// The table as text.
  package var lines: [String] { table.lines }

  /// Writes the table as an object.
  package func write(to json: inout JSONWriter) { table.write(to: &json) }
}

extension AccessoryProfile {
  /// Returns the errors of the members `matter`, which the profile stores unparsed.
  /// - Parameter vendor: the vendor of the node, on which the numbers of clusters depend; nil: 0xFFF1.
  package func matterProblems(vendor: UInt16? = nil) -> [ProfileProblem] {
    let nodes = matterNodes
    guard !nodes.isEmpty else { return [] }
    do throws(ProfileErrors) {
      let built = try builtForMatter()
      let overrides = MappingOverrides(built.matter, in: built.database)
      var numbers = EndpointNumbers()
      let plan = AccessoryPlan(built.database, overrides, vendor: vendor ?? 0xFFF1, numbers: &numbers)
      return plan.problems.map { ProfileProblem(rule: "matter", $0) }.withoutRepetitions
    } catch {
      let found = nodes.flatMap { MappingOverrides.problems(in: $0.node, ofService: $0.isOfService) }
      let others = error.problems.filter { !problems.contains($0) }
      return (found.map { ProfileProblem(rule: "matter", $0) } + others).withoutRepetitions
    }
  }

  /// Builds the accessory with the numbers of one that was never served.
  fileprivate func builtForMatter() throws(ProfileErrors) -> BuiltAccessory {
    guard let deviceID = deviceID ?? DeviceID(bytes: [0, 0, 0, 0, 0, 1]) else {
      preconditionFailure("a device ID has 6 bytes")
    }
    var ids = IDMap()
    return try build(ids: &ids, deviceID: deviceID)
  }
}

extension [ProfileProblem] {
  /// Copies of an accessory have the same problems.
  fileprivate var withoutRepetitions: [ProfileProblem] {
    var seen: Set<ProfileProblem> = []
    return filter { seen.insert($0).inserted }
  }
}
