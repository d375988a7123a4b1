import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Scenes: status and error")
struct SceneStatusTests {
  /// The table of home.md §9: HAP status, whether the accessory is bridged, number of HMError.
  static let rows: [(status: Int, isBridged: Bool, number: Int)] = [
    (-70401, false, 17), (-70402, true, 88), (-70402, false, 54), (-70403, false, 14), (-70404, false, 5),
    (-70405, false, 6), (-70406, false, 7), (-70407, false, 16), (-70408, false, 8), (-70409, false, 2),
    (-70410, false, 43), (-70411, false, 87), (-70412, false, 14),
  ]

  @Test("Each HAP status of an entry gives its HMError, and the action is refused", arguments: rows)
  func row(_ row: (status: Int, isBridged: Bool, number: Int)) throws {
    #expect(HomeError.Code(status: row.status, isBridged: row.isBridged)?.rawValue == row.number)
    // Other statuses do not depend on the bridge.
    let other = row.status == -70402 ? [88, 54] : [row.number, row.number]
    #expect([true, false].map { HomeError.Code(status: row.status, isBridged: $0)?.rawValue } == other)
    for wholeRequest in [false, true] {
      var scene = try SceneBench()
      let lamp = row.isBridged ? try scene.bridge(1, lights: 1)[0] : try scene.light(1)
      try scene.write([HomeAction(lamp.id(0x25), true)])
      scene.answer(scene.puts[0], wholeRequest ? .refused(status: row.status) : scene.puts[0].statuses([row.status]))
      #expect(scene.ended.map(\.result.outcomes) == [["refused \(row.status) \(row.number)"]])
      #expect(scene.ended.map(\.result.number) == [63])
    }
  }

  @Test("The explanation of a status has its number and its own advice") func explanations() {
    let statuses = HAPStatus.allCases.map { Int($0.rawValue) } + [-1, .min, .max]
    let texts = statuses.map { HomeError.Code.explanation(ofStatus: $0) }
    for (status, text) in zip(statuses, texts) {
      #expect(text.hasPrefix("the accessory answered with the status \(status): "))
    }
    #expect(Set(texts.map { $0.split(separator: ": ").last }).count == HAPStatus.allCases.count + 1)
    #expect(texts.last?.hasSuffix("HAP has no such status; update the accessory") == true)
  }

  @Test("The table has each status of HAP, and any other number is an invalid response")
  func complete() {
    #expect(Set(Self.rows.map(\.status)) == Set(HAPStatus.allCases.map { Int($0.rawValue) }).subtracting([0]))
    for isBridged in [false, true] {
      #expect(HomeError.Code(status: 0, isBridged: isBridged) == nil)
      for other in [1, -1, -70400, -70413, .min, .max, Int(Int32.min) - 1] {
        #expect(HomeError.Code(status: other, isBridged: isBridged) == .accessorySentInvalidResponse, "\(other)")
      }
    }
  }

  /// The rest of the table: what happened to the PUT, the outcome, and whether the next PUT needs a new connection.
  static let failures: [(answer: SceneAnswer, outcome: String, isConnectionOver: Bool)] = [
    (.done, "done", false), (.notSent, "not sent 4", true), (.connectionLost, "unknown 54", true),
    (.unreadable, "unknown 50", false), (.wrongSignature, "unknown 55", true), (.statuses([]), "unknown 50", false),
    (.refused(status: nil), "refused - 50", false), (.refused(status: 0), "refused 0 50", false),
    (.refused(status: 17), "refused 17 50", false),
  ]

  @Test("Each other end of a PUT gives its outcome", arguments: failures)
  func failure(_ row: (answer: SceneAnswer, outcome: String, isConnectionOver: Bool)) throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    try scene.write([HomeAction(lamp.id(0x25), true), HomeAction(lamp.id(0x8), 5)])
    try scene.write([HomeAction(lamp.id(0x25), false)])
    scene.answer(scene.puts[0], row.answer)
    #expect(scene.ended.map(\.result.outcomes) == [[row.outcome, row.outcome]])
    #expect(scene.puts.count == (row.isConnectionOver ? 1 : 2))
    scene.connection(lamp.deviceID, is: .ready)
    try #require(scene.puts.count == 2)
    scene.answer(scene.puts[1])
    #expect(scene.ended.count == 2 && scene.run.isIdle)
  }

  @Test("An answer with other entries, without an entry or with two statuses for one counts for its own entries")
  func strangeAnswers() throws {
    var scene = try SceneBench()
    let lamp = try scene.light(1)
    let all = [HomeAction(lamp.id(0x25), true), HomeAction(lamp.id(0x8), 5), HomeAction(lamp.id(0x13), 7)]
    try scene.write(all)
    let ids = scene.puts[0].entries.map(\.id)
    let statuses: [(AttributeID, Int)] = [
      (ids[1], 0), (AttributeID(aid: 9, iid: 9), -70402), (ids[0], 0), (ids[0], -70403), (ids[0], 0),
    ]
    scene.answer(scene.puts[0], .statuses(statuses.map { SceneAnswer.Status($0.0, $0.1) }))
    #expect(scene.ended[0].result.outcomes == ["refused -70403 14", "done", "unknown 50"])
  }
}
