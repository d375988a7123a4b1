import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Security systems") struct SecuritySystemTests {
  let current = AttributeID(aid: 1, iid: 9), target = AttributeID(aid: 1, iid: 10)
  let alarm = AttributeID(aid: 1, iid: 11), tampered = AttributeID(aid: 1, iid: 12)

  private func world(_ behaviour: String = "{}", _ state: Value = 3, current: Value? = nil) -> VirtualWorld {
    let service = Service(
      iid: 8, type: ServiceDefinition.securitySystem.type,
      characteristics: [
        .make(9, .securitySystemCurrentState, current ?? state), .make(10, .securitySystemTargetState, state),
        .make(11, .securitySystemAlarmType, 0), .make(12, .statusTampered, 0),
      ])
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [AttributeID(aid: 1, iid: 8): behaviour])
  }

  @Test("[SV-20] The target drives the current state at once")
  func follows() {
    let world = world()
    for state in [0, 1, 2, 3] as [Value] {
      world.write(target, state)
      #expect(world.changes() == ["1.9=\(state.text)"])
    }
    world.write(target, 3)
    #expect(world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("[SV-20] exitDelay applies to away and night; staying and disarming are immediate")
  func exitDelay() {
    let world = world(#"{"exitDelay": "30s"}"#)
    for state in [1, 2] as [Value] {
      world.write(target, state)
      world.pass(.seconds(20))
      world.write(target, state)
      world.pass(.milliseconds(9999))
      #expect(world.changes() == [])
      world.pass(.milliseconds(1))
      #expect(world.changes() == ["1.9=\(state.text)"])
      world.write(target, 3)
      #expect(world.changes() == ["1.9=3"])
    }
    world.write(target, 1)
    world.pass(.seconds(20))
    world.write(target, 2)
    world.pass(.seconds(20))
    #expect(world.changes() == [])
    world.write(target, 0)
    #expect(world.changes() == ["1.9=0"] && world.pendingTimers == 0)
  }

  @Test("[SV-20] A triggered alarm is Triggered with Alarm Type 1, and any target clears it")
  func alarms() throws {
    for state in [0, 1, 2] as [Value] {
      for next in [0, 1, 2, 3] as [Value] {
        let world = world("{}", state)
        try world.physical(.trigger)
        #expect(world.changes() == ["1.9=4", "1.11=1"])
        try world.physical(.trigger)
        #expect(world.changes() == [])
        world.write(target, next)
        #expect(world.changes() == ["1.9=\(next.text)", "1.11=0"])
      }
    }
  }

  @Test("[SV-20] After an alarm, the system is disarmed until the exit delay is over again")
  func rearmed() throws {
    let world = world(#"{"exitDelay": "30s"}"#, 1)
    try world.physical(.trigger)
    _ = world.changes()
    world.write(target, 1)
    #expect(world.changes() == ["1.9=3", "1.11=0"])
    world.pass(.seconds(30))
    #expect(world.changes() == ["1.9=1"])
  }

  @Test("[SV-20] A trigger while disarmed, or not yet armed, is refused with the reason")
  func refused() {
    let world = world(#"{"exitDelay": "30s"}"#)
    let disarmed = CommandError(.notPossible, "the security system is disarmed")
    #expect(throws: disarmed) { try world.physical(.trigger) }
    world.write(target, 1)
    let early = CommandError(.notPossible, "the security system is not armed yet")
    #expect(throws: early) { try world.physical(.trigger) }
    world.write(target, 3)
    #expect(throws: disarmed) { try world.physical(.trigger) }
    #expect(world.changes() == [] && world[current] == 3)
  }

  @Test("[SV-20] An alarm can be cancelled during entryDelay")
  func entryDelay() throws {
    let world = world(#"{"entryDelay": "20s"}"#, 1)
    try world.physical(.trigger)
    world.pass(.seconds(15))
    try world.physical(.trigger)
    world.pass(.milliseconds(4999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=4", "1.11=1"] && world.pendingTimers == 0)
    world.write(target, 2)
    _ = world.changes()
    for state in [2, 3] as [Value] {
      try? world.physical(.trigger)
      world.pass(.seconds(10))
      world.write(target, state)
      world.pass(.seconds(100))
      #expect(world[current] == state && world.pendingTimers == 0)
    }
  }

  @Test("[SV-20] Opening the housing triggers an armed system, unless tamperTriggers is false")
  func tamper() throws {
    let armed = world("{}", 0)
    try armed.physical(.tamper(true))
    #expect(armed.changes() == ["1.12=1", "1.9=4", "1.11=1"])
    try armed.physical(.tamper(false))
    #expect(armed.changes() == ["1.12=0"])
    let calm = world(#"{"tamperTriggers": false}"#, 0)
    try calm.physical(.tamper(true))
    #expect(calm.changes() == ["1.12=1"])
    let disarmed = world()
    try disarmed.physical(.tamper(true))
    #expect(disarmed.changes() == ["1.12=1"])
    let slow = world(#"{"entryDelay": "20s"}"#, 0)
    try slow.physical(.tamper(true))
    #expect(slow.changes() == ["1.12=1"])
    slow.pass(.seconds(20))
    #expect(slow.changes() == ["1.9=4", "1.11=1"])
  }

  @Test("A current state set by hand arms at once, or raises the alarm")
  func byHand() throws {
    let world = world(#"{"exitDelay": "30s", "entryDelay": "30s"}"#)
    try world.setByHand(current, 2)
    #expect(world.changes() == ["1.9=2", "1.10=2"])
    try world.physical(.trigger)
    try world.setByHand(current, 4)
    #expect(world.changes() == ["1.9=4", "1.11=1"] && world.pendingTimers == 0)
    try world.setByHand(current, 3)
    #expect(world.changes() == ["1.9=3", "1.10=3", "1.11=0"])
    try world.setByHand(target, 1)
    #expect(world.changes() == ["1.10=1"])
    try world.setByHand(current, 0)
    #expect(world.changes() == ["1.9=0", "1.10=0"] && world.pendingTimers == 0)
  }

  @Test("After a restart, the current state equals the target; an alarm persists")
  func restarted() {
    #expect(world("{}", 1, current: 3).changes() == ["1.9=1"])
    #expect(world("{}", 1, current: 4).changes() == [])
  }
}
