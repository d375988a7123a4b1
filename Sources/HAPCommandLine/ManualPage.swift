extension Program {
  /// The manual page of the program with all its commands, in the macros of man(7).
  /// - Parameter date: the date of the page, such as "2026-11-21"; nil: the page has none.
  package func manualPage(_ version: String, date: String? = nil) -> String {
    var lines = [
      ".\\\" Made by \(name) \\-\\-man",
      ".TH \(argument(name.uppercased())) 1 \"\(date ?? "")\" \(argument("\(name) \(version)")) "
        + argument("Manual of \(name)"),
      ".SH NAME", "\(roff(name)) \\- \(roff(summary.prefix(1).lowercased() + summary.dropFirst()))",
      ".SH SYNOPSIS", "\\fB\(roff(name))\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]",
      ".SH DESCRIPTION",
    ]
    lines += paragraphs([summary + "."] + discussion)
    lines += [".SH OPTIONS"] + options.flatMap(item)
    lines += [".SH COMMANDS"]
    for command in commands { lines += section(command, program: name) }
    if !examples.isEmpty { lines += [".SH EXAMPLES"] + items(examples) }
    lines += [".SH \"EXIT STATUS\""] + items(exitCodes.map { (line: $0.term, meaning: $0.meaning) })
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Returns the section of a command. Those of the commands of a group follow it.
private func section(_ command: Command, program: String) -> [String] {
  var lines = [".SS " + argument("\(program) \(command.usage)")]
  lines += paragraphs([sentence(command.summary)] + command.discussion)
  lines += command.options.flatMap(item)
  if !command.examples.isEmpty { lines += [".PP", "Examples:"] + items(command.examples) }
  return lines + command.commands.flatMap { section($0, program: "\(program) \(command.name)") }
}

private func paragraphs(_ texts: [String]) -> [String] {
  texts.enumerated().flatMap { ($0 == 0 ? [] : [".PP"]) + [roff($1)] }
}

/// Returns the entry of an option: "-o, --output FILE" and its summary.
private func item(_ option: OptionDefinition) -> [String] {
  let names = (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
  var term = names.map { "\\fB\(roff($0))\\fR" }.joined(separator: ", ")
  if let placeholder = option.placeholder { term += " \\fI\(roff(placeholder))\\fR" }
  return [".TP", term + (option.isRepeated ? " ..." : ""), roff(option.summary)]
}

private func items(_ rows: [(line: String, meaning: String)]) -> [String] {
  rows.flatMap { [".TP", "\\fB\(roff($0.line))\\fR", roff($0.meaning)] }
}

/// Returns a text as one argument of a macro.
private func argument(_ text: String) -> String { "\"\(roff(text))\"" }

/// Returns a text as roff shows it unchanged, in one line: no character of it begins a request or an escape sequence.
/// White space and control characters become single spaces.
package func roff(_ text: String) -> String {
  var result = ""
  for word in text.unicodeScalars.split(whereSeparator: { $0.value <= 0x20 || (0x7F...0xA0).contains($0.value) }) {
    if !result.isEmpty { result += " " }
    for scalar in word { result += roff(scalar) }
  }
  // A line that begins with a dot is a request; an empty line is a paragraph.
  return result.isEmpty || result.hasPrefix(".") ? "\\&" + result : result
}

private func roff(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\\": return "\\(rs"
  // Without these names, some devices print typographic characters, which can't be copied to a command line.
  case "-": return "\\-"
  case "'": return "\\(aq"
  case "\"": return "\\(dq"
  case "`": return "\\(ga"
  case "^": return "\\(ha"
  case "~": return "\\(ti"
  case "…": return "..."
  default:
    guard scalar.value > 0x7F else { return String(scalar) }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
  }
}
