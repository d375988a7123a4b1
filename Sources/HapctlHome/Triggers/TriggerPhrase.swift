import HAPAlmanac
import HAPHome
import HAPHomeFile
import HAPModel
import HAPWire

/// Parses the texts of `--when`, `--if` and `--end` as the objects that `.hashome` files have for them. A text that begins with "{"
/// is such an object in JSON.
struct TriggerPhrase: Sendable {
  /// Finds the paths and the users.
  let lookup: HomeLookup

  /// The comparisons between a path and a value, longer ones first. `!=` and others are for people who write code.
  private static let comparisons: [(text: String, comparison: Comparison)] = [
    (" is-not ", .notEqual), (" at-least ", .greaterOrEqual), (" at-most ", .lessOrEqual), (" above ", .greater),
    (" below ", .less), (" is ", .equal), ("!=", .notEqual), (">=", .greaterOrEqual), ("<=", .lessOrEqual),
    (">", .greater), ("<", .less), ("=", .equal),
  ]

  // MARK: Events

  static let eventForms =
    "PATH, 'PATH is VALUE', 'PATH at-least N', 'PATH at-most N', 'at 18:00', 'sunset', 'sunrise -30min', 'USER arrives', 'USER leaves', 'first arrives', 'last leaves', 'enter LAT,LON,METRES' or 'exit LAT,LON,METRES'"

  /// Parses an event: a form of `eventForms`, or "after 10min" for an end event.
  func event(_ text: String) throws(HomeFailure) -> JSONNode {
    if let node = try object(text) { return node }
    let words = text.split(separator: " ").map(String.init)
    if let moment = try sunMoment(words) { return .object(moment) }
    if words.count == 1, HomeText.parts(words[0].paddedTime) != nil {
      return .object([("at", .text(words[0].paddedTime))])
    }
    if words.count == 2 {
      switch words[0] {
      case "at": return .object([("at", .text(words[1].paddedTime))])
      case "after": return .object([("after", .text(words[1]))])
      case "enter", "exit": return try region(words[1], isEntry: words[0] == "enter")
      default: break
      }
    }
    if let presence = try presence(text, [(" arrives", "entry"), (" leaves", "exit")]) { return presence }
    return try comparison(text, "an event", Self.eventForms)
  }

  /// Parses "first arrives", "anyone leaves" and "anna arrives".
  private func presence(_ text: String, _ endings: [(String, String)]) throws(HomeFailure) -> JSONNode? {
    for (ending, kind) in endings where text.hasSuffix(ending) {
      let who = String(text.dropLast(ending.count))
      switch who {
      case "first" where kind == "entry", "last" where kind == "exit":
        return .object([("presence", .text("\(who)-\(kind)")), ("users", .text("home-users"))])
      case "anyone", "someone": return .object([("presence", .text("every-\(kind)")), ("users", .text("home-users"))])
      default: return .object([("presence", .text("every-\(kind)")), ("users", try user(who))])
      }
    }
    return nil
  }

  private func region(_ text: String, isEntry: Bool) throws(HomeFailure) -> JSONNode {
    let numbers = text.split(separator: ",").map { Double($0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
      throw HomeFailure(
        .usage,
        "\(text.quoted) is not a region: write the latitude, the longitude and the radius in metres, such as 37.33,-122.03,100"
      )
    }
    return .object([
      (
        "region",
        .object([("centre", .list([.number(latitude), .number(longitude)])), ("radius", .number(radius))])
      ), ("entry", .flag(isEntry)), ("exit", .flag(!isEntry)),
    ])
  }

  // MARK: Conditions

  static let conditionForms =
    "'PATH is VALUE', with is-not, below, at-most, above or at-least instead of is, 'before 18:00', 'after sunset -30min', 'between 22:00 and 06:00', 'on mon', 'on 2026-06-01', 'someone is home', 'no-one is home', 'USER is home' or 'USER is away'; 'not' before it negates it"

  /// Parses a condition: a form of `conditionForms`.
  func condition(_ text: String) throws(HomeFailure) -> JSONNode {
    if let node = try object(text) { return node }
    if text.hasPrefix("not ") { return .object([("not", try condition(String(text.dropFirst(4))))]) }
    let words = text.split(separator: " ").map(String.init)
    if !text.contains("/"), let first = words.first, words.count > 1 {
      switch first {
      case "before", "after": return .object([(first, try moment(Array(words.dropFirst())))])
      case "between":
        guard let and = words.firstIndex(of: "and"), and > 1, and < words.count - 1 else {
          throw HomeFailure(.usage, "\(text.quoted) is not a condition: write 'between 22:00 and 06:00'")
        }
        return .object([
          ("between", .list([try moment(Array(words[1..<and])), try moment(Array(words[(and + 1)...]))]))
        ])
      case "on":
        let day = words[1].lowercased()
        if Weekday.allCases.contains(where: { $0.word == day }) {
          return .object([("on", .object([("weekday", .text(day))]))])
        }
        return .object([("on", .text(words[1]))])
      default: break
      }
      if let who = text.removing(" is home") { return try atHome(who, isHome: true) }
      if let who = text.removing(" is away") { return try atHome(who, isHome: false) }
    }
    return try comparison(text, "a condition", Self.conditionForms)
  }

  private func atHome(_ who: String, isHome: Bool) throws(HomeFailure) -> JSONNode {
    switch who {
    case "someone", "anyone": presence(isHome, .text("home-users"))
    case "no-one": presence(!isHome, .text("home-users"))
    default: presence(isHome, try user(who))
    }
  }

  /// As a condition, `first-entry` means that one of the users is at home, and `last-exit` that none is (rule T8).
  private func presence(_ isHome: Bool, _ users: JSONNode) -> JSONNode {
    .object([("presence", .text(isHome ? "first-entry" : "last-exit")), ("users", users)])
  }

  // MARK: Parts

  /// Parses an object in JSON; nil for a text that does not begin with "{".
  private func object(_ text: String) throws(HomeFailure) -> JSONNode? {
    guard text.hasPrefix("{") else { return nil }
    do { return try JSONNode.parse(Array(text.utf8), depthLimit: JSONNode.homeDepthLimit) } catch {
      throw HomeFailure(.usage, "\(text.quoted) is not JSON: \(error.message)")
    }
  }

  /// A time, a date, or a moment of the sun.
  private func moment(_ words: [String]) throws(HomeFailure) -> JSONNode {
    if let members = try sunMoment(words) { return .object(members) }
    return .text(words.joined(separator: " ").paddedTime)
  }

  /// Parses "sunset", "sunset -30min", "sunset - 30min" and "30min before sunset"; nil if no word is about the sun.
  private func sunMoment(_ words: [String]) throws(HomeFailure) -> [JSONMember]? {
    let events = ["sunrise", "sunset"]
    guard let first = words.first, let last = words.last else { return nil }
    if events.contains(first) {
      let offset = words.dropFirst().joined()
      return [("sun", .text(first))] + (offset.isEmpty ? [] : [("offset", .text(offset))])
    }
    if let event = events.first(where: first.hasPrefix), words.count == 1 {  // "sunset-30min"
      return [("sun", .text(event)), ("offset", .text(String(first.dropFirst(event.count))))]
    }
    guard words.count == 3, events.contains(last), ["before", "after"].contains(words[1]) else { return nil }
    return [("sun", .text(last)), ("offset", .text((words[1] == "before" ? "-" : "") + first))]
  }

  /// Splits a text at its comparison, which comes after the last slash of the path.
  static func split(_ text: String) -> (path: String, comparison: Comparison, value: String)? {
    let start = text.lastIndex(of: "/") ?? text.startIndex
    var best: (range: Range<String.Index>, comparison: Comparison)?
    for (word, comparison) in comparisons {
      guard let range = text[start...].firstRange(of: word) else { continue }
      if best.map({ range.lowerBound < $0.range.lowerBound }) ?? true { best = (range, comparison) }
    }
    guard let best else { return nil }
    let path = text[..<best.range.lowerBound].trimmed
    let value = text[best.range.upperBound...].trimmed
    return path.isEmpty || value.isEmpty ? nil : (path, best.comparison, value)
  }

  private func comparison(_ text: String, _ noun: String, _ forms: String) throws(HomeFailure) -> JSONNode {
    guard let (path, comparison, value) = Self.split(text) else {
      guard noun == "an event", text.contains("/") || HomeObjectID(text) != nil else {
        throw HomeFailure(.usage, "\(text.quoted) is not \(noun): write \(forms)")
      }
      let found = try lookup.characteristic(text.trimmed).characteristic
      return .object([("characteristic", .text(lookup.path(ofCharacteristic: found.id)))])
    }
    let found = try lookup.characteristic(path).characteristic
    return .object([
      ("characteristic", .text(lookup.path(ofCharacteristic: found.id))),
      (comparison.word, scalar(try found.withoutUnit(value))),
    ])
  }

  private func user(_ text: String) throws(HomeFailure) -> JSONNode { .list([.text(try lookup.user(text).name)]) }

  /// A value as a document has it: a number, true or false, or a text.
  private func scalar(_ text: String) -> JSONNode {
    if let number = Int128(text) { return .integer(number) }
    if let number = Double(text), number.isFinite { return .fraction(number) }
    if let bool = Bool(text) { return .flag(bool) }
    return .text(text)
  }
}

extension StringProtocol {
  /// The text without blanks at both ends.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  fileprivate func removing(_ ending: String) -> String? { hasSuffix(ending) ? String(dropLast(ending.count)) : nil }
}
