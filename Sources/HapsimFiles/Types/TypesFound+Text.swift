import HAPCommandLine
import HAPModel

extension TypesFound {
  /// Returns one type in full, or several types as a list with a line each.
  func lines(width: Int, terminal: Terminal) -> [String] {
    if services.count == 1, characteristics.isEmpty { return detail(services[0], terminal) + categoryLines(terminal) }
    if characteristics.count == 1, services.isEmpty {
      return detail(characteristics[0], width: width, terminal) + categoryLines(terminal)
    }
    var lines: [String] = []
    if !services.isEmpty {
      lines += heading("Services", terminal)
      lines += table(services.map { [$0.identifier, $0.type.wireForm, $0.isWithdrawn ? "withdrawn" : ""] })
    }
    if !characteristics.isEmpty {
      lines += heading("Characteristics", terminal) + table(characteristics.map { row($0) })
    }
    lines += categoryLines(terminal)
    if lines.first == "" { lines.removeFirst() }
    return lines
  }

  private func categoryLines(_ terminal: Terminal) -> [String] {
    guard !categories.isEmpty else { return [] }
    return heading("Categories", terminal) + table(categories.map { [$0.slug, "\($0.number)"] })
  }

  private func heading(_ text: String, _ terminal: Terminal) -> [String] { ["", terminal.styled(text, .bold)] }

  private func detail(_ service: ServiceDefinition, _ terminal: Terminal) -> [String] {
    var lines = [terminal.styled(service.identifier, .bold) + "  service \(service.type.wireForm), \(service.name)"]
    if let note = note(service.isWithdrawn, service.since) { lines.append("  " + note) }
    lines.append("  uuid  \(service.type.uuid)")
    // One table aligns the columns of both parts.
    let rows = table((service.required + service.optional).compactMap { Catalogue.characteristic($0) }.map { row($0) })
    lines +=
      ["", "required"] + (service.required.isEmpty ? ["  none"] : rows.prefix(service.required.count).map { $0 })
    lines +=
      ["", "optional"] + (service.optional.isEmpty ? ["  none"] : rows.dropFirst(service.required.count).map { $0 })
    return lines
  }

  private func detail(_ row: CharacteristicDefinition, width: Int, _ terminal: Terminal) -> [String] {
    var lines = [terminal.styled(row.identifier, .bold) + "  characteristic \(row.type.wireForm), \(row.name)"]
    if let note = note(row.isWithdrawn, row.since) { lines.append("  " + note) }
    var facts: [(term: String, meaning: String)] = [
      ("uuid", row.type.uuid), ("format", row.format.rawValue + (row.unit.map { ", \($0.rawValue)" } ?? "")),
      ("perms", row.perms.names.joined(separator: " ")),
    ]
    if row.adminOnly != [] { facts.append(("admin only", row.adminOnly.names.joined(separator: " "))) }
    if let range = rangeText(row.constraints) { facts.append(("range", range)) }
    if !row.values.isEmpty {
      facts.append(("words", row.values.map { "\($0.value) \($0.word)" }.joined(separator: ", ")))
    }
    if !row.bits.isEmpty {
      facts.append(("bits", row.bits.map { "\($0.value) \($0.word)" }.joined(separator: ", ")))
    }
    let word = row.word(for: row.defaultValue)
    facts.append(("default", valueText(row.defaultValue) + (word.map { " (\($0))" } ?? "")))
    let required = Catalogue.services.filter { $0.required.contains(row.type) }.map(\.identifier)
    let optional = Catalogue.services.filter { $0.optional.contains(row.type) }.map(\.identifier)
    if !required.isEmpty { facts.append(("required by", required.joined(separator: ", "))) }
    if !optional.isEmpty { facts.append(("optional in", optional.joined(separator: ", "))) }
    return lines + definitionList(facts, width: width)
  }

  private func note(_ isWithdrawn: Bool, _ since: String?) -> String? {
    isWithdrawn ? "withdrawn by Apple: for reading old accessories" : since.map { "since \($0)" }
  }

  /// Returns the name, UUID, format, permissions and range.
  private func row(_ row: CharacteristicDefinition) -> [String] {
    let range = row.isWithdrawn ? "withdrawn" : rangeText(row.constraints) ?? ""
    return [
      row.identifier, row.type.wireForm, row.format.rawValue, row.perms.names.joined(separator: " "),
      row.unit?.rawValue ?? "", range,
    ]
  }
}

/// Returns text such as "0…100 step 0.1" or "at most 64 bytes"; nil if there is no limit.
func rangeText(_ limits: Constraints) -> String? {
  var parts: [String] = []
  if limits.minValue != nil || limits.maxValue != nil {
    parts.append("\(limits.minValue.map(valueText) ?? "")…\(limits.maxValue.map(valueText) ?? "")")
  }
  if let step = limits.minStep, step != 1 { parts.append("step \(valueText(step))") }
  if let bytes = limits.maxLen ?? limits.maxDataLen { parts.append("at most \(bytes) bytes") }
  return parts.isEmpty ? nil : parts.joined(separator: " ")
}

/// Returns a value in the form of a profile; for bytes, their number.
func valueText(_ value: Value) -> String {
  switch value {
  case .null: return "null"
  case .bool(let bool): return "\(bool)"
  case .integer(let number): return "\(number)"
  case .float(let number):
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  case .string(let string): return "\"\(string)\""
  case .data(let bytes): return bytes.isEmpty ? "no bytes" : "\(bytes.count) bytes"
  }
}

/// Returns rows with aligned columns, two blanks apart, indented by two, without trailing blanks.
private func table(_ rows: [[String]]) -> [String] {
  let columns = rows.map(\.count).max() ?? 0
  let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
  return rows.map { row in
    var line = ""
    for (cell, width) in zip(row, widths) where width > 0 {
      line += "  " + cell + String(repeating: " ", count: width - cell.count)
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
