import HAPCommandLine
import HAPSuite
import HAPWire

extension Command {
  private static let sections = Flag("sections", "write a table of the specification's sections, in Markdown")

  static let list = Command(
    "list", "list the cases",
    options: [
      SuiteOptions.suites.definition, SuiteOptions.select.definition, SuiteOptions.exclude.definition,
      SuiteOptions.level.definition, SuiteOptions.json.definition, sections.definition,
    ],
    examples: [("haptest list --select 'pair-*&must'", "the must cases about pairing")]
  ) { (arguments, console) throws(UsageError) in
    try haptest("list", console) {
      let library = try SuiteLibrary.load(try arguments.all(SuiteOptions.suites))
      let ids = try SuiteOptions.ids(arguments, in: library)
      let cases = library.cases.filter { ids.contains($0.id) }
      if arguments[SuiteOptions.json] {
        console.print(JSONWriter.text { json in json.array { json in for one in cases { one.write(to: &json) } } })
        return .well
      }
      if arguments[sections] {
        console.print(SectionTable.markdown(of: cases))
        return .well
      }
      let width = cases.map(\.name.count).max() ?? 0
      var area = ""
      for one in cases {
        if one.area != area {
          if !area.isEmpty { console.print() }
          area = one.area
          console.print(console.output.styled(area, .bold))
        }
        let id = one.id.padding(8)
        let name = one.name.padding(width)
        let tags = one.selectable.tags.filter { $0 != "shared" }.joined(separator: " ")
        console.print(
          "  \(id) \(name)  \(one.level.rawValue.padding(6))  \(one.section)\(tags.isEmpty ? "" : "  [\(tags)]")")
      }
      console.print("\n\(cases.count) cases")
      return .well
    }
  }
}

extension String {
  /// Returns the string padded with blanks to a width.
  fileprivate func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
