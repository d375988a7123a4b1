import HAPCommandLine
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  /// `hapsim quirks`
  package static let quirks = Command(
    "quirks", "print all protocol quirks as JSON, as a template for a file",
    operands: .some(label: "[NAME|FILE]", count: 0...1), options: [CommonOptions.json.definition],
    discussion: [
      "Quirks define what an accessory does where real stacks differ. NAME is a preset: "
        + "\(Quirks.presets.keys.joined(separator: ", ")). FILE contains a preset's name or fields; its file name must contain a dot or a slash. "
        + "Without an operand, the default quirks are printed. docs/reference/quirks.md describes the fields."
    ],
    examples: [
      (
        "hapsim quirks hap-nodejs > mine.json",
        "writes HAP-NodeJS's quirks to a file, to edit and use with hapsim run --quirks"
      )
    ]
  ) { (arguments, console) throws(UsageError) in
    // The output is always JSON. --json is accepted, because every command that prints data accepts it.
    let choice = try arguments.operands.first.map { (text) throws(UsageError) in try QuirksChoice(text) }
    do {
      let quirks = try choice?.quirks() ?? Quirks()
      let members = QuirksField.all.map { "  \"\($0.name)\": \($0.setting(of: quirks).json)" }
      console.print("{\n" + members.joined(separator: ",\n") + "\n}")
      return .well
    } catch {
      console.complain(error is ProfileErrors ? "\(error)" : "hapsim quirks: \(error)")
      return error is FileError ? .cannotRun : .problem
    }
  }
}

extension QuirksField.Setting {
  /// The JSON as in a profile.
  fileprivate var json: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .fraction(let value): "\(value)"
    case .text(let text): "\"\(text)\""  // words and numbers alone: nothing to escape
    case .list(let list): "[\(list.map { "\"\($0)\"" }.joined(separator: ", "))]"
    }
  }
}
