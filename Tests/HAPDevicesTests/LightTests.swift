import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Light Bulb") struct LightBulbTests {
  let on = AttributeID(aid: 1, iid: 9), brightness = AttributeID(aid: 1, iid: 10)
  let hue = AttributeID(aid: 1, iid: 11), saturation = AttributeID(aid: 1, iid: 12)
  let temperature = AttributeID(aid: 1, iid: 13), fadeRate = AttributeID(aid: 1, iid: 14)

  private func world(_ behaviour: String = "{}", brightness: Value = 0, fadeRate: Value? = 2.0) -> VirtualWorld {
    var service = Service(
      iid: 8, type: ServiceDefinition.lightBulb.type,
      characteristics: [
        .make(9, .on, false), .make(10, .brightness, brightness), .make(11, .hue, 0.0), .make(12, .saturation, 0.0),
        .make(13, .colorTemperature, 140),
      ])
    if let fadeRate {
      service.characteristics.append(
        Characteristic(
          iid: 14, type: TypeID("7E536242-341C-4862-BE90-272CE15BD633")!, format: .float,
          perms: [.pairedRead, .pairedWrite, .events], value: fadeRate))
    }
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [AttributeID(aid: 1, iid: 8): behaviour])
  }

  @Test("[SV-08] On reads back as written, and [SV-09] so does each Brightness, without changing On")
  func readsBack() {
    let world = world()
    for value in [true, false, true] as [Value] {
      world.write(on, value)
      #expect(world[on] == value)
    }
    for level in 0...100 {
      world.write(brightness, .integer(Int128(level)))
      #expect(world[brightness] == .integer(Int128(level)) && world[on] == true)
    }
    #expect(world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("[SV-11] On and Brightness in one request both take effect") func scene() {
    let world = world()
    world.write((on, true), (brightness, 40))
    #expect(world[on] == true && world[brightness] == 40 && world.changes() == [])
  }

  @Test("[SV-10] Colours read back, and those of the other mode stay in their range") func colours() {
    let world = world()
    for degrees in stride(from: 0.0, through: 360, by: 60) {
      world.write((hue, .float(degrees)), (saturation, 80.0))
      #expect(world[hue] == .float(degrees) && world[saturation] == 80.0 && world[temperature] == 140)
    }
    for mired in [50, 140, 400] as [Value] {
      world.write(temperature, mired)
      #expect(world[temperature] == mired && world[hue] == 360.0 && world[saturation] == 80.0)
    }
    #expect(world.changes() == [])
  }

  @Test("showsFade: Brightness starts at the present value, is reported regularly, and ends at the written value")
  func fades() {
    let world = world(#"{"showsFade": true}"#)
    world.write(brightness, 99)
    #expect(world.changes() == ["1.10=0"])
    world.pass(.milliseconds(249))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.10=12"])
    world.pass(.milliseconds(1749))
    #expect(world.changes() == ["1.10=25", "1.10=37", "1.10=50", "1.10=62", "1.10=74", "1.10=87"])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.10=99"])
    #expect(world.pendingTimers == 0)
    world.write(brightness, 99)
    #expect(world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("report is the interval of reports, at least 50 ms") func report() {
    let slow = world(#"{"showsFade": true, "report": "1500ms"}"#)
    slow.write(brightness, 100)
    slow.pass(.seconds(2))
    #expect(slow.changes() == ["1.10=0", "1.10=75", "1.10=100"])
    let often = world(#"{"showsFade": true, "report": "0s"}"#, fadeRate: 0.1)
    often.write(brightness, 100)
    often.pass(.seconds(1))
    #expect(often.changes() == ["1.10=0", "1.10=50", "1.10=100"])
  }

  @Test("A write during a fade starts at the present value, with the Fade Rate of that moment") func turned() {
    let world = world(#"{"showsFade": true, "report": "1s"}"#)
    world.write(brightness, 100)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.10=0", "1.10=50"])
    world.write(fadeRate, 4.0)
    world.write(brightness, 10)
    #expect(world.changes() == ["1.10=50"])
    world.pass(.milliseconds(3999))
    #expect(world.changes() == ["1.10=40", "1.10=30", "1.10=20"])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.10=10"])
    world.write(brightness, 90)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.10=10", "1.10=30"])
    world.write(fadeRate, 0.0)
    world.write(brightness, 90)
    #expect(world[brightness] == 90 && world.changes() == [] && world.pendingTimers == 0)
  }

  @Test("There is no fade without showsFade, without Fade Rate, or by hand") func atOnce() throws {
    let plain = world()
    plain.write(brightness, 100)
    let poor = world(#"{"showsFade": true}"#, fadeRate: nil)
    poor.write(brightness, 100)
    for world in [plain, poor] { #expect(world.changes() == [] && world.pendingTimers == 0) }
    let hand = world(#"{"showsFade": true, "report": "1s"}"#)
    hand.write(brightness, 100)
    try hand.setByHand(brightness, 20)
    #expect(hand.changes() == ["1.10=0", "1.10=20"] && hand.pendingTimers == 0)
    hand.write(brightness, 40)
    hand.pass(.seconds(2))
    #expect(hand.changes() == ["1.10=20", "1.10=30", "1.10=40"])
  }

  @Test("A Fade Rate is limited to a day") func longest() {
    let world = world(#"{"showsFade": true, "report": "12h"}"#, fadeRate: 1e300)
    world.write(brightness, 100)
    world.pass(.seconds(86_400))
    #expect(world.changes() == ["1.10=0", "1.10=50", "1.10=100"])
  }

  @Test("After a restart, a fade starts at the stored value") func restarted() {
    let world = world(#"{"showsFade": true, "report": "1s"}"#, brightness: 60)
    world.write(brightness, 80)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.10=60", "1.10=70"])
  }
}

@Suite("Presses") struct PressTests {
  let service = AttributeID(aid: 1, iid: 8), first = AttributeID(aid: 1, iid: 9)

  private func world(
    _ type: ServiceDefinition, _ behaviour: String = "{}", _ characteristics: Characteristic...
  ) -> VirtualWorld {
    let service = Service(iid: 8, type: type.type, characteristics: characteristics)
    return VirtualWorld(
      try! AttributeDatabase([Accessory(aid: 1, services: [service])]), behaviours: [self.service: behaviour])
  }

  @Test(
    "A single press toggles a switch, an outlet and a light; other presses are refused",
    arguments: [ServiceDefinition.switch, .outlet, .lightBulb])
  func toggles(type: ServiceDefinition) throws {
    let world = world(type, "{}", .make(9, .on, false))
    try world.physical(.press(.single))
    try world.physical(.press(.single), at: service)
    #expect(world.changes() == ["1.9=true", "1.9=false"])
    for press in [ButtonPress.double, .long] {
      let error = #expect(throws: CommandError.self) { try world.physical(.press(press)) }
      #expect(
        error
          == CommandError(
            .notPossible, "a \(press.name) press has no effect here: a single press toggles On"))
    }
    #expect(world.changes() == [])
  }

  @Test(
    "[SV-16] Each press sends its value once, even if it is unchanged",
    arguments: [ServiceDefinition.statelessProgrammableSwitch, .doorbell])
  func events(type: ServiceDefinition) throws {
    let world = world(type, "{}", .make(9, .programmableSwitchEvent, .null))
    #expect(world.changes() == [])
    for press in [ButtonPress.single, .single, .double, .long] { try world.physical(.press(press)) }
    #expect(world.changes() == ["1.9=0", "1.9=0", "1.9=1", "1.9=2"])
    #expect(world.pendingTimers == 0)
  }

  @Test("[SV-17] A press outside valid-values is refused, and the error lists the supported presses")
  func unsupported() {
    var event = Characteristic.make(9, .programmableSwitchEvent, .null)
    event.constraints.validValues = [0, 2]
    let world = world(.statelessProgrammableSwitch, "{}", event)
    let error = #expect(throws: CommandError.self) { try world.physical(.press(.double)) }
    #expect(error == CommandError(.notPossible, "this button has no double press: it has single and long"))
    #expect(throws: Never.self) { try world.physical(.press(.long)) }
    #expect(world.changes() == ["1.9=2"])
    event.constraints.validValues = [7]
    let none = self.world(.doorbell, "{}", event)
    #expect(throws: CommandError(.notPossible, "this button has no long press: its valid-values allow none")) {
      try none.physical(.press(.long))
    }
  }

  @Test("A stateful button toggles its output") func stateful() throws {
    let world = world(
      .statefulProgrammableSwitch, "{}", .make(9, .programmableSwitchEvent, .null),
      .make(10, .programmableSwitchOutputState, 0))
    try world.physical(.press(.single))
    try world.physical(.press(.double))
    #expect(world.changes() == ["1.9=0", "1.10=1", "1.9=1", "1.10=0"])
  }

  @Test("[SV-12] Outlet In Use shows whether something is plugged in, whatever On is") func plugged() throws {
    let world = world(.outlet, "{}", .make(9, .on, false), .make(10, .outletInUse, true))
    world.write(first, true)
    world.write(first, false)
    try world.physical(.press(.single))
    #expect(world.changes() == ["1.9=true"])
    try world.setByHand(AttributeID(aid: 1, iid: 10), false)
    world.write(first, true)
    #expect(world.changes() == ["1.10=false"])
  }

  @Test("With inUse \"drawing\", Outlet In Use follows On, whatever changed On") func drawing() throws {
    let world = world(
      .outlet, #"{"inUse": "drawing"}"#, .make(9, .on, false), .make(10, .outletInUse, true))
    #expect(world.changes() == ["1.10=false"])
    world.write(first, true)
    try world.setByHand(first, false)
    try world.physical(.press(.single))
    #expect(world.changes() == ["1.10=true", "1.9=false", "1.10=false", "1.9=true", "1.10=true"])
    try world.setByHand(AttributeID(aid: 1, iid: 10), false)
    #expect(world.changes() == ["1.10=false"])
  }
}

@Suite("Camera heads") struct CameraHeadTests {
  @Test("The camera turns to its target angles in tiltTime, and stays where it is turned by hand") func turns() throws {
    let service = Service(
      iid: 8, type: ServiceDefinition.cameraControl.type,
      characteristics: [
        .make(9, .currentHorizontalTiltAngle, 0), .make(10, .targetHorizontalTiltAngle, 0),
        .make(11, .currentVerticalTiltAngle, 0), .make(12, .targetVerticalTiltAngle, 0),
      ])
    let world = VirtualWorld(
      try AttributeDatabase([Accessory(aid: 1, services: [service])]),
      behaviours: [AttributeID(aid: 1, iid: 8): #"{"tiltTime": "4s"}"#])
    world.write(AttributeID(aid: 1, iid: 10), 90)
    world.write(AttributeID(aid: 1, iid: 12), -45)
    world.pass(.milliseconds(999))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.11=-45"])
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.9=90"])
    try world.setByHand(AttributeID(aid: 1, iid: 9), 30)
    #expect(world.changes() == ["1.9=30", "1.10=30"])
    try world.setByHand(AttributeID(aid: 1, iid: 12), 0)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.12=0", "1.11=0"])
  }
}
