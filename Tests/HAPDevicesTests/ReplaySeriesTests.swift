import Foundation
import HAPModel
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Replayed series of sensors") struct ReplaySeriesTests {
  private func problem(_ replay: String, _ files: ReplayFiles? = nil) -> String? {
    let node = try! JSONNode.parse(Array(#"{"behaviour": {"replay": \#(replay)}}"#.utf8))["behaviour"]!
    let problems = BehaviourRegistry.standard.problems(
      in: node, for: ServiceDefinition.temperatureSensor.type, files: files)
    #expect(problems.count <= 1)
    return problems.first.map { "\($0.path) \($0.place) \($0.message)" }
  }

  private func csv(_ text: String) -> String {
    do throws(ReplaySeries.Problem) {
      return try ReplaySeries(csv: Array(text.utf8)).points.map { "\($0.time) \($0.value)" }.joined(separator: "; ")
    } catch { return "\(error.line ?? 0): \(error.message)" }
  }

  @Test(
    "A malformed series in a profile is reported with its place",
    arguments: [
      (
        "7", "behaviour.replay 1:26 a list of [time, value] pairs or the name of a CSV file is expected, not an integer"
      ),
      ("{}", "behaviour.replay 1:26 a list of"), ("null", "behaviour.replay 1:26 a list of"),
      ("[]", "behaviour.replay 1:26 a series has at least one [time, value]"),
      ("[1, 2]", "behaviour.replay[0] 1:27 [time, value] is expected"),
      ("[[1]]", "behaviour.replay[0] 1:27 [time, value]"),
      ("[[1, 2, 3]]", "behaviour.replay[0] 1:27 [time, value] is expected"),
      ("[[0, 1], [true, 2]]", "behaviour.replay[1][0] 1:36 a time is expected"),
      (#"[["soon", 1]]"#, "behaviour.replay[0][0] 1:28 a time is expected"),
      ("[[-1, 1]]", "behaviour.replay[0][0] 1:28 a time is expected"),
      ("[[3600001, 1]]", "behaviour.replay[0][0] 1:28 a time is expected"),
      ("[[1e999, 1]]", "behaviour.replay[0][0] 1:28 a time is expected"),
      (#"[["1e3", 1]]"#, nil), ("[[3600000, 1]]", nil), ("[[0, -1.5e3]]", nil), (#"[[0, 1], ["10ms", 1]]"#, nil),
      (#"[[0, "1"]]"#, "behaviour.replay[0][1] 1:31 a number is expected, not a string"),
      ("[[0, 1e999]]", "behaviour.replay[0][1] 1:31 a number is expected"),
      ("[[0, null]]", "behaviour.replay[0][1] 1:31 a number is expected, not null"),
      ("[[5, 1], [5, 2]]", "behaviour.replay[1][0] 1:36 times must increase by at least 10ms"),
      (#"[[5, 1], ["5009ms", 2]]"#, "behaviour.replay[1][0] 1:36 times must increase by at least 10ms"),
      ("[[5, 1], [4, 2]]", "behaviour.replay[1][0] 1:36 times must increase"),
      (#""x.csv""#, "behaviour.replay 1:26 a file can be named only in a profile that is a file itself"),
    ] as [(String, String?)])
  func inline(_ replay: String, _ says: String?) {
    let problem = problem(replay)
    if let says { #expect(problem?.hasPrefix(says) == true, "\(problem ?? "")") } else { #expect(problem == nil) }
  }

  @Test("A series in a profile has at most 10000 values")
  func tooMany() {
    func list(_ count: Int) -> String { "[" + (0..<count).map { "[\($0), 1]" }.joined(separator: ",") + "]" }
    #expect(problem(list(10_000)) == nil)
    #expect(
      problem(list(10_001))
        == "behaviour.replay 1:26 a series in a profile has at most 10000 values: put a longer one into a file")
  }

  @Test("A file has lines of time,value, and comments")
  func lines() {
    let text = "\u{FEFF}# a kitchen\r\n\r\n0,20\r\n 90s , 21.5 # the oven\n2min,-2e1\n\t\n500,+3"
    #expect(csv(text) == "0.0 seconds 20.0; 90.0 seconds 21.5; 120.0 seconds -20.0; 500.0 seconds 3.0")
  }

  @Test(
    "A malformed line is reported with its number",
    arguments: [
      ("", "0: there is no \"time,value\" in it"), ("# nothing\n\n", "0: there is no \"time,value\" in it"),
      ("0,1\n1", "2: \"time,value\" is expected"), ("0,1,2", "1: \"time,value\" is expected"),
      ("time,value\n0,1", "1: a time is expected"), (",1", "1: a time is expected"), ("nan,1", "1: a time is expected"),
      ("-1,1", "1: a time is expected"), ("1e300,1", "1: a time is expected"), ("0,", "1: a number is expected"),
      ("0,inf", "1: a number is expected"), ("0,0x10", "1: a number is expected"),
      ("0,1e999", "1: a number is expected"),
      ("0,1;5", "1: a number is expected"), ("# x\n\n5,1\n5.005,1", "4: times must increase by at least 10ms"),
      ("\u{0},\u{0}", "1: a time is expected"),
    ])
  func wrongLines(_ text: String, _ says: String) { #expect(csv(text).hasPrefix(says), "\(csv(text))") }

  @Test("No input traps the reader")
  func anyBytes() {
    var random = SimulationRandom(seed: 3)
    let alphabet = Array("0123456789,,,,\n\n\n\n.smhin#-+eE\r \u{0}é".utf8)
    for _ in 0..<10_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        Int.random(in: 0...99, using: &random) == 0
          ? UInt8.random(in: 0...255, using: &random) : alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      guard let series = try? ReplaySeries(csv: bytes) else { continue }
      #expect(zip(series.points, series.points.dropFirst()).allSatisfy { $1.time - $0.time >= .milliseconds(10) })
      #expect(series.points.allSatisfy { $0.value.isFinite })
    }
  }

  @Test("A profile names a file, and the device replays its series")
  func file() throws {
    let files = ReplayFiles { name in
      #expect(name == "kitchen.csv")
      return Array("1,20\n2,21".utf8)
    }
    let world = VirtualWorld(
      try AttributeDatabase([
        Accessory(
          aid: 1,
          services: [
            Service(
              iid: 8, type: ServiceDefinition.temperatureSensor.type,
              characteristics: [.make(9, .currentTemperature, 5)])
          ])
      ]),
      behaviours: [AttributeID(aid: 1, iid: 8): #"{"replay": "kitchen.csv"}"#],
      files: files)
    world.pass(.seconds(2))
    #expect(world.changes() == ["1.9=20.0", "1.9=21.0"])
  }
}

@Suite("Parameters of valves, alarms and sensors") struct WaterParameterTests {
  @Test(
    "An invalid value of a parameter is refused",
    arguments: [
      (.valve, #"{"flowDelay": 3}"#, #"did you mean "3s"?"#), (.valve, #"{"flow": "3s"}"#, "there is no member"),
      (.faucet, #"{"flowDelay": "3s"}"#, "there is no member"), (.irrigationSystem, #"{"x": 1}"#, "there is no member"),
      (.securitySystem, #"{"exitDelay": "long"}"#, "a duration"),
      (.securitySystem, #"{"entryDelay": null}"#, "a duration"),
      (.securitySystem, #"{"tamperTriggers": 1}"#, "true or false is expected, not an integer"),
      (.motionSensor, #"{"hold": -1}"#, "a duration"), (.contactSensor, #"{"hold": "1d"}"#, "a duration"),
      (.leakSensor, #"{"walk": 1}"#, "there is no member"), (.occupancySensor, #"{"hold": true}"#, "a duration"),
      (.smokeSensor, #"{"hold": []}"#, "a duration"), (.carbonMonoxideSensor, #"{"alarmAt": -1}"#, "a number from 0"),
      (.carbonDioxideSensor, #"{"alarmAt": "800"}"#, "a number from 0"),
      (.carbonMonoxideSensor, #"{"hold": 1}"#, "a duration"),
      (.temperatureSensor, #"{"walk": -0.1}"#, "a number from 0"),
      (.humiditySensor, #"{"walk": 100001}"#, "a number from 0"), (.lightSensor, #"{"every": 60}"#, "a duration"),
      (.temperatureSensor, #"{"repeat": "no"}"#, "true or false is expected"),
      (.temperatureSensor, #"{"replayed": "voc"}"#, "there is no member"),
      (.airQualitySensor, #"{"replayed": "pm25"}"#, #"did you mean "pm2.5"?"#),
      (.airQualitySensor, #"{"replay": 1}"#, "a list of [time, value] pairs"),
      (.carbonDioxideSensor, #"{"walk": 1e999}"#, "a number from 0"),
    ] as [(ServiceDefinition, String, String)])
  func refused(_ service: ServiceDefinition, _ text: String, _ says: String) {
    let problems = BehaviourRegistry.standard.problems(in: try! JSONNode.parse(Array(text.utf8)), for: service.type)
    #expect(problems.count == 1 && problems[0].message.contains(says), "\(problems)")
  }
}
