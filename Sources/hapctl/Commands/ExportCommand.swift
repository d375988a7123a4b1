import HAPCommandLine
import HAPController
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  private static let output = Option<String>(
    "output", letter: "o", "FILE", "where to write the profile; \"-\": standard output")
  private static let redact = Flag("redact", "replace names, serial numbers, keys and whatever may hold one")
  private static let category = Option<String>("category", "SLUG", "the category; else by what the main service is")
  private static let force = Flag("force", "write over FILE")

  /// `hapctl export`
  static let export = Command(
    "export", "make a profile of an accessory, for hapsim to serve",
    operands: .some(label: "TARGET", count: 1...1),
    options: [output.definition, redact.definition, category.definition, force.definition] + CommonOptions.all,
    discussion: [
      "The profile is exact: it has the ids, the order, the metadata, the links and the values that the accessory has now, and nothing is added to it. "
        + "What was off in the accessory's answer is told on standard error.",
      "Its copy has a device ID and a setup code of its own: it is another accessory, alike in everything else.",
    ],
    examples: [
      ("hapctl export garage -o garage.hasaccessory", "then: hapsim run garage.hasaccessory"),
      ("hapctl export lamp --redact -o lamp.hasaccessory", "to give to others"),
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
  throw UsageError("--category \(shown(slug)): there is no such category\(meant)")
}
