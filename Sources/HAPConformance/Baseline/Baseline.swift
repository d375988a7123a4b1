import HAPReport
import HAPSuite
import HAPWire

/// What a known accessory is known to get wrong, with the reason: what fails as it says doesn't fail a run, and what no longer fails does.
///
/// `{"format": 1, "entries": [{"id": "PS-22", "verdict": "fail", "message": "M2 without Error*", "reason": "…", "link": "…", "expires": "2027-05-01"}]}`
package struct Baseline: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    /// Of a case.
    package var id: String
    package var verdict: Verdict
    /// Fits the case's message as a whole.
    package var message: Glob
    package var reason: String
    package var link: String?
    /// The last day on which it counts, "2027-05-01"; nil: it counts for ever.
    package var expires: String?
  }

  package enum Judgement: Equatable, Sendable {
    /// It ended as an entry says, for this reason.
    case expected(reason: String)
    /// It is as required, and an entry says that it isn't.
    case unexpectedPass(reason: String)
    /// No entry is about this.
    case other
  }

  private static let verdicts: [Verdict] = [.fail, .nonStrict, .error, .skip, .flaky]

  package var entries: [Entry]

  package init(_ entries: [Entry] = []) { self.entries = entries }

  // MARK: JSON

  /// - Parameter ids: of all cases that there are, selected or not.
  package init(_ bytes: [UInt8], ids: [String]) throws(JSONProblem) {
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
      throw JSONProblem(path: "", place: error.place, message: error.message)
    }
    try self.init(node, ids: ids)
  }

  package init(_ node: JSONNode, ids: [String]) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["format", "entries"])
    _ = try node.required("format").asInteger(in: 1...1)
    let known = Set(ids)
    entries = []
    for node in try node.required("entries").asList() {
      let entry = try Self.entry(node)
      guard known.contains(entry.id) else {
        let hint = nearestName(to: entry.id, in: ids).map { ": did you mean \"\($0)\"?" } ?? ""
        throw try node.required("id").problem("there is no case \"\(entry.id)\"\(hint)")
      }
      let isThere = entries.contains { $0.id == entry.id && $0.verdict == entry.verdict && $0.message == entry.message }
      if isThere { throw node.problem("an entry for \(entry.id) with this verdict and message stands here already") }
      entries.append(entry)
    }
  }

  private static func entry(_ node: JSONNode) throws(JSONProblem) -> Entry {
    try node.refuseUnknownMembers(except: ["id", "verdict", "message", "reason", "link", "expires"])
    let verdict = try node.required("verdict")
    let name = try verdict.asString()
    guard let meant = verdicts.first(where: { $0.rawValue == name }) else {
      let names = verdicts.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw verdict.problem("a case can be expected to end as one of \(names), not \"\(name)\"")
    }
    return Entry(
      id: try text("id", node), verdict: meant, message: Glob(try text("message", node)),
      reason: try text("reason", node),
      link: try node["link"].map { node throws(JSONProblem) in try node.asString() },
      expires: try node["expires"].map { node throws(JSONProblem) in try day(node) })
  }

  private static func text(_ name: String, _ node: JSONNode) throws(JSONProblem) -> String {
    let value = try node.required(name)
    let text = try value.asString()
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw value.problem(name == "message" ? "the message is empty: \"*\" fits any" : "the \(name) is empty")
    }
    return text
  }

  /// "2027-05-01": days in this form are in order when their texts are.
  private static func day(_ node: JSONNode) throws(JSONProblem) -> String {
    let text = try node.asString()
    guard isDay(text) else { throw node.problem("a day such as \"2027-05-01\" is expected, not \"\(text)\"") }
    return text
  }

  private static func isDay(_ text: String) -> Bool {
    let digits = Array(text.utf8)
    let hasForm =
      digits.count == 10
      && digits.indices.allSatisfy { index in
        index == 4 || index == 7 ? digits[index] == UInt8(ascii: "-") : (0x30...0x39).contains(digits[index])
      }
    guard hasForm, let year = Int(text.prefix(4)), let month = Int(text.dropFirst(5).prefix(2)),
      let day = Int(text.suffix(2)),
      (1...12).contains(month)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...days[month - 1]).contains(day)
  }

  // MARK: Judging

  /// What a case's end is by this baseline.
  /// - Parameters:
  ///   - message: the case's.
  ///   - today: as entries write days; nil: none has expired.
  package func judge(id: String, verdict: Verdict, message: String, today: String?) -> Judgement {
    let about = entries.filter { $0.id == id && !Self.hasExpired($0, today) }
    guard let first = about.first else { return .other }
    if verdict == .pass || verdict == .info { return .unexpectedPass(reason: first.reason) }
    let fitting = about.first { $0.verdict == verdict && $0.message.matches(message) }
    return fitting.map { .expected(reason: $0.reason) } ?? .other
  }

  /// The entries that count no more, one sentence each.
  package func expired(today: String?) -> [String] {
    entries.filter { Self.hasExpired($0, today) }.map {
      "\($0.id): the baseline's entry expired on \($0.expires ?? "") and doesn't count: \($0.reason)"
    }
  }

  private static func hasExpired(_ entry: Entry, _ today: String?) -> Bool {
    guard let today, let expires = entry.expires else { return false }
    return expires < today
  }
}
