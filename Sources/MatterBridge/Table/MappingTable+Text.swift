import HAPModel
import MatterModel

extension MappingTable {
  /// The table as text: for each endpoint its clusters with one line per attribute; then what has no Matter side.
  package var lines: [String] {
    var lines: [String] = []
    for endpoint in endpoints {
      lines.append(endpoint.title)
      let rows = endpoint.clusters.map { cluster in cluster.attributes.map { $0.cells(in: cluster) } }
      let widths = [0, 1].map { column in rows.joined().map { $0[column].count }.max() ?? 0 }
      for (cluster, attributes) in zip(endpoint.clusters, rows) {
        lines.append("  " + cluster.title(in: endpoint))
        for cells in attributes {
          let start = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
          lines.append("    " + (start + [cells[2]]).joined(separator: "  "))
        }
        lines += cluster.elementLines.map { "    " + $0 }
      }
    }
    if !omissions.isEmpty { lines.append("without a Matter side") }
    return lines + omissions.map { "  \($0.isService ? "service" : "characteristic") \($0.place.shown): \($0.reason)" }
  }
}

extension MappingTable.Place {
  /// "1.9 On, services[0].characteristics[0]"
  fileprivate var shown: String { "\(id) \(name)" + (path.map { $0.isEmpty ? "" : ", \($0)" } ?? "") }
}

extension MappingTable.Named {
  fileprivate var shown: String { number.digits + (name.map { " \($0)" } ?? "") }
}

extension MappingTable.Endpoint {
  /// "endpoint 1: 0100 OnOffLight (1.8 LightBulb, services[0])"
  fileprivate var title: String {
    let types = deviceTypes.map(\.shown).joined(separator: ", ")
    let owner = service.map { " (\($0.shown))" } ?? aid.map { " (accessory \($0))" } ?? ""
    let parts = parts.isEmpty ? "" : ", parts " + parts.map { "\($0)" }.joined(separator: " ")
    return "endpoint \(number): \(types)\(owner)\(parts)"
  }
}

extension MappingTable.Cluster {
  /// "0006 OnOff, features LT", with the service if it is not that of the endpoint.
  fileprivate func title(in endpoint: MappingTable.Endpoint) -> String {
    let name = id.digits + (self.name.map { " \($0)" } ?? " of the vendor")
    let features = features.isEmpty ? "" : ", features " + features.joined(separator: " ")
    guard let service, service.id != endpoint.service?.id else { return name + features }
    return "\(name)\(features) (\(service.shown))"
  }

  /// The commands, the events, and the characteristics that only they use.
  fileprivate var elementLines: [String] {
    func line(_ title: String, _ elements: [String]) -> [String] {
      elements.isEmpty ? [] : ["\(title): \(elements.joined(separator: ", "))"]
    }
    return line("commands", commands.map(\.shown)) + line("events", events.map(\.shown))
      + line("used by them", others.map { "\($0.id) \($0.name)" })
  }
}

extension MappingTable.Attribute {
  /// The attribute, its characteristics, and the conversion or the constant.
  fileprivate func cells(in cluster: MappingTable.Cluster) -> [String] {
    // In a vendor's cluster, the characteristic is the name.
    let title = number.digits + (name.map { " \($0)" } ?? "") + (isWritable ? " (writable)" : "")
    let from = sources.map { "\($0.id) \($0.name)" }.joined(separator: ", ")
    guard let conversion else { return [title, from.isEmpty ? "constant" : from, value?.shown ?? "unknown"] }
    return [title, from.isEmpty ? "node" : from, conversion]
  }
}
