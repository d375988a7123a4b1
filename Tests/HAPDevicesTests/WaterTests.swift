import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

/// An accessory with a selection of a faucet (10…), a heater (20…), a sprinkler system (30…) and two valves (50…, 60…).
private enum Water {
  static let faucet = id(11), heater = id(21)
  static let system = id(31), systemInUse = id(32), systemLeft = id(34)
  static let active = id(51), inUse = id(52), duration = id(54), left = id(55)
  static let otherActive = id(61), otherDuration = id(64), otherLeft = id(65)

  static func id(_ iid: UInt64) -> AttributeID { AttributeID(aid: 1, iid: iid) }

  static func valve(_ iid: UInt64, active: Value = 0, duration: Value? = 600, tellsLeft: Bool = true) -> Service {
    var characteristics: [Characteristic] = [
      .make(iid + 1, .active, active), .make(iid + 2, .inUse, 0), .make(iid + 3, .valveType, 1),
      .make(iid + 6, .isConfigured, 1),
    ]
    if let duration { characteristics.append(.make(iid + 4, .setDuration, duration)) }
    if tellsLeft { characteristics.append(.make(iid + 5, .remainingDuration, 0)) }
    return Service(iid: iid, type: ServiceDefinition.valve.type, characteristics: characteristics)
  }

  static func faucet(active: Value = 1, linked: [UInt64] = [50, 20]) -> [Service] {
    [
      Service(
        iid: 10, type: ServiceDefinition.faucet.type, linked: linked, characteristics: [.make(11, .active, active)]),
      Service(iid: 20, type: ServiceDefinition.heaterCooler.type, characteristics: [.make(21, .active, 1)]),
    ]
  }

  static func system(active: Value = 0, linked: [UInt64] = []) -> Service {
    Service(
      iid: 30, type: ServiceDefinition.irrigationSystem.type, linked: linked,
      characteristics: [
        .make(31, .active, active), .make(32, .inUse, 0), .make(33, .programMode, 0), .make(34, .remainingDuration, 0),
      ])
  }

  static func world(_ services: [Service], _ behaviours: [AttributeID: String] = [:]) -> VirtualWorld {
    VirtualWorld(try! AttributeDatabase([Accessory(aid: 1, services: services)]), behaviours: behaviours)
  }
}

@Suite("Valves") struct ValveTests {
  @Test("[SV-19] Active drives In Use for the Set Duration at that moment; at 0 the valve turns off")
  func runs() {
    let world = Water.world([Water.valve(50)])
    #expect(world.changes() == [] && world.pendingTimers == 0)
    world.write(Water.active, 1)
    #expect(world.changes() == ["1.52=1", "1.55=600"])
    world.pass(.milliseconds(599_999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.51=0", "1.52=0", "1.55=0"])
    #expect(world.pendingTimers == 0)
  }

  @Test("[SV-19] A read in between returns the remaining time, without an event")
  func countsDown() {
    let world = Water.world([Water.valve(50)])
    #expect(world.read(Water.left) == 0)
    world.write(Water.active, 1)
    _ = world.changes()
    #expect(world.read(Water.left) == 600)
    world.pass(.milliseconds(100))
    #expect(world.read(Water.left) == 600)
    world.pass(.milliseconds(99_900))
    #expect(world.read(Water.left) == 500)
    world.pass(.milliseconds(499_999))
    #expect(world.read(Water.left) == 1)
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.read(Water.left) == 0)
    #expect(world.changes() == ["1.51=0", "1.52=0", "1.55=0"])
  }

  @Test("[SV-19] A new Set Duration applies to the next start")
  func nextDuration() {
    let world = Water.world([Water.valve(50)])
    world.write(Water.active, 1)
    world.pass(.seconds(10))
    world.write(Water.duration, 30)
    world.write(Water.active, 1)
    #expect(world.read(Water.left) == 590)
    world.write(Water.active, 0)
    #expect(world.changes() == ["1.52=1", "1.55=600", "1.52=0", "1.55=0"])
    world.pass(.seconds(1000))
    world.write(Water.active, 1)
    world.pass(.seconds(30))
    #expect(world.changes() == ["1.52=1", "1.55=30", "1.51=0", "1.52=0", "1.55=0"])
  }

  @Test("[SV-19] Set Duration 0, or none, means no end", arguments: [0, nil] as [Value?])
  func endless(_ duration: Value?) {
    let world = Water.world([Water.valve(50, duration: duration)])
    world.write(Water.active, 1)
    world.pass(.seconds(1_000_000))
    #expect(world.changes() == ["1.52=1"] && world.read(Water.left) == 0 && world.pendingTimers == 0)
    world.write(Water.active, 0)
    #expect(world.changes() == ["1.52=0"])
  }

  @Test("[SV-19] A valve without Remaining Duration turns off at its end, too")
  func silent() {
    let world = Water.world([Water.valve(50, tellsLeft: false)])
    world.write(Water.active, 1)
    world.pass(.seconds(600))
    #expect(world.changes() == ["1.52=1", "1.51=0", "1.52=0"])
  }

  @Test("flowDelay is the time from active to in use; the countdown starts with the flow")
  func flowDelay() {
    let world = Water.world([Water.valve(50)], [Water.id(50): #"{"flowDelay": "3s"}"#])
    world.write(Water.active, 1)
    world.pass(.seconds(2))
    #expect(world.changes() == [] && world.read(Water.left) == 0)
    world.write(Water.duration, 20)
    world.write(Water.active, 1)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.52=1", "1.55=20"])
    world.write(Water.active, 0)
    world.write(Water.active, 1)
    world.pass(.seconds(2))
    world.write(Water.active, 0)
    _ = world.changes()
    #expect(world.pendingTimers == 0)
    world.pass(.seconds(10))
    #expect(world.changes() == [])
  }

  @Test("Changes by hand set the countdown, stop the flow, or start it")
  func byHand() throws {
    let world = Water.world([Water.valve(50)], [Water.id(50): #"{"flowDelay": "3s"}"#])
    try world.setByHand(Water.left, 5)
    world.pass(.seconds(10))
    #expect(world.changes() == ["1.55=5"] && world.pendingTimers == 0)
    world.write(Water.active, 1)
    try world.setByHand(Water.inUse, 1)
    #expect(world.changes() == ["1.52=1", "1.55=600"] && world.pendingTimers == 1)
    try world.setByHand(Water.left, 40)
    world.pass(.seconds(39))
    #expect(world.read(Water.left) == 1)
    #expect(world.changes() == ["1.55=40"])
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.51=0", "1.52=0", "1.55=0"])
    try world.setByHand(Water.inUse, 1)
    #expect(world.changes() == ["1.52=1", "1.51=1", "1.55=600"])
    try world.setByHand(Water.inUse, 0)
    #expect(world.changes() == ["1.52=0", "1.55=0"] && world[Water.active] == 1)
    try world.setByHand(Water.active, 1)
    world.pass(.seconds(3))
    #expect(world.changes() == ["1.51=1", "1.52=1", "1.55=600"])
    try world.setByHand(Water.left, 0)
    #expect(world.changes() == ["1.55=0", "1.51=0", "1.52=0"] && world.pendingTimers == 0)
    try world.setByHand(Water.active, 1)
    try world.setByHand(Water.active, 0)
    #expect(world.pendingTimers == 0)
  }

  @Test("A valve that was active before a power loss restarts; Is Configured keeps its value")
  func restarted() throws {
    let world = Water.world([Water.valve(50, active: 1)])
    #expect(world.changes() == ["1.52=1", "1.55=600"])
    try world.setByHand(Water.id(56), 0)
    world.pass(.seconds(600))
    world.write(Water.active, 1)
    #expect(world[Water.id(56)] == 0)
  }

  @Test("An enormous duration is limited, and doesn't trap")
  func enormous() {
    var valve = Water.valve(50)
    for index in valve.characteristics.indices where [54, 55].contains(valve.characteristics[index].iid) {
      valve.characteristics[index].format = .float
      valve.characteristics[index].constraints = Constraints()
    }
    let world = Water.world([valve])
    world.write(Water.duration, .float(1e300))
    world.write(Water.active, 1)
    #expect(world.read(Water.left) == .float(1e9))
    world.write(Water.duration, .float(-5))
    world.write(Water.active, 0)
    world.write(Water.active, 1)
    #expect(world.read(Water.left) == .float(0))
  }
}

@Suite("Faucets") struct FaucetTests {
  @Test("[SV-29] An inactive faucet stops the water of its valve, which stays active, and turns the heater off")
  func stops() {
    for linked in [[50, 20], [20]] as [[UInt64]] {
      var valve = Water.valve(50)
      if !linked.contains(50) { valve.linked = [10] }
      let world = Water.world(Water.faucet(linked: linked) + [valve, Water.valve(60)])
      world.write(Water.active, 1)
      world.write(Water.otherActive, 1)
      _ = world.changes()
      world.write(Water.faucet, 0)
      #expect(world.changes() == ["1.21=0", "1.52=0", "1.55=0"])
      #expect(world[Water.active] == 1)
      world.pass(.seconds(100))
      world.write(Water.faucet, 1)
      #expect(world.changes() == ["1.52=1", "1.55=600"])
      #expect(world[Water.heater] == 0)
    }
  }

  @Test("[SV-29] A valve activated at an inactive faucet waits for it; changing a faucet by hand acts like a write")
  func waits() throws {
    let world = Water.world(Water.faucet(active: 0) + [Water.valve(50)])
    #expect(world.changes() == ["1.21=0"])
    world.write(Water.active, 1)
    #expect(world.changes() == [])
    try world.setByHand(Water.faucet, 1)
    #expect(world.changes() == ["1.11=1", "1.52=1", "1.55=600"])
    world.write(Water.heater, 1)
    try world.setByHand(Water.faucet, 0)
    #expect(world.changes().prefix(2) == ["1.11=0", "1.21=0"])
    #expect(world[Water.inUse] == 0)
  }
}

@Suite("Irrigation systems") struct IrrigationSystemTests {
  @Test("[SV-28] An active valve activates the system; it is in use while one is, with the longest remaining time")
  func follows() {
    let world = Water.world([Water.system(), Water.valve(50, duration: 100), Water.valve(60, duration: 300)])
    #expect(world.changes() == [])
    world.write(Water.active, 1)
    #expect(world.changes() == ["1.52=1", "1.55=100", "1.31=1", "1.32=1", "1.34=100"])
    world.pass(.seconds(40))
    world.write(Water.otherActive, 1)
    #expect(world.changes() == ["1.62=1", "1.65=300", "1.34=300"])
    #expect(world.read(Water.systemLeft) == 300)
    world.pass(.seconds(60))
    // The end of the shorter one causes no event of the system.
    #expect(world.changes() == ["1.51=0", "1.52=0", "1.55=0"])
    #expect(world.read(Water.systemLeft) == 240)
    world.pass(.seconds(240))
    #expect(world.changes() == ["1.61=0", "1.62=0", "1.65=0", "1.32=0", "1.34=0"])
    #expect(world[Water.system] == 1 && world[Water.id(33)] == 0)
  }

  @Test("[SV-28] Deactivating the system turns all valves off, including those that don't flow yet")
  func turnsOff() throws {
    let world = Water.world(
      [Water.system(), Water.valve(50), Water.valve(60)], [Water.id(60): #"{"flowDelay": "1min"}"#])
    world.write(Water.active, 1)
    world.write(Water.otherActive, 1)
    _ = world.changes()
    world.write(Water.system, 0)
    #expect(world.changes() == ["1.51=0", "1.61=0", "1.52=0", "1.55=0", "1.32=0", "1.34=0"])
    #expect(world.pendingTimers == 0)
    world.write(Water.system, 1)
    #expect(world.changes() == [])
    world.write(Water.active, 1)
    try world.setByHand(Water.system, 0)
    #expect(world[Water.active] == 0 && world[Water.inUse] == 0)
  }

  @Test("[SV-28] A system that is linked to valves ignores all others")
  func linked() {
    let world = Water.world([Water.system(linked: [60]), Water.valve(50), Water.valve(60)])
    world.write(Water.active, 1)
    #expect(world.changes() == ["1.52=1", "1.55=600"])
    world.write(Water.otherActive, 1)
    #expect(world.changes() == ["1.62=1", "1.65=600", "1.31=1", "1.32=1", "1.34=600"])
  }

  @Test("[SV-19] If the valve with the longest time is turned off or changed by hand, the remaining time is sent again")
  func changed() throws {
    let world = Water.world([Water.system(), Water.valve(50, duration: 100), Water.valve(60, duration: 300)])
    world.write(Water.active, 1)
    world.write(Water.otherActive, 1)
    world.pass(.seconds(10))
    _ = world.changes()
    world.write(Water.otherActive, 0)
    #expect(world.changes() == ["1.62=0", "1.65=0", "1.34=90"])
    try world.setByHand(Water.left, 70)
    #expect(world.changes() == ["1.55=70", "1.34=70"])
  }

  @Test("The system uses Set Duration for a valve without Remaining Duration, and ignores an endless valve")
  func silentValves() {
    let world = Water.world([
      Water.system(), Water.valve(50, duration: 100, tellsLeft: false), Water.valve(60, duration: 0),
    ])
    world.write(Water.active, 1)
    world.write(Water.otherActive, 1)
    #expect(world.changes() == ["1.52=1", "1.31=1", "1.32=1", "1.34=100", "1.62=1"])
    world.pass(.seconds(30))
    #expect(world.read(Water.systemLeft) == 70)
    world.pass(.seconds(70))
    #expect(world.changes() == ["1.51=0", "1.52=0", "1.34=0"])
    #expect(world[Water.systemInUse] == 1)
  }

  @Test("After a restart, the system follows its valves, in any order of services")
  func restarted() {
    for services in [[Water.system(), Water.valve(50, active: 1)], [Water.valve(50, active: 1), Water.system()]] {
      let world = Water.world(services)
      #expect(world[Water.system] == 1 && world[Water.systemInUse] == 1)
      #expect(world.changes().filter { $0.hasPrefix("1.34") } == ["1.34=600"])
      world.pass(.seconds(100))
      #expect(world.read(Water.systemLeft) == 500)
    }
  }
}
