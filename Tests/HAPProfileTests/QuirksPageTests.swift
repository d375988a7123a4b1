import Foundation
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

/// The tables of docs/reference/quirks.md, the page docs/internals/quirks-sources.md and a part of Profiles/schema.json are generated
/// from the code and from docs/internals/quirks-sources.tsv. With `HAPTEST_WRITE_DOCS=1` set, this suite writes them.
///
/// Checked: these tests fail with a sixth preset.
@Suite("The pages of the quirks") struct QuirksPageTests {
  private let sources: QuirksSources
  private let comments: QuirksComments

  init() throws {
    sources = try QuirksSources()
    comments = try QuirksComments()
  }

  @Test("Each field has a meaning, and so has each setting of a field with a list of settings")
  func meanings() {
    for field in QuirksField.all {
      #expect(comments.meaning(of: field) != nil, "\(field.name) has no doc comment, or one of its settings has none")
    }
  }

  @Test("Each field has a public source for the default and for each preset, and no other field has one")
  func publicSources() {
    for field in QuirksField.all {
      #expect(sources.standard(field) != nil, "\(field.name) has no source for its default")
      for preset in Quirks.presets.keys {
        #expect(!sources.links(field.name, preset).isEmpty, "\(field.name) has no source for \(preset)")
      }
    }
    #expect(sources.fields.subtracting(QuirksField.all.map(\.name)).isEmpty)
  }

  @Test("Each rule named is one of docs/internals/protocol.md")
  func rules() throws {
    let page = try String(contentsOf: Repository.root.appending(path: "docs/internals/protocol.md"), encoding: .utf8)
    for rule in sources.rules.values.flatMap({ $0.split(separator: " ") }) + sources.ownDefaults.values.map({ $0[...] })
    {
      #expect(page.contains("| \(rule) |"), "\(rule)")
    }
  }

  @Test("docs/reference/quirks.md has the meaning and the settings of each field")
  func page() throws {
    try hold("docs/reference/quirks.md") { page in
      try page.between("fields", meaningTable).between("presets", presetTable).between("releases", releaseTable)
    }
  }

  @Test("docs/internals/quirks-sources.md has the public sources of each setting")
  func sourcePage() throws {
    try hold("docs/internals/quirks-sources.md") { page in
      try page.between("revisions", revisionTable).between("sources", sourceTable)
    }
  }

  @Test("Profiles/schema.json has the presets, and the fields with their settings")
  func schema() throws {
    try hold("Profiles/schema.json") { schema in
      let presets = Quirks.presets.keys.map { "\"\($0)\"" }.joined(separator: ", ")
      return try schema.replacing(
        from: "    \"preset\": { \"enum\": [", to: "] },\n", with: presets
      ).replacing(
        from: "        \"preset\": { \"$ref\": \"#/$defs/preset\" },\n", to: "\n      },\n",
        with: QuirksField.all.map { "        \"\($0.name)\": { \($0.schema) }" }.joined(separator: ",\n"))
    }
  }

  private func hold(_ path: String, _ make: (String) throws -> String) throws {
    #expect(
      try GeneratedFile.isCurrent(path, make),
      "\(path) is out of date; run the suite QuirksPageTests with HAPTEST_WRITE_DOCS=1")
  }

  // MARK: Tables

  private var meaningTable: String {
    table(["field", "meaning", "rules"]) { field in
      ["`\(field.name)`", comments.meaning(of: field) ?? "", sources.rules[field.name] ?? ""]
    }
  }

  private var presetTable: String {
    table(["field", "default"] + Quirks.presets.keys.map { "`\($0)`" }) { field in
      ["`\(field.name)`", field.shown(Quirks())]
        + Quirks.presets.keys.map { name in
          let preset = Quirks.presets[name] ?? Quirks()
          return field.setting(of: preset) == field.setting(of: Quirks()) ? "" : field.shown(preset)
        }
    }
  }

  private var sourceTable: String {
    table(["field", "default"] + Quirks.presets.keys.map { "`\($0)`" }) { field in
      ["`\(field.name)`", sources.standard(field) ?? ""]
        + Quirks.presets.keys.map { sources.links(field.name, $0).joined(separator: "<br>") }
    }
  }

  private var releaseTable: String {
    GeneratedFile.table(
      ["preset", "project", "release"],
      Quirks.presets.keys.map { name in
        let stack = sources.stacks[name]
        return ["`\(name)`", stack?.name ?? "", stack?.release ?? ""]
      })
  }

  private var revisionTable: String {
    let stacks = Quirks.presets.keys.compactMap { name in sources.stacks[name].map { ("`\(name)`", $0) } }
    return GeneratedFile.table(
      ["preset", "project", "release", "commit"],
      (stacks + sources.modules.map { ("used by `\($0.preset)`", $0.project) }).map {
        [$0.0, "[\($0.1.name)](https://github.com/\($0.1.name))", $0.1.release, "`\($0.1.commit)`"]
      })
  }

  private func table(_ heads: [String], _ cells: (QuirksField) -> [String]) -> String {
    GeneratedFile.table(heads, QuirksField.all.map(cells))
  }
}

extension QuirksField {
  /// The members of the field's JSON Schema.
  fileprivate var schema: String {
    switch kind {
    case .boolean: "\"type\": \"boolean\""
    case .integer(let range):
      "\"type\": \"integer\", \"minimum\": \(range.lowerBound), \"maximum\": \(range.upperBound)"
    case .fraction(let range):
      "\"type\": \"number\", \"minimum\": \(Int(range.lowerBound)), \"maximum\": \(range.upperBound)"
    case .choice(let words): "\"enum\": [" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    case .duration: "\"$ref\": \"#/$defs/duration\""
    case .answer: "\"$ref\": \"#/$defs/answer\""
    case .status: "\"type\": \"integer\", \"minimum\": -70412, \"maximum\": -70401"
    case .types: "\"type\": \"array\", \"items\": { \"type\": \"string\" }"
    }
  }

  /// The setting as it is shown in the tables.
  fileprivate func shown(_ quirks: Quirks) -> String {
    switch setting(of: quirks) {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .fraction(let value): "\(value)"
    case .text(let text): text
    case .list(let list): list.joined(separator: ", ")
    }
  }
}
