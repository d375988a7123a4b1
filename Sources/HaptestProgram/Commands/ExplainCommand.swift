import HAPCommandLine
import HAPSuite
import HAPWire

extension Command {
  static let explain = Command(
    "explain", "explain a case: its requirement, the usual cause of failure, the behaviour of known stacks",
    operands: .some(label: "ID…", count: 1...100),
    options: [SuiteOptions.suites.definition, SuiteOptions.json.definition],
    examples: [("haptest explain PS-29", "by its id"), ("haptest explain m1-while-paired", "by its name")]
  ) { (arguments, console) throws(UsageError) in
    try haptest("explain", console) {
      let library = try SuiteLibrary.load(try arguments.all(SuiteOptions.suites))
      let cases = try arguments.operands.map { (name) throws(Refusal) in
        guard
          let found = library.cases.first(where: { $0.id == name.uppercased() || $0.name == name.lowercased() })
        else {
          let names = library.cases.flatMap { [$0.id, $0.name] }
          let meant = nearestName(to: name.uppercased(), in: names) ?? nearestName(to: name, in: names)
          throw Refusal(
            .nothingSelected, "there is no case \(shown(name))" + (meant.map { "; did you mean \($0)?" } ?? ""))
        }
        return found
      }
      if arguments[SuiteOptions.json] {
        console.print(
          JSONWriter.text { json in json.array { json in for one in cases { one.write(to: &json, isComplete: true) } } }
        )
        return .well
      }
      for (number, one) in cases.enumerated() {
        if number > 0 { console.print() }
        explain(one, on: console)
      }
      return .well
    }
  }

  private static func explainCauses(_ causes: CaseCauses, _ paragraph: (String) -> Void) {
    if !causes.owns.isEmpty {
      paragraph("Judges for other cases: \(causes.owns.map(\.summary).joined(separator: "; ")).")
    }
    for precursor in causes.after { paragraph("Blocked when \(precursor.id) fails: \(precursor.reason).") }
  }

  private static func explain(_ definition: CaseDefinition, on console: Console) {
    let width = console.output.textWidth
    func heading(_ text: String) { console.print(console.output.styled(text, .bold)) }
    func paragraph(_ text: String) { for line in wrapped(text, width: width, indent: 2) { console.print(line) } }
    heading("\(definition.id)  \(definition.name)")
    paragraph(definition.requirement)
    console.print()
    paragraph("Level: \(definition.level.rawValue).  Area: \(definition.area).  \(definition.section)")
    let tags = definition.selectable.tags
    if !tags.isEmpty { paragraph("Tags: \(tags.joined(separator: ", "))") }
    if !definition.needs.hooks.isEmpty {
      paragraph("Hooks: \(definition.needs.hooks.map(\.rawValue).joined(separator: ", "))")
    }
    if !definition.aliases.isEmpty {
      paragraph(
        "Similar in public traces of other testers: \(definition.aliases.joined(separator: ", ")) (possibly not equivalent)"
      )
    }
    for (title, text) in [
      ("Why it matters", definition.impact), ("Usual cause", definition.cause), ("How to fix it", definition.fix),
    ] {
      guard let text else { continue }
      console.print()
      heading(title)
      paragraph(text)
    }
    if !definition.stacks.isEmpty {
      console.print()
      heading("How other stacks behave")
      for line in definitionList(
        definition.stacks.map { ($0.name, $0.behaviour + ($0.source.map { " (\($0))" } ?? "")) }, width: width)
      {
        console.print(line)
      }
    }
    explainCauses(definition.causes, paragraph)
    console.print()
    paragraph(
      "\(definition.file), line \(definition.place.line); \(definition.steps.count) steps"
        + (definition.variants.isEmpty ? "" : ", \(definition.variants.count) variants"))
  }
}
