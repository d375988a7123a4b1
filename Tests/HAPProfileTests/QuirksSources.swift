import Foundation
import HAPModel
import HAPProfile
import HAPTestSupport

/// The public sources of the quirks' fields: docs/internals/quirks-sources.tsv.
struct QuirksSources {
  struct Project {
    var name: String
    var commit: String
    /// A tag or a branch; empty if there is none.
    var release: String

    /// The page of a single line, such as `src/a.c:12`.
    func link(_ place: String) -> String {
      let parts = place.split(separator: ":")
      return "https://github.com/\(name)/blob/\(commit.prefix(12))/\(parts[0])#L\(parts.last ?? "")"
    }
  }

  let stacks = Dictionary(
    uniqueKeysWithValues: Quirks.presets.all.map {
      ($0.name, Project(name: $0.project, commit: $0.commit, release: $0.release))
    })
  /// Projects that a stack uses, with the name of its preset.
  private(set) var modules: [(preset: String, project: Project)] = []
  /// Rules of docs/internals/protocol.md, by field.
  private(set) var rules: [String: String] = [:]
  /// The rule of docs/internals/protocol.md for a default that no preset has.
  private(set) var ownDefaults: [String: String] = [:]
  private var places: [String: [String: [String]]] = [:]

  struct Malformed: Error { var line: String }

  init() throws {
    let file = Repository.root.appending(path: "docs/internals/quirks-sources.tsv")
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      switch (cells[0], cells.count) {
      case ("module", 5):
        modules.append((cells[1], Project(name: cells[2], commit: cells[3], release: cells[4])))
      case ("rules", 3): rules[cells[1]] = cells[2]
      case ("default", 3): ownDefaults[cells[1]] = cells[2]
      case ("source", 4):
        places[cells[1], default: [:]][cells[2]] = cells[3].split(separator: " ").map(String.init)
      default: throw Malformed(line: String(line))
      }
    }
  }

  /// The fields with a row of any kind.
  var fields: Set<String> { Set(places.keys).union(rules.keys).union(ownDefaults.keys) }

  /// Links to the lines that show a preset's setting; empty if there is no source.
  func links(_ field: String, _ preset: String) -> [String] {
    guard let stack = stacks[preset] else { return [] }
    return (places[field]?[preset] ?? []).map { place in
      guard let module = modules.map(\.project).first(where: { place.hasPrefix($0.name + "/") }) else {
        return "[`\(place)`](\(stack.link(place)))"
      }
      return "[`\(place)`](\(module.link(String(place.dropFirst(module.name.count + 1)))))"
    }
  }

  /// The source of the default: the first preset with the same setting, or a rule of docs/internals/protocol.md.
  func standard(_ field: QuirksField) -> String? {
    if let rule = ownDefaults[field.name] { return "[protocol.md](protocol.md) \(rule)" }
    let setting = field.setting(of: Quirks())
    return Quirks.presets.keys.first { name in
      Quirks.presets[name].map { field.setting(of: $0) == setting } ?? false && !links(field.name, name).isEmpty
    }.map { "as `\($0)`" }
  }
}
