import Foundation
import HAPCommandLine
import HAPController
import HAPCrypto
import HAPModel
import HAPTestSupport
import HAPTransport
import Testing

@testable import HapctlAccessories

@Suite struct NewsComplaintsTests {
  /// Checked: this test fails without the comparison with the last complaint.
  @Test("A database that is repeatedly unreadable is reported once, until one is readable") func once() {
    var complaints = NewsComplaints()
    let bad = SessionNews.unreadable(.status(500, request: "GET /accessories"))
    #expect(complaints.complaint(about: bad)?.hasPrefix("a message from the accessory can't be read: ") == true)
    #expect(complaints.complaint(about: bad) == nil)
    #expect(complaints.complaint(about: .unreadable(.status(404, request: "GET /accessories"))) != nil)
    #expect(complaints.complaint(about: bad) != nil)
    #expect(complaints.complaint(about: .values([], isCatchUp: false, remarks: [])) == nil)
    #expect(complaints.complaint(about: bad) != nil)
  }
}

@Suite struct ShellWordsTests {
  @Test(
    "Words are split at blanks; quotes and backslashes join them",
    arguments: [
      ("", []), ("  \t ", []), ("get On", ["get", "On"]),
      ("put \"Target Door State\"  open", ["put", "Target Door State", "open"]),
      ("a\\ b 'c \\' \"d\\\"e\\\\\"", ["a b", "c \\", "d\"e\\"]), ("Light\" \"Bulb/On", ["Light Bulb/On"]),
      ("\"\"", [""]), ("café 'ü'", ["café", "ü"]),
    ])
  func split(line: String, words: [String]) throws {
    #expect(try ShellWords.split(line) == words)
  }

  @Test("An unfinished line is refused", arguments: ["get \"On", "get 'On", "get On\\", "\"\\\""])
  func unfinished(line: String) {
    #expect(throws: UsageError.self) { try ShellWords.split(line) }
  }

  @Test("Written words are read back")
  func written() throws {
    for word in ["On", "Target Door State", "", "a\"b\\c", "#1", "it's", "Tür öffnen"] {
      #expect(try ShellWords.split(ShellWords.written(word)) == [word])
    }
  }
}

@Suite struct ShellCommandTests {
  @Test("Lines are commands with the arguments of hapctl")
  func commands() throws {
    #expect(try ShellCommand("  # a comment") == nil && ShellCommand("") == nil)
    #expect(try ShellCommand("get") == .get([]))
    #expect(try ShellCommand("get 1.10 \"Light Bulb/On\"") == .get(["1.10", "Light Bulb/On"]))
    #expect(
      try ShellCommand("put On on Hue -3.5") == .put([.init(path: "On", text: "on"), .init(path: "Hue", text: "-3.5")]))
    #expect(try ShellCommand("watch On") == .watch(["On"]) && ShellCommand("unwatch") == .unwatch([]))
    #expect(try ShellCommand("accessories --meta") == .accessories(withMeta: true))
    #expect(try ShellCommand("exit") == .quit && ShellCommand("quit") == .quit && ShellCommand("help") == .help)
  }

  @Test(
    "A malformed line is refused with a reason",
    arguments: [
      ("gte On", "did you mean get?"), ("put", "needs"), ("put On", "needs"), ("put On on Hue", "no value"),
      ("identify now", "unexpected argument now"), ("accessories all", "--meta"), ("get \"On", "isn't closed"),
      ("\"\"", "unknown command \"\""),
    ])
  func wrong(line: String, says: String) {
    let error = #expect(throws: UsageError.self) { try ShellCommand(line) }
    #expect(error?.message.contains(says) == true, "\(String(describing: error))")
  }
}

@Suite struct ShellCompletionTests {
  /// A garage with a lamp: On and Name in several services.
  static let database: AttributeDatabase = {
    func characteristic(_ iid: UInt64, _ type: UInt32, _ format: Format, _ perms: Permissions, valid: [Int]? = nil)
      -> Characteristic
    {
      Characteristic(
        iid: iid, type: TypeID(apple: type), format: format, perms: perms, constraints: Constraints(validValues: valid))
    }
    let all: Permissions = [.pairedRead, .pairedWrite, .events]
    let door = Service(
      iid: 10, type: TypeID(apple: 0x41),
      characteristics: [
        characteristic(11, 0x0E, .uint8, [.pairedRead, .events]), characteristic(12, 0x32, .uint8, all),
        characteristic(13, 0x24, .bool, [.pairedRead, .events]), characteristic(14, 0x23, .string, .pairedRead),
      ])
    let lamp = Service(
      iid: 20, type: TypeID(apple: 0x43),
      characteristics: [
        characteristic(21, 0x25, .bool, all), characteristic(22, 0x08, .int, all),
        characteristic(23, 0x23, .string, .pairedRead), characteristic(24, 0x28, .uint8, all, valid: [1]),
      ])
    guard let database = try? AttributeDatabase([Accessory(aid: 1, services: [door, lamp])]) else {
      preconditionFailure("the test's own database is malformed")
    }
    return database
  }()

  private func completed(_ line: String) -> String {
    let completion = ShellCompletion(of: line, in: Self.database)
    var scalars = line.unicodeScalars
    scalars.removeLast(completion.removing)
    return String(scalars) + completion.inserting
  }

  @Test(
    "A unique match is completed, and quoted if necessary",
    arguments: [
      ("g", "get "), ("unw", "unwatch "), ("get tar", "get \"Target Door State\" "),
      ("get \"Target D", "get \"Target Door State\" "),
      ("get Target\\ D", "get \"Target Door State\" "),
      ("get Brightness On tar", "get Brightness On \"Target Door State\" "),
      ("get li", "get \"Light Bulb/"), ("get \"Light Bulb/n", "get \"Light Bulb/Name\" "), ("get 20/o", "get 20/On "),
      ("put Target\\ Door\\ State o", "put Target\\ Door\\ State open "), ("put On of", "put On off "),
      ("put On on \"Target Door State\" cl", "put On on \"Target Door State\" closed "),
      ("put \"Rotation Direction\" c", "put \"Rotation Direction\" counter-clockwise "),
      ("accessories -", "accessories --meta "),
      ("get 1.1", "get 1.1"), ("get 1.22", "get 1.22 "), ("put cur", "put cur"), ("watch name", "watch name"),
      ("x y", "x y"), ("get On\\", "get On\\"),
      ("put Nothing o", "put Nothing o"), ("quit ", "quit "),
    ])
  func one(line: String, becomes: String) {
    #expect(completed(line) == becomes)
  }

  @Test("Any input is completed or left alone, and the result can be parsed")
  func anything() {
    let random = RandomSource.seeded(5)
    let pieces = Array("put get \"'\\ \t/#1.2 On Target Light Bulb ü\u{0}é\u{301}👩‍👩‍👧 ").map(String.init)
    for _ in 0..<3000 {
      let line = random.bytes(20).map { pieces[Int($0) % pieces.count] }.joined()
      let completion = ShellCompletion(of: line, in: Self.database)
      #expect(completion.removing <= line.unicodeScalars.count)
      _ = try? ShellCommand(line)
      #expect((try? ShellWords.split(ShellWords.written(line))) == [line])
    }
  }

  @Test("Very long names, and very many names, are handled")
  func hostile() throws {
    let services = (0..<2000).map { number in
      var characteristic = Characteristic(
        iid: UInt64(number) * 2 + 2, type: TypeID(apple: 0xF000), format: .bool, perms: .pairedRead)
      characteristic.description =
        number == 0 ? String(repeating: "o", count: 1 << 20) : "o\(number)\(number % 2 == 0 ? "/" : "")x"
      return Service(
        iid: UInt64(number) * 2 + 1, type: TypeID(apple: 0x43), characteristics: [characteristic])
    }
    let database = try AttributeDatabase([Accessory(aid: 1, services: services)])
    let completion = ShellCompletion(of: "get o", in: database)
    #expect(completion.choices.count == 1000 && completion.inserting == "")
    #expect(ShellCompletion(of: "get l", in: database).inserting == "\"Light Bulb/")
  }

  @Test("For several matches, the common part is completed, and all are listed")
  func several() {
    let completion = ShellCompletion(of: "get o", in: Self.database)
    #expect(
      completion.choices == ["Obstruction Detected", "On"] && completion.inserting == "" && completion.removing == 0)
    #expect(ShellCompletion(of: "", in: Self.database).choices == ShellCommand.all.map(\.name))
    #expect(ShellCompletion(of: "put On ", in: Self.database).choices == ["on", "off"])
    #expect(completed("get \"Light Bulb/") == "get \"Light Bulb/")
    #expect(completed("put On o") == "put On o" && completed("get 1") == "get 1.")
    // Name is in both services, so it is ambiguous.
    #expect(ShellCompletion(of: "get ", in: Self.database).choices.contains("Name") == false)
    #expect(ShellCompletion(of: "watch ", in: Self.database).choices.contains("Current Door State"))
  }
}

@Suite struct ShellSurroundingsTests {
  @Test("The history keeps the last lines without repetitions, in a private file")
  func history() throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let path = folder.path + "/shell-history"
    var history = ShellHistory(path: path)
    for line in ["get On", "get On", "", "put On on"] { history.add(line) }
    history.add(String(repeating: "x", count: 5000))
    for number in 0..<ShellHistory.room { history.add("get 1.\(number)") }
    history.save()
    history.save()
    let again = ShellHistory(path: path)
    #expect(again.lines.count == ShellHistory.room && again.lines.first == "get 1.0" && again.lines == history.lines)
    #expect((try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) == 0o600)
    #expect(ShellHistory(path: folder.path + "/none/at/all").lines == [])
    ShellHistory(path: folder.path + "/none/at/all").save()
  }

  @Test("Lines wait while the user types, up to a limit; control characters are replaced")
  func screen() throws {
    let said = Sayings()
    let input = try #require(ShellInput(descriptor: -1))
    let screen = ShellScreen(Console(out: { said.add($0) }, error: { said.add($0) }), input)
    screen.show("one\u{1B}[2J\u{9B}")
    #expect(said.all == "one\u{FFFD}[2J\u{FFFD}\n")
    screen.startPrompting()
    for number in 0..<1500 { screen.show("\(number)") }
    #expect(said.all.count < 20)
    let waiting = screen.takeWaiting()
    #expect(waiting.count == 1001 && waiting.last == "… and 500 more")
    screen.show(String(repeating: "x", count: 100_000))
    #expect(screen.takeWaiting().map(\.count) == [4096])
    screen.show("late")
    screen.stopPrompting()
    screen.show("later")
    #expect(said.all.hasSuffix("late\nlater\n"))
    #expect(input.next(1) == .woken)
    screen.finish(because: "x")
    screen.finish(because: nil)
    #expect(screen.isOver && screen.trouble == "x")
  }
}

private final class Sayings: @unchecked Sendable {
  private let lock = NSLock()
  private var text = ""
  func add(_ more: String) { lock.withLock { text += more } }
  var all: String { lock.withLock { text } }
}
