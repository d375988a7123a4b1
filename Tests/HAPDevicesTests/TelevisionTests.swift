import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Television") struct TelevisionTests {
  let active = AttributeID(aid: 1, iid: 9), source = AttributeID(aid: 1, iid: 10), key = AttributeID(aid: 1, iid: 11)
  let current = AttributeID(aid: 1, iid: 12), target = AttributeID(aid: 1, iid: 13)

  private func world(
    _ behaviour: String = "{}", active: Value = 1, target: Value? = 0, sources: [Int] = [1, 2],
    currentValues: [Int]? = nil,
    targetValues: [Int]? = nil
  ) -> VirtualWorld {
    var current = Characteristic.make(12, .currentMediaState, target ?? 0)
    current.constraints.validValues = currentValues
    var television = Service(
      iid: 8, type: ServiceDefinition.television.type, linked: sources.indices.map { UInt64(30 + 10 * $0) },
      characteristics: [
        .make(9, .active, active), .make(10, .activeIdentifier, 1), .make(11, .remoteKey, .null), current,
        .make(14, .configuredName, "TV"), .make(15, .sleepDiscoveryMode, 1), .make(16, .powerModeSelection, .null),
      ])
    if let target {
      var characteristic = Characteristic.make(13, .targetMediaState, target)
      characteristic.constraints.validValues = targetValues
      television.characteristics.append(characteristic)
    }
    let inputs = sources.enumerated().map { index, identifier in
      Service(
        iid: UInt64(30 + 10 * index), type: ServiceDefinition.inputSource.type,
        characteristics: [.make(UInt64(31 + 10 * index), .identifier, .integer(Int128(identifier)))])
    }
    let world = VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [television] + inputs)]),
      behaviours: [AttributeID(aid: 1, iid: 8): behaviour])
    return world
  }

  @Test("An inactive television is stopped; after activation it loads for startTime, then follows its target")
  func power() {
    let world = world()
    #expect(world.changes() == [])
    world.write(active, 0)
    #expect(world.changes() == ["1.12=2"])
    world.write(target, 1)
    #expect(world.changes() == [])
    world.write(active, 1)
    #expect(world.changes() == ["1.12=4"])
    world.write(active, 1)
    world.pass(.milliseconds(1999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.12=1"])
    world.write(active, 1)
    #expect(world.changes() == [] && world.pendingTimers == 0)
    world.write(active, 0)
    world.write(active, 1)
    world.pass(.seconds(1))
    world.write(active, 0)
    #expect(world.changes() == ["1.12=2", "1.12=4", "1.12=2"])
    #expect(world.pendingTimers == 0)
  }

  @Test("startTime is configurable; 0s starts at once") func startTime() {
    let slow = world(#"{"startTime": "9s"}"#, active: 0)
    #expect(slow.changes() == ["1.12=2"])
    slow.write(active, 1)
    slow.pass(.milliseconds(8999))
    #expect(slow.changes() == ["1.12=4"])
    slow.pass(.milliseconds(1))
    #expect(slow.changes() == ["1.12=0"])
    let immediate = world(#"{"startTime": "0s"}"#, active: 0)
    immediate.write(active, 1)
    #expect(immediate.changes() == ["1.12=2", "1.12=0"] && immediate.pendingTimers == 0)
  }

  @Test("The loading state is skipped if its valid values exclude it") func noLoading() {
    let world = world(active: 0, currentValues: [0, 1, 2])
    world.write(active, 1)
    #expect(world.changes() == ["1.12=2"])
    world.pass(.seconds(2))
    #expect(world.changes() == ["1.12=0"])
  }

  @Test("Target Media State leads, and a change by hand at the device changes both") func media() throws {
    let world = world()
    world.write(target, 2)
    #expect(world.changes() == ["1.12=2"])
    try world.setByHand(current, 1)
    #expect(world.changes() == ["1.12=1", "1.13=1"])
    try world.setByHand(target, 0)
    #expect(world.changes() == ["1.13=0", "1.12=0"])
    try world.setByHand(current, 5)
    #expect(world.changes() == ["1.12=5"])
    try world.setByHand(current, 1)
    world.write(key, 11)
    #expect(world.changes() == ["1.12=1", "1.13=1", "1.13=0", "1.12=0"])
  }

  @Test("Play/pause toggles; the other keys do nothing, and neither does any key while the television is off")
  func keys() throws {
    let world = world()
    for number in 0...16 where number != 11 { world.write(key, .integer(Int128(number))) }
    #expect(world.changes() == [])
    world.write(key, 11)
    #expect(world.changes() == ["1.13=1", "1.12=1"])
    world.write(key, 11)
    #expect(world.changes() == ["1.13=0", "1.12=0"])
    try world.setByHand(key, 11)
    #expect(world.changes() == ["1.11=11", "1.13=1", "1.12=1"])
    world.write(target, 2)
    world.write(key, 11)
    #expect(world.changes() == ["1.12=2", "1.13=0", "1.12=0"])
    world.write(active, 0)
    world.write(key, 11)
    #expect(world.changes() == ["1.12=2"])
  }

  @Test("Without a target, the key changes Current Media State; a target without pause stays") func fewer() {
    let plain = world(target: nil)
    plain.write(key, 11)
    plain.write(key, 11)
    #expect(plain.changes() == ["1.12=1", "1.12=0"])
    let stubborn = world(targetValues: [0, 2])
    stubborn.write(key, 11)
    #expect(stubborn.changes() == [])
  }

  @Test("Active Identifier accepts identifiers of input sources; any other value is reverted")
  func sources() throws {
    let world = world()
    world.write(source, 2)
    #expect(world.changes() == [] && world[source] == 2)
    world.write(source, 3)
    #expect(world.changes() == ["1.10=2"] && world[source] == 2)
    try world.setByHand(source, 7)
    #expect(world.changes() == ["1.10=7", "1.10=2"])
    let none = self.world(sources: [])
    none.write(source, 3)
    #expect(none.changes() == [] && none[source] == 3)
  }

  @Test("The name is writable, and Power Mode Selection and Sleep Discovery Mode change nothing") func others() throws {
    let world = world()
    world.write(AttributeID(aid: 1, iid: 14), "Living Room")
    world.write(AttributeID(aid: 1, iid: 16), 0)
    try world.setByHand(AttributeID(aid: 1, iid: 15), 0)
    #expect(world.changes() == ["1.15=0"])
    #expect(world[AttributeID(aid: 1, iid: 14)] == "Living Room")
  }
}

@Suite("Input sources and speakers") struct LedStateTests {
  private func world(_ type: ServiceDefinition, _ behaviour: String = "{}", _ characteristics: Characteristic...)
    -> VirtualWorld
  {
    let service = Service(iid: 8, type: type.type, characteristics: characteristics)
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [AttributeID(aid: 1, iid: 8): behaviour])
  }
  let first = AttributeID(aid: 1, iid: 9), second = AttributeID(aid: 1, iid: 10), third = AttributeID(aid: 1, iid: 11)

  @Test("An input source is shown and hidden at once, and its name is writable") func visibility() throws {
    let world = world(
      .inputSource, "{}", .make(9, .currentVisibilityState, 0), .make(10, .targetVisibilityState, 1),
      .make(11, .configuredName, "HDMI 1"))
    #expect(world.changes() == ["1.9=1"])
    world.write(second, 0)
    #expect(world.changes() == ["1.9=0"])
    try world.setByHand(first, 1)
    #expect(world.changes() == ["1.9=1", "1.10=1"])
    try world.setByHand(second, 0)
    #expect(world.changes() == ["1.10=0", "1.9=0"])
    world.write(third, "Player")
    #expect(world.changes() == [] && world[third] == "Player")
  }

  @Test("A smart speaker follows its target at once; a state that only the current one has doesn't change the target")
  func media() throws {
    let world = world(.smartSpeaker, "{}", .make(9, .currentMediaState, 2), .make(10, .targetMediaState, 2))
    #expect(world.changes() == [])
    world.write(second, 0)
    #expect(world.changes() == ["1.9=0"])
    try world.setByHand(first, 5)
    #expect(world.changes() == ["1.9=5"])
    try world.setByHand(first, 1)
    #expect(world.changes() == ["1.9=1", "1.10=1"])
  }

  @Test("Volume Selector changes the volume by step, within its range; Mute stays") func volume() throws {
    let plain = world(
      .speaker, "{}", .make(9, .volumeSelector, .null), .make(10, .volume, 92), .make(11, .mute, true))
    plain.write(first, 0)
    plain.write(first, 0)
    plain.write(first, 0)
    plain.write(first, 1)
    #expect(plain.changes() == ["1.10=97", "1.10=100", "1.10=95"] && plain[third] == true)
    plain.write(third, false)
    plain.write(second, 30)
    #expect(plain.changes() == [] && plain[second] == 30)
    let coarse = world(
      .speaker, #"{"step": 30}"#, .make(9, .volumeSelector, .null), .make(10, .volume, 50))
    coarse.write(first, 1)
    try coarse.setByHand(first, 1)
    #expect(coarse.changes() == ["1.10=20", "1.9=1", "1.10=0"])
    let relative = world(.speaker, "{}", .make(9, .volumeSelector, .null))
    relative.write(first, 0)
    #expect(relative.changes() == [])
  }
}
