import HAPCommandLine
import HAPSuite

/// Why a command ends without doing what was asked: in one line, or more where there is a list.
struct Refusal: Error {
  var code: ExitCode
  var lines: [String]

  init(_ code: ExitCode, _ lines: String...) {
    self.code = code
    self.lines = lines
  }

  init(_ code: ExitCode, lines: [String]) {
    self.code = code
    self.lines = lines
  }
}

extension SuiteLibrary {
  /// The binary's own, or those of a folder or files in their place.
  /// - Throws: with every problem of every file, and then nothing is to be run.
  static func load(_ places: [String]) throws(Refusal) -> SuiteLibrary {
    var library = SuiteLibrary()
    if places.isEmpty {
      library = .embedded
    } else {
      for place in places { try library.add(place) }
    }
    guard library.problems.isEmpty else {
      throw Refusal(.usage, lines: library.problems.map { "\($0)" })
    }
    return library
  }

  /// A file, or all `.yaml` files of a folder.
  mutating func add(_ place: String) throws(Refusal) {
    for path in try Self.files(place) {
      do throws(FileError) { add(try readFile(path, limit: Self.fileLimit), file: path) } catch {
        throw Refusal(.cannotRun, error.message)
      }
    }
  }

  /// In the order of their names.
  private static func files(_ place: String) throws(Refusal) -> [String] {
    guard isFolder(place) || !fileExists(place) else { return [place] }
    let names: [String]
    do throws(FileError) { names = try fileNames(inFolder: place).filter { $0.hasSuffix(".yaml") } } catch {
      throw Refusal(.cannotRun, error.message)
    }
    guard !names.isEmpty else { throw Refusal(.usage, "\(place) has no .yaml files") }
    return names.sorted().map { "\(place)/\($0)" }
  }
}

/// Options that several commands have.
enum SuiteOptions {
  static let json = Flag("json", "write JSON to standard output")
  static let suites = Option(
    "suites", "DIR", repeated: true, "a folder of suites, or a file, in place of the built-in ones")
  static let select = Option(
    "select", "EXPR", repeated: true,
    "the cases: ids, names, areas, sections, levels, tags; * stands for anything, & for both, ! for not")
  static let exclude = Option("exclude", "EXPR", repeated: true, "cases to leave out")
  static let level = Option<Level>(
    oneOf: "level", "must: what binds alone; should: what is recommended, too; all (the default)")

  enum Level: String, CaseIterable, Sendable {
    case must, should, all

    var levels: Set<CaseLevel> {
      switch self {
      case .must: [.must]
      case .should: [.must, .should]
      case .all: Set(CaseLevel.allCases)
      }
    }
  }

  /// The ids that a command line asks for.
  /// - Throws: with exit code 4 and the nearest names, where an expression names nothing.
  static func ids(_ arguments: Arguments, in library: SuiteLibrary) throws -> Set<String> {
    let cases = library.selectable
    var ids = Set(cases.map(\.id))
    do {
      let chosen = try arguments.all(select)
      if !chosen.isEmpty {
        ids = []
        for text in chosen { ids.formUnion(try CaseSelector(text).select(from: cases).map(\.id)) }
      }
      for text in try arguments.all(exclude) { ids.subtract(try CaseSelector(text).select(from: cases).map(\.id)) }
    } catch let problem as CaseSelector.Problem {
      throw Refusal(.nothingSelected, problem.message)
    }
    if let level = try arguments.value(level) {
      let levels = Set(level.levels.map(\.rawValue))
      ids.formIntersection(cases.filter { levels.contains($0.level) }.map(\.id))
    }
    if ids.isEmpty { throw Refusal(.nothingSelected, "no case is selected") }
    return ids
  }
}
