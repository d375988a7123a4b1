import HAPModel
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Custom services that follow targets") struct FollowerTests {
  static let type = TypeID("8D930001-860E-4115-99CE-0CB5D9674D77")!
  static let service = AttributeID(aid: 1, iid: 8)
  let heat = AttributeID(aid: 1, iid: 9), wanted = AttributeID(aid: 1, iid: 10)
  let text = AttributeID(aid: 1, iid: 11), wantedText = AttributeID(aid: 1, iid: 12)
  let on = AttributeID(aid: 1, iid: 13)

  private static func own(
    _ iid: UInt64, _ name: String, _ format: Format, _ value: Value, _ constraints: Constraints = Constraints()
  ) -> Characteristic {
    Characteristic(
      iid: iid, type: TypeID("8D9300\(iid + 10)-860E-4115-99CE-0CB5D9674D77")!, format: format,
      perms: [.pairedRead, .pairedWrite, .events], value: value, description: name, constraints: constraints)
  }

  static let characteristics = [
    own(9, "Heat", .float, 20.0, Constraints(minValue: 0, maxValue: 100, minStep: 0.5)),
    own(10, "Wanted Heat", .uint8, 20), own(11, "Drink", .string, "none"), own(12, "Wanted Drink", .string, "none"),
    .make(13, .on, false), own(14, "Ready", .bool, false),
    own(15, "Small", .uint8, 0, Constraints(validValues: [0, 2])),
  ]

  private func world(_ pairs: String, _ type: TypeID = Self.type) -> VirtualWorld {
    let service = Service(iid: 8, type: type, characteristics: Self.characteristics)
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [Self.service: #"{"follow": [\#(pairs)]}"#])
  }

  private func heats(_ more: String) -> VirtualWorld {
    world(#"{"current": "Heat", "target": "wanted heat", \#(more)}"#)
  }

  @Test("By default, a current value follows its target at once") func atOnce() {
    let world = world(#"{"current": "Heat", "target": "8D930020-860E-4115-99CE-0CB5D9674D77"}"#)
    world.write(wanted, 90)
    #expect(world.changes() == ["1.9=90.0"] && world.pendingTimers == 0)
    world.write(wanted, 250)
    #expect(world.changes() == ["1.9=100.0"])
  }

  @Test("delay postpones the start; duration is the time to arrive; jump changes the value at the end") func jumps() {
    let world = heats(#""delay": "2s", "duration": "5s", "report": "1s""#)
    world.write(wanted, 90)
    world.pass(.milliseconds(6999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=90.0"])
    #expect(world.pendingTimers == 0)
  }

  @Test("linear: evenly, reported at each interval after the delay") func linear() {
    let world = heats(#""delay": "2s", "duration": "5s", "curve": "linear", "report": "2s""#)
    world.write(wanted, 90)
    world.pass(.milliseconds(3999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(3001))
    #expect(world.changes() == ["1.9=48.0", "1.9=76.0", "1.9=90.0"])
    #expect(world.pendingTimers == 0)
  }

  @Test("report is 500ms by default, and 50ms at least") func report() {
    let plain = heats(#""duration": "1s", "curve": "linear""#)
    plain.write(wanted, 30)
    plain.pass(.seconds(1))
    #expect(plain.changes() == ["1.9=25.0", "1.9=30.0"])
    let often = heats(#""duration": "100ms", "curve": "linear", "report": "0s""#)
    often.write(wanted, 30)
    often.pass(.seconds(1))
    #expect(often.changes() == ["1.9=25.0", "1.9=30.0"])
  }

  @Test("ease: slowly at both ends") func ease() {
    let world = heats(#""duration": "4s", "curve": "ease", "report": "1s""#)
    world.write(wanted, 84)
    world.pass(.seconds(4))
    #expect(world.changes() == ["1.9=30.0", "1.9=52.0", "1.9=74.0", "1.9=84.0"])
  }

  @Test(
    "A new target starts from the present value; an equal one changes nothing; writing the old value again ends the move"
  )
  func turned() {
    let world = heats(#""duration": "5s", "curve": "linear", "report": "1h""#)
    world.write(wanted, 70)
    world.pass(.seconds(1))
    world.write(wanted, 70)
    #expect(world.changes() == [])
    world.write(wanted, 20)
    #expect(world.changes() == ["1.9=30.0"])
    world.pass(.milliseconds(4999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=20.0"])
    let late = heats(#""delay": "5s""#)
    late.write(wanted, 70)
    late.write(wanted, 20)
    #expect(late.pendingTimers == 0)
    late.write(wanted, 70)
    late.pass(.seconds(3))
    late.write(wanted, 80)
    late.pass(.seconds(4))
    #expect(late.changes() == [])
    late.pass(.seconds(1))
    #expect(late.changes() == ["1.9=80.0"])
  }

  @Test("Several pairs of any format are independent; a change below the current's resolution isn't reported")
  func several() {
    let world = world(
      """
      {"current": "Drink", "target": "Wanted Drink", "delay": "1s"}, {"current": "Ready", "target": "On", "delay": "2s"},
      {"current": "Small", "target": "Wanted Heat"}
      """)
    world.write((wantedText, "tea"), (on, true))
    world.pass(.seconds(2))
    #expect(world.changes() == [#"1.11="tea""#, "1.14=true"])
    world.write(wanted, 2)
    world.write(wanted, 1)
    #expect(world.changes() == ["1.15=2"])
  }

  @Test("A number beyond the format becomes the limit of the current") func beyond() {
    let service = Service(
      iid: 8, type: Self.type, characteristics: [Self.own(9, "Count", .uint64, 0), Self.own(10, "Wanted", .float, 0.0)])
    for (number, told) in [(1e300, "18446744073709551615"), (-1e300, "0")] {
      let world = VirtualWorld(
        try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
        behaviours: [
          Self.service: #"{"follow": [{"current": "Count", "target": "Wanted", "duration": "1s", "curve": "linear"}]}"#
        ])
      world.write(wanted, .float(number))
      world.pass(.seconds(1))
      #expect(world[heat].map(\.text) == told)
    }
  }

  @Test("Targets set by hand are followed, too; a current set by hand stays") func byHand() throws {
    let world = heats(#""duration": "4s", "curve": "linear", "report": "1s""#)
    try world.setByHand(wanted, 60)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.10=60", "1.9=30.0"])
    try world.setByHand(heat, 5)
    world.pass(.seconds(9))
    #expect(world.changes() == ["1.9=5.0"] && world.pendingTimers == 0)
    world.write(wanted, 60)
    world.pass(.seconds(4))
    #expect(world.changes() == ["1.9=19.0", "1.9=32.5", "1.9=46.5", "1.9=60.0"])
  }

  @Test("At the start, each current equals its target") func starts() {
    #expect(
      world(#"{"current": "Small", "target": "Wanted Heat"}, {"current": "Ready", "target": "On"}"#).changes() == [])
    let service = Service(
      iid: 8, type: Self.type, characteristics: [Self.own(9, "Heat", .float, 20.0), Self.own(10, "Wanted", .uint8, 33)])
    let world = VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [Self.service: #"{"follow": [{"current": "Heat", "target": "Wanted", "delay": "1h"}]}"#])
    #expect(world.changes() == ["1.9=33.0"])
  }

  @Test(
    "An Apple service without a behaviour can have \"follow\"; others, and services without it, ignore targets")
  func whom() {
    let pair = #"{"current": "Heat", "target": "Wanted Heat"}"#
    let sensor = world(pair, ServiceDefinition.accessControl.type)
    sensor.write(wanted, 50)
    #expect(sensor.changes() == ["1.9=50.0"])
    for type in [ServiceDefinition.lightBulb, .accessoryInformation, .hapProtocolInformation] {
      let world = world(pair, type.type)
      world.write(wanted, 50)
      #expect(world.changes() == [])
    }
    let mute = VirtualWorld(
      try! AttributeDatabase([
        Accessory(aid: 1, services: [Service(iid: 8, type: Self.type, characteristics: Self.characteristics)])
      ]))
    mute.write(wanted, 50)
    #expect(mute.changes() == [])
  }

  private func problems(_ text: String, _ type: TypeID = Self.type) -> [String] {
    let node = try! JSONNode.parse(Array(text.utf8))
    return BehaviourRegistry.standard.problems(in: node, for: type, with: Self.characteristics).map {
      "\($0.path) \($0.place) \($0.message)"
    }
  }

  private func problems(pair: String) -> [String] { problems(#"{"follow":[{\#(pair)}]}"#) }

  @Test("Invalid pairs are refused with their places, all at once")
  func refused() {
    #expect(problems("{}") == [] && problems(#"{"x-note": 1}"#) == [] && problems(#"{"follow": []}"#) == [])
    #expect(problems(pair: #""current":"Heat","target":"Wanted Heat","curve":"ease","x-why":"so""#) == [])
    #expect(
      problems(#"{"follow":[{"current":"Haet","target":5},{"target":"nothing at all","delay":3,"curve":"liner"},7]}"#)
        == [
          #"follow[0].current 1:23 the service has no characteristic "Haet": did you mean "Heat"?"#,
          "follow[0].target 1:39 a characteristic's type or name is expected, not an integer",
          #"follow[1] 1:42 "current" is missing"#,
          #"follow[1].target 1:52 the service has no characteristic "nothing at all""#,
          #"follow[1].delay 1:77 a duration such as "12s", "500ms" or "1.5min" is expected: did you mean "3s"?"#,
          #"follow[1].curve 1:87 "jump" or "linear" or "ease" is expected, not "liner": did you mean "linear"?"#,
          "follow[2] 1:96 an object of parameters is expected, not an integer",
        ])
    #expect(
      problems(#"{"folow":[{"current":"Haet"}], "follow":[{"current":"Heat","target":"Wanted Heat","dealy":"1s"}]}"#)
        == [
          #"folow 1:2 there is no member "folow" here: did you mean "follow"?"#,
          #"follow[0].dealy 1:83 there is no member "dealy" here: did you mean "delay"?"#,
        ])
    #expect(problems(#"{"follow": {}}"#) == ["follow 1:12 a list is expected, not an object"])
    #expect(problems("[]") == [" 1:1 an object of parameters is expected, not a list"])
  }

  @Test("A characteristic can't follow itself, two targets, a current, or another kind of value") func unfit() {
    #expect(problems(pair: #""current":"Heat","target":"heat""#) == ["follow[0].target 1:39 Heat can't follow itself"])
    #expect(
      problems(pair: #""current":"Drink","target":"Heat""#) == [
        "follow[0] 1:12 Drink is string, Heat is float: the one can't follow the other"
      ])
    #expect(problems(pair: #""current":"Small","target":"On""#).first?.contains("Small is uint8, On is bool") == true)
    #expect(
      problems(pair: #""current":"Ready","target":"On","curve":"linear""#) == [
        #"follow[0].curve 1:53 "linear" is for numbers, and Ready is bool"#
      ])
    #expect(
      problems(#"{"follow":[{"current":"Heat","target":"Small"},{"current":"Heat","target":"Wanted Heat"}]}"#) == [
        "follow[1].current 1:59 Heat is already the current of follow[0]"
      ])
    #expect(
      problems(#"{"follow":[{"current":"Heat","target":"Small"},{"current":"Small","target":"Wanted Heat"}]}"#) == [
        "follow[0].target 1:39 Small is the current of follow[1], so it can't be a target"
      ])
    let pair = #"{"current":"Heat","target":"Small"}"#
    let many = Array(repeating: pair, count: 101).joined(separator: ",")
    #expect(problems(#"{"follow":[\#(many)]}"#) == ["follow 1:11 there can be 100 pairs, not 101"])
  }

  @Test("A service without a behaviour takes only `follow`") func nothingElse() {
    let said = "so it takes only \"follow\" ('hapsim behaviours' lists all behaviours)"
    #expect(
      problems(#"{"travelTime": "1s"}"#) == [
        " 1:1 8D930001-860E-4115-99CE-0CB5D9674D77 has no behaviour of its own, \(said)"
      ])
    #expect(
      problems(#"{"step": 1}"#, ServiceDefinition.serviceLabel.type) == [
        " 1:1 ServiceLabel has no behaviour of its own, \(said)"
      ])
    #expect(problems(#"{"follow": []}"#, ServiceDefinition.lightBulb.type).count == 1)
  }
}
