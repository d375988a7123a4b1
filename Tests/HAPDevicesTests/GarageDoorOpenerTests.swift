import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Garage door")
struct GarageDoorOpenerTests {
  let open: Value = 0, closed: Value = 1, opening: Value = 2, closing: Value = 3, stopped: Value = 4

  /// A started device with a closed door at rest, or with other values.
  func world(_ behaviour: String = "{}", _ database: AttributeDatabase = Garage.database()) -> VirtualWorld {
    let world = VirtualWorld(database, behaviours: [Garage.door: behaviour])
    return world
  }

  @Test("[SV-04] After a target of open, the door is opening at once, and open after 10 seconds")
  func opens() {
    let world = world()
    world.write(Garage.target, open)
    #expect(world.changes() == ["1.9=2"])
    world.pass(.milliseconds(9999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=0"])
    world.pass(.seconds(100))
    #expect(world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("[SV-05] After a target of closed, the door is closing, and closed after the profile's travelTime")
  func closes() {
    let world = world(#"{"travelTime": "12s"}"#, Garage.database(current: 0, target: 0))
    world.write(Garage.target, closed)
    #expect(world.changes() == ["1.9=3"])
    world.pass(.milliseconds(11_999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=1"])
  }

  @Test("A target that the door has reached, or is moving to, changes nothing")
  func sameTarget() {
    let world = world()
    world.write(Garage.target, closed)
    #expect(world.changes() == [] && world.pendingTimers == 0)
    world.write(Garage.target, open)
    world.pass(.seconds(4))
    _ = world.changes()
    world.write(Garage.target, open)
    #expect(world.changes() == [])
    world.pass(.seconds(6))
    #expect(world.changes() == ["1.9=0"])
  }

  @Test("A door that reverses half-way takes as long for the way back as for the way so far, each time")
  func reversed() {
    let world = world()
    world.write(Garage.target, open)
    world.pass(.seconds(4))
    world.write(Garage.target, closed)
    #expect(world.changes() == ["1.9=2", "1.9=3"])
    world.pass(.seconds(1))  // 3 s from closed
    world.write(Garage.target, open)
    #expect(world.changes() == ["1.9=2"])
    world.pass(.milliseconds(6999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(2))
    #expect(world.changes() == ["1.9=0"])
    #expect(world.pendingTimers == 0)
  }

  @Test("A door that reverses at its start is back at once")
  func reversedAtOnce() {
    let world = world()
    world.write(Garage.target, open)
    world.write(Garage.target, closed)
    #expect(world.changes() == ["1.9=2", "1.9=1"])
    #expect(world.pendingTimers == 0)
  }

  @Test("With a negligible travelTime, the door arrives in the next turn")
  func instant() {
    let world = world(#"{"travelTime": "0s"}"#)
    world.write(Garage.target, open)
    world.pass(.zero)
    #expect(world.changes() == ["1.9=2", "1.9=0"])
  }

  @Test("[SV-06] An obstruction of a closing door reverses it, and the target follows")
  func obstructionReverses() throws {
    let world = world("{}", Garage.database(current: 0, target: 0))
    world.write(Garage.target, closed)
    world.pass(.seconds(6))
    _ = world.changes()
    try world.command(.obstruct(true, service: nil))
    #expect(world.changes() == ["1.11=true", "1.10=0", "1.9=2"])
    world.pass(.seconds(6))
    #expect(world.changes() == ["1.9=0"])
  }

  @Test("With onObstruction \"stop\", an obstructed door stops until the next target")
  func obstructionStops() throws {
    let world = world(#"{"onObstruction": "stop"}"#, Garage.database(current: 0, target: 0))
    world.write(Garage.target, closed)
    world.pass(.seconds(6))
    _ = world.changes()
    try world.command(.obstruct(true, service: nil))
    #expect(world.changes() == ["1.11=true", "1.9=4"])
    #expect(world.pendingTimers == 0)
    world.write(Garage.target, closed)
    #expect(world.changes() == [])
    try world.command(.obstruct(false, service: nil))
    world.pass(.seconds(100))
    #expect(world.changes() == ["1.11=false"])
    world.write(Garage.target, closed)
    world.pass(.seconds(4))
    #expect(world.changes() == ["1.9=3", "1.9=1"])
  }

  @Test("An obstructed door does not start to close")
  func obstructedStaysOpen() throws {
    let reversing = world("{}", Garage.database(current: 0, target: 0, obstruction: true))
    reversing.write(Garage.target, closed)
    #expect(reversing.changes() == ["1.10=0"])
    let stopping = world(#"{"onObstruction": "stop"}"#, Garage.database(current: 0, target: 0, obstruction: true))
    stopping.write(Garage.target, closed)
    #expect(stopping.changes() == ["1.9=4"])
    for world in [reversing, stopping] {
      world.pass(.seconds(100))
      #expect(world.changes() == [] && world.pendingTimers == 0)
    }
  }

  @Test("An obstruction doesn't stop an opening door or move one at rest, but prevents closing")
  func obstructionElsewhere() throws {
    let world = world()
    try world.command(.obstruct(true, service: nil))
    #expect(world.changes() == ["1.11=true"])
    world.write(Garage.target, closed)  // the door is closed
    #expect(world[Garage.current] == closed)
    _ = world.changes()
    world.write(Garage.target, open)
    world.pass(.seconds(5))
    world.write(Garage.target, closed)
    #expect(world[Garage.current] == opening && world[Garage.target] == open)
    world.pass(.seconds(5))
    #expect(world[Garage.current] == open)
  }

  @Test("A press of the button has the effect of a controller's write")
  func button() throws {
    let world = world()
    try world.setByHand(Garage.target, open)
    world.pass(.seconds(10))
    #expect(world.changes() == ["1.10=0", "1.9=2", "1.9=0"])
  }

  @Test("[SV-03] A door moved by hand stops its motor, and the target follows")
  func movedByHand() throws {
    let world = world()
    world.write(Garage.target, open)
    world.pass(.seconds(5))
    _ = world.changes()
    try world.setByHand(Garage.current, closed)
    #expect(world.changes() == ["1.9=1", "1.10=1"])
    world.pass(.seconds(100))
    #expect(world.changes() == [] && world.pendingTimers == 0)
    try world.setByHand(Garage.current, opening)
    world.pass(.seconds(4))
    try world.setByHand(Garage.current, stopped)
    #expect(world[Garage.target] == open && world[Garage.current] == stopped && world.pendingTimers == 0)
    _ = world.changes()
    world.write(Garage.target, closed)
    world.pass(.seconds(4))
    #expect(world.changes() == ["1.9=3", "1.9=1"])
  }

  @Test("At the start, a door at rest goes to its target; a moving one continues; a stopped one stays")
  func start() {
    let afterRestart = world("{}", Garage.database(current: 1, target: 0))
    #expect(afterRestart.changes() == ["1.9=0"] && afterRestart.pendingTimers == 0)
    let underWay = world("{}", Garage.database(current: 2, target: 0))
    underWay.pass(.seconds(10))
    #expect(underWay.changes() == ["1.9=2", "1.9=0"])
    let halted = world("{}", Garage.database(current: 4, target: 0))
    #expect(halted.changes() == [] && halted.pendingTimers == 0)
    halted.write(Garage.target, open)
    halted.pass(.seconds(5))
    #expect(halted.changes() == ["1.9=2", "1.9=0"])
  }

  @Test("A service without its characteristics does nothing, and doesn't trap")
  func bare() {
    let service = Service(
      iid: 8, type: ServiceDefinition.garageDoorOpener.type, characteristics: [.make(10, .targetDoorState, 1)])
    let world = VirtualWorld(try! AttributeDatabase([Accessory(aid: 1, services: [service])]))
    world.write(Garage.target, open)
    world.pass(.seconds(10))
    world.fire(0)
    #expect(world.changes() == [])
  }

  @Test("Lock characteristics in the door's service work in addition to the door")
  func lockedDoor() {
    var accessories = Garage.database().accessories
    accessories[0].services[0].characteristics += [.make(13, .lockCurrentState, 0), .make(14, .lockTargetState, 0)]
    let world = VirtualWorld(
      try! AttributeDatabase(accessories), behaviours: [Garage.door: #"{"actuationTime": "2s", "travelTime": "5s"}"#])
    world.write(Garage.target, open)
    world.write(AttributeID(aid: 1, iid: 14), 1)
    world.pass(.seconds(5))
    #expect(world.changes() == ["1.9=2", "1.13=1", "1.9=0"])
  }
}
