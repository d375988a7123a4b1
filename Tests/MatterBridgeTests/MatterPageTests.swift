import HAPModel
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Parts of docs/reference/matter.md and of Profiles/schema.json are generated from the mapping. With
/// `HAPTEST_WRITE_DOCS=1` set, this suite writes them.
///
/// Checked: these tests fail with another conversion, and with another reason.
@Suite("The page of the mapping") struct MatterPageTests {
  @Test("docs/reference/matter.md has the conversions, the device types to choose and the reasons for omissions")
  func page() throws {
    let isCurrent = try GeneratedFile.isCurrent("docs/reference/matter.md") { page in
      try page.between("attributes", attributeTable).between("choices", choiceTable).between("omissions", omissionTable)
        .between("omitted characteristics", characteristicTable)
    }
    #expect(
      isCurrent, "docs/reference/matter.md is out of date; run the suite MatterPageTests with HAPTEST_WRITE_DOCS=1")
  }

  @Test("Profiles/schema.json has the device types that a profile can choose")
  func schema() throws {
    let names = Set(try choices().flatMap(\.types)).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    let isCurrent = try GeneratedFile.isCurrent("Profiles/schema.json") { schema in
      try schema.replacing(from: "    \"matterDeviceType\": { \"enum\": [", to: "] },\n", with: names)
    }
    #expect(isCurrent, "Profiles/schema.json is out of date; run the suite MatterPageTests with HAPTEST_WRITE_DOCS=1")
  }

  // MARK: Attributes

  private static let templates: [ClusterTemplate] = {
    let rows = ServiceTable.rows.sorted { $0.key.wireForm < $1.key.wireForm }.map(\.value)
    return rows.flatMap { $0.clusters + $0.onDemand } + ServiceTable.attachments.values.map(\.cluster)
      + [.identify, .descriptor, .bridgedInformation]
  }()

  private struct Row: Hashable {
    let cluster: ClusterID
    let attribute: AttributeNumber
    let conversion: String
    let isWritable: Bool
  }

  private var attributeTable: String {
    // Several services have the same conversion of different characteristics.
    var rows: [Row: Set<String>] = [:]
    for template in Self.templates {
      for binding in template.attributes {
        guard let conversion = binding.conversion else { continue }
        var names: [String] = []
        for name in binding.characteristics.map(\.shown) where !names.contains(name) { names.append(name) }
        let row = Row(
          cluster: template.id, attribute: binding.number, conversion: conversion, isWritable: binding.write != nil)
        rows[row, default: []].insert(names.joined(separator: ", "))
      }
    }
    var cluster: ClusterID?
    let ordered = rows.sorted { one, other in
      (one.key.cluster, one.key.attribute, one.key.conversion)
        < (other.key.cluster, other.key.attribute, other.key.conversion)
    }
    return GeneratedFile.table(
      ["cluster", "attribute", "characteristics", "value"],
      ordered.map { row, characteristics in
        defer { cluster = row.cluster }
        let name = ClusterDefinition.find(row.cluster)?.attributes.first { $0.description.number == row.attribute }?
          .name
        return [
          cluster == row.cluster ? "" : row.cluster.clusterName,
          "\(row.attribute.digits) \(name ?? "")\(row.isWritable ? " (W)" : "")",
          characteristics.sorted().joined(separator: "; or "), row.conversion,
        ]
      })
  }

  // MARK: Choices

  /// The device types that each service can have, if it has all of its characteristics.
  private func choices() throws -> [(service: String, types: [String])] {
    let types = ServiceTable.rows.keys.filter { ServiceTable.attachments[$0] == nil }
    return try types.compactMap { Catalogue.service($0) }.sorted { $0.identifier < $1.identifier }.map { definition in
      var iid: UInt64 = 10
      let characteristics = (definition.required + definition.optional).compactMap { Catalogue.characteristic($0) }.map
      {
        iid += 1
        return Characteristic(
          iid: iid, type: $0.type, format: $0.format, perms: $0.perms, constraints: $0.constraints)
      }
      let identify = CharacteristicDefinition.identify
      let information = Service(
        iid: 1, type: ServiceTable.information,
        characteristics: [
          Characteristic(iid: 2, type: identify.type, format: identify.format, perms: identify.perms)
        ])
      let service = Service(
        iid: 10, type: definition.type, characteristics: characteristics)
      let database = try AttributeDatabase([Accessory(aid: 1, services: [information, service])])
      var numbers = EndpointNumbers()
      var plan = AccessoryPlan(database, vendor: 0xFFF1, numbers: &numbers)
      let fitting = plan.fitting(1, plan.usual(1).clusters, plan.commonClusters(1))
      return (definition.identifier, fitting.map(\.name))
    }
  }

  private var choiceTable: String {
    get throws {
      GeneratedFile.table(
        ["service", "device types"], try choices().map { ["\($0.service)", $0.types.joined(separator: ", ")] })
    }
  }

  // MARK: Omissions

  private var omissionTable: String {
    let reasons = ServiceTable.silent.merging(ServiceTable.refusals) { one, _ in one }
    let groups = Dictionary(grouping: reasons) { $0.value }.map { reason, entries in
      (
        entries.map { Catalogue.service($0.key)?.identifier ?? $0.key.wireForm }.sorted().joined(separator: ", "),
        reason
      )
    }
    return GeneratedFile.table(
      ["service", "reason"],
      groups.sorted { $0 < $1 }.map { [$0.0, $0.1] } + [
        ["a service that shows nothing", ServiceTable.nothingToShow],
        ["a service with `\"matter\": false`", ServiceTable.leftOut],
      ])
  }

  private var characteristicTable: String {
    let named = ServiceTable.omittedCharacteristics.map { [$0.key.shown, $0.value] }.sorted { $0[0] < $1[0] }
    return GeneratedFile.table(
      ["characteristic", "reason"],
      named + [
        ["without the permissions `pr` and `pw`", ServiceTable.neitherReadNorWritten],
        ["of Apple with the format data or tlv8", ServiceTable.messages],
        ["with `\"matter\": false`", ServiceTable.leftOut],
      ])
  }
}
