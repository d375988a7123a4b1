import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

private let onOff: ClusterID = 6
private let level: ClusterID = 8

/// Checked: these tests fail if a write marks nothing, if data versions stay, if a late write marks nothing, if values that
/// only the device has are read, if settings are lost, and if the end of a time does not turn the light off.
@Suite("Matter: on and off") struct OnOffTests {
  @Test("Toggle turns the light on, a HAP controller gets the event, and OnOff changes")
  func toggle() throws {
    let home = try MappedHome("light-white")
    #expect(home.node.endpoints == [1])
    #expect(try home.read(1, onOff, 0) == .bool(false))
    let version = home.node.dataVersion(of: 1, onOff)
    #expect(home.invoke(1, onOff, 2) == .success)
    #expect(try home.read(1, onOff, 0) == .bool(true))
    #expect(home.takeHAPEvents() == [.on])
    #expect(home.node.takeChanges() == [AttributePath(1, onOff, 0)])
    #expect(home.node.dataVersion(of: 1, onOff) == version &+ 1)
    #expect(home.takeMarks() == [])
    #expect(home.invoke(1, onOff, 2) == .success)
    #expect(try home.value(.on) == false)
  }

  @Test("A change by the device marks OnOff once, and raises only this data version")
  func device() throws {
    let home = try MappedHome("light-white")
    let versions = (home.node.dataVersion(of: 1, onOff), home.node.dataVersion(of: 1, level))
    #expect(try home.change(.on, to: true) == [AttributePath(1, onOff, 0)])
    #expect(home.node.dataVersion(of: 1, onOff) == versions.0 &+ 1)
    #expect(home.node.dataVersion(of: 1, level) == versions.1)
    #expect(try home.read(1, onOff, 0) == .bool(true))
    #expect(home.node.takeChanges() == [])
  }

  @Test("On and Off write the value that they name", arguments: ["light-switchable", "outlet", "switch"])
  func commands(_ profile: String) throws {
    let home = try MappedHome(profile)
    for (command, value) in [(1, true), (1, true), (0, false), (0, false)] as [(CommandNumber, Bool)] {
      #expect(home.invoke(1, onOff, command) == .success)
      #expect(try home.value(.on) == .bool(value))
    }
    #expect(home.written.count == 4)
    #expect(home.write(1, onOff, 0, .bool(true)) == .unsupportedWrite)
  }

  @Test("OffWithEffect turns off, and OnWithRecallGlobalScene on, but only after an effect")
  func effects() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, onOff, 0x41) == .success)
    #expect(try home.value(.on) == false)
    #expect(home.invoke(1, onOff, 1) == .success)
    #expect(home.invoke(1, onOff, 0x40, .unsigned(0), .unsigned(2)) == .success)
    #expect(try home.value(.on) == false)
    #expect(try home.read(1, onOff, 0x4000) == .bool(false))
    #expect(home.invoke(1, onOff, 0x41) == .success)
    #expect(try home.value(.on) == true)
    #expect(try home.read(1, onOff, 0x4000) == .bool(true))
    for wrong in [[0, 3], [1, 1], [2, 0]] as [[UInt64]] {
      #expect(home.invoke(1, onOff, 0x40, fields: wrong.map { .unsigned($0) }) == .constraintError)
    }
    #expect(home.invoke(1, onOff, 0x40, .unsigned(0)) == .invalidCommand)
    #expect(home.invoke(1, onOff, 0x40, .unsigned(0), .text("0")) == .invalidCommand)
    #expect(home.invoke(1, onOff, 0x40) == .invalidCommand)
    #expect(try home.value(.on) == true)
  }

  @Test("OnWithTimedOff turns on, counts down in tenths of seconds, and turns off")
  func timed() throws {
    let home = try MappedHome("light-white")
    home.node.now = .seconds(10)
    #expect(home.invoke(1, onOff, 0x42, .unsigned(0), .unsigned(50), .unsigned(20)) == .success)
    #expect(try home.value(.on) == true)
    #expect(try home.read(1, onOff, 0x4001) == .unsigned(50))
    #expect(home.node.nextDeadline == .seconds(15))
    home.node.now = .milliseconds(12_050)
    #expect(try home.read(1, onOff, 0x4001) == .unsigned(30))
    #expect(try home.read(1, onOff, 0x4002) == .unsigned(20))
    _ = home.node.takeChanges()
    _ = home.node.advance(to: .milliseconds(14_999))
    #expect(try home.value(.on) == true)
    let changes = Set(home.node.advance(to: .seconds(15)))
    #expect(changes.isSuperset(of: [0, 0x4001].map { AttributePath(1, onOff, $0) }))
    #expect(try home.value(.on) == false)
    #expect(try home.read(1, onOff, 0x4001) == .unsigned(0))
    #expect(home.node.nextDeadline == nil)
  }

  @Test("Off ends the time, and while the light waits, OnWithTimedOff does not turn it on")
  func waiting() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, onOff, 0x42, .unsigned(0), .unsigned(50), .unsigned(20)) == .success)
    #expect(home.invoke(1, onOff, 0) == .success)
    #expect(try home.read(1, onOff, 0x4001) == .unsigned(0))
    #expect(home.node.nextDeadline == .seconds(2))
    #expect(home.invoke(1, onOff, 0x42, .unsigned(0), .unsigned(50), .unsigned(5)) == .success)
    #expect(try home.value(.on) == false)
    #expect(home.node.nextDeadline == .milliseconds(500))
    _ = home.node.advance(to: .seconds(1))
    #expect(try home.read(1, onOff, 0x4002) == .unsigned(0))
    #expect(home.invoke(1, onOff, 0x42, .unsigned(1), .unsigned(50), .unsigned(5)) == .success)
    #expect(try home.value(.on) == false)
  }

  @Test("A person who turns the light off ends the time")
  func person() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, onOff, 0x42, .unsigned(0), .unsigned(50), .unsigned(0)) == .success)
    #expect(try home.change(.on, to: false).contains(AttributePath(1, onOff, 0x4001)))
    #expect(home.node.nextDeadline == nil)
  }

  @Test("OnWithTimedOff with a wrong field is refused")
  func wrongTimes() throws {
    let home = try MappedHome("light-white")
    for wrong in [[2, 1, 1], [0, 65535, 1], [0, 1, 65535]] as [[UInt64]] {
      #expect(home.invoke(1, onOff, 0x42, fields: wrong.map { .unsigned($0) }) == .constraintError)
    }
    #expect(home.invoke(1, onOff, 0x42, .unsigned(0), .unsigned(1)) == .invalidCommand)
    #expect(home.invoke(1, onOff, 0x42, .unsigned(0), .null, .unsigned(1)) == .invalidCommand)
    #expect(try home.value(.on) == false)
  }

  @Test("StartUpOnOff and the times are stored within their ranges, and only the former over a restart")
  func stored() throws {
    let home = try MappedHome("light-white")
    #expect(try home.read(1, onOff, 0x4003) == .null)
    #expect(home.write(1, onOff, 0x4003, .unsigned(2)) == .success)
    #expect(home.write(1, onOff, 0x4003, .unsigned(3)) == .constraintError)
    #expect(home.write(1, onOff, 0x4003, .bool(true)) == .invalidDataType)
    #expect(home.write(1, onOff, 0x4001, .unsigned(65536)) == .constraintError)
    #expect(home.write(1, onOff, 0x4002, .unsigned(9)) == .success)
    #expect(
      home.node.takeChanges() == [AttributePath(1, onOff, 0x4003), AttributePath(1, onOff, 0x4002)])
    let later = MappedHome(home.server.database, numbers: home.node.numbers, settings: home.node.settings)
    #expect(try later.read(1, onOff, 0x4003) == .unsigned(2))
    #expect(try later.read(1, onOff, 0x4002) == .unsigned(0))
    #expect(home.write(1, onOff, 0x4003, .null) == .success)
    #expect(try home.read(1, onOff, 0x4003) == .null)
  }

  @Test(
    "A write that the device refuses has its status, and changes nothing",
    arguments: [(HAPStatus.busy, InteractionStatus.Code.busy), (.unableToCommunicate, .failure), (.timedOut, .timeout)])
  func refused(_ status: HAPStatus, _ code: InteractionStatus.Code) throws {
    let home = try MappedHome("light-white")
    home.verdict = .refused(status)
    #expect(home.invoke(1, onOff, 1) == code)
    #expect(try home.value(.on) == false)
    #expect(home.node.takeChanges() == [] && home.takeHAPEvents() == [])
  }

  @Test("A write that the device answers later is Busy, and its change is marked when it is done")
  func late() throws {
    let home = try MappedHome("light-white")
    home.verdict = .later
    #expect(home.invoke(1, onOff, 1) == .busy)
    #expect(home.node.takeChanges() == [])
    home.server.judged(1, .accepted(), at: .zero)
    #expect(try home.value(.on) == true)
    let transaction = try #require(home.finished.first)
    #expect(home.node.finished(transaction).contains(AttributePath(1, onOff, 0)))
  }

  @Test("A value that only the device has is Busy until the device answers")
  func live() throws {
    let home = try MappedHome("light-white")
    let on = home.server.database.id(ofSlot: try home.slot(.on))
    home.server.setLive([on])
    #expect(throws: InteractionStatus(.busy)) { _ = try home.read(1, onOff, 0) }
    #expect(throws: Never.self) { _ = try home.read(1, level, 0) }
    #expect(home.node.askDevice())
    #expect(throws: InteractionStatus(.busy)) { _ = try home.read(1, onOff, 0) }
    #expect(!home.node.askDevice())
    let request = try #require(home.readRequests.last)
    #expect(home.readRequests.count == 1 && request.ids == [on], "it is asked again only after its answer")
    home.server.read(on, .success(.bool(true)), ticket: request.ticket, at: .zero)
    #expect(try home.read(1, onOff, 0) == .bool(true))
    #expect(home.node.askDevice())
    let next = try #require(home.readRequests.last)
    home.server.read(on, .failure(.unableToCommunicate), ticket: next.ticket, at: .zero)
    #expect(throws: InteractionStatus(.failure)) { _ = try home.read(1, onOff, 0) }
  }
}

/// Checked: these tests fail if the lowest level is a brightness of 0, and if OptionsMask is ignored.
@Suite("Matter: level") struct LevelTests {
  private func fields(_ level: UInt64, _ mask: UInt64 = 0, _ override: UInt64 = 0) -> [Element.Value] {
    [.unsigned(level), .null, .unsigned(mask), .unsigned(override)]
  }

  @Test("Each level 1...254 sets the brightness, and reads as the level of this brightness")
  func levels() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, onOff, 1) == .success)
    for target in LightLevel.range {
      #expect(home.invoke(1, level, 0, fields: fields(target)) == .success)
      let brightness = LightLevel.brightness(level: target)
      #expect(try home.value(.brightness) == .integer(Int128(brightness)))
      #expect(try home.read(1, level, 0) == .unsigned(LightLevel.level(brightness: brightness)))
    }
    for brightness in 0...100 {
      try home.change(.brightness, to: .integer(Int128(brightness)))
      #expect(try home.read(1, level, 0) == .unsigned(LightLevel.level(brightness: Double(brightness))))
    }
  }

  @Test("Without OnOff, a command counts only while the light is on, or with ExecuteIfOff")
  func options() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, level, 0, fields: fields(127)) == .success)
    #expect(try home.value(.brightness) == 100)
    #expect(home.invoke(1, level, 0, fields: fields(127, 1, 1)) == .success)
    #expect(try home.value(.brightness) == 50)
    #expect(home.write(1, level, 0x0F, .unsigned(1)) == .success)
    #expect(home.invoke(1, level, 0, fields: fields(254)) == .success)
    #expect(try home.value(.brightness) == 100)
    #expect(home.invoke(1, level, 0, fields: fields(127, 1, 0)) == .success)
    #expect(try home.value(.brightness) == 100)
    #expect(try home.value(.on) == false)
    #expect(home.write(1, level, 0x0F, .unsigned(4)) == .constraintError)
  }

  @Test("With OnOff, a level turns the light on in the same write, and the lowest turns it off")
  func withOnOff() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, level, 4, fields: fields(127)) == .success)
    #expect(home.written.count == 1 && home.written[0].others.count == 1)
    #expect(try home.value(.on) == true && home.value(.brightness) == 50)
    #expect(Set(home.node.takeChanges()) == [AttributePath(1, onOff, 0), AttributePath(1, level, 0)])
    for lowest in [0, 1] as [UInt64] {
      #expect(home.invoke(1, level, 4, fields: fields(127)) == .success)
      #expect(home.invoke(1, level, 4, fields: fields(lowest)) == .success)
      #expect(try home.value(.on) == false && home.value(.brightness) == 50)
    }
  }

  @Test("The lowest levels of a light with coarse steps are the first step above 0, so that no light is on and dark")
  func coarseSteps() throws {
    let home = try MappedHome(
      json: """
        { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [
          { "type": "LightBulb", "characteristics": [ { "type": "Brightness", "minStep": 20 } ] } ] }
        """)
    #expect(home.invoke(1, level, 4, fields: fields(3)) == .success)
    #expect(try home.value(.on) == true && home.value(.brightness) == 20)
    #expect(home.invoke(1, level, 4, fields: fields(127)) == .success)
    #expect(try home.value(.brightness) == 60)
    #expect(home.invoke(1, onOff, 0) == .success && home.write(1, level, 0x11, .unsigned(2)) == .success)
    #expect(home.invoke(1, onOff, 1) == .success)
    #expect(try home.value(.brightness) == 20)
  }

  @Test("A move goes to the end, a step by its size, and a stop nowhere")
  func moves() throws {
    let home = try MappedHome("light-white")
    #expect(home.invoke(1, level, 4, fields: fields(127)) == .success)
    let rest: [Element.Value] = [.unsigned(0), .unsigned(0)]
    #expect(home.invoke(1, level, 2, fields: [.unsigned(1), .unsigned(27), .null] + rest) == .success)
    #expect(try home.value(.brightness) == 39)
    #expect(home.invoke(1, level, 2, fields: [.unsigned(0), .unsigned(255), .unsigned(3)] + rest) == .success)
    #expect(try home.value(.brightness) == 100)
    #expect(home.invoke(1, level, 1, fields: [.unsigned(1), .unsigned(0)] + rest) == .success)
    #expect(try home.value(.brightness) == 100)
    #expect(home.invoke(1, level, 1, fields: [.unsigned(1), .null] + rest) == .success)
    #expect(try home.value(.brightness) == 1)
    #expect(home.invoke(1, level, 3, fields: rest) == .success)
    #expect(home.invoke(1, level, 7, fields: rest) == .success)
    #expect(home.invoke(1, level, 5, fields: [.unsigned(0), .unsigned(9)] + rest) == .success)
    #expect(try home.value(.brightness) == 100 && home.value(.on) == true)
    #expect(home.invoke(1, level, 6, fields: [.unsigned(1), .unsigned(255), .null] + rest) == .success)
    #expect(try home.value(.on) == false)
  }

  @Test("OnLevel is the level after On")
  func onLevel() throws {
    let home = try MappedHome("light-white")
    #expect(home.write(1, level, 0x11, .unsigned(127)) == .success)
    #expect(home.invoke(1, onOff, 1) == .success)
    #expect(try home.value(.brightness) == 50 && home.value(.on) == true)
    for wrong in [0, 255] as [UInt64] { #expect(home.write(1, level, 0x11, .unsigned(wrong)) == .constraintError) }
    #expect(home.write(1, level, 0x11, .null) == .success)
  }

  @Test("A wrong or missing field is refused", arguments: 0..<8 as Range<CommandNumber>)
  func wrongFields(_ command: CommandNumber) throws {
    let home = try MappedHome("light-white")
    let good: [Element.Value] =
      switch command % 4 {
      case 0: [.unsigned(9), .unsigned(1), .unsigned(0), .unsigned(0)]
      case 1: [.unsigned(0), .unsigned(1), .unsigned(0), .unsigned(0)]
      case 2: [.unsigned(0), .unsigned(1), .unsigned(1), .unsigned(0), .unsigned(0)]
      default: [.unsigned(0), .unsigned(0)]
      }
    #expect(home.invoke(1, level, command, fields: good) == .success)
    try expectRefusals(home, level, command, good)
    if command % 4 == 0 { #expect(home.invoke(1, level, command, fields: fields(255)) == .constraintError) }
    if command % 4 == 1 || command % 4 == 2 {
      #expect(home.invoke(1, level, command, fields: [.unsigned(2)] + good.dropFirst()) == .constraintError)
    }
  }
}

/// Expects that a command is refused if one of its good fields is missing, of another type, or far too large.
func expectRefusals(
  _ home: MappedHome, _ cluster: ClusterID, _ command: CommandNumber, _ good: [Element.Value]
) throws {
  let written = home.written.count
  for index in good.indices {
    var members = good.enumerated().map { Element(.context(UInt8($0)), $1) }
    func answer() -> CommandOutcome {
      let structure = Element(.anonymous, .container(.structure, members))
      return home.node.invoke(CommandPath(1, cluster, command), structure, for: MappedHome.controller)
    }
    for wrong in [Element.Value.text("1"), .bool(true), .octets([1]), .list([])] {
      members[index].value = wrong
      #expect(answer() == .status(InteractionStatus(.invalidCommand)), "\(cluster) \(command) field \(index) \(wrong)")
    }
    for wrong in [Element.Value.unsigned(1 << 20), .signed(-1 << 20)] {
      members[index].value = wrong
      #expect(answer() == .status(InteractionStatus(.constraintError)), "\(cluster) \(command) field \(index) \(wrong)")
    }
    members.remove(at: index)
    #expect(answer() == .status(InteractionStatus(.invalidCommand)), "\(cluster) \(command) without \(index)")
  }
  #expect(home.written.count == written)
}
