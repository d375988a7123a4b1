import Testing

/// The compiler checks the state of an object and its use by threads. Few places are exempt from these checks.
///
/// Checked: these tests fail with `private var extraTimer: LoopTimer!` in ServedRun; with a class that is `@unchecked
/// Sendable` at the end of BackOff.swift, "(count → 66) <= (Self.mostUnchecked → 65)" at that time; with one such class
/// fewer; and without the comment of Guarded.swift.
struct SafetyTests {
  /// The number of places without the checks of Swift's concurrency, which may only decrease. Each has a comment that
  /// starts with "Safe:" and proves it.
  private static let mostUnchecked = 22

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

  @Test("The number of places without concurrency checks doesn't increase") func unchecked() throws {
    let files = try SourceFile.all(in: ["Sources"])
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

  @Test("SharedPointer is used in exactly four places, whose comments prove their safety")
  func sharedPointers() throws {
    let files = try SourceFile.all(in: ["Sources/HAPCrypto"])
    let uses = files.map { $0.lines.count { $0.contains("SharedPointer(") && !Self.isComment(String($0)) } }
    #expect(uses.reduce(0, +) == 4)
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
