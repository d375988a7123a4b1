import HAPReport
import HAPSuite
import HAPWire

/// Known failures of an accessory, with reasons. A case that fails as listed doesn't fail the run; a listed case that passes fails it.
///
/// `{"format": 1, "entries": [{"id": "PS-22", "verdict": "fail", "message": "M2 without Error*", "reason": "…", "link": "…", "expires": "2027-05-01"}]}`
package struct Baseline: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    /// ID of a case.
    package var id: String
    package var verdict: Verdict
    /// A pattern that must match the case's whole message.
    package var message: Glob
    package var reason: String
    package var link: String?
    /// The last day of validity, "2027-05-01"; nil: no expiry.
    package var expires: String?
  }

  package enum Match: Equatable, Sendable {
    /// The case ended as an entry expects, for this reason.
    case expected(reason: String)
    /// The case passed although an entry expects a failure.
    case unexpectedPass(reason: String)
    /// No entry matches.
    case other
  }

  private static let verdicts: [Verdict] = [.fail, .nonStrict, .error, .skip, .flaky]

  package var entries: [Entry]

  package init(_ entries: [Entry] = []) { self.entries = entries }

  // MARK: JSON

  /// The first mistakes of a baseline, in the order of the file.
  package struct Mistakes: Error, Equatable {
    /// Largest number of mistakes that are reported.
    package static let limit = 100

    package private(set) var problems: [JSONProblem] = []
    /// Whether more mistakes were found.
    package private(set) var isCut = false

    /// Runs `body`. If it throws, notes the error and returns nil.
    fileprivate mutating func noting<T>(_ body: () throws(JSONProblem) -> T) -> T? {
      do throws(JSONProblem) { return try body() } catch {
        if problems.count < Self.limit { problems.append(error) } else { isCut = true }
        return nil
      }
    }
  }

  /// - Parameter ids: all known case IDs, selected or not.
  package init(_ bytes: [UInt8], ids: [String]) throws(Mistakes) {
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
      throw Mistakes(problems: [JSONProblem(path: "", place: error.place, message: error.message)])
    }
    try self.init(node, ids: ids)
  }

  package init(_ node: JSONNode, ids: [String]) throws(Mistakes) {
    var mistakes = Mistakes()
    _ = mistakes.noting { () throws(JSONProblem) in try node.refuseUnknownMembers(except: ["format", "entries"]) }
    _ = mistakes.noting { () throws(JSONProblem) in _ = try node.required("format").asInteger(in: 1...1) }
    let list = mistakes.noting { () throws(JSONProblem) in try node.required("entries").asList() }
    entries = []
    let known = KnownIDs(list: ids, set: Set(ids))
    var keys: Set<[String]> = []
    for node in list ?? [] {
      if mistakes.isCut { break }
      guard let entry = Self.entry(node, ids: known, &mistakes) else { continue }
      if !keys.insert([entry.id, entry.verdict.rawValue, entry.message.pattern]).inserted {
        _ = mistakes.noting { () throws(JSONProblem) in
          throw node.problem("there is already an entry for \(entry.id) with this verdict and message")
        }
      }
      entries.append(entry)
    }
    guard mistakes.problems.isEmpty else { throw mistakes }
  }

  /// - Returns: nil if a required member is invalid, which is noted.
  private static func entry(_ node: JSONNode, ids: KnownIDs, _ mistakes: inout Mistakes) -> Entry? {
    guard mistakes.noting({ () throws(JSONProblem) in try node.asObject() }) != nil else { return nil }
    _ = mistakes.noting { () throws(JSONProblem) in
      try node.refuseUnknownMembers(except: ["id", "verdict", "message", "reason", "link", "expires"])
    }
    let id = mistakes.noting { () throws(JSONProblem) in try knownID(node, ids) }
    let verdict = mistakes.noting { () throws(JSONProblem) in try self.verdict(node) }
    let message = mistakes.noting { () throws(JSONProblem) in try text("message", node) }
    let reason = mistakes.noting { () throws(JSONProblem) in try text("reason", node) }
    let link = mistakes.noting { () throws(JSONProblem) in
      try node["link"].map { node throws(JSONProblem) in try node.asString() }
    }
    let expires = mistakes.noting { () throws(JSONProblem) in
      try node["expires"].map { node throws(JSONProblem) in try day(node) }
    }
    guard let id, let verdict, let message, let reason, let link, let expires else { return nil }
    return Entry(id: id, verdict: verdict, message: Glob(message), reason: reason, link: link, expires: expires)
  }

  /// Case IDs as a set for look-ups, and in order for suggestions.
  private struct KnownIDs {
    var list: [String]
    var set: Set<String>
  }

  private static func knownID(_ node: JSONNode, _ ids: KnownIDs) throws(JSONProblem) -> String {
    let id = try text("id", node)
    guard !ids.set.contains(id) else { return id }
    let hint = nearestName(to: id, in: ids.list).map { ": did you mean \"\($0)\"?" } ?? ""
    throw try node.required("id").problem("there is no case \"\(id)\"\(hint)")
  }

  private static func verdict(_ node: JSONNode) throws(JSONProblem) -> Verdict {
    let verdict = try node.required("verdict")
    let name = try verdict.asString()
    guard let meant = verdicts.first(where: { $0.rawValue == name }) else {
      let names = verdicts.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw verdict.problem("the verdict must be one of \(names), not \"\(name)\"")
    }
    return meant
  }

  private static func text(_ name: String, _ node: JSONNode) throws(JSONProblem) -> String {
    let value = try node.required(name)
    let text = try value.asString()
    guard text.contains(where: { !$0.isWhitespace }) else {
      switch name {
      case "message": throw value.problem("the message is empty; \"*\" matches any message")
      case "reason": throw value.problem("the reason is empty; state why this case fails")
      default: throw value.problem("the \(name) is empty")
      }
    }
    return text
  }

  /// Reads a day such as "2027-05-01". In this form, comparing texts compares days.
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

  // MARK: Evaluation

  /// Compares a case's result with the baseline.
  /// - Parameters:
  ///   - message: the case's message.
  ///   - today: in the form of `expires`; nil: no entry has expired.
  package func judge(id: String, verdict: Verdict, message: String, today: String?) -> Match {
    let about = entries.filter { $0.id == id && !Self.hasExpired($0, today) }
    guard let first = about.first else { return .other }
    if verdict == .pass || verdict == .info { return .unexpectedPass(reason: first.reason) }
    let fitting = about.first { $0.verdict == verdict && $0.message.matches(message) }
    return fitting.map { .expected(reason: $0.reason) } ?? .other
  }

  /// Returns the expired entries, one sentence each.
  package func expired(today: String?) -> [String] {
    entries.filter { Self.hasExpired($0, today) }.map {
      "\($0.id): the baseline entry expired on \($0.expires ?? "") and is ignored: \($0.reason)"
    }
  }

  private static func hasExpired(_ entry: Entry, _ today: String?) -> Bool {
    guard let today, let expires = entry.expires else { return false }
    return expires < today
  }
}
