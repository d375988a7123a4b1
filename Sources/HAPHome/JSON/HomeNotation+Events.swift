import HAPAlmanac
import HAPModel
import HAPWire

/// The member that decides about the form of an event.
package enum EventWord: String, CaseIterable, Sendable {
  /// `{"characteristic": …}`: any change; with `is`: this value; with `at-least`, `at-most` or both: a range.
  case characteristic
  /// `{"at": "18:00"}`: a civil time.
  case at
  /// `{"sun": "sunset", "offset": "-30min"}`.
  case sun
  /// `{"presence": "every-entry", "users": "home-users"}`.
  case presence
  /// `{"region": {"centre": [37.33, -122.03], "radius": 100}, "entry": true, "exit": false}`.
  case region
  /// `{"after": "10min"}`: a duration; a number counts seconds.
  case after

  /// The other members of the event.
  var members: [String] {
    switch self {
    case .characteristic: [Comparison.equal.word, Comparison.greaterOrEqual.word, Comparison.lessOrEqual.word]
    case .at, .after: []
    case .sun: ["offset"]
    case .presence: ["users"]
    case .region: ["entry", "exit"]
    }
  }
}

extension HomeNotation {
  // MARK: Reading

  /// Reads an event.
  package func event(_ node: JSONNode) throws(JSONProblem) -> HomeEvent {
    let word = try node.form("an event", of: EventWord.self, and: EventWord.allCases.flatMap(\.members))
    try node.refuseUnknownMembers(except: [word.rawValue] + word.members)
    switch word {
    case .characteristic: return try characteristicEvent(node)
    case .at: return .calendar(try node.required("at").dateParts())
    case .sun: return .sun(try node.sunMoment())
    case .presence: return .presence(try presence(node))
    case .region:
      let region = try node.required("region").region()
      return .location(
        region, onEntry: try node.bool("entry", default: false), onExit: try node.bool("exit", default: false))
    case .after: return .duration(seconds: try node.required("after").seconds())
    }
  }

  private func characteristicEvent(_ node: JSONNode) throws(JSONProblem) -> HomeEvent {
    let id = try reference(try node.required("characteristic"), to: .characteristic)
    let (least, most) = (node[Comparison.greaterOrEqual.word], node[Comparison.lessOrEqual.word])
    guard let limit = least ?? most else {
      return .characteristic(
        id, equals: try node[Comparison.equal.word].map { value throws(JSONProblem) in try self.value(value, of: id) })
    }
    if let value = node[Comparison.equal.word] {
      throw value.problem("an event has a value or a range: remove \"is\", or \"at-least\" and \"at-most\"")
    }
    guard let range = ThresholdRange(min: try least?.asDouble(), max: try most?.asDouble()) else {
      throw limit.problem("\"at-least\" is greater than \"at-most\"")
    }
    return .threshold(id, range)
  }

  /// Reads the members `presence` and `users`; without `users`, all users of the home count.
  func presence(_ node: JSONNode) throws(JSONProblem) -> PresenceEvent {
    let kind = try node.required("presence").word("a kind of presence", of: PresenceEvent.Kind.self)
    guard let users = node["users"] else { return PresenceEvent(kind, of: .homeUsers) }
    guard let list = users.elements else {
      let word = try users.meaning("a list of users", [("current-user", true), ("home-users", false)])
      return PresenceEvent(kind, of: word ? .currentUser : .homeUsers)
    }
    var ids: Set<HomeObjectID> = []
    for user in list { ids.insert(try reference(user, to: .user)) }
    return PresenceEvent(kind, of: .users(ids))
  }

  // MARK: Writing

  /// Writes an event.
  package func written(_ event: HomeEvent) -> JSONNode {
    switch event {
    case .characteristic(let id, equals: let value):
      .members(
        ("characteristic", written(id, .characteristic)), (Comparison.equal.word, value.map { written($0, of: id) }))
    case .threshold(let id, let range):
      .members(
        ("characteristic", written(id, .characteristic)),
        (Comparison.greaterOrEqual.word, range.min.map { .number($0) }),
        (Comparison.lessOrEqual.word, range.max.map { .number($0) }))
    case .calendar(let parts): .object([("at", parts.node)])
    case .sun(let moment): moment.node
    case .presence(let presence): written(presence)
    case .location(let region, let onEntry, let onExit):
      .object([("region", region.node), ("entry", .flag(onEntry)), ("exit", .flag(onExit))])
    case .duration(let seconds):
      .object([("after", HomeText.secondsText(seconds).map { .text($0) } ?? .integer(seconds))])
    }
  }

  /// Writes the members `presence` and `users`.
  func written(_ presence: PresenceEvent) -> JSONNode {
    let users: JSONNode =
      switch presence.users {
      case .currentUser: .text("current-user")
      case .homeUsers: .text("home-users")
      case .users(let ids): .list(ids.sorted().map { written($0, .user) })
      }
    return .object([("presence", .text(presence.kind.rawValue)), ("users", users)])
  }
}

extension JSONNode {
  /// Reads parts of a date and a time: a text such as "18:00", or an object such as `{"weekday": "mon", "hour": 18}`.
  package func dateParts() throws(JSONProblem) -> DateParts {
    guard members != nil else {
      return try parsed("a time such as \"18:00\", or a date such as \"2026-06-01\"", HomeText.parts)
    }
    try refuseUnknownMembers(except: CivilField.allCases.map(\.rawValue).filter { $0 != "nanosecond" })
    func number(_ field: CivilField) throws(JSONProblem) -> Int? {
      let range = Int128(field.range.lowerBound)...Int128(field.range.upperBound)
      return try self[field.rawValue].map { node throws(JSONProblem) in Int(try node.asInteger(in: range)) }
    }
    let weekday = try self["weekday"].map { node throws(JSONProblem) in try node.weekday() }
    let (year, month, day) = (try number(.year), try number(.month), try number(.day))
    let (hour, minute, second) = (try number(.hour), try number(.minute), try number(.second))
    let parts = try? DateParts(
      year: year, month: month, day: day, weekday: weekday, hour: hour, minute: minute, second: second)
    guard let parts else { preconditionFailure("the ranges were checked") }
    return parts
  }

  /// Reads a day of the week.
  package func weekday() throws(JSONProblem) -> Weekday {
    try meaning("a day of the week", Weekday.allCases.map { ($0.word, $0) })
  }

  /// Reads a number of seconds: a text such as "10min", or a whole number.
  func seconds() throws(JSONProblem) -> Int {
    guard numberValue != nil else { return try parsed("a duration such as \"10min\"", HomeText.seconds) }
    return Int(try asInteger(in: Int128(Int.min)...Int128(Int.max)))
  }

  /// Reads the members `sun` and `offset` of a moment.
  func sunMoment() throws(JSONProblem) -> SunMoment {
    let event = try required("sun").word("an event of the sun", of: SunEvent.self)
    guard let node = self["offset"] else { return event.moment }
    let offset = try node.parsed("an offset such as \"-30min\"", HomeText.seconds)
    guard let moment = SunMoment(event, offset: offset) else { throw node.problem("an offset is at most 12 h") }
    return moment
  }

  /// Reads a place: `[latitude, longitude]`.
  package func coordinate() throws(JSONProblem) -> Coordinate {
    guard let numbers = elements, numbers.count == 2 else {
      throw problem("a place such as [37.33, -122.03] is expected: the latitude and the longitude in degrees")
    }
    let (latitude, longitude) = (try numbers[0].asDouble(), try numbers[1].asDouble())
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw problem("a latitude is from -90 to 90, and a longitude from -180 to 180")
    }
    return place
  }

  func region() throws(JSONProblem) -> Region {
    try refuseUnknownMembers(except: ["centre", "radius"])
    let (centre, radius) = (try required("centre").coordinate(), try required("radius"))
    guard let region = Region(centre: centre, radius: try radius.asDouble()) else {
      throw radius.problem("a radius is more than 0 m, and at most 1000000 m")
    }
    return region
  }
}

extension SunEvent {
  /// The event itself, without an offset.
  var moment: SunMoment {
    guard let moment = SunMoment(self) else { preconditionFailure("0 is a valid offset") }
    return moment
  }
}

extension SunMoment {
  /// The members `sun` and `offset`.
  var node: JSONNode {
    .members(
      ("sun", .text(event.rawValue)), ("offset", offset == 0 ? nil : HomeText.secondsText(offset).map { .text($0) }))
  }
}

extension DateParts {
  /// The JSON of the parts: a text if there is one, otherwise an object.
  package var node: JSONNode {
    if let text = HomeText.partsText(self) { return .text(text) }
    func number(_ number: Int?) -> JSONNode? { number.map { .integer($0) } }
    return .members(
      ("year", number(year)), ("month", number(month)), ("day", number(day)),
      ("weekday", weekday.map { .text($0.word) }), ("hour", number(hour)), ("minute", number(minute)),
      ("second", number(second)))
  }
}

extension Coordinate {
  /// The JSON of a place: `[latitude, longitude]`.
  package var node: JSONNode { .list([.number(latitude), .number(longitude)]) }
}

extension Region {
  var node: JSONNode { .object([("centre", centre.node), ("radius", .number(radius))]) }
}
