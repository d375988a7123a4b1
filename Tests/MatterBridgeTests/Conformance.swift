import Foundation
import HAPTestSupport
import MatterModel

/// The attributes and commands that clusters and device types must have, from Catalogue/matter.json.
struct MatterCatalogue {
  private let clusters: [UInt32: [String: Any]]
  private let deviceTypes: [UInt32: [String: Any]]

  init() throws {
    let top = try Repository.json("Catalogue/matter.json", as: [String: Any].self)
    func byNumber(_ name: String) -> [UInt32: [String: Any]] {
      let rows = (top[name] as? [String: [String: Any]] ?? [:]).values
      return rows.reduce(into: [:]) { result, row in
        if let number = row["id"] as? Int { result[UInt32(number)] = row }
      }
    }
    let named = top["clusters"] as? [String: [String: Any]] ?? [:]
    clusters = byNumber("clusters").mapValues { row in
      // Some clusters are others with another number.
      guard let base = (row["type"] as? String).flatMap({ named[$0] }) else { return row }
      return row.filter { !($0.value is NSNull) }.merging(base) { own, _ in own }
    }
    deviceTypes = byNumber("device_types")
  }

  func knows(_ cluster: ClusterID) -> Bool { clusters[cluster] != nil }
  func revision(of cluster: ClusterID) -> Int? { clusters[cluster]?["revision"] as? Int }
  func revision(ofDeviceType type: UInt32) -> Int? { deviceTypes[type]?["revision"] as? Int }

  /// Returns the mandatory elements of a kind for a set of features.
  /// - Parameter kind: "attributes" or "commands".
  func mandatory(_ kind: String, of cluster: ClusterID, features: UInt32) -> Set<UInt32> {
    let codes = codes(of: cluster, features)
    return numbers(kind, of: cluster) { Conformance.isMandatory($0, codes) }
  }

  /// Returns all elements of a kind.
  func all(_ kind: String, of cluster: ClusterID) -> Set<UInt32> { numbers(kind, of: cluster) { _ in true } }

  /// Returns the access of an attribute or a request, such as "RW VM".
  func access(_ kind: String, _ number: UInt32, of cluster: ClusterID) -> String? {
    rows(kind, of: cluster).first { $0["id"] as? Int == Int(number) && $0["access"] is String }?["access"] as? String
  }

  private func numbers(_ kind: String, of cluster: ClusterID, _ isWanted: (String) -> Bool) -> Set<UInt32> {
    Set(
      rows(kind, of: cluster).filter { isWanted($0["conformance"] as? String ?? "") }
        .compactMap { ($0["id"] as? Int).map(UInt32.init) })
  }

  private func rows(_ kind: String, of cluster: ClusterID) -> [[String: Any]] {
    (clusters[cluster]?[kind] as? [[String: Any]] ?? []).filter { $0["direction"] as? String ?? "request" == "request" }
  }

  private func codes(of cluster: ClusterID, _ features: UInt32) -> Set<String> {
    let rows = clusters[cluster]?["features"] as? [[String: Any]] ?? []
    return Set(
      rows.compactMap { row in
        guard let bit = (row["bit"] as? String).flatMap(UInt32.init), features & (1 << bit) != 0 else { return nil }
        return row["code"] as? String
      })
  }

  /// Returns the clusters that a device type must have on the server's side.
  func mandatoryClusters(ofDeviceType type: UInt32) -> Set<ClusterID> {
    let rows = deviceTypes[type]?["requires"] as? [[String: Any]] ?? []
    return Set(
      rows.filter { $0["side"] as? String == "server" && $0["conformance"] as? String == "M" }
        .compactMap { ($0["id"] as? Int).map(UInt32.init) })
  }

  /// Returns the features that a device type demands of a cluster, as bits.
  func mandatoryFeatures(of cluster: ClusterID, inDeviceType type: UInt32) -> UInt32 {
    let rows = deviceTypes[type]?["requires"] as? [[String: Any]] ?? []
    let known = clusters[cluster]?["features"] as? [[String: Any]] ?? []
    let demanded = rows.filter { $0["id"] as? Int == Int(cluster) && $0["side"] as? String == "server" }
      .flatMap { $0["with"] as? [[String: Any]] ?? [] }
      .filter { $0["what"] as? String == "feature" && $0["conformance"] as? String == "M" }
      .compactMap { $0["name"] as? String }
    return known.reduce(0) { bits, row in
      guard let name = row["name"] as? String, demanded.contains(name.uppercased()),
        let bit = (row["bit"] as? String).flatMap(UInt32.init)
      else { return bits }
      return bits | 1 << bit
    }
  }
}

/// A conformance expression: alternatives with commas, of which the first that applies counts.
enum Conformance {
  static func isMandatory(_ text: String, _ codes: Set<String>) -> Bool {
    for alternative in text.split(separator: ",").map({ $0.trimmingPrefix { $0 == " " } }) {
      if alternative == "D" || alternative == "P" { return false }
      if alternative == "M" { return !text.contains("D") }
      // Other alternatives are optional, forbidden, or described elsewhere.
      guard !alternative.hasPrefix("["), !["O", "X", "desc", ""].contains(alternative) else { return false }
      if holds(alternative, codes) { return true }
    }
    return false
  }

  /// Alternatives of `|` with parts of `&`; a name that is no feature does not hold.
  private static func holds(_ text: Substring, _ codes: Set<String>) -> Bool {
    text.split(separator: "|").contains { choice in
      choice.split(separator: "&").allSatisfy { part in
        let name = part.filter { !" ()".contains($0) }
        return name.hasPrefix("!") ? !codes.contains(String(name.dropFirst())) : codes.contains(name)
      }
    }
  }
}
