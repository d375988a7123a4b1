import HAPAlmanac
import HAPModel
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Events, conditions and triggers in JSON")
struct HomeNotationJSONTests {
  private static let notation = IdentifierNotation()
  private static let id = JSONRandom.fixedID

  private static func node(_ text: String) -> JSONNode {
    try! JSONNode.parse(Array(text.replacing("ID", with: "\"\(id)\"").utf8), depthLimit: JSONNode.homeDepthLimit)
  }

  private static func text(_ node: JSONNode) -> String { node.compactText.replacing("\"\(id)\"", with: "ID") }

  private static func message<T>(_ body: () throws(JSONProblem) -> T) -> String? {
    do throws(JSONProblem) {
      _ = try body()
      return nil
    } catch { return "\(error.path): \(error.message)" }
  }

  @Test("Each form of an event is read as it was written", arguments: EventWord.allCases)
  func events(_ word: EventWord) throws {
    var random = JSONRandom(seed: 10)
    for _ in 0..<500 {
      let event = random.event(word)
      let node = Self.notation.written(event)
      #expect(node[word.rawValue] != nil)
      let parsed = try JSONNode.parse(Array(node.compactText.utf8))
      #expect(try Self.notation.event(parsed) == event, "\(node.compactText)")
    }
  }

  @Test("Each form of a condition is read as it was written", arguments: ConditionWord.allCases)
  func conditions(_ word: ConditionWord) throws {
    var random = JSONRandom(seed: 11)
    for _ in 0..<300 {
      let condition = random.condition(word, depth: 5)
      let node = Self.notation.written(condition)
      #expect(node[word.rawValue] != nil)
      let parsed = try JSONNode.parse(Array(node.compactText.utf8))
      #expect(try Self.notation.condition(parsed) == condition, "\(node.compactText)")
    }
  }

  @Test("Triggers are read as they were written")
  func triggers() throws {
    var random = JSONRandom(seed: 12)
    for _ in 0..<2000 {
      let kind = random.triggerKind()
      let node = JSONNode.object(Self.notation.members(kind) + [("name", .text("T"))])
      let parsed = try JSONNode.parse(Array(node.compactText.utf8))
      #expect(try Self.notation.triggerKind(parsed, and: ["name"]) == kind, "\(node.compactText)")
    }
  }

  @Test("Events have the words of home.md")
  func eventWords() throws {
    let six = try DateParts(hour: 18, minute: 0)
    let monday = try DateParts(weekday: .monday, hour: 7)
    let place = Coordinate(latitude: 37.33, longitude: -122.03)!
    let rows: [(String, HomeEvent)] = [
      (#"{"characteristic":ID}"#, .characteristic(Self.id, equals: nil)),
      (#"{"characteristic":ID,"is":true}"#, .characteristic(Self.id, equals: true)),
      (#"{"characteristic":ID,"is":1}"#, .characteristic(Self.id, equals: 1)),
      (#"{"characteristic":ID,"is":1.0}"#, .characteristic(Self.id, equals: 1.0)),
      (#"{"characteristic":ID,"is":null}"#, .characteristic(Self.id, equals: .null)),
      (#"{"characteristic":ID,"is":{"base64":"AQI="}}"#, .characteristic(Self.id, equals: .data([1, 2]))),
      (
        #"{"characteristic":ID,"at-least":20,"at-most":25.5}"#, .threshold(Self.id, ThresholdRange(min: 20, max: 25.5)!)
      ),
      (#"{"characteristic":ID,"at-most":5}"#, .threshold(Self.id, ThresholdRange(min: nil, max: 5)!)),
      (#"{"at":"18:00"}"#, .calendar(six)), (#"{"at":{"weekday":"mon","hour":7}}"#, .calendar(monday)),
      (#"{"at":"2026-06-01"}"#, .calendar(try DateParts(year: 2026, month: 6, day: 1))),
      (
        #"{"at":"2026-06-01T18:00:30"}"#,
        .calendar(try DateParts(year: 2026, month: 6, day: 1, hour: 18, minute: 0, second: 30))
      ),
      (#"{"sun":"sunset","offset":"-30min"}"#, .sun(SunMoment(.sunset, offset: -1800)!)),
      (#"{"sun":"sunrise"}"#, .sun(SunMoment(.sunrise)!)),
      (#"{"presence":"every-entry","users":"current-user"}"#, .presence(PresenceEvent(.everyEntry, of: .currentUser))),
      (#"{"presence":"last-exit","users":[ID]}"#, .presence(PresenceEvent(.lastExit, of: .users([Self.id])))),
      (
        #"{"region":{"centre":[37.33,-122.03],"radius":100},"entry":true,"exit":false}"#,
        .location(Region(centre: place, radius: 100)!, onEntry: true, onExit: false)
      ),
      (#"{"after":"10min"}"#, .duration(seconds: 600)), (#"{"after":3600001}"#, .duration(seconds: 3_600_001)),
    ]
    for (text, event) in rows {
      #expect(try Self.notation.event(Self.node(text)) == event, "\(text)")
      #expect(Self.text(Self.notation.written(event)) == text)
    }
    let short: [(String, HomeEvent)] = [
      (#"{"presence":"first-entry"}"#, .presence(PresenceEvent(.firstEntry, of: .homeUsers))),
      (#"{"sun":"sunset","offset":"+1.5h"}"#, .sun(SunMoment(.sunset, offset: 5400)!)),
      (#"{"at":{"hour":18,"minute":0}}"#, .calendar(six)), (#"{"after":90}"#, .duration(seconds: 90)),
      (
        #"{"region":{"centre":[37.33,-122.03],"radius":100},"exit":true}"#,
        .location(Region(centre: place, radius: 100)!, onEntry: false, onExit: true)
      ),
    ]
    for (text, event) in short { #expect(try Self.notation.event(Self.node(text)) == event, "\(text)") }
  }

  @Test("Conditions have the words of home.md")
  func conditionWords() throws {
    let (ten, six) = (DateParts.hour(22), DateParts.hour(6))
    let (sunset, sunrise) = (SunMoment(.sunset, offset: -1800)!, SunMoment(.sunrise)!)
    let rows: [(String, Condition)] = [
      (
        #"{"all":[{"before":"22:00"},{"characteristic":ID,"is":true}]}"#,
        .all([.time(.before(ten)), .characteristic(Self.id, .equal, true)])
      ),
      (#"{"any":[]}"#, .any([])), (#"{"not":{"unknown":true}}"#, .not(.unknown)),
      (#"{"characteristic":ID,"is-not":0}"#, .characteristic(Self.id, .notEqual, 0)),
      (#"{"characteristic":ID,"below":20.5}"#, .characteristic(Self.id, .less, 20.5)),
      (#"{"characteristic":ID,"at-most":20}"#, .characteristic(Self.id, .lessOrEqual, 20)),
      (#"{"characteristic":ID,"above":20}"#, .characteristic(Self.id, .greater, 20)),
      (#"{"characteristic":ID,"at-least":20}"#, .characteristic(Self.id, .greaterOrEqual, 20)),
      (#"{"after":"22:00"}"#, .time(.after(ten))), (#"{"between":["22:00","06:00"]}"#, .time(.between(ten, six))),
      (#"{"on":{"weekday":"sun"}}"#, .time(.on(try DateParts(weekday: .sunday)))),
      (#"{"before":"sunrise"}"#, .sun(.before(sunrise))),
      (#"{"after":{"sun":"sunset","offset":"-30min"}}"#, .sun(.after(sunset))),
      (#"{"between":[{"sun":"sunset","offset":"-30min"},"sunrise"]}"#, .sun(.between(sunset, sunrise))),
      (#"{"presence":"last-exit","users":"home-users"}"#, .presence(PresenceEvent(.lastExit, of: .homeUsers))),
    ]
    for (text, condition) in rows {
      #expect(try Self.notation.condition(Self.node(text)) == condition, "\(text)")
      #expect(Self.text(Self.notation.written(condition)) == text)
    }
  }

  private static let wrongEventTexts: [(String, String)] = [
    ("[]", ": an object is expected, not a list"),
    ("{}", ": an event has one of the members characteristic, at, sun, presence, region or after"),
    (#"{"sunn":"sunset"}"#, "sunn: there is no member \"sunn\" here: did you mean \"sun\"?"),
    (#"{"sun":"sunset","at":"18:00"}"#, "at: an event has only one of the members \"sun\" and \"at\""),
    (#"{"at":"18:00","offset":"1h"}"#, "offset: there is no member \"offset\" here"),
    (#"{"characteristic":1}"#, "characteristic: the identifier of a characteristic is expected, not an integer"),
    (#"{"characteristic":ID,"below":1}"#, "below: there is no member \"below\" here"),
    (
      #"{"characteristic":ID,"is":[1]}"#,
      "is: a value is a text, a number, true, false or {\"base64\": …}, not a list"
    ),
    (#"{"characteristic":ID,"is":{"base64":"A"}}"#, "is.base64: base64 is expected, not \"A\""),
    (#"{"characteristic":ID,"is":{}}"#, "is: \"base64\" is missing"),
    (
      #"{"characteristic":ID,"is":1,"at-most":2}"#,
      "is: an event has a value or a range: remove \"is\", or \"at-least\" and \"at-most\""
    ),
    (#"{"characteristic":ID,"at-least":3,"at-most":2}"#, "at-least: \"at-least\" is greater than \"at-most\""),
    (#"{"characteristic":ID,"at-least":"3"}"#, "at-least: a number is expected, not a string"),
    (#"{"characteristic":ID,"at-least":1e999}"#, "at-least: a number is expected, not a number"),
    (#"{"at":"24:00"}"#, "at: a time such as \"18:00\", or a date such as \"2026-06-01\" is expected, not \"24:00\""),
    (#"{"at":1800}"#, "at: a time such as \"18:00\", or a date such as \"2026-06-01\" is expected, not an integer"),
    (#"{"at":{"hour":24}}"#, "at.hour: 24 is not in 0...23"),
    (
      #"{"at":{"weekday":"monday"}}"#,
      "at.weekday: \"monday\" is not a day of the week: write sun, mon, tue, wed, thu, fri or sat"
    ),
    (#"{"at":{"hours":4}}"#, "at.hours: there is no member \"hours\" here: did you mean \"hour\"?"),
    (#"{"sun":"sunst"}"#, "sun: \"sunst\" is not an event of the sun: did you mean \"sunset\"?"),
    (#"{"sun":"sunset","offset":-30}"#, "offset: an offset such as \"-30min\" is expected, not an integer"),
    (#"{"sun":"sunset","offset":"13h"}"#, "offset: an offset is at most 12 h"),
    (
      #"{"presence":"entry"}"#,
      "presence: \"entry\" is not a kind of presence: write every-entry, every-exit, first-entry or last-exit"
    ),
    (
      #"{"presence":"last-exit","users":"all"}"#,
      "users: \"all\" is not a list of users: write current-user or home-users"
    ),
    (#"{"presence":"last-exit","users":["Anna"]}"#, "users[0]: the identifier of a user is expected, not \"Anna\""),
    (#"{"region":{"radius":1}}"#, "region: \"centre\" is missing"),
    (#"{"region":{"centre":[0,0],"radius":0}}"#, "region.radius: a radius is more than 0 m, and at most 1000000 m"),
    (
      #"{"region":{"centre":[0],"radius":1}}"#,
      "region.centre: a place such as [37.33, -122.03] is expected: the latitude and the longitude in degrees"
    ),
    (
      #"{"region":{"centre":[0,200],"radius":1}}"#,
      "region.centre: a latitude is from -90 to 90, and a longitude from -180 to 180"
    ),
    (#"{"region":{"centre":[0,0],"radius":1,"at":1}}"#, "region.at: there is no member \"at\" here"),
    (#"{"region":{"centre":[0,0],"radius":1},"entry":1}"#, "entry: true or false is expected, not an integer"),
    (#"{"after":"10 min"}"#, "after: a duration such as \"10min\" is expected, not \"10 min\""),
    (#"{"after":1.5}"#, "after: an integer is expected, not a number"),
  ]

  @Test("A wrong event is refused with the path and the reason")
  func wrongEvents() {
    for (text, message) in Self.wrongEventTexts {
      let found = Self.message { () throws(JSONProblem) in try Self.notation.event(Self.node(text)) }
      #expect(found?.hasPrefix(message) == true, "\(text): \(found ?? "accepted")")
    }
  }

  @Test("A wrong condition or trigger is refused with the path and the reason")
  func wrongConditions() {
    let conditions: [(String, String)] = [
      ("true", ": an object is expected, not true or false"),
      (
        "{}",
        ": a condition has one of the members all, any, not, characteristic, before, on, after, between, presence or unknown"
      ),
      (#"{"al":[]}"#, "al: there is no member \"al\" here: did you mean \"all\"?"),
      (#"{"all":[],"any":[]}"#, "any: a condition has only one of the members \"all\" and \"any\""),
      (#"{"all":{}}"#, "all: a list is expected, not an object"),
      (#"{"all":[{"any":[{}]}]}"#, "all[0].any[0]: a condition has one of"),
      (
        #"{"characteristic":ID}"#,
        ": a comparison with a characteristic has one of the members is, is-not, below, at-most, above or at-least"
      ),
      (#"{"characteristic":ID,"is":1,"above":2}"#, ": a comparison with a characteristic has one of the members"),
      (#"{"before":"25:00"}"#, "before: a time such as"),
      (#"{"before":{"sun":"moon"}}"#, "before.sun: \"moon\" is not an event"),
      (#"{"before":{"sun":"sunset","hour":1}}"#, "before.hour: there is no member \"hour\" here"),
      (#"{"on":"sunset"}"#, "on: a time such as"),
      (#"{"between":["22:00"]}"#, "between: \"between\" has a list of two times"),
      (
        #"{"between":["22:00","sunrise"]}"#,
        "between: \"between\" has two times of the day, or two moments of the sun, not one of each"
      ),
      (#"{"unknown":false}"#, "unknown: an unknown condition is written as true"),
    ]
    for (text, message) in conditions {
      let found = Self.message { () throws(JSONProblem) in try Self.notation.condition(Self.node(text)) }
      #expect(found?.hasPrefix(message) == true, "\(text): \(found ?? "accepted")")
    }
    let triggers: [(String, String)] = [
      ("{}", ": a trigger has the time of a timer as \"at\", or a list of events as \"when\""),
      (#"{"at":"2026-06-01T19:00:00Z","if":{"any":[]}}"#, "if: a timer has no member \"if\": remove it"),
      (#"{"when":[],"every":"1d"}"#, "every: a trigger with events has no member \"every\": remove it"),
      (#"{"at":"2026-06-01T19:00"}"#, "at: a time in UTC such as \"2026-06-01T19:00:00Z\" is expected, not"),
      (
        #"{"at":"2026-06-01T19:00:00Z","every":"daily"}"#,
        "every: a period such as \"1d\" or \"1h 30min\" is expected, not \"daily\""
      ),
      (#"{"at":"2026-06-01T19:00:00Z","timeZone":"x y"}"#, "timeZone: the name of a time zone such as"),
      (#"{"when":[],"weekdays":["mon","x"]}"#, "weekdays[1]: \"x\" is not a day of the week"),
      (#"{"when":[],"once":1}"#, "once: true or false is expected, not an integer"),
      (#"{"when":{}}"#, "when: a list is expected"),
      (#"{"wehn":[]}"#, "wehn: there is no member \"wehn\" here: did you mean \"when\"?"),
    ]
    for (text, message) in triggers {
      let found = Self.message { () throws(JSONProblem) in try Self.notation.triggerKind(Self.node(text), and: []) }
      #expect(found?.hasPrefix(message) == true, "\(text): \(found ?? "accepted")")
    }
  }

  @Test("Texts of offsets and periods are read as they were written, and others are refused")
  func periodTexts() {
    var random = JSONRandom(seed: 13)
    for _ in 0..<2000 {
      let seconds = random.number(-3_600_000...3_600_000)
      #expect(HomeText.seconds(HomeText.secondsText(seconds)!) == seconds)
      let period = random.period()
      #expect(HomeText.period(HomeText.periodText(period)) == period)
    }
    #expect(
      HomeText.secondsText(-1800) == "-30min" && HomeText.secondsText(5400) == "90min"
        && HomeText.secondsText(7200) == "2h")
    #expect(
      HomeText.secondsText(3_600_001) == nil && HomeText.secondsText(.min) == nil && HomeText.secondsText(0) == "0s")
    for wrong in ["", "-", "30", "min", "--30min", "+-1h", "1.5s", "30 min", "1h30min", "1001h", "999999999999h", "٣s"]
    {
      #expect(HomeText.seconds(wrong) == nil, "\(wrong)")
    }
    #expect(
      HomeText.period("1h30min") == CivilPeriod(hours: 1, minutes: 30)
        && HomeText.period("1mo 2d") == CivilPeriod(months: 1, days: 2))
    let wrong = [
      "", " ", "1", "d", "0d", "1d 1d", "1min 1h", "1d ", " 1d", "1d  1h", "-1d", "1.5d", "1x", "1D", "99999999999min",
      "9999999999min", "1d,1h", "1d\u{301}",
    ]
    for wrong in wrong { #expect(HomeText.period(wrong) == nil, "\(wrong)") }
  }

  @Test("Texts of dates and moments are read as they were written, and others are refused")
  func dateTexts() throws {
    var random = JSONRandom(seed: 14)
    for _ in 0..<2000 {
      let parts = random.parts()
      if let text = HomeText.partsText(parts) { #expect(HomeText.parts(text) == parts, "\(text)") }
      #expect(try parts.node.dateParts() == parts)
      let instant = random.instant()
      #expect(HomeText.instant(HomeText.instantText(instant)) == instant)
    }
    // There is no such day, so the parts need an object.
    #expect(HomeText.partsText(try DateParts(year: 2026, month: 2, day: 30)) == nil)
    let wrong = [
      "", "T", "18", "18:0", "8:00", "18:00:", "18:00:60", "18:00:00.5", "24:00", "2026-02-30", "2026-6-1", "T18:00",
      "2026-06-01T", "2026-06-01 18:00", "2026-06-01T18:00Z", "18:00T18:00", "0000-01-01", "-1-01-01", "18:00\n",
    ]
    for wrong in wrong { #expect(HomeText.parts(wrong) == nil, "\(wrong)") }
    for wrong in [
      "", "Z", "2026-06-01T19:00:00", "1677-01-01T00:00:00Z", "2300-01-01T00:00:00Z", "2026-06-01T19:00:00ZZ",
    ] {
      #expect(HomeText.instant(wrong) == nil, "\(wrong)")
    }
    #expect(HomeText.instant("2026-06-01T19:00Z") == HomeText.instant("2026-06-01T19:00:00Z"))
  }

  @Test("A condition of the greatest depth fits into a command; a deeper document is refused without a trap")
  func depth() throws {
    var condition = Condition.time(.between(.hour(1), .hour(2)))
    for _ in 1..<32 { condition = .all([condition]) }
    #expect(condition.depth == 32)
    let kind = Trigger.Kind.on(.calendar(.hour(1)), if: condition)
    let command = HomeCommand.updateTrigger(Self.id, kind)
    #expect(try HomeCommand(json: Array(command.json.utf8)) == command)
    let change = HomeChange(Self.id, .homeAdded(try Self.home(with: kind)))
    #expect(try HomeChange(JSONNode.parse(Array(change.json.utf8), depthLimit: JSONNode.homeDepthLimit)) == change)
    for text in [
      String(repeating: "[", count: 1_000_000), String(repeating: "{\"all\":[", count: 100_000),
      "{\"command\":\"update-trigger\",\"trigger\":\"\(Self.id)\",\"when\":[],\"if\":"
        + String(repeating: "{\"not\":", count: 200) + "{\"unknown\":true}" + String(repeating: "}", count: 201),
    ] {
      #expect(throws: HomeError.self) { try HomeCommand(json: Array(text.utf8)) }
    }
  }

  private static func home(with kind: Trigger.Kind) throws -> Home {
    var bench = HomeBench()
    let home = try bench.addHome()
    _ = try bench.addTrigger("T", kind, to: home)
    return bench.model.homes[0]
  }

  @Test("A text of 1 MB is read or refused")
  func large() throws {
    let name = String(repeating: "k", count: 1_000_000)
    let right = "{\"command\":\"rename\",\"object\":\"\(Self.id)\",\"name\":\"\(name)\"}"
    #expect(try HomeCommand(json: Array(right.utf8)) == .rename(Self.id, name))
    let members = (0..<80_000).map { "\"m\($0)\":1" }.joined(separator: ",")
    let conditions = (0..<60_000).map { _ in "{\"unknown\":true}" }.joined(separator: ",")
    let events = (0..<60_000).map { "{\"at\":\"18:0\($0)\"}" }.joined(separator: ",")
    for wrong in [
      "{\"command\":\"rename\",\(members)}", "{\"command\":\"\(name)\"}",
      "{\"command\":\"remove-home\",\"home\":\"\(name)\"}",
      "{\"command\":\"update-trigger\",\"trigger\":\"\(Self.id)\",\"when\":[\(events)]}",
      "{\"command\":\"update-trigger\",\"trigger\":\"\(Self.id)\",\"if\":{\"all\":[\(conditions)]}}",
    ] {
      do throws(HomeError) {
        _ = try HomeCommand(json: Array(wrong.utf8))
        Issue.record("accepted")
      } catch { #expect(error.message.utf8.count < 2000, "\(error.message.prefix(300))") }
    }
  }
}
