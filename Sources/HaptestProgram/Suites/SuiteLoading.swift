import HAPCommandLine
import HAPSuite

/// The reason why a command cannot do its work: one line, or several for a list.
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
  /// Loads the embedded suites, or the suites of the given folders and files instead.
  /// - Throws: `Refusal` with all problems of all files. No case then runs.
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

  /// Adds a file, or all `.yaml` files of a folder.
  mutating func add(_ place: String) throws(Refusal) {
    for path in try Self.files(place) {
      do throws(FileError) { add(try readFile(path, limit: Self.fileLimit), file: path) } catch {
        throw Refusal(.cannotRun, error.message)
      }
    }
  }

  /// Returns the paths in the order of their names.
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
    "suites", "DIR", repeated: true, "a folder of suites, or a file, instead of the built-in ones")
  static let select = Option(
    "select", "EXPR", repeated: true,
    "the cases: ids, names, areas, sections, levels, tags; * matches anything, & means and, ! means not")
  static let exclude = Option("exclude", "EXPR", repeated: true, "the cases to exclude")
  static let level = Option<Level>(
    oneOf: "level", "must: only MUST cases; should: also SHOULD cases; all: also INFO cases (the default)")

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

  /// Returns the ids of the selected cases.
  /// - Throws: `Refusal` with exit status 4 and the nearest names if an expression matches nothing.
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
