import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Doors, windows and coverings")
struct PositionMotorTests {
  static let service = AttributeID(aid: 1, iid: 8)
  let current = AttributeID(aid: 1, iid: 9), target = AttributeID(aid: 1, iid: 10)
  let hold = AttributeID(aid: 1, iid: 12), obstruction = AttributeID(aid: 1, iid: 13)
  let tilt = AttributeID(aid: 1, iid: 14), tiltTarget = AttributeID(aid: 1, iid: 15)

  /// A covering at rest at 0 %.
  private func world(_ behaviour: String = "{}", _ type: ServiceDefinition = .windowCovering, at: Value = 0)
    -> VirtualWorld
  {
    let service = Service(
      iid: 8, type: type.type,
      characteristics: [
        .make(9, .currentPosition, at), .make(10, .targetPosition, at), .make(11, .positionState, 2),
        .make(12, .holdPosition, .null), .make(13, .obstructionDetected, false),
        .make(14, .currentHorizontalTiltAngle, 0), .make(15, .targetHorizontalTiltAngle, 0),
      ])
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]), behaviours: [Self.service: behaviour])
  }

  @Test(
    "[SV-18] The motor moves to its target, reports positions on the way, and stops there",
    arguments: [
      ServiceDefinition.door, .window, .windowCovering,
    ])
  func travels(type: ServiceDefinition) {
    let world = world(#"{"report": "4s"}"#, type)
    world.write(target, 100)
    #expect(world.changes() == ["1.11=1"])
    world.pass(.milliseconds(3999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=40"])
    world.pass(.seconds(6))
    #expect(world.changes() == ["1.9=80", "1.9=100", "1.11=2"])
    #expect(world.pendingTimers == 0)
    world.write(target, 50)
    #expect(world.changes() == ["1.11=0"])
    world.pass(.seconds(5))
    #expect(world.changes() == ["1.9=60", "1.9=50", "1.11=2"])
  }

  @Test("travelTime is the time for the full way; 0s moves at once")
  func travelTime() {
    let slow = world(#"{"travelTime": "100s", "report": "1h"}"#)
    slow.write(target, 30)
    slow.pass(.milliseconds(29_999))
    #expect(slow.changes() == ["1.11=1"])
    slow.pass(.milliseconds(1))
    #expect(slow.changes() == ["1.9=30", "1.11=2"])
    let immediate = world(#"{"travelTime": "0s"}"#)
    immediate.write(target, 30)
    immediate.pass(.zero)
    #expect(immediate.changes() == ["1.11=1", "1.9=30", "1.11=2"])
  }

  @Test("A motor that reverses starts at its present position; an equal target changes nothing")
  func turned() {
    let world = world(#"{"report": "1h"}"#)
    world.write(target, 100)
    world.pass(.seconds(4))
    world.write(target, 100)
    #expect(world.changes() == ["1.11=1"])
    world.write(target, 20)
    #expect(world.changes() == ["1.11=0"])
    world.pass(.seconds(2))
    #expect(world.changes() == ["1.9=20", "1.11=2"])
    #expect(world.pendingTimers == 0)
  }

  @Test("[SV-24] Hold Position stops the motor, false does nothing, and the next target releases it")
  func holds() {
    let world = world(#"{"report": "1h"}"#)
    world.write(target, 100)
    world.pass(.seconds(3))
    _ = world.changes()
    world.write(hold, false)
    #expect(world.changes() == [])
    world.write(hold, true)
    #expect(world.changes() == ["1.10=30", "1.9=30", "1.11=2"])
    world.pass(.seconds(100))
    #expect(world.changes() == [] && world.pendingTimers == 0)
    world.write(target, 40)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.11=1", "1.9=40", "1.11=2"])
  }

  @Test("An obstruction reverses or stops the motor, and prevents closing")
  func obstructed() throws {
    let back = world(#"{"report": "1h"}"#, at: 80)
    back.write(target, 0)
    back.pass(.seconds(3))
    try back.command(.obstruct(true, service: nil))
    #expect(back.changes() == ["1.11=0", "1.13=true", "1.10=80", "1.9=50", "1.11=1"])
    back.pass(.seconds(3))
    #expect(back.changes() == ["1.9=80", "1.11=2"])
    back.write(target, 0)
    #expect(back.changes() == ["1.10=80"])
    back.write(target, 90)
    back.pass(.seconds(1))
    #expect(back.changes() == ["1.11=1", "1.9=90", "1.11=2"])

    let stop = world(#"{"report": "1h", "onObstruction": "stop"}"#, at: 80)
    stop.write(target, 0)
    stop.pass(.seconds(3))
    try stop.command(.obstruct(true, service: nil))
    #expect(stop.changes() == ["1.11=0", "1.13=true", "1.10=50", "1.9=50", "1.11=2"])
  }

  @Test("A position set by hand is kept, and becomes the target")
  func pushed() throws {
    let world = world()
    world.write(target, 100)
    try world.setByHand(current, 33)
    #expect(world.changes() == ["1.11=1", "1.9=33", "1.10=33", "1.11=2"])
    #expect(world.pendingTimers == 0)
    try world.setByHand(target, 34)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.10=34", "1.11=1", "1.9=34", "1.11=2"])
  }

  @Test("Slats of a covering tilt in tiltTime")
  func tilts() throws {
    let world = world(#"{"tiltTime": "4s"}"#)
    world.write(tiltTarget, -90)
    world.pass(.milliseconds(1999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.14=-90"])
    try world.setByHand(tilt, 45)
    #expect(world.changes() == ["1.14=45", "1.15=45"])
  }

  @Test("After a restart, the position equals the target")
  func restarted() {
    let service = Service(
      iid: 8, type: ServiceDefinition.door.type,
      characteristics: [.make(9, .currentPosition, 40), .make(10, .targetPosition, 70), .make(11, .positionState, 1)])
    let world = VirtualWorld(try! AttributeDatabase([Accessory(aid: 1, services: [service])]))
    #expect(world.changes() == ["1.9=70", "1.11=2"])
  }
}

@Suite("Slats") struct SlatDriveTests {
  let state = AttributeID(aid: 1, iid: 9), swing = AttributeID(aid: 1, iid: 12)
  let angle = AttributeID(aid: 1, iid: 10), target = AttributeID(aid: 1, iid: 11)

  private func world(_ behaviour: String = "{}") -> VirtualWorld {
    let service = Service(
      iid: 8, type: ServiceDefinition.slat.type,
      characteristics: [
        .make(9, .currentSlatState, 0), .make(10, .currentTiltAngle, 0), .make(11, .targetTiltAngle, 0),
        .make(12, .swingMode, 0),
      ])
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [AttributeID(aid: 1, iid: 8): behaviour])
  }

  @Test("Slats tilt and swing; jammed slats don't move until they are released")
  func all() throws {
    let world = world(#"{"tiltTime": "2s"}"#)
    world.write(target, 90)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.10=90"])
    world.write(swing, 1)
    #expect(world.changes() == ["1.9=2"])
    try world.physical(.jam(true))
    #expect(world.changes() == ["1.9=1"])
    world.write(target, 0)
    world.write(swing, 0)
    world.pass(.seconds(10))
    #expect(world.changes() == [])
    try world.physical(.jam(false))
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.9=0", "1.10=0"])
  }
}
