import Testing

/// A file has at most 400 lines, and a function at most 60.
///
/// Longer files and functions from before the rule are listed with their size. The list may only get shorter: an
/// unnecessary entry is an error, and so is one with another size than the present one.
///
/// Checked: these tests fail with a function of 71 lines that was not listed, and with a file of 401 lines.
struct SizeTests {
  private static let folders = ["Benchmarks", "Fuzz", "Plugins", "Sources", "Tests"]
  private static let largestFile = 400
  private static let largestFunction = 60

  /// Files with their lines, and functions ("path name") with theirs.
  private static let exceptions: [String: Int] = [:]

  /// The files and functions above the limits. Of several functions with one name in a file, the largest counts.
  private static func excesses(of file: SourceFile) -> [String: Int] {
    var excesses: [String: Int] = [:]
    if file.lineCount > largestFile { excesses[file.path] = file.lineCount }
    for function in file.functions where function.lines > largestFunction {
      let name = "\(file.path) \(function.name)"
      excesses[name] = max(excesses[name] ?? 0, function.lines)
    }
    return excesses
  }

  @Test("No file has more than 400 lines and no function more than 60, except for listed ones")
  func sizes() throws {
    let files = try SourceFile.all(in: Self.folders)
    #expect(files.count > 1000)
    #expect(files.map(\.functions.count).reduce(0, +) > 5000)
    var unused = Self.exceptions
    for file in files {
      for (name, size) in Self.excesses(of: file).sorted(by: { $0.key < $1.key }) {
        switch unused.removeValue(forKey: name) {
        case nil: Issue.record("\(name) has \(size) lines: split it")
        case let listed? where size > listed:
          Issue.record("\(name) has grown from \(listed) lines to \(size): split it")
        case let listed? where size < listed:
          Issue.record("\(name) has \(size) lines now: change its entry from \(listed)")
        default: break
        }
      }
    }
    #expect(unused.isEmpty, "these exceptions are unnecessary")
  }

  @Test("The lines of functions are counted, whatever the form of the declaration")
  func functionsAreCounted() {
    let text = """
      protocol P {
        func a()
        func b(
          _ x: Int
        )
      }

      struct S {
        init() {
          run()
        }

        @Test("x") package static func c<T>(
          _ x: T
        ) throws -> Int {
          if true {
            return 1
          }
          return 2
        }

        func d() { run() }

        deinit {
          run()
        }
      }

      """
    let file = SourceFile(path: "S.swift", text: text)
    #expect(file.functions.map { "\($0.name) \($0.lines)" } == ["init 3", "c 8", "deinit 3"])
    #expect(file.lineCount == 27)
  }

  @Test("Sizes above the limits are found")
  func excessesAreFound() {
    let long = ["func f() {"] + Array(repeating: "  run()", count: 59) + ["}"]
    let fits = ["func f() {"] + Array(repeating: "  run()", count: 58) + ["}"]
    #expect(Self.excesses(of: SourceFile(path: "a", text: long.joined(separator: "\n") + "\n")) == ["a f": 61])
    #expect(Self.excesses(of: SourceFile(path: "a", text: fits.joined(separator: "\n") + "\n")).isEmpty)
    let file = Array(repeating: "// x", count: 401).joined(separator: "\n")
    #expect(Self.excesses(of: SourceFile(path: "a", text: file + "\n")) == ["a": 401])
  }
}
