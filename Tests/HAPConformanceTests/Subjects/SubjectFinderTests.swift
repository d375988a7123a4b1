import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Subject search in a database") struct SubjectFinderTests {
  /// The database of `TestHome`.
  static let database: DatabaseView = {
    let accessory = TestHome.accessory()
    let body = withExtendedLifetime(accessory) { accessory.verified().get("/accessories")?.body ?? [] }
    do { return try DatabaseView(body) } catch { preconditionFailure("the test's own database is malformed: \(error)") }
  }()

  private func find(_ request: String, taken: Set<SubjectFinder.ServiceKey> = [], _ found: [String: String] = [:])
    throws
    -> SubjectFinder.Finding
  {
    var finder = SubjectFinder(database: Self.database)
    finder.taken = taken
    var given: [String: JSONNode] = [:]
    for (name, request) in found {
      guard case .found(let node, _) = finder.find(try Subject(yaml(request)), among: { _ in nil }) else { continue }
      given[name] = node
    }
    return finder.find(try Subject(yaml(request))) { given[$0] }
  }

  /// The identifiers in the result: of an accessory its aid, of a service its aid and iid. `nil` for null.
  private func ids(_ finding: SubjectFinder.Finding) throws -> [String]? {
    guard case .found(let node, _) = finding else {
      Issue.record("\(finding)")
      return []
    }
    if node.isNull { return nil }
    return (node.elements ?? [node]).map { entry in
      if let id = entry["id"]?.stringValue { return id }
      return ["aid", "iid"].compactMap { entry[$0]?.integerValue.map { "\($0)" } }.joined(separator: "/")
    }
  }

  private static let rows: [(request: String, ids: [String])] = [
    ("{ type: On, all: true }", ["1.11", "2.11"]), ("{ type: On }", ["1.11"]), ("{ type: '25' }", ["1.11"]),
    ("{ type: [Hue, On] }", ["1.13"]), ("{ type: [On, Hue], count: 3 }", ["1.11", "2.11", "1.13"]),
    ("{ service: LightBulb, format: float }", ["1.13"]), ("{ service: [Switch, LightBulb], type: On }", ["1.11"]),
    ("{ format: string, perms: [pr, pw] }", ["1.22"]), ("{ format: [uint64, uint16] }", ["1.26"]),
    ("{ perms: [pw], without: [pr], service: 7E536242-341C-4862-BE90-272CE15BF000 }", ["1.29"]),
    ("{ perms: [pr], without: [pw, ev], custom: true }", ["1.36"]),
    ("{ has: [maxLen] }", ["1.23"]), ("{ has: [minStep, minValue], lacks: [maxLen], format: float }", ["1.13"]),
    ("{ has: [valid-values] }", ["1.27"]), ("{ has: [valid-values-range] }", ["1.28"]),
    ("{ has: [off-grid], format: uint32 }", ["1.14"]),
    ("{ type: On, aid: 2 }", ["2.11"]), ("{ type: On, aid: bridge }", ["1.11"]),
    ("{ type: On, aid: bridged }", ["2.11"]),
    ("{ custom: true, format: bool, perms: [pr] }", ["1.37"]),
    ("{ custom: false, format: bool, all: true, perms: [pr, pw] }", ["1.11", "2.11"]),
    ("{ quiet: true }", ["1.11"]), ("{ quiet: true, format: int }", ["1.12"]),
    ("{ quiet: true, count: 4 }", ["1.11", "2.11", "1.12", "1.13"]),
    ("{ values: 3, perms: [pw] }", ["1.12"]), ("{ values: 16, optional: true }", []),
    ("{ quiet: true, except: [On, Brightness] }", ["1.13"]), ("{ type: On, all: true, most: 1 }", ["1.11"]),
    ("{ format: string, perms: [pr, pw], room: 64 }", ["1.22"]),
    ("{ type: On, not: other }", ["2.11"]), ("{ type: On, not: [other, more] }", ["2.11"]),
    ("{ beside: other, type: Brightness }", ["1.12"]),
    ("{ beside: other, all: true }", ["1.12", "1.13", "1.14"]),
    ("{ in: room, perms: [pr], all: true }", ["1.11", "1.12", "1.13", "1.14"]),
    ("{ in: home, type: On }", ["2.11"]),
    ("{ kind: service, type: LightBulb }", ["1/10"]),
    ("{ kind: service, type: LightBulb, all: true }", ["1/10", "2/10"]),
    ("{ kind: service, with: [On, Hue] }", ["1/10"]), ("{ kind: service, with: MotionDetected }", ["1/50"]),
    ("{ kind: service, custom: true }", ["1/20"]), ("{ kind: service, linked-to: room }", ["1/40"]),
    ("{ kind: service, linked-to: linked }", ["1/10"]),
    ("{ kind: service, type: LightBulb, in: home }", ["2/10"]),
    ("{ kind: service, type: LightBulb, not: room }", ["2/10"]),
    ("{ kind: service, aid: bridged, all: true }", ["2/1", "2/10"]),
    ("{ kind: accessory }", ["1"]), ("{ kind: accessory, aid: 2 }", ["2"]),
    ("{ kind: accessory, with: MotionSensor }", ["1"]),
    ("{ kind: accessory, count: 2 }", ["1", "2"]),
    ("{ beside: other, all: true, most: 2 }", ["1.12", "1.13"]),
    ("{ beside: other, except: [Brightness, Hue] }", ["1.14"]), ("{ format: string, perms: [pw], room: 20 }", ["1.22"]),
    ("{ type: Volume, optional: true, because: none }", []),
    // Ids as variables write them.
    ("{ type: On, all: true, most: -1 }", ["1.11"]), ("{ type: On, count: -1 }", ["1.11"]),
  ]
  private static let given = [
    "other": "{ type: On }", "more": "{ type: Hue }", "room": "{ kind: service, type: LightBulb }",
    "linked": "{ kind: service, type: StatelessProgrammableSwitch }", "home": "{ kind: accessory, aid: 2 }",
  ]

  @Test("Each member narrows the search", arguments: rows) func members(_ row: (request: String, ids: [String])) throws
  {
    #expect(try ids(find(row.request, Self.given)) ?? [] == row.ids, "\(row.request)")
  }

  @Test("Each member of the vocabulary has a test") func complete() {
    for member in Vocabulary.subjectMembers {
      #expect(Self.rows.contains { $0.request.contains("\(member.name):") }, "\(member.name)")
    }
  }

  @Test("A subject that would take the accessory from its owner is found only by its explicit type")
  func dangerous() throws {
    let control = try #require(Catalogue.characteristic(named: "LockControlPoint"))
    var text = String(decoding: Self.database.bytes, as: UTF8.self)
    text = text.replacing(#""type":"25""#, with: #""type":"\#(control.type.wireForm)""#)
    let finder = SubjectFinder(database: try DatabaseView(Array(text.utf8)))
    guard
      case .nothing = finder.find(
        try Subject(yaml("{ service: LightBulb, format: bool, perms: [pw] }")), among: { _ in nil }),
      case .found = finder.find(try Subject(yaml("{ type: LockControlPoint }")), among: { _ in nil })
    else { return #expect(Bool(false), "LockControlPoint is found without its type, or not at all") }
  }

  @Test("Services in use by other cases are skipped, or waited for") func busy() throws {
    let first = SubjectFinder.ServiceKey(aid: 1, iid: 10)
    let second = SubjectFinder.ServiceKey(aid: 2, iid: 10)
    guard case .found(let node, let services) = try find("{ type: On }", taken: [first]) else {
      return #expect(Bool(false), "the other service is free")
    }
    #expect(node["id"]?.stringValue == "2.11" && services == [second])
    for request in [
      "{ type: On }", "{ type: On, optional: true }", "{ kind: service, type: LightBulb }", "{ type: Hue }",
    ] {
      guard case .busy = try find(request, taken: [first, second]) else { return #expect(Bool(false), "\(request)") }
    }
    for request in ["{ type: On, all: true }", "{ type: On, count: 2 }"] {
      guard case .busy = try find(request, taken: [second]) else { return #expect(Bool(false), "\(request)") }
    }
    guard case .found(_, let all) = try find("{ type: On, all: true }") else {
      return #expect(Bool(false), "all are free")
    }
    #expect(all == [first, second])
  }

  @Test(
    "If nothing is found, the reason names the search",
    arguments: [
      ("{ type: Volume }", "there is no characteristic Volume"),
      ("{ type: Volume, because: It is deaf. }", "It is deaf."),
      ("{ kind: service, type: [Door, Window], with: On }", "there is no service Door or Window with On"),
      ("{ type: On, count: 3 }", "there is no characteristic On"),
      (
        "{ quiet: true, custom: true, format: [bool, int], perms: [pr, tw], without: [hd], has: [maxLen], service: Door }",
        "there is no custom harmless characteristic of service Door of format bool or int with permissions pr, tw without permissions hd with maxLen"
      ), ("{ kind: accessory, aid: 9 }", "there is no accessory of aid 9"),
    ])
  func nothing(_ request: String, _ reason: String) throws {
    guard case .nothing(let text) = try find(request) else { return #expect(Bool(false), "\(request) was found") }
    #expect(text == reason)
  }

  @Test("An optional subject that isn't found is null, or an empty list") func optional() throws {
    guard case .found(let node, let services) = try find("{ type: Volume, optional: true }"),
      case .found(let list, _) = try find("{ type: Volume, all: true, optional: true }")
    else { return #expect(Bool(false), "both are found") }
    #expect(node.isNull && services.isEmpty && list.elements?.isEmpty == true)
  }

  @Test("An unknown type is an error of the suite") func unknownType() throws {
    let request = try yaml("{ type: Onn }")
    let error = stepError { () throws(StepError) in try Subject(request) }
    #expect(error?.message == "the catalogue has no \"Onn\"" && error?.path == "type")
  }
}
