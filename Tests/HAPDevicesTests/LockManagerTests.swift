import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Lock Management") struct LockManagerTests {
  let current = AttributeID(aid: 1, iid: 31), target = AttributeID(aid: 1, iid: 32)
  let timeout = AttributeID(aid: 1, iid: 42)

  private func world(timeout: Value = 0) -> VirtualWorld {
    let lock = Service(
      iid: 30, type: ServiceDefinition.lockMechanism.type,
      characteristics: [.make(31, .lockCurrentState, 1), .make(32, .lockTargetState, 1)])
    let manager = Service(
      iid: 40, type: ServiceDefinition.lockManagement.type,
      characteristics: [.make(41, .lockLastKnownAction, 0), .make(42, .lockManagementAutoSecurityTimeout, timeout)])
    return VirtualWorld(try! AttributeDatabase([Accessory(aid: 1, services: [manager, lock])]))
  }

  @Test("Lock Last Known Action shows whether a controller or a hand moved the lock")
  func whoDidIt() throws {
    let world = world()
    world.write(target, 0)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=0", "1.41=7"])
    world.write(target, 1)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=1", "1.41=6"])
    try world.setByHand(current, 0)
    #expect(world.changes() == ["1.31=0", "1.32=0", "1.41=1"])
    try world.setByHand(current, 1)
    #expect(world.changes() == ["1.31=1", "1.32=1", "1.41=0"])
  }

  @Test("An opened lock secures itself after the timeout, counted from the last opening")
  func autoLock() throws {
    let world = world(timeout: 30)
    #expect(world.pendingTimers == 0)
    try world.setByHand(current, 0)
    _ = world.changes()
    world.pass(.milliseconds(29_999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.32=1"])
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=1", "1.41=8"])
    #expect(world.pendingTimers == 0)
    world.write(target, 0)
    world.pass(.seconds(1))
    _ = world.changes()
    world.write(timeout, 0)
    world.pass(.seconds(1000))
    #expect(world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("A request that was reversed is not attributed to a later movement by hand")
  func takenBack() throws {
    let world = world()
    world.write(target, 0)
    world.write(target, 1)
    _ = world.changes()
    try world.setByHand(current, 0)
    #expect(world.changes() == ["1.31=0", "1.32=0", "1.41=1"])
  }

  @Test("A jam is not recorded as an action")
  func jammed() throws {
    let world = world()
    try world.physical(.jam(true))
    world.write(target, 0)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=2"])
    try world.setByHand(current, 0)
    #expect(world.changes() == ["1.31=0", "1.32=0", "1.41=1"])
    world.write(target, 1)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=2"])
    try world.physical(.jam(false))
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=1", "1.41=0"])
  }
}
