import Foundation
import HAPTestSupport
import MatterModel
import MatterWire

/// The access and the types of attributes and commands, from Catalogue/matter.json.
struct MatterCatalogue {
  typealias Row = [String: Any]

  private let clusters: [UInt32: Row]
  private let commonTypes: [String: Row]

  init() throws {
    let top = try Repository.json("Catalogue/matter.json", as: Row.self)
    let named = top["clusters"] as? [String: Row] ?? [:]
    commonTypes = top["types"] as? [String: Row] ?? [:]
    clusters = named.values.reduce(into: [:]) { result, row in
      guard let number = row["id"] as? Int else { return }
      result[UInt32(number)] = Self.merged(row, (row["type"] as? String).flatMap { named[$0] })
    }
  }

  /// Some clusters are others with another number, and with changes to some elements.
  private static func merged(_ row: Row, _ base: Row?) -> Row {
    guard let base else { return row }
    var result = row.filter { !($0.value is NSNull) }.merging(base) { own, _ in own }
    for kind in ["attributes", "commands"] {
      let inherited = base[kind] as? [Row] ?? []
      let own = row[kind] as? [Row] ?? []
      result[kind] = inherited.map { old in
        let change = own.first { $0["id"] as? Int == old["id"] as? Int } ?? [:]
        return change.filter { !($0.value is NSNull) }.merging(old) { new, _ in new }
      }
    }
    return result
  }

  /// Returns the access of an attribute or a request, such as "RW VM".
  func access(_ kind: String, _ number: UInt32, of cluster: ClusterID) -> String? {
    rows(kind, of: cluster).first { $0["id"] as? Int == Int(number) && $0["access"] is String }?["access"] as? String
  }

  private func rows(_ kind: String, of cluster: ClusterID) -> [Row] {
    (clusters[cluster]?[kind] as? [Row] ?? []).filter { $0["direction"] as? String ?? "request" == "request" }
  }

  // MARK: Types

  /// Returns what a controller could not decode in a value of an attribute; nil: it is of its type.
  func mistake(in value: Element.Value, of attribute: AttributeNumber, _ cluster: ClusterID) -> String? {
    guard let row = rows("attributes", of: cluster).first(where: { $0["id"] as? Int == Int(attribute) }) else {
      return "the attribute is unknown"
    }
    guard let type = row["type"] as? String else { return "it has no type" }
    if value == .null {
      let isNullable = (row["quality"] as? String ?? "").split(separator: " ").contains("X")
      return isNullable ? nil : "null"
    }
    return mistake(in: value, type, cluster)
  }

  private func mistake(in value: Element.Value, _ type: String, _ cluster: ClusterID) -> String? {
    if type.hasPrefix("list[") {
      guard case .container(.array, let members) = value else { return "no list" }
      return members.lazy.compactMap { mistake(in: $0.value, String(type.dropFirst(5).dropLast()), cluster) }.first
    }
    if let range = Self.unsigned[type] {
      guard case .unsigned(let number) = value, number <= range else { return "no \(type): \(value)" }
      return nil
    }
    if let range = Self.signed[type] {
      guard case .signed(let number) = value, range.contains(number) else { return "no \(type): \(value)" }
      return nil
    }
    if let lengths = Self.octets[type] {
      guard case .octets(let bytes) = value, lengths.contains(bytes.count) else { return "no \(type): \(value)" }
      return nil
    }
    switch (type, value) {
    case ("bool", .bool), ("single", .single), ("double", .double), ("string", .text), ("octstr", .octets): return nil
    case ("bool", _), ("single", _), ("double", _), ("string", _), ("octstr", _): return "no \(type): \(value)"
    default: break
    }
    let own = clusters[cluster]?["types"] as? [String: Row] ?? [:]
    guard let row = own[type] ?? commonTypes[type], let base = row["type"] as? String else {
      return "an unknown type: \(type)"
    }
    let members = row["members"] as? [Row] ?? []
    if base == "struct" { return structMistake(in: value, members, cluster) }
    if let mistake = mistake(in: value, base, cluster) { return mistake }
    guard base.hasPrefix("enum"), !members.isEmpty, case .unsigned(let number) = value else { return nil }
    return members.contains { $0["id"] as? Int == Int(number) } ? nil : "no value of \(type): \(number)"
  }

  private func structMistake(in value: Element.Value, _ members: [Row], _ cluster: ClusterID) -> String? {
    guard case .container(.structure, let elements) = value else { return "no structure" }
    for member in members {
      guard let id = member["id"] as? Int, let type = member["type"] as? String else { continue }
      guard let element = elements.first(where: { $0.tag == .context(UInt8(id)) }) else {
        if member["conformance"] as? String == "M" { return "a member is missing: \(id)" }
        continue
      }
      let isNullable = (member["quality"] as? String ?? "").split(separator: " ").contains("X")
      if element.value == .null, isNullable { continue }
      if let mistake = mistake(in: element.value, type, cluster) { return mistake }
    }
    return nil
  }

  private static let unsigned: [String: UInt64] = [
    "uint8": 0xFF, "uint16": 0xFFFF, "uint32": 0xFFFF_FFFF, "uint64": .max, "enum8": 0xFF, "enum16": 0xFFFF,
    "map8": 0xFF, "map16": 0xFFFF, "map32": 0xFFFF_FFFF, "map64": .max, "percent": 100, "percent100ths": 10000,
    "elapsed-s": 0xFFFF_FFFF, "epoch-s": 0xFFFF_FFFF, "epoch-us": .max, "cluster-id": 0xFFFF_FFFF,
    "endpoint-no": 0xFFFF, "devtype-id": 0xFFFF_FFFF, "namespace": 0xFF, "tag": 0xFF, "vendor-id": 0xFFFF,
    "fabric-idx": 0xFE, "node-id": .max, "fabric-id": .max, "group-id": 0xFFFF, "attrib-id": 0xFFFF_FFFF,
    "subject-id": .max, "power-mA": .max, "systime-ms": .max, "status": 0xFF,
  ]
  private static let octets: [String: Set<Int>] = [
    "hwadr": [6, 8], "ipadr": [4, 16], "ipv4adr": [4], "ipv6adr": [16],
  ]
  private static let signed: [String: ClosedRange<Int64>] = [
    "int8": -128...127, "int16": -32768...32767, "int32": -(1 << 31)...(1 << 31 - 1), "int64": .min ... .max,
    "temperature": -27315...32767,
  ]
}
