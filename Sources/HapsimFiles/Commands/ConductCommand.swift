import HAPCommandLine
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  /// `hapsim conduct`
  package static let conduct = Command(
    "conduct", "show the protocol's manners, every field, as JSON to start a file from",
    operands: .some(label: "[NAME|FILE]", count: 0...1), options: [CommonOptions.json.definition],
    discussion: [
      "A conduct says what an accessory does where real stacks differ. NAME is a preset: "
        + "\(Conduct.presets.keys.joined(separator: ", ")). FILE has a preset's name or fields in it; its own name has a dot or a slash. "
        + "Without either, the default is shown. What the fields mean: docs/conduct.md."
    ],
    examples: [
      ("hapsim conduct hap-nodejs > mine.json", "HAP-NodeJS's manners, to be changed and given to hapsim run --conduct")
    ]
  ) { (arguments, console) throws(UsageError) in
    // JSON is its only form; --json is accepted because every command that prints facts takes it.
    let choice = try arguments.operands.first.map { (text) throws(UsageError) in try ConductChoice(text) }
    do {
      let conduct = try choice?.conduct() ?? Conduct()
      let members = ConductField.all.map { "  \"\($0.name)\": \($0.setting(of: conduct).json)" }
      console.print("{\n" + members.joined(separator: ",\n") + "\n}")
      return .well
    } catch {
      console.complain(error is ProfileErrors ? "\(error)" : "hapsim conduct: \(error)")
      return error is FileError ? .cannotRun : .problem
    }
  }
}

extension ConductField.Setting {
  /// As a profile has it.
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
