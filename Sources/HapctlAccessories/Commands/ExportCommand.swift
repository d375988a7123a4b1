import HAPCommandLine
import HAPController
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  private static let output = Option<String>(
    "output", letter: "o", "FILE", "write the profile to FILE; \"-\" is standard output")
  private static let redact = Flag(
    "redact", "replace names, serial numbers, keys and all values that may contain any of these")
  private static let category = Option<String>(
    "category", "SLUG", "the category (default: derived from the main service)")
  private static let force = Flag("force", "overwrite FILE")

  /// `hapctl export`
  static let export = Command(
    "export", "create a hapsim profile from an accessory",
    operands: .some(label: "TARGET", count: 1...1),
    options: [output.definition, redact.definition, category.definition, force.definition] + CommonOptions.all,
    discussion: [
      "The profile is exact: it has the accessory's IDs, order, metadata, links and current values, and nothing else. "
        + "Errors in the accessory's answer are printed to standard error.",
      "hapsim serves the profile as a different accessory: its device ID and setup code are new, and everything else is equal.",
    ],
    examples: [
      ("hapctl export garage -o garage.hasaccessory", "creates a profile for 'hapsim run garage.hasaccessory'"),
      ("hapctl export lamp --redact -o lamp.hasaccessory", "creates a profile that can be shared"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("export", to: try Target(arguments.operands[0]), arguments, console)
    guard let path = try arguments.value(output) else { throw UsageError("-o FILE is missing") }
    let category = try arguments.value(category).map(categoryNamed)
    let (isRedacted, overwrites) = (arguments[redact], arguments[force])
    return visit.withAccessory { accessory in
      let mirror = try await accessory.mirror()
      var copy = DeviceCopy(mirror.database.accessories)
      guard !copy.accessories.isEmpty else { throw Failure(.problem, "the accessory has nothing to export") }
      copy.category = category
      copy.saysBooleansInWords = mirror.saysBooleansInWords
      copy.listsEmptyTLV8AsNull = mirror.listsEmptyTLV8AsNull
      for remark in mirror.remarks.map(\.description) + copy.mend() { console.complain("note: \(remark)") }
      if isRedacted { copy.redact() }
      let text = copy.profileText
      if path == "-" {
        console.print(String(text.dropLast()))
      } else {
        try writeFile(path, Array(text.utf8), overwriting: overwrites)
        console.print("Wrote \(path).")
      }
      return .well
    }
  }
}

private func categoryNamed(_ slug: String) throws(UsageError) -> HAPModel.Category {
  if let found = Catalogue.category(slug: slug) { return found }
  let meant = nearestName(to: slug, in: Catalogue.categories.map(\.slug)).map { "; did you mean \($0)?" } ?? ""
  throw UsageError("--category \(shown(slug)): unknown category\(meant)")
}
