import Synchronization
import Testing

@testable import HAPCommandLine

private let output = Option<String>("output", letter: "o", "FILE", "write to 'FILE' [a-z]: 50 %\\")
private let level = Option<String>("level", "all|must", repeated: true, ".level")
private let program = Program(
  name: "greet", version: "1.2", summary: "Greets people",
  commands: [
    Command(
      "say", "say 'hello'", operands: .some(label: "import FILE | export [NAME…]", count: 1...9),
      options: [output.definition, level.definition], examples: [(".dot", "'quoted'")]
    ) { (_, _) in .well },
    Command(
      "home", "keep homes",
      commands: [
        Command("room", "print rooms", operands: .some(label: "ROOM…", count: 1...9)) { (_, _) in .well },
        Command("names", "print names", operands: .some(label: "[WORD…]", count: 0...9)) { (_, _) in .well },
      ], printer: "names"),
    Command(
      "order", "order a machine", operands: .some(label: "VERB [DIR]", count: 1...2),
      candidates: ["VERB": ["go", "stop"]]
    ) { (_, _) in .well },
  ])

private func run(_ words: [String], date: String? = nil) -> (exit: ExitCode, out: String, error: String) {
  let out = Mutex("")
  let error = Mutex("")
  let console = Console(
    out: { text in out.withLock { $0 += text } }, error: { text in error.withLock { $0 += text } },
    environment: { $0 == "SOURCE_DATE_EPOCH" ? date : nil })
  let exit = program.run(words, console: console)
  return (exit, out.withLock { $0 }, error.withLock { $0 })
}

@Suite struct ManualPages {
  @Test("--man prints the page with the version, and with the date of SOURCE_DATE_EPOCH if it is set") func page() {
    let page = run(["--man"])
    #expect((page.exit, page.error) == (.well, ""))
    #expect(page.out == program.manualPage("1.2"))
    #expect(page.out.contains("\n.TH \"GREET\" 1 \"\" \"greet 1.2\" \"Manual of greet\"\n"))
    #expect(run(["--man"], date: "1767225600").out == program.manualPage("1.2", date: "2026-01-01"))
    #expect(run(["--man"], date: "today").out == page.out)
  }

  @Test("A command has its usage, its options and its examples on the page; no text of them is a request of roff")
  func command() {
    #expect(
      program.manualPage("1.2").contains(
        #"""
        .SS "greet say import FILE | export [NAME...] [options]"
        Say \(aqhello\(aq.
        .TP
        \fB\-o\fR, \fB\-\-output\fR \fIFILE\fR
        write to \(aqFILE\(aq [a\-z]: 50 %\(rs
        .TP
        \fB\-\-level\fR \fIall|must\fR ...
        \&.level
        .TP
        \fB\-h\fR, \fB\-\-help\fR
        show this help
        .PP
        Examples:
        .TP
        \fB\&.dot\fR
        \(aqquoted\(aq
        .SS "greet home COMMAND... [options]"
        """#))
  }

  @Test("--completions prints the completions for a shell, and names the shells if it has no valid value")
  func completions() {
    for shell in CompletionShell.allCases {
      let script = program.completions(for: shell, "1.2")
      #expect(run(["--completions", shell.rawValue]) == (.well, script, ""))
      #expect(run(["--completions=\(shell.rawValue)"]) == (.well, script, ""))
      #expect(script.contains("# Completions of greet 1.2 for \(shell.rawValue), made by: greet --completions"))
    }
    let hint = "\nTry 'greet --help'.\n"
    #expect(
      run(["--completions", "sh"])
        == (.usage, "", "greet: --completions sh: expected bash, zsh or fish" + hint))
    #expect(
      run(["--completions"])
        == (.usage, "", "greet: --completions needs a value: --completions bash|zsh|fish" + hint))
  }

  @Test(
    "An option of the program has no value and no words after it, unless it is known",
    arguments: [
      (["--version=x"], "--version takes no value"), (["-V=x"], "unknown option -V=x"),
      (["--man=x"], "--man takes no value"), (["--version", "x"], "unexpected argument x"),
      (["-V", "say"], "unexpected argument say"), (["--man", "a b"], "unexpected argument \"a b\""),
      (["--version", "--man"], "unknown option --man"),
      (["--completions", "zsh", "fish"], "unexpected argument fish"),
    ] as [([String], String)])
  func extraWords(_ words: [String], _ message: String) {
    #expect(run(words) == (.usage, "", "greet: \(message)\nTry 'greet --help'.\n"))
  }

  @Test("A group of commands has no version, manual page or completions", arguments: ["-V", "--man", "--completions"])
  func group(_ word: String) {
    #expect(run(["home", word]).exit == .usage)
  }
}

@Suite struct CommandPaths {
  @Test("The label of the operands says how many there are, and which candidates each has") func operands() throws {
    let paths = program.allPaths
    #expect(paths.map(\.name) == ["", "say", "home", "home room", "home names", "order", "help"])
    #expect(
      paths[1].operands == [
        .init(label: "import|export", candidates: .words(["import", "export"])),
        .init(label: "FILE|NAME", candidates: .files, isRepeated: true),
      ])
    #expect(paths[2].operands == [] && paths[2].commands.map(\.name) == ["room", "names"])
    #expect(
      paths[5].operands == [
        .init(label: "VERB", candidates: .words(["go", "stop"])), .init(label: "DIR", candidates: .folders),
      ])
  }

  @Test("help is a word of the program with the names of its commands, and without options") func help() {
    let paths = program.allPaths
    #expect(paths[0].commands.map(\.name) == ["say", "home", "order", "help"])
    #expect(paths[6].operands == [.init(label: "COMMAND", candidates: .words(["say", "home", "order"]))])
    #expect(paths[6].options == [])
  }

  @Test("Where the tables have no candidates, a group's command prints them") func printed() {
    #expect(
      program.allPaths[3].operands == [.init(label: "ROOM", candidates: .printed(["home", "names"]), isRepeated: true)])
  }

  @Test(
    "A placeholder says what a shell offers",
    arguments: [
      ("FILE", .files), ("DIR", .folders), ("PROFILE…", .profiles), ("NAME", .nothing), ("NAME|FILE", .files),
      ("[ALIAS|FILE]", .files), ("auto|off", .words(["auto", "off"])), ("TARGET[/CHARACTERISTIC]…", .nothing),
      ("[NAME…]", .nothing), ("add-to", .words(["add-to"])), ("UNKNOWN", nil), ("NAME|UNKNOWN", nil), ("", nil),
    ] as [(String, ValueCandidates?)])
  func placeholder(_ label: String, _ expected: ValueCandidates?) {
    #expect(ValueCandidates(placeholder: label) == expected)
  }
}
