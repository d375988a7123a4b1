import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder with a script, its stored transcript, and the stored home at its end.
struct Demonstration {
  let folder: String

  private static let mostBytes = 1 << 20
  private static let (script, transcript, home) = ("script", "transcript", "home.hashome")

  /// The names of all demonstrations in a folder, sorted.
  static func names(in folder: String) throws -> [String] {
    try fileNames(inFolder: folder).filter { fileExists("\(folder)/\($0)/\(script)") }.sorted()
  }

  /// Runs the script with its folder as the working folder. Files that the script makes there are removed at the end.
  func run(onLine: @escaping @Sendable (String) -> Void = { _ in }) throws -> Stage.Result {
    let script = try StageScript(try text(Self.script))
    guard let former = getcwd(nil, 0) else { throw FileError(message: "the working folder does not exist") }
    defer {
      chdir(former)
      free(former)
    }
    guard chdir(folder) == 0 else { throw FileError(message: "\(folder) can't be the working folder") }
    let before = Set(try fileNames(inFolder: folder))
    defer { for name in (try? fileNames(inFolder: folder)) ?? [] where !before.contains(name) { unlink(name) } }
    return try Stage.run(script, onLine: onLine)
  }

  /// Returns the differences between a run and the stored files.
  func differences(_ result: Stage.Result) throws -> [String] {
    var found: [String] = []
    for (name, lines) in [(Self.transcript, result.transcript), (Self.home, result.home)] {
      let stored = try text(name).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
      guard stored != lines else { continue }
      let index = zip(stored, lines).prefix { $0 == $1 }.count
      func line(_ lines: [String]) -> String { index < lines.count ? "\"\(lines[index])\"" : "the end" }
      found.append("\(name):\(index + 1): stored is \(line(stored)), but the run has \(line(lines))")
    }
    return found
  }

  /// Stores the files of a run.
  func write(_ result: Stage.Result) throws {
    for (name, lines) in [(Self.transcript, result.transcript), (Self.home, result.home)] {
      let text = lines.map { $0 + "\n" }.joined()
      try writeFile("\(folder)/\(name)", Array(text.utf8), overwriting: true)
    }
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try readFile("\(folder)/\(name)", limit: Self.mostBytes), as: UTF8.self)
  }
}
