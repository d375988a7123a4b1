import HAPCommandLine
import HAPDevices
import HAPModel

extension BehavioursFound {
  /// Returns the behaviours with their parameters, separated by empty lines.
  func lines(width: Int, terminal: Terminal) -> [String] {
    var lines: [String] = []
    if let without {
      let name = Catalogue.service(without)?.identifier ?? without.description
      lines += wrapped("\(name) has no built-in behaviour, but can have this one:", width: width) + [""]
    }
    for (index, kind) in kinds.enumerated() {
      if index > 0 { lines.append("") }
      lines.append(terminal.styled(kind.service?.identifier ?? "any other service", .bold))
      lines += wrapped(kind.summary, width: width, indent: 2)
      var rows = BehaviourParameter.flattened(kind.parameters).map { row in
        (
          term: row.name,
          meaning:
            "\(row.kindText); \(row.defaultSetting == nil ? "required" : "default \(row.defaultText)"). \(row.summary)"
        )
      }
      if !kind.actions.isEmpty {
        rows.append((term: "actions", meaning: kind.actions.map(\.rawValue).joined(separator: ", ")))
      }
      lines += definitionList(rows, width: width)
    }
    return lines
  }
}
