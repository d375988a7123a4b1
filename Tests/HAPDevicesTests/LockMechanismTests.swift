import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Lock")
struct LockMechanismTests {
  let unsecured: Value = 0, secured: Value = 1, jammed: Value = 2

  func world(_ behaviour: String = "{}", _ database: AttributeDatabase = Garage.database(), seed: UInt64 = 1)
    -> VirtualWorld
  {
    VirtualWorld(database, behaviours: [Garage.lock: behaviour], seed: seed)
  }

  @Test("[SV-01] The bolt follows its target after a second, or after the profile's actuationTime")
  func follows() {
    for (behaviour, time) in [("{}", Duration.seconds(1)), (#"{"actuationTime": "250ms"}"#, .milliseconds(250))] {
      let world = world(behaviour)
      world.write(Garage.lockTarget, unsecured)
      world.pass(time - .milliseconds(1))
      #expect(world.changes() == [])
      world.pass(.milliseconds(1))
      #expect(world.changes() == ["1.31=0"] && world.pendingTimers == 0)
    }
  }

  @Test("A target that is reversed before the bolt moves leaves the bolt in place")
  func changedBack() {
    let world = world()
    world.write(Garage.lockTarget, unsecured)
    world.pass(.milliseconds(500))
    world.write(Garage.lockTarget, secured)
    world.pass(.seconds(10))
    #expect(world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("[SV-02] A lock that always jams is jammed, and tries again after each write")
  func jams() {
    for jams in ["true", "1", "1.0"] {
      let world = world(#"{"jams": \#(jams)}"#)
      world.write(Garage.lockTarget, unsecured)
      world.pass(.seconds(1))
      #expect(world.changes() == ["1.31=2"])
      world.write(Garage.lockTarget, unsecured)
      #expect(world.pendingTimers == 1)
    }
  }

  @Test("[SV-02] A bolt in the state unknown moves to its target")
  func unknown() throws {
    let world = world()
    try world.setByHand(Garage.lockCurrent, 3)
    #expect(world.changes() == ["1.31=3"])
    world.write(Garage.lockTarget, 0)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=0"])
  }

  @Test("The random jams of a lock depend only on the seed")
  func jamsSometimes() {
    func run(_ seed: UInt64) -> [String] {
      let world = world(#"{"jams": 0.5}"#, seed: seed)
      for round in 0..<40 {
        world.write(Garage.lockTarget, round % 2 == 0 ? unsecured : secured)
        world.pass(.seconds(2))
      }
      return world.changes()
    }
    #expect(run(1) == run(1))
    #expect(run(1) != run(2))
    #expect(run(1).contains("1.31=2") && run(1).contains("1.31=0"))
  }

  @Test("[SV-03] Moving the bolt by hand also sets the target; setting the target by hand acts as a controller's write")
  func byHand() throws {
    let world = world()
    world.write(Garage.lockTarget, unsecured)
    try world.setByHand(Garage.lockCurrent, secured)
    #expect(world.changes() == ["1.31=1", "1.32=1"] && world.pendingTimers == 0)
    try world.setByHand(Garage.lockCurrent, jammed)
    #expect(world.changes() == ["1.31=2"])
    try world.setByHand(Garage.lockTarget, unsecured)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.32=0", "1.31=0"])
  }

  @Test("At the start, a bolt at rest goes to its target; a jammed one stays jammed")
  func start() {
    #expect(world("{}", Garage.database(lockCurrent: 1, lockTarget: 0)).changes() == ["1.31=0"])
    #expect(world("{}", Garage.database(lockCurrent: 2, lockTarget: 0)).changes() == [])
    #expect(world("{}", Garage.database(lockCurrent: 3, lockTarget: 0)).changes() == [])
  }
}
