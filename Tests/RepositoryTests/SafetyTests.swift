import Testing

/// The compiler checks the state of an object and its use by threads. Few places are exempt from these checks.
///
/// Checked: these tests fail with `private var extraTimer: LoopTimer!` in ServedRun; with a class that is `@unchecked
/// Sendable` at the end of BackOff.swift, "(count → 66) <= (Self.mostUnchecked → 65)" at that time; with one such class
/// fewer; and without the comment of Guarded.swift.
struct SafetyTests {
  /// The number of places without the checks of Swift's concurrency, which may only decrease. Each has a comment that
  /// starts with "Safe:" and proves it.
  private static let mostUnchecked = 23

  /// Whether a line declares a property or a variable of an implicitly unwrapped type.
  private static func isUnwrapped(_ line: String) -> Bool {
    guard line.contains("!"), !isComment(line), let match = line.firstMatch(of: /\b(?:let|var) \w+ ?: ?([^={]*)/) else {
      return false
    }
    let type = match.1.prefix { $0 != "/" }
    return type.last { $0 != " " } == "!"
  }

  private static func isUnchecked(_ line: String) -> Bool {
    !isComment(line) && (line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)"))
  }

  private static func isComment(_ line: String) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }

  @Test("No property is implicitly unwrapped") func unwrapped() throws {
    let files = try SourceFile.all(in: ["Sources"])
    #expect(files.count > 500)
    for file in files {
      for (number, line) in file.lines.enumerated() where Self.isUnwrapped(line) {
        Issue.record("\(file.path):\(number + 1) is implicitly unwrapped: \(line)")
      }
    }
  }

  /// With it, the compiler (6.3) puts the length of the source's path in the program: builds in two folders would differ.
  @Test("No function uses withoutActuallyEscaping") func paths() throws {
    for file in try SourceFile.all(in: ["Sources"]) {
      #expect(!file.lines.contains { $0.contains("withoutActuallyEscaping(") }, "\(file.path) uses it")
    }
  }

  /// Apple's classes with subclasses: Swift checks only final ones, and demands `@unchecked Sendable` again in each
  /// subclass. `facade` checks them instead.
  private static let facade = "Sources/HAPHomeKit"

  @Test("The number of places without concurrency checks doesn't increase") func unchecked() throws {
    let files = try SourceFile.all(in: ["Sources"]).filter { !$0.path.hasPrefix(Self.facade + "/") }
    let count = files.map { $0.lines.count(where: Self.isUnchecked) }.reduce(0, +)
    #expect(count <= Self.mostUnchecked, "use real isolation")
    #expect(count >= Self.mostUnchecked, "lower the number in this test")
  }

  @Test("Each place without concurrency checks has a comment that proves its safety") func proofs() throws {
    for file in try SourceFile.all(in: ["Sources"]) {
      for (number, line) in file.lines.enumerated() where Self.isUnchecked(line) {
        let comment = file.lines[..<number].reversed().prefix { Self.isComment(String($0)) }
        #expect(
          comment.contains { $0.contains("// Safe: ") },
          "\(file.path):\(number + 1) needs a comment before it that begins with \"Safe:\", and says what makes it safe"
        )
      }
    }
  }

  @Test("A class of Apple's API that Swift can't check has no variable: its state is a constant of a checked type")
  func facade() throws {
    let files = try SourceFile.all(in: [Self.facade])
    #expect(files.count > 30)
    for file in files where file.lines.contains(where: Self.isUnchecked) {
      for (number, line) in file.lines.enumerated() where Self.isStoredVariable(line) {
        Issue.record("\(file.path):\(number + 1) is a variable of a class without concurrency checks: \(line)")
      }
    }
  }

  /// Whether a line declares a variable of a type with storage: not of a function, which has a deeper indentation, and not
  /// one with accessors.
  private static func isStoredVariable(_ line: String) -> Bool {
    line.firstMatch(of: /^ {2}(?:[a-z]+(?:\([a-z]+\))? )*var \w+/) != nil && !line.contains("{")
      && !line.contains("static")
  }

  @Test("Variables with storage are found") func storedVariables() {
    #expect(Self.isStoredVariable("  private(set) var count = 0") && Self.isStoredVariable("  weak var a: B?"))
    #expect(!Self.isStoredVariable("  var a: Int { 3 }") && !Self.isStoredVariable("    var deep = 3"))
    #expect(!Self.isStoredVariable("  public let a = 3"))
  }

  @Test("SharedPointer is used in exactly seven places, whose comments prove their safety")
  func sharedPointers() throws {
    let files = try SourceFile.all(in: ["Sources/HAPCrypto"])
    let uses = files.map { $0.lines.count { $0.contains("SharedPointer(") && !Self.isComment(String($0)) } }
    #expect(uses.reduce(0, +) == 7)
  }

  @Test("All forms of implicitly unwrapped properties and of unchecked places are found") func forms() {
    for line in [
      "  var a: B!", "  private(set) var a: (any B)!", "  private weak var a: B! = nil", "  let a: [B]!  // why",
      "  var a: B! { didSet {} }", "  @C static var a: B<D>!",
    ] { #expect(Self.isUnwrapped(line), "\(line)") }
    for line in ["  let a = b!", "  let a: B = c!", "  // var a: B!", "  var a: B?", "  var a: B { c! }"] {
      #expect(!Self.isUnwrapped(line), "\(line)")
    }
    #expect(Self.isUnchecked("final class A: @unchecked Sendable {"))
    #expect(Self.isUnchecked("nonisolated(unsafe) let a = a"))
    #expect(!Self.isUnchecked("/// Not `@unchecked Sendable`."))
  }
}
