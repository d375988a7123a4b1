import HAPCommandLine
import HapctlProgram
import HapsimProgram
import HaptestProgram
import Testing

/// The commands and options that the parser of a program accepts, or that a text for its users has.
struct Vocabulary: Equatable {
  /// Such as "home room add".
  var commands: Set<String> = []
  /// Such as "home room add --folder"; " -V" is an option of the program.
  var options: Set<String> = []

  init() {}

  /// The tables that the parser reads.
  init(_ program: Program) {
    add(program.options, of: [])
    add(program.commands, below: [])
  }

  private mutating func add(_ commands: [Command], below path: [String]) {
    for command in commands {
      let words = path + [command.name]
      self.commands.insert(words.joined(separator: " "))
      add(command.options, of: words)
      add(command.commands, below: words)
    }
  }

  private mutating func add(_ options: [OptionDefinition], of path: [String]) {
    for option in options {
      insert("--\(option.name)", of: path)
      if let letter = option.letter { insert("-\(letter)", of: path) }
    }
  }

  mutating func insert(_ option: String, of path: [String]) {
    options.insert("\(path.joined(separator: " ")) \(option)")
  }
}

@Suite("The manual page and the completions have the commands and options of the parser, and no others")
struct ManualTests {
  private static let programs = [Program.hapsim.name, Program.hapctl.name, Program.haptest.name]

  private func program(_ name: String) throws -> Program {
    try #require([Program.hapsim, .hapctl, .haptest].first { $0.name == name })
  }

  private func expectEqual(_ found: Vocabulary, _ program: Program) {
    let expected = Vocabulary(program)
    #expect(found.commands.symmetricDifference(expected.commands) == [])
    #expect(found.options.symmetricDifference(expected.options) == [])
    #expect(expected.commands.count > 10 && expected.options.count > 50)
  }

  /// Completions also have the word `help`, which is no command of the tables.
  private func expectCompleted(_ found: Vocabulary, _ program: Program) {
    var found = found
    #expect(found.commands.remove("help") == "help")
    expectEqual(found, program)
  }

  private func lines(_ program: Program, _ shell: CompletionShell) -> [Substring] {
    program.completions(for: shell, "1.2.3").split(separator: "\n")
  }

  @Test("The manual page", arguments: programs) func page(_ name: String) throws {
    let program = try program(name)
    var found = Vocabulary()
    var path: [String] = []
    for line in program.manualPage("1.2.3").split(separator: "\n") {
      if line.hasPrefix(".SS ") {
        let words = shownByRoff(line.dropFirst(5).dropLast()).split(separator: " ").map(String.init)
        #expect(words.first == program.name && words.last == "[options]")
        path = words.dropFirst().prefix { $0.first?.isLowercase == true }.map { $0 }
        while !Vocabulary(program).commands.contains(path.joined(separator: " ")), !path.isEmpty { path.removeLast() }
        #expect(found.commands.insert(path.joined(separator: " ")).inserted, "\(line)")
      } else if line.hasPrefix("\\fB\\-") {
        for name in shownByRoff(line).split(separator: ", ") where name.hasPrefix("-") {
          found.insert(String(name.prefix { $0 != " " }), of: path)
        }
      }
    }
    expectEqual(found, program)
  }

  @Test("The completions for bash", arguments: programs) func bash(_ name: String) throws {
    let program = try program(name)
    var found = Vocabulary()
    for line in lines(program, .bash) {
      let words = quotedWords(line)
      guard let options = words.first(where: { $0.hasPrefix("options=") }), words.last == ";;", words[0].hasSuffix(")")
      else { continue }
      let path = words[0].dropLast().split(separator: " ").map(String.init)
      for command in words.first(where: { $0.hasPrefix("commands=") })?.dropFirst(9).split(separator: " ") ?? [] {
        found.commands.insert((path + [String(command)]).joined(separator: " "))
      }
      for name in options.dropFirst(8).split(whereSeparator: { " ,=+".contains($0) }) {
        found.insert(String(name), of: path)
      }
    }
    expectCompleted(found, program)
  }

  @Test("The completions for zsh", arguments: programs) func zsh(_ name: String) throws {
    let program = try program(name)
    // The names of functions have _ between the words.
    let paths = [[]] + Vocabulary(program).commands.map { $0.split(separator: " ").map(String.init) }
    let functions = Dictionary(
      uniqueKeysWithValues: paths.map { ((["_" + program.name] + $0).joined(separator: "_"), $0) })
    var found = Vocabulary()
    var path: [String]?
    for line in lines(program, .zsh) {
      if line.hasSuffix("() {") {
        path = functions[String(line.dropLast(4))]
      } else if let path, line.hasPrefix("    "), !line.hasPrefix("     "), let spec = quotedWords(line).first {
        // "(-o --output)-o[…", "*--interface=[…", "room:…"
        let name = (spec.hasPrefix("(") ? spec.drop { $0 != ")" }.dropFirst() : spec[...]).drop { $0 == "*" }
        if name.hasPrefix("-") {
          found.insert(String(name.prefix { $0 != "=" && $0 != "[" }), of: path)
        } else if line.hasSuffix("'"), !line.contains(":->"), name.first?.isLowercase == true {
          found.commands.insert((path + [String(name.prefix { $0 != ":" })]).joined(separator: " "))
        }
      }
    }
    expectCompleted(found, program)
  }

  @Test("The completions for fish", arguments: programs) func fish(_ name: String) throws {
    let program = try program(name)
    var found = Vocabulary()
    for line in lines(program, .fish) where line.hasPrefix("complete -c \(program.name) -n ") {
      let words = quotedWords(line, hasEscapes: true)
      let condition = quotedWords(words[4], hasEscapes: true)
      let path = condition[1].split(separator: " ").map(String.init)
      if condition[0] == "__\(program.name)_option" {
        for (mark, dashes) in [("-l", "--"), ("-s", "-")] {
          if let position = words.firstIndex(of: mark) { found.insert(dashes + words[position + 1], of: path) }
        }
      } else if words.contains("-d"), let position = words.firstIndex(of: "-a") {
        found.commands.insert((path + [words[position + 1]]).joined(separator: " "))
      }
    }
    expectCompleted(found, program)
  }

  @Test("The kind of each placeholder is known, so that completions offer the right files", arguments: programs)
  func placeholders(_ name: String) throws {
    for path in try program(name).allPaths { #expect(path.unknownPlaceholders == [], "\(path.name)") }
  }
}

@Suite("Texts in manual pages and completions") struct EscapingTests {
  /// All texts of up to three of these characters.
  private static let texts: [String] = {
    let characters = [
      ".", "'", "\\", "\"", "-", " ", "\n", "$", "`", "[", "]", ":", "(", "…", "é", "😀", "\u{308}", "~", "a",
    ]
    let pairs = [""] + characters + characters.flatMap { first in characters.map { first + $0 } }
    return pairs + pairs.dropFirst().flatMap { pair in characters.map { pair + $0 } }
  }()

  @Test("roff shows each text as it is, with single spaces, and reads no part of it as a request") func roffTexts() {
    for text in Self.texts {
      let line = roff(text)
      let words = text.unicodeScalars.split { $0 == " " || $0 == "\n" }
      let plain = words.map { $0.map { $0 == "…" ? "..." : String($0) }.joined() }.joined(separator: " ")
      #expect(shownByRoff(line) == plain)
      #expect(!line.hasPrefix(".") && !line.contains("\n") && !line.contains("'") && !line.contains("\""))
      #expect(!line.isEmpty && line.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test("The shells read each quoted text as one word") func words() {
    for text in Self.texts {
      #expect(quotedWords(shellQuoted(text)) == [text])
      #expect(quotedWords(fishQuoted(text), hasEscapes: true) == [text])
    }
  }

  @Test("zsh reads each text in a specification as it is") func zshTexts() {
    for text in Self.texts {
      let written = zshText(text)
      var (plain, rest) = (String.UnicodeScalarView(), written.unicodeScalars[...])
      while let scalar = rest.popFirst() {
        #expect(!":[]()".unicodeScalars.contains(scalar))
        plain.append(scalar == "\\" ? rest.removeFirst() : scalar)
      }
      #expect(String(plain) == text)
    }
  }
}
