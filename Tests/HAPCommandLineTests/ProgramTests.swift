import Foundation
import Synchronization
import Testing

@testable import HAPCommandLine

private final class Said: Sendable {
  let out = Mutex("")
  let error = Mutex("")

  var console: Console {
    Console(out: { text in self.out.withLock { $0 += text } }, error: { text in self.error.withLock { $0 += text } })
  }
}

private let loud = Flag("loud", "speak up")
private let program = Program(
  name: "greet", version: "1.2", summary: "Greets people",
  commands: [
    Command(
      "hello", "say hello to people", operands: .some(label: "WHO…", count: 1...2),
      options: [
        loud.definition, Option<Int>("an-option-with-a-long-name", "NUMBER", in: 0...9, "does nothing").definition,
      ],
      discussion: ["A greeting for people, in a text that is long enough for two lines."],
      examples: [("greet hello World", "the classic")]
    ) { (arguments, console) throws(UsageError) in
      if arguments.operands == ["Zed"] { throw UsageError("there is no person named Zed") }
      console.print("Hello \(arguments.operands.joined(separator: " and "))" + (arguments[loud] ? "!" : ""))
      return arguments.operands == ["trouble"] ? .problem : .well
    },
    Command("quit", "leave") { (_, _) in .cannotRun },
  ],
  nearest: { word, names in names.first { $0.first == word.first } })

private func run(_ words: String...) -> (exit: ExitCode, out: String, error: String) {
  let said = Said()
  let exit = program.run(words, console: said.console)
  return (exit, said.out.withLock { $0 }, said.error.withLock { $0 })
}

@Suite struct Programs {
  @Test("A command gets its arguments, writes to its console, and sets the program's exit status") func runs() {
    #expect(run("hello", "Ann", "--loud", "Bob") == (.well, "Hello Ann and Bob!\n", ""))
    #expect(run("hello", "trouble").exit == .problem)
    #expect(run("quit").exit == .cannotRun)
    #expect([ExitCode.well, .problem, .usage, .cannotRun].map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test("Wrong usage is reported on standard error, with a pointer to the help") func usage() {
    let hint = "\nTry 'greet hello --help'.\n"
    #expect(run("hello") == (.usage, "", "greet hello: WHO… is missing" + hint))
    #expect(run("hello", "a", "b", "c d") == (.usage, "", "greet hello: unexpected argument \"c d\"" + hint))
    #expect(run("hello", "Zed") == (.usage, "", "greet hello: there is no person named Zed" + hint))
    #expect(run("quit", "x") == (.usage, "", "greet quit: unexpected argument x\nTry 'greet quit --help'.\n"))
    #expect(run("helo") == (.usage, "", "greet: unknown command helo; did you mean hello?\nTry 'greet --help'.\n"))
    #expect(run("xyz") == (.usage, "", "greet: unknown command xyz\nTry 'greet --help'.\n"))
    #expect(run("").exit == .usage)
  }

  @Test("Help and version go to standard output; without arguments, help goes to standard error") func help() {
    let text = """
      usage: greet COMMAND [options]

      Greets people.

      commands:
        hello  say hello to people
        quit   leave

      options:
        -h, --help     show this help; greet COMMAND --help shows a command's
        -V, --version  show the version
        --man          print the manual page, in the format of man
        --completions bash|zsh|fish
                       print the completions for a shell

      exit status:
        0  success
        1  a problem was found
        2  wrong usage
        3  could not run

      """
    for words in [["--help"], ["-h"], ["help"]] {
      let said = Said()
      #expect(program.run(words, console: said.console) == .well)
      #expect(said.out.withLock { $0 } == text)
    }
    #expect(run() == (.usage, "", text))
    for words in ["--version", "-V"] { #expect(run(words) == (.well, "greet 1.2\n", "")) }
  }

  @Test("The version has the first ten characters of the commit, if the sources are of an archive") func commit() {
    #expect(versionText("1.2", commit: "$Format:%H$") == "1.2")
    #expect(versionText("1.2", commit: "0123456789abcdef0123456789abcdef01234567") == "1.2 (0123456789)")
  }

  @Test("The help of a command is wrapped to the width; long options get a separate line") func commandHelp() {
    #expect(
      program.commands[0].helpText(program: "greet", width: 50) == """
        usage: greet hello WHO… [options]

        Say hello to people.

        A greeting for people, in a text that is long
        enough for two lines.

        options:
          --loud      speak up
          --an-option-with-a-long-name NUMBER
                      does nothing
          -h, --help  show this help

        examples:
          greet hello World
              the classic
        """)
    #expect(run("hello", "--help").out == program.commands[0].helpText(program: "greet", width: 80) + "\n")
    #expect(run("hello", "--", "--help").out == "Hello --help\n")
  }
}

@Suite struct Terminals {
  private func terminal(_ columns: Int = 0, isTerminal: Bool = true, _ environment: [String: String] = [:]) -> Terminal
  {
    Terminal(isTerminal: isTerminal, reportedColumns: columns, environment: { environment[$0] })
  }

  @Test("Colour is used only on a terminal, and is off with NO_COLOR or a dumb terminal") func colour() {
    #expect(terminal().hasColour)
    #expect(terminal(["NO_COLOR": ""]).hasColour, "an empty NO_COLOR doesn't count")
    #expect(!terminal(["NO_COLOR": "0"]).hasColour)
    #expect(!terminal(["TERM": "dumb"]).hasColour)
    #expect(!terminal(80, isTerminal: false).hasColour)
  }

  private func terminal(_ environment: [String: String]) -> Terminal { terminal(0, environment) }

  @Test("The width is the terminal's, else COLUMNS, else 80; text is wrapped at 40 to 100") func width() {
    #expect(terminal(90, ["COLUMNS": "50"]).columns == 90)
    #expect(terminal(0, ["COLUMNS": "50"]).columns == 50)
    #expect(terminal().columns == nil)
    #expect(terminal(90, isTerminal: false, ["COLUMNS": "50"]) == .none)
    for said in ["x", "-3", "0", ""] { #expect(terminal(0, ["COLUMNS": said]).columns == nil) }
    #expect([10, 40, 99, 300].map { terminal($0).textWidth } == [40, 40, 99, 100])
    #expect(Terminal.none.textWidth == 80)
  }

  @Test("An invalid descriptor is not a terminal") func descriptor() {
    #expect(Terminal(descriptor: -1, environment: { _ in nil }) == .none)
  }

  @Test(
    "The null device is recognized; a file and another device are not",
    arguments: [
      ("/dev/null", true), ("/dev/zero", false), ("/etc/passwd", false),
    ]) func nullDevice(path: String, isDiscarded: Bool)
  {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(Terminal(descriptor: descriptor, environment: { _ in nil }).isDiscarded == isDiscarded)
  }

  @Test("Without colour, a style leaves text unchanged") func style() {
    #expect(Terminal.none.styled("x", .bold) == "x")
    #expect(terminal().styled("x", .red) == "\u{1B}[31mx\u{1B}[0m")
  }
}

@Suite struct Wrapping {
  @Test("Lines break at blanks and never exceed the width, except for a longer word") func wraps() {
    #expect(wrapped("one two three four", width: 9) == ["one two", "three", "four"])
    #expect(wrapped("one two", width: 7) == ["one two"])
    #expect(wrapped("a verylongword b", width: 5) == ["a", "verylongword", "b"])
    #expect(wrapped("a  b ", width: 10, indent: 2) == ["  a b"])
    #expect(wrapped("", width: 10) == [])
    #expect(wrapped("x y", width: 0) == ["x", "y"])
  }
}
