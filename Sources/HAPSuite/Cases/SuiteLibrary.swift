import HAPWire
import HAPYAML

/// The suites of a run: the embedded suites, or the user's.
package struct SuiteLibrary: Sendable {
  package var suites: [Suite] = []
  package var problems: [SuiteProblem] = []

  /// The size limit of a suite file in bytes.
  package static let fileLimit = 4 << 20

  package init() {}

  /// The suites embedded in the binary.
  package static let embedded = SuiteLibrary(embeddedTrusting: true)

  /// - Parameter isTrusted: whether to skip the checks. A test has done them, and haptest starts faster without them.
  package init(embeddedTrusting isTrusted: Bool) {
    for file in EmbeddedSuites.files {
      add(file.text.withUTF8Buffer { Array($0) }, file: file.name, isTrusted: isTrusted)
    }
  }

  /// Reads one more file. A duplicate id or name is a problem.
  package mutating func add(_ bytes: [UInt8], file: String, isTrusted: Bool = false) {
    let document: JSONNode
    do throws(JSONError) { document = try JSONNode.yaml(bytes) } catch {
      problems.append(SuiteProblem(file: file, place: error.place, path: "", message: error.message))
      return
    }
    let (suite, found) = SuiteReader.read(document, file: file, isTrusted: isTrusted)
    problems += found
    for definition in isTrusted ? [] : suite.cases {
      for other in suites {
        if let twin = other.cases.first(where: { $0.id == definition.id || $0.name == definition.name }) {
          problems.append(
            SuiteProblem(
              file: file, place: definition.place, path: definition.id,
              message: "\(twin.id) \(twin.name) already exists in \(other.file)"))
        }
      }
    }
    suites.append(suite)
  }

  package var cases: [CaseDefinition] { suites.flatMap(\.cases) }

  /// The cases as selectors see them, in the same order.
  package var selectable: [SelectableCase] { cases.map(\.selectable) }
}

extension CaseDefinition {
  /// The case as selectors see it.
  package var selectable: SelectableCase {
    var tags: [String] = []
    if needs.isLong { tags.append("long") }
    if needs.resets { tags.append("reset") }
    if needs.multicast { tags.append("multicast") }
    if needs.wrongCodes > 0 { tags.append("wrong-code") }
    if !needs.hooks.isEmpty { tags.append("hook") }
    if isShared { tags.append("shared") }
    if needs.state != .any { tags.append(needs.state.rawValue) }
    return SelectableCase(id: id, name: name, area: area, section: section, level: level.rawValue, tags: tags)
  }
}
