import Foundation
import HAPCommandLine
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite struct HelpTexts {
  private func file(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Help/\(name).txt")
  }

  private func stored(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

  /// With `HAPTEST_WRITE_DOCS=1` in the environment, the copies are written.
  @Test("The help of hapsim and of each command is its stored copy; after a change: hapsim COMMAND --help > the copy")
  func copies() throws {
    if ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1" {
      for command in Program.hapsim.commands {
        try Data(hapsim([command.name, "--help"]).out.utf8).write(to: file(command.name))
      }
    }
    #expect(hapsim(["--help"]) == Transcript(out: try stored("hapsim")))
    for command in Program.hapsim.commands {
      #expect(hapsim([command.name, "--help"]) == Transcript(out: try stored(command.name)))
      #expect(hapsim(["help", command.name]) == Transcript(out: try stored(command.name)))
    }
  }

  @Test("Help is shown even if the rest of the line is wrong") func helpWins() throws {
    #expect(hapsim(["run", "--nonsense", "-h"]).out == (try stored("run")))
  }

  @Test("Help fits the terminal, except for lines that can't be broken", arguments: [40, 63, 80, 100]) func widths(
    _ columns: Int
  ) {
    let terminal = Terminal(isTerminal: true, columns: columns, hasColour: true)
    for words in [["--help"]] + Program.hapsim.commands.map({ [$0.name, "--help"] }) {
      for line in hapsim(words, output: terminal).out.split(separator: "\n")
      where !line.hasPrefix("  hapsim ") && !line.hasPrefix("usage: ") {
        #expect(line.count <= columns || line.split(separator: " ").count <= 2, "\(line)")
      }
    }
  }

  @Test("Each option of each command has a summary, without a capital at the start or a full stop at the end")
  func summaries() {
    for command in Program.hapsim.commands {
      #expect(Set(command.options.map(\.name)).count == command.options.count)
      for option in command.options {
        #expect(option.summary.first?.isUppercase == false && !option.summary.hasSuffix("."), "\(option.name)")
      }
    }
  }

  @Test("The version is printed on standard output") func version() {
    #expect(hapsim(["--version"]) == Transcript(out: "hapsim \(projectVersion)\n"))
  }

  @Test("No command, an unknown command and an unknown option are wrong usage, reported on standard error")
  func wrong() {
    #expect(hapsim([]).exit == .usage)
    #expect(hapsim([]).out == "")
    #expect(
      hapsim(["validat", "x"])
        == Transcript(
          error: "hapsim: unknown command validat; did you mean validate?\nTry 'hapsim --help'.\n", exit: .usage))
    #expect(hapsim(["--versoin"]).error.hasPrefix("hapsim: unknown option --versoin; did you mean --version?"))
    #expect(hapsim(["help", "nothing"]).exit == .usage)
    #expect(
      hapsim(["types", "--jsn"])
        == Transcript(
          error: "hapsim types: unknown option --jsn; did you mean --json?\nTry 'hapsim types --help'.\n", exit: .usage)
    )
  }

  @Test("A command or option of an earlier version is refused, and the error names the new one") func renamed() {
    #expect(
      hapsim(["conduct"]) == Transcript(error: "hapsim: the command conduct is called quirks now\n", exit: .usage))
    #expect(hapsim(["run", "x", "--conduct", "y"]).error.hasPrefix("hapsim run: --conduct is called --quirks now\n"))
    #expect(hapsim(["judge", "x", "--must"]).error.hasPrefix("hapsim judge: --must is called --level must now\n"))
    // Where there is no such option, the old name is an unknown option.
    #expect(hapsim(["types", "--conduct"]).error.hasPrefix("hapsim types: unknown option --conduct"))
  }
}
