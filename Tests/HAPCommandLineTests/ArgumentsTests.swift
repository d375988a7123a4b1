import HAPCommandLine
import Testing

private let state = Option<String>("state", "DIR", "where")
private let port = Option<UInt16>("port", "N", in: 1...100, "which")
private let shift = Option<Int>("shift", "N", in: -5...5, "by how much")
private let net = Option<String>("interface", "IF", repeated: true, "on which")
private let json = Flag("json", letter: "j", "as JSON")
private enum Colour: String, CaseIterable { case red, green }
private let colour = Option<Colour>(oneOf: "colour", "in which")

private func parse(_ words: String...) throws -> Arguments {
  try Arguments(
    parsing: words,
    options: [state, port, shift, net, colour].count == 5
      ? [state.definition, port.definition, shift.definition, net.definition, json.definition, colour.definition] : [],
    nearest: { word, names in names.first { $0.hasPrefix(String(word.prefix(4))) } })
}

private func message(_ body: () throws -> Void) -> String? {
  do { try body() } catch { return (error as? UsageError)?.message }
  return nil
}

@Suite struct ArgumentsAreRead {
  @Test("Options and operands may be mixed, and values follow a blank or an equals sign") func mixed() throws {
    let read = try parse("a", "--state", "/s", "b", "--port=7", "-j", "c")
    #expect(read.operands == ["a", "b", "c"])
    #expect(try read.value(state) == "/s")
    #expect(try read.value(port) == 7)
    #expect(read[json])
    #expect(read.has(state) && !read.has(net))
  }

  @Test("An absent option is nil, empty or false") func absent() throws {
    let read = try parse()
    #expect(read.operands == [])
    #expect(try read.value(state) == nil)
    #expect(try read.all(net) == [])
    #expect(!read[json])
  }

  @Test("All words after -- are operands, and a single - is one, too") func dashes() throws {
    let read = try parse("-", "--", "--state", "-j", "--")
    #expect(read.operands == ["-", "--state", "-j", "--"])
    #expect(!read[json])
  }

  @Test("A negative number is an operand; any other word with a leading dash is an option") func negative() throws {
    #expect(try parse("set", "-5", "-0.5", "-1e3").operands == ["set", "-5", "-0.5", "-1e3"])
    #expect(throws: UsageError("unknown option -x5")) { try parse("-x5") }
    #expect(throws: UsageError("unknown option --5")) { try parse("--5") }
    #expect(throws: UsageError("unknown option -.5")) { try parse("-.5") }
  }

  @Test("A repeated option keeps its order") func repeated() throws {
    #expect(try parse("--interface", "lo", "x", "--interface=eth0").all(net) == ["lo", "eth0"])
  }

  @Test("A value may start with a dash or contain equals signs; after an equals sign it may look like an option")
  func oddValues()
    throws
  {
    #expect(try parse("--shift", "-3").value(shift) == -3)
    #expect(try parse("--state=a=b").value(state) == "a=b")
    #expect(try parse("--state=--port").value(state) == "--port")
    #expect(try parse("--state", "-").value(state) == "-")
    #expect(try parse("--colour", "green").value(colour) == .green)
  }
}

@Suite struct ArgumentsAreRefused {
  @Test("An unknown option is reported with the most similar option") func unknown() {
    #expect(message { _ = try parse("--stat", "x") } == "unknown option --stat; did you mean --state?")
    #expect(message { _ = try parse("--xyz=1") } == "unknown option --xyz")
    #expect(message { _ = try parse("-s") } == "unknown option -s")
    #expect(message { _ = try parse("-jj") } == "unknown option -jj")
  }

  @Test("A missing value, a value for a flag, and a repeated option are refused") func counts() {
    #expect(message { _ = try parse("--port") } == "--port needs a value: --port N")
    #expect(message { _ = try parse("--port", "--json") } == "--port needs a value: --port N")
    #expect(message { _ = try parse("--port", "--") } == "--port needs a value: --port N")
    #expect(message { _ = try parse("--json=1") } == "--json takes no value")
    #expect(message { _ = try parse("--port=1", "--port=1") } == "--port is given twice")
    #expect(message { _ = try parse("-j", "--json") } == "--json is given twice")
  }

  @Test("For a value of the wrong type, the error names the option, the value and the legal values") func types() {
    for text in ["0", "101", "", "x", "1.0", "0x1", " 1", "99999999999999999999", "-1", "+1", "--1", "1-"] {
      let said = message { _ = try parse("--port=" + text).value(port) }
      #expect(said == "--port \(shown(text)): expected a whole number from 1 to 100")
    }
    #expect(message { _ = try parse("--colour=blue").value(colour) } == "--colour blue: expected red or green")
    #expect(message { _ = try parse("--colour=Red").value(colour) } == "--colour Red: expected red or green")
    #expect(message { _ = try parse("--state=").value(state) } == "--state \"\": it can't be empty")
    #expect(
      message { _ = try parse("--interface=a", "--interface=").all(net) } == "--interface \"\": it can't be empty")
  }

  @Test("An argument in a message has no control characters and a bounded length") func hostile() {
    #expect(shown("a\u{1B}[31m\nb") == "a\u{FFFD}[31m\u{FFFD}b")
    #expect(shown("a b") == "\"a b\"")
    #expect(shown("") == "\"\"")
    #expect(shown(String(repeating: "x", count: 10_000)).count == 200)
  }
}
