import HAPWire
import Testing
@testable import HAPDevices

@Suite("Behaviours during a replacement of the profile") struct ReplacedBehaviourTests {
  static func profile(_ name: String, _ category: String, _ services: [String]) -> String {
    """
    { "format": "hasaccessory/1", "name": "\(name)", "serialNumber": "R-1", "category": "\(category)",
      "services": [ \(services.joined(separator: ", ")) ] }
    """
  }
  private static let door = #"{ "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "12s" } }"#
  private static let slowDoor =
    #"{ "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "20s" } }"#
  private static let lock = #"{ "type": "LockMechanism", "name": "Lock", "behaviour": { "actuationTime": "5s" } }"#
  static let fan = #"{ "type": "Switch", "name": "Fan" }"#
  private static func garage(_ services: String...) -> String {
    profile("Garage", "garage-door-opener", services)
  }

  func simulated(_ profile: String, _ body: (ServedSimulation) async throws -> Void) async throws {
    let served = try await ServedSimulation([profile])
    do {
      try await body(served)
      try await served.stop()
    } catch {
      try await served.stop()
      throw error
    }
  }

  func replace(_ profile: String, in served: ServedSimulation) async throws {
    served.profiles.withLock { $0["next"] = profile }
    try await served.command("replace", #""profile": "next""#)
  }

  func set(_ characteristic: String, _ value: String, in served: ServedSimulation) async throws {
    try await served.command("set", "\"characteristic\": \"\(characteristic)\", \"value\": \(value)")
  }

  func advance(_ duration: String, in served: ServedSimulation) async throws {
    try await served.command("advance", "\"duration\": \"\(duration)\"")
  }

  func integer(_ name: String, in served: ServedSimulation) async throws -> Int128? {
    try await served.value(name)?.integerValue
  }

  @Test("A moving door arrives on time") func door() async throws {
    try await simulated(Self.garage(Self.door)) { served in
      try await set("TargetDoorState", #""open""#, in: served)
      try await advance("9s", in: served)
      try await replace(Self.garage(Self.fan, Self.door), in: served)
      try await advance("2.9s", in: served)
      #expect(try await integer("Current Door State", in: served) == 2)
      try await advance("100ms", in: served)
      #expect(try await integer("Current Door State", in: served) == 0)
      // The position was kept, too: the door is fully open, and takes the full time to close.
      try await set("TargetDoorState", #""closed""#, in: served)
      try await advance("12s", in: served)
      #expect(try await integer("Current Door State", in: served) == 1)
    }
  }

  @Test("A behaviour keeps its deadline over any number of replacements, and under another name") func lock()
    async throws
  {
    try await simulated(Self.garage(Self.lock)) { served in
      try await set("LockTargetState", #""unsecured""#, in: served)
      let before = try await integer("Lock Current State", in: served)
      for name in ["Bolt", "Latch", "Lock"] {
        try await advance("1s", in: served)
        try await replace(Self.garage(Self.lock.replacing("\"Lock\"", with: "\"\(name)\"")), in: served)
      }
      try await advance("1.9s", in: served)
      #expect(try await integer("Lock Current State", in: served) == before)
      try await advance("100ms", in: served)
      #expect(try await integer("Lock Current State", in: served) == 0)
    }
  }

  @Test("A behaviour whose parameters changed restarts, and the other one continues") func oneOfTwo() async throws {
    try await simulated(Self.garage(Self.door, Self.lock)) { served in
      try await set("TargetDoorState", #""open""#, in: served)
      try await set("LockTargetState", #""unsecured""#, in: served)
      try await advance("4s", in: served)
      let before = try await integer("Lock Current State", in: served)
      try await replace(Self.garage(Self.slowDoor, Self.lock), in: served)
      try await advance("900ms", in: served)
      #expect(try await integer("Lock Current State", in: served) == before)
      try await advance("100ms", in: served)
      #expect(try await integer("Lock Current State", in: served) == 0)
      try await advance("18.9s", in: served)
      #expect(try await integer("Current Door State", in: served) == 2)
      try await advance("100ms", in: served)
      #expect(try await integer("Current Door State", in: served) == 0)
    }
  }

  @Test("The timer of a service that was removed does not fire") func removed() async throws {
    try await simulated(Self.garage(Self.door, Self.lock)) { served in
      try await set("TargetDoorState", #""open""#, in: served)
      try await set("LockTargetState", #""unsecured""#, in: served)
      try await advance("4s", in: served)
      // The lock's part gets the door's index, and so its timer numbers.
      let before = try await integer("Lock Current State", in: served)
      try await replace(Self.garage(Self.lock), in: served)
      try await advance("900ms", in: served)
      #expect(try await integer("Lock Current State", in: served) == before)
      try await advance("100ms", in: served)
      #expect(try await integer("Lock Current State", in: served) == 0)
      let events = served.eventNames().count
      try await advance("1h", in: served)
      #expect(served.eventNames().count == events)
      // The removed service returns at rest.
      try await replace(Self.garage(Self.door, Self.lock), in: served)
      #expect(try await integer("Current Door State", in: served) == 1)
    }
  }

  @Test("A behaviour restarts if the new profile gives its service another value") func value() async throws {
    try await simulated(Self.garage(Self.door)) { served in
      try await set("TargetDoorState", #""open""#, in: served)
      try await advance("9s", in: served)
      let open = #"""
        { "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "12s" }, "characteristics": [
          { "type": "CurrentDoorState", "value": 0 }, { "type": "TargetDoorState", "value": 0 } ] }
        """#
      try await replace(Self.garage(open), in: served)
      #expect(try await integer("Current Door State", in: served) == 0)
      try await set("TargetDoorState", #""closed""#, in: served)
      try await advance("11.9s", in: served)
      #expect(try await integer("Current Door State", in: served) == 3)
      try await advance("100ms", in: served)
      #expect(try await integer("Current Door State", in: served) == 1)
    }
  }

  @Test("A series continues at its position, and another series begins at its first value") func series() async throws {
    func thermometer(_ series: String, _ others: String...) -> String {
      let service = """
        { "type": "TemperatureSensor", "name": "Air", "behaviour": { "replay": \(series) } }
        """
      return Self.profile("Sensor", "sensor", others + [service])
    }
    let series = "[[0, 10], [60, 20], [120, 30], [180, 40]]"
    try await simulated(thermometer(series)) { served in
      func temperature() async throws -> Double? {
        try await served.value("Current Temperature")?.numberValue?.double
      }
      try await advance("110s", in: served)
      #expect(try await temperature() == 20)
      try await replace(thermometer(series, #"{ "type": "MotionSensor", "name": "Motion" }"#), in: served)
      #expect(try await temperature() == 20)
      try await advance("10s", in: served)
      #expect(try await temperature() == 30)
      try await replace(thermometer("[[0, 11], [60, 21]]"), in: served)
      #expect(try await temperature() == 11)
      try await advance("60s", in: served)
      #expect(try await temperature() == 21)
    }
  }

  @Test("Random values are the same with and without a replacement") func random() async throws {
    func sensor(_ others: String...) -> String {
      let service = #"{ "type": "HumiditySensor", "name": "Air", "behaviour": { "walk": 3, "every": "10s" } }"#
      return Self.profile("Sensor", "sensor", others + [service])
    }
    var walks: [[Double?]] = []
    for isReplaced in [false, true] {
      try await simulated(sensor()) { served in
        var walk: [Double?] = []
        for step in 0..<10 {
          try await advance("7s", in: served)
          if isReplaced, step == 4 {
            try await replace(sensor(#"{ "type": "Switch", "name": "Pump" }"#), in: served)
          }
          walk.append(try await served.value("Current Relative Humidity")?.numberValue?.double)
        }
        walks.append(walk)
      }
    }
    #expect(walks[0] == walks[1])
    #expect(Set(walks[0]).count > 3)
  }

  @Test("A behaviour that depends on another service continues if a third one is new") func neighbour() async throws {
    func lock(_ time: String, _ others: String...) -> String {
      let services = [
        #"{ "type": "LockManagement", "name": "Manager", "characteristics": [ { "type": "LockManagementAutoSecurityTimeout", "value": 10 } ] }"#,
        #"{ "type": "LockMechanism", "name": "Lock", "behaviour": { "actuationTime": "\#(time)" } }"#,
      ]
      return Self.profile("Front Door", "door-lock", services + others)
    }
    try await simulated(lock("1s")) { served in
      try await set("LockTargetState", #""unsecured""#, in: served)
      try await advance("8s", in: served)
      #expect(try await integer("Lock Current State", in: served) == 0)
      // 7 s of the manager's 10 s are over.
      try await replace(lock("1s", Self.fan), in: served)
      try await advance("2.9s", in: served)
      #expect(try await integer("Lock Target State", in: served) == 0)
      try await advance("100ms", in: served)
      #expect(try await integer("Lock Target State", in: served) == 1)
    }
  }

  @Test("A behaviour that depends on services of a type includes a new one of them") func newNeighbour() async throws {
    func sprinklers(_ valves: String...) -> String {
      let services = valves.map { "{ \"type\": \"Valve\", \"name\": \"\($0)\" }" }
      return Self.profile(
        "Garden", "sprinkler", [#"{ "type": "IrrigationSystem", "name": "Garden" }"#] + services)
    }
    try await simulated(sprinklers("One")) { served in
      try await replace(sprinklers("One", "Two"), in: served)
      // The first In Use of the accessory is that of the irrigation system.
      #expect(try await integer("In Use", in: served) == 0)
      try await served.command("set", #""characteristic": "Active", "service": "Two", "value": 1"#)
      #expect(try await integer("In Use", in: served) == 1)
    }
  }

  @Test("A new bridged accessory doesn't affect the behaviours of the others") func bridged() async throws {
    func bridge(_ names: String...) -> String {
      let accessories = names.map {
        "{ \"name\": \"\($0)\", \"serialNumber\": \"\($0)\", \"services\": [ \(Self.door) ] }"
      }
      return """
        { "format": "hasaccessory/1", "name": "Bridge", "serialNumber": "B-1", "category": "bridge",
          "bridgedAccessories": [ \(accessories.joined(separator: ", ")) ] }
        """
    }
    try await simulated(bridge("Shed", "Barn")) { served in
      func door(_ name: String) async throws -> Int128? {
        try await integer("\(name) Current Door State", in: served)
      }
      for name in ["Shed", "Barn"] {
        try await served.command(
          "set", "\"characteristic\": \"TargetDoorState\", \"value\": \"open\", \"accessory\": \"\(name)\"")
        try await advance("4s", in: served)
      }
      // 8 s and 4 s are over.
      try await replace(bridge("Hut", "Shed", "Barn"), in: served)
      #expect(try await door("Hut") == 1)
      try await advance("4s", in: served)
      #expect(try await door("Shed") == 0)
      #expect(try await door("Barn") == 2)
      try await replace(bridge("Hut", "Barn"), in: served)
      try await advance("3.9s", in: served)
      #expect(try await door("Barn") == 2)
      try await advance("100ms", in: served)
      #expect(try await door("Barn") == 0)
    }
  }
}
