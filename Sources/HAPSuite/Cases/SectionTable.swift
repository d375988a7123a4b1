/// The cases for each section of the specification.
package enum SectionTable {
  /// Rows by section, in the specification's order. Cases without a section come last.
  package static func rows(of cases: [CaseDefinition]) -> [(section: String, cases: [CaseDefinition])] {
    var rows: [String: [CaseDefinition]] = [:]
    for one in cases {
      let sections = sections(in: one.section)
      for section in sections.isEmpty ? ["other sources"] : sections { rows[section, default: []].append(one) }
    }
    return rows.sorted { key($0.key).lexicographicallyPrecedes(key($1.key)) }.map { ($0.key, $0.value) }
  }

  /// Returns the rows as a Markdown table.
  package static func markdown(of cases: [CaseDefinition]) -> String {
    let rows = rows(of: cases).map { row in
      "| \(row.section) | "
        + row.cases.map { one in one.level == .must ? "**\(one.id)**" : one.id }.joined(separator: " ") + " |"
    }
    return "| section | cases (**must**) |\n|---|---|\n" + rows.joined(separator: "\n")
  }

  /// Returns the sections in a text: "HAP R2 §5.6.2, §5.14, table 6-7" has 5.6.2, 5.14 and table 6-7.
  /// Of a range of sections, only the first and the last count, as in a selector.
  static func sections(in text: String) -> [String] {
    var result: [String] = []
    func add(_ section: String) { if !result.contains(section) { result.append(section) } }
    // The parts that name neither a table nor an RFC.
    var rest: [Substring] = []
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ").map(String.init)
      if let index = words.firstIndex(where: { $0.lowercased() == "table" || $0.lowercased() == "tables" }),
        words.indices.contains(index + 1)
      {
        add("table \(words[index + 1])")
        continue
      }
      if words.contains(where: { $0 == "RFC" }) {
        add(words.joined(separator: " "))
        continue
      }
      rest.append(part)
    }
    for section in CaseSelector.sections(rest.joined(separator: ",")) { add("§\(section)") }
    return result
  }

  /// Returns the sort key: sections by number, then tables, then the rest.
  private static func key(_ section: String) -> [Int] {
    let numbers = section.split { !$0.isNumber }.compactMap { Int($0) }
    if section.hasPrefix("§") { return [0] + numbers }
    if section.hasPrefix("table") { return [1] + numbers }
    return section == "other sources" ? [3] : [2] + numbers
  }
}
