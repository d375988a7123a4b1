import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

@Suite("Matter: sensors, locks and batteries") struct SensorTests {
  struct Case: Sendable {
    var profile: String
    var cluster: ClusterID
    var type: TypeID
    var values: [(hap: Value, matter: Element.Value)]
  }

  private static let cases = [
    Case(profile: "sensor-contact", cluster: 0x45, type: .contactState, values: [(0, .bool(true)), (1, .bool(false))]),
    Case(profile: "sensor-leak", cluster: 0x45, type: .leakDetected, values: [(0, .bool(false)), (1, .bool(true))]),
    Case(
      profile: "sensor-motion", cluster: 0x406, type: .motionDetected,
      values: [(false, .unsigned(0)), (true, .unsigned(1))]),
    Case(
      profile: "sensor-occupancy", cluster: 0x406, type: .occupancyDetected,
      values: [(0, .unsigned(0)), (1, .unsigned(1))]),
    Case(
      profile: "sensor-temperature", cluster: 0x402, type: .currentTemperature,
      values: [(.float(21.35), .signed(2135)), (.float(0), .signed(0)), (.float(-5.5), .signed(-550)), (.null, .null)]),
    Case(
      profile: "sensor-humidity", cluster: 0x405, type: .currentHumidity,
      values: [(.float(45.2), .unsigned(4520)), (.float(100), .unsigned(10000)), (.float(120), .unsigned(10000))]),
    Case(
      profile: "sensor-light", cluster: 0x400, type: .currentLight,
      values: [(.float(0.0001), .unsigned(0)), (.float(1), .unsigned(1)), (.float(100), .unsigned(20001))]),
    Case(
      profile: "lock", cluster: 0x101, type: .lockCurrentState,
      values: [(0, .unsigned(2)), (1, .unsigned(1)), (2, .unsigned(0)), (3, .null)]),
  ]

  @Test("A value of the device is the first attribute, and marks only it", arguments: cases)
  func values(_ test: Case) throws {
    let home = try MappedHome(test.profile)
    for (hap, matter) in test.values + test.values.reversed() {
      let before = try home.value(test.type)
      let changes = try home.change(test.type, to: hap)
      #expect(try home.read(1, test.cluster, 0) == matter, "\(test.profile) \(hap)")
      #expect(changes == (before == hap ? [] : [AttributePath(1, test.cluster, 0)]))
    }
    #expect(home.write(1, test.cluster, 0, .unsigned(1)) == .unsupportedWrite)
  }

  @Test("The limits of a measured value are in order", arguments: [0x402, 0x405, 0x400] as [ClusterID])
  func limits(_ cluster: ClusterID) throws {
    let profiles: [ClusterID: String] = [0x402: "sensor-temperature", 0x405: "sensor-humidity", 0x400: "sensor-light"]
    let home = try MappedHome(try #require(profiles[cluster]))
    let low = try home.read(1, cluster, 1).signed(in: -32768...65535)
    let high = try home.read(1, cluster, 2).signed(in: -32768...65535)
    #expect(low < high && (cluster != 0x400 || low >= 1))
  }

  @Test("A changed contact, leak or presence is an event")
  func events() throws {
    let home = try MappedHome("sensor-contact")
    try home.change(.contactState, to: 1)
    try home.change(.contactState, to: 1)
    #expect(home.node.takeEvents().map(\.fields) == [[Element(.context(0), .bool(false))]])
    #expect(home.node.takeEvents().isEmpty)
    let motion = try MappedHome("sensor-motion")
    try motion.change(.motionDetected, to: true)
    #expect(motion.node.takeEvents().map(\.fields) == [[Element(.context(0), .unsigned(1))]])
  }

  @Test("Lock and Unlock write the target state, must be timed, and cause LockOperation with the sender")
  func lock() throws {
    let home = try MappedHome("lock")
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == 0x101 })
    #expect(cluster.commands.map(\.number) == [0, 1, 3] && cluster.commands.allSatisfy(\.isTimed))
    for (command, target) in [(1, 0), (0, 1)] as [(CommandNumber, Value)] {
      #expect(home.invoke(1, 0x101, command) == .success)
      #expect(try home.value(.lockTargetState) == target)
    }
    #expect(home.node.takeEvents().isEmpty)
    try home.change(.lockCurrentState, to: 0)
    let unlocked = try #require(home.node.takeEvents().first)
    #expect(unlocked.event == 2 && unlocked.priority == .critical)
    #expect(unlocked.fields.map(\.value) == [.unsigned(1), .unsigned(7), .null, .unsigned(1), .unsigned(0x1122)])
    try home.change(.lockCurrentState, to: 1)
    let locked = try #require(home.node.takeEvents().first)
    #expect(locked.fields.map(\.value) == [.unsigned(0), .unsigned(1), .null, .null, .null])
    #expect(home.invoke(1, 0x101, 1) == .success)
    try home.change(.lockTargetState, to: 1)
    try home.change(.lockTargetState, to: 0)
    try home.change(.lockCurrentState, to: 0)
    #expect(home.node.takeEvents().map { $0.fields[1].value } == [.unsigned(1)])
    try home.change(.lockCurrentState, to: 2)
    let jammed = home.node.takeEvents()
    #expect(jammed.map(\.event) == [0] && jammed[0].fields == [Element(.context(0), .unsigned(0))])
  }

  @Test("A command that the lock refuses is LockOperationError")
  func refusedLock() throws {
    let home = try MappedHome("lock")
    home.verdict = .refused(.notAllowedInCurrentState)
    #expect(home.invoke(1, 0x101, 1) == .invalidInState)
    let event = try #require(home.node.takeEvents().first)
    #expect(event.event == 3 && event.priority == .critical)
    let expected: [Element.Value] = [
      .unsigned(1), .unsigned(7), .unsigned(0), .null, .unsigned(1), .unsigned(0x1122),
    ]
    #expect(event.fields.map(\.value) == expected)
    #expect(event.fields.map(\.tag) == (0..<6).map { .context(UInt8($0)) })
  }

  @Test("UnlockWithTimeout locks again after its time, unless the lock was locked before")
  func relock() throws {
    let home = try MappedHome("lock")
    #expect(home.invoke(1, 0x101, 3, .unsigned(5)) == .success)
    #expect(try home.value(.lockTargetState) == 0 && home.node.nextDeadline == .seconds(5))
    _ = home.node.advance(to: .seconds(5))
    #expect(try home.value(.lockTargetState) == 1 && home.node.nextDeadline == nil)
    #expect(home.invoke(1, 0x101, 3, .unsigned(5)) == .success)
    #expect(home.invoke(1, 0x101, 0) == .success)
    #expect(home.node.nextDeadline == nil)
    #expect(home.invoke(1, 0x101, 3) == .invalidCommand && home.invoke(1, 0x101, 3, .text("5")) == .invalidCommand)
    #expect(home.invoke(1, 0x101, 3, .unsigned(65536)) == .constraintError)
    #expect(home.write(1, 0x101, 0x25, .unsigned(0)) == .success)
    #expect(home.write(1, 0x101, 0x25, .unsigned(1)) == .constraintError)
  }

  @Test("A battery belongs to the first endpoint, and powers all endpoints of the accessory")
  func battery() throws {
    let home = try MappedHome("sensor-multi-battery")
    #expect(home.node.endpoints == [1, 2])
    #expect(try home.deviceTypes(1) == [.temperatureSensor, .powerSource])
    #expect(try home.deviceTypes(2) == [.humiditySensor])
    #expect(try home.read(1, 0x2F, 0x1F).numbers == [1, 2])
    let service = ServiceTable.battery
    let level = home.server.database.id(ofSlot: try home.slot(.batteryLevel))
    let low = home.server.database.id(ofSlot: try home.slot(.lowBattery, service: service))
    for (percent, isLow, remaining, charge) in [(100, 0, 200, 0), (20, 1, 40, 1), (5, 1, 10, 2), (0, 1, 0, 2)]
      as [(Value, Value, UInt64, UInt64)]
    {
      home.server.change(level, to: percent, at: .zero)
      home.server.change(low, to: isLow, at: .zero)
      _ = home.takeMarks()
      #expect(try home.read(1, 0x2F, 0x0C) == .unsigned(remaining))
      #expect(try home.read(1, 0x2F, 0x0E) == .unsigned(charge))
    }
  }

  @Test("A sensor with StatusLowBattery and no battery service has a battery without a percentage")
  func lowBattery() throws {
    let home = try MappedHome("sensor-motion")
    #expect(try home.deviceTypes(1) == [.occupancySensor, .powerSource])
    #expect(try home.change(.lowBattery, to: 1) == [AttributePath(1, 0x2F, 0x0E)])
    #expect(try home.read(1, 0x2F, 0x0E) == .unsigned(1))
    #expect(try home.read(1, 0x2F, 0x1F).numbers == [1])
    #expect(throws: InteractionStatus(.unsupportedAttribute)) { _ = try home.read(1, 0x2F, 0x0C) }
  }
}

@Suite("Matter: Identify and Groups") struct IdentifyTests {
  @Test("Identify identifies the accessory, and counts down in seconds")
  func identify() throws {
    let home = try MappedHome("bridge-two-lights")
    #expect(home.invoke(3, 3, 0, .unsigned(10)) == .success)
    let aid = home.server.database.accessoryEntries[2].aid
    let id = home.server.database.id(ofSlot: try home.slot(.identify, aid: aid))
    #expect(home.written.map(\.first) == [.init(id, true)])
    #expect(home.node.takeChanges() == [AttributePath(3, 3, 0)])
    home.node.now = .milliseconds(3500)
    #expect(try home.read(3, 3, 0) == .unsigned(7) && home.read(2, 3, 0) == .unsigned(0))
    #expect(home.node.advance(to: .seconds(10)) == [AttributePath(3, 3, 0)])
    #expect(try home.read(3, 3, 0) == .unsigned(0))
  }

  @Test("A written time identifies, too, and 0 ends it")
  func time() throws {
    let home = try MappedHome("switch")
    #expect(home.write(1, 3, 0, .unsigned(5)) == .success)
    #expect(home.written.count == 1 && home.node.nextDeadline == .seconds(5))
    #expect(home.write(1, 3, 0, .unsigned(0)) == .success)
    #expect(home.written.count == 1 && home.node.nextDeadline == nil)
    #expect(home.write(1, 3, 0, .unsigned(65536)) == .constraintError && home.write(1, 3, 0, .null) == .invalidDataType)
    #expect(home.write(1, 3, 1, .unsigned(1)) == .unsupportedWrite)
    #expect(home.invoke(1, 3, 0) == .invalidCommand && home.invoke(1, 3, 0, .bool(true)) == .invalidCommand)
  }

  @Test("Effects identify or stop, and unknown ones are refused")
  func effects() throws {
    let home = try MappedHome("switch")
    #expect(home.invoke(1, 3, 0x40, .unsigned(0), .unsigned(0)) == .success && home.written.count == 1)
    #expect(home.invoke(1, 3, 0, .unsigned(9)) == .success)
    #expect(home.invoke(1, 3, 0x40, .unsigned(0xFF), .unsigned(0)) == .success)
    #expect(home.node.nextDeadline == nil && home.written.count == 2)
    #expect(home.invoke(1, 3, 0x40, .unsigned(3), .unsigned(0)) == .constraintError)
    #expect(home.invoke(1, 3, 0x40, .unsigned(0), .unsigned(1)) == .constraintError)
    #expect(home.invoke(1, 3, 0x40, .unsigned(0)) == .invalidCommand)
  }

  @Test("Groups has no groups, and refuses new ones")
  func groups() throws {
    let home = try MappedHome("outlet")
    func answer(_ command: CommandNumber, _ fields: Element.Value...) -> [Element.Value]? {
      guard case .response(command, let members) = home.answer(1, 4, command, fields) else { return nil }
      return members.map(\.value)
    }
    #expect(answer(0, .unsigned(7), .text("x")) == [.unsigned(0x7E), .unsigned(7)])
    #expect(answer(0, .unsigned(0), .text("x")) == [.unsigned(0x87), .unsigned(0)])
    #expect(answer(1, .unsigned(7)) == [.unsigned(0x8B), .unsigned(7), .text("")])
    #expect(answer(2, .list([])) == [.null, .list([])])
    #expect(answer(3, .unsigned(7)) == [.unsigned(0x8B), .unsigned(7)])
    #expect(home.invoke(1, 4, 4) == .success)
    #expect(home.invoke(1, 4, 5, .unsigned(7), .text("x")) == .unsupportedAccess)
    #expect(home.invoke(1, 4, 0, .unsigned(7), .text(String(repeating: "x", count: 17))) == .constraintError)
    for command in [0, 1, 2, 3, 5] as [CommandNumber] { #expect(home.invoke(1, 4, command) == .invalidCommand) }
    #expect(home.invoke(1, 4, 0, .unsigned(7), .unsigned(1)) == .invalidCommand)
    #expect(home.invoke(1, 4, 2, .unsigned(7)) == .invalidCommand)
  }
}
