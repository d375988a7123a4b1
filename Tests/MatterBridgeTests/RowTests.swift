import HAPAttributes
import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

@Suite("Matter: alarms, air, valves, buttons and media") struct RowTests {
  @Test("Smoke is critical, expressed, and an event, and its end is AllClear")
  func smoke() throws {
    let home = try MappedHome("sensor-smoke")
    #expect(try home.read(1, 0x5C, 0) == .unsigned(0) && home.read(1, 0x5C, 1) == .unsigned(0))
    try home.change(.smokeDetected, to: 1)
    #expect(try home.read(1, 0x5C, 0) == .unsigned(1) && home.read(1, 0x5C, 1) == .unsigned(2))
    try home.change(.lowBattery, to: 1)
    #expect(try home.read(1, 0x5C, 0) == .unsigned(1) && home.read(1, 0x5C, 3) == .unsigned(1))
    try home.change(.smokeDetected, to: 0)
    #expect(try home.read(1, 0x5C, 0) == .unsigned(3))
    let events = home.node.takeEvents().filter { $0.cluster == 0x5C }
    #expect(events.map(\.event) == [0, 2, 0x0A])
    #expect(events[0].fields == [Element(.context(0), .unsigned(2))] && events[0].priority == .critical)
  }

  @Test("Each event has the priority of the catalogue")
  func priorities() {
    let rows = ServiceTable.rows.values.flatMap { $0.clusters + $0.onDemand }
    let templates = rows + ServiceTable.attachments.values.map(\.cluster) + [ClusterTemplate.bridgedInformation]
    var compared: Set<ClusterID> = []
    for template in templates {
      // The events of a bridged device are those of BasicInformation, and the catalogue has their priorities there.
      let isBridged = template.id == ClusterName.bridgedInformation
      let definition = isBridged ? ClusterDefinition.basicInformation : ClusterDefinition.find(template.id)
      for binding in template.events {
        for number in binding.numbers {
          let event = definition?.events.first { $0.description.number == number }
          #expect(event?.priority == binding.priority, "\(template.id.digits) \(number.digits)")
          compared.insert(template.id)
        }
      }
    }
    #expect(compared.isSuperset(of: [0x39, 0x3B, 0x45, 0x5C, 0x101]))
  }

  @Test("Carbon monoxide has its own state, event and concentration")
  func monoxide() throws {
    let home = try MappedHome("sensor-carbon-monoxide")
    try home.change(.monoxideDetected, to: 1)
    #expect(try home.read(1, 0x5C, 0) == .unsigned(2) && home.read(1, 0x5C, 2) == .unsigned(2))
    #expect(home.node.takeEvents().map(\.event) == [1])
    let level = CharacteristicDefinition.carbonMonoxideLevel.type
    #expect(try home.change(level, to: .float(3.5)) == [AttributePath(1, 0x40C, 0)])
    #expect(try home.read(1, 0x40C, 0) == .single(3.5) && home.read(1, 0x40C, 8) == .unsigned(0))
  }

  @Test("The words of the air quality are numbers, and each density is a concentration")
  func air() throws {
    let home = try MappedHome("sensor-air-quality")
    for quality in 0...5 {
      try home.change(.airQuality, to: .integer(Int128(quality)))
      #expect(try home.read(1, 0x5B, 0) == .unsigned(UInt64(quality)))
    }
    #expect(home.node.clusters(of: 1).map(\.id) == [3, 0x1D, 0x5B, 0x415, 0x42A, 0x42D, 0x42E])
    #expect(try home.read(1, 0x42A, 0) == .single(4) && home.read(1, 0x42A, 8) == .unsigned(4))
    let dioxide = try MappedHome("sensor-carbon-dioxide")
    #expect(try dioxide.read(1, 0x5B, 0) == .unsigned(1) && dioxide.read(1, 0x40D, 0) == .single(420))
    try dioxide.change(.dioxideDetected, to: 1)
    #expect(try dioxide.read(1, 0x5B, 0) == .unsigned(4))
  }

  @Test("A faucet has its valves as parts, and a valve opens and closes by Active and InUse")
  func valve() throws {
    let home = try MappedHome("faucet")
    #expect(home.node.endpoints == [1, 2, 3])
    #expect(try home.read(1, 0x1D, 3).numbers == [2, 3] && home.deviceTypes(2) == [.waterValve])
    let database = home.server.database
    let active = try #require(
      database.characteristics.indices.first {
        database.characteristics[$0].type == .active && database.service(ofSlot: $0).type == 0xD0
      })
    let inUse = database.id(ofSlot: try home.slot(.inUse))
    #expect(try home.read(2, 0x81, 4) == .unsigned(0) && home.read(2, 0x81, 5) == .null)
    #expect(home.invoke(2, 0x81, 0) == .success)
    #expect(home.server.database[slot: active] == 1)
    #expect(try home.read(2, 0x81, 4) == .unsigned(2) && home.read(2, 0x81, 5) == .unsigned(1))
    home.server.change(inUse, to: 1, at: .zero)
    #expect(try home.read(2, 0x81, 4) == .unsigned(1) && home.read(2, 0x81, 5) == .null)
    #expect(home.invoke(2, 0x81, 1) == .success)
    #expect(try home.read(2, 0x81, 4) == .unsigned(2) && home.read(2, 0x81, 5) == .unsigned(0))
    #expect(try home.read(3, 0x81, 4) == .unsigned(0))
    #expect(home.invoke(2, 0x81, 0, .unsigned(0)) == .constraintError)
    #expect(home.invoke(2, 0x81, 0, .text("1")) == .invalidCommand)
    #expect(home.write(2, 0x81, 1, .unsigned(60)) == .success)
    #expect(try home.read(2, 0x81, 1) == .unsigned(60))
    #expect(home.write(2, 0x81, 1, .null) == .success && home.write(2, 0x81, 1, .unsigned(0)) == .constraintError)
  }

  @Test("A valve with SetDuration opens for a time")
  func duration() throws {
    let home = try MappedHome("irrigation")
    let valve = try #require(
      home.node.endpoints.first { endpoint in
        home.node.clusters(of: endpoint).contains { $0.id == 0x81 }
      })
    #expect(try home.read(valve, 0x81, 0) == .null && home.read(valve, 0x81, 3) == .null)
    #expect(home.invoke(valve, 0x81, 0, .unsigned(120)) == .success)
    #expect(try home.value(.setDuration) == 120)
    #expect(try home.read(valve, 0x81, 0) == .unsigned(120) && home.read(valve, 0x81, 1) == .unsigned(120))
    #expect(home.write(valve, 0x81, 1, .null) == .success)
    #expect(try home.value(.setDuration) == 0 && home.read(valve, 0x81, 1) == .null)
    #expect(home.write(valve, 0x81, 1, .unsigned(100_000)) == .constraintError)
  }

  @Test("Each press of a button is its events, with the value of the press")
  func button() throws {
    let home = try MappedHome("button")
    let id = home.server.database.id(ofSlot: try home.slot(.buttonPress))
    for press in [0, 1, 2, 0] as [Value] { home.server.change(id, to: press, at: .zero) }
    #expect(home.node.mark(events: home.matterSession.waitingEvents).isEmpty)
    let events = home.node.takeEvents()
    #expect(events.map(\.event) == [1, 3, 6, 1, 3, 1, 5, 3, 6, 1, 2, 4, 1, 3, 6])
    #expect(events[2].fields.map(\.value) == [.unsigned(1), .unsigned(1)])
    #expect(events[8].fields.map(\.value) == [.unsigned(1), .unsigned(2)])
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == 0x3B })
    #expect(cluster.features == 0x1E && cluster.events.map(\.number) == [1, 2, 3, 4, 5, 6])
  }

  @Test("The buttons of a panel differ by their number tags")
  func tags() throws {
    let home = try MappedHome("button-panel")
    #expect(home.node.endpoints == [1, 2, 3, 4])
    for endpoint in home.node.endpoints {
      guard case .container(.array, let tags) = try home.read(endpoint, 0x1D, 4) else { continue }
      #expect(tags.map { $0[1] } == [.unsigned(7)] && tags.map { $0[2] } == [.unsigned(UInt64(endpoint))])
      #expect(tags[0][0] == .null)
    }
    #expect(throws: InteractionStatus(.unsupportedAttribute)) { _ = try MappedHome("button").read(1, 0x1D, 4) }
  }

  @Test("A button with single presses only counts none")
  func single() throws {
    let home = try MappedHome("button-single")
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == 0x3B })
    #expect(cluster.features == 0x06 && cluster.attributes.map(\.number) == [0, 1])
    try home.change(.buttonPress, to: 0)
    #expect(home.node.takeEvents().map(\.event) == [1, 3])
  }

  @Test("A television plays, pauses, stops, and takes keys")
  func television() throws {
    let home = try MappedHome("television")
    #expect(try home.deviceTypes(1) == [.videoPlayer])
    for state in 0...2 as ClosedRange<CommandNumber> {
      #expect(home.answer(1, 0x506, state, []) == .response(0x0A, [Element(.context(0), .unsigned(0))]))
      #expect(try home.value(.targetMediaState) == .integer(Int128(state)))
      try home.change(.currentMediaState, to: .integer(Int128(state)))
      #expect(try home.read(1, 0x506, 0) == .unsigned(UInt64(state)))
    }
    for (code, key) in [(1, 4), (2, 5), (3, 6), (4, 7), (0, 8), (0x0D, 9)] as [(UInt64, Value)] {
      #expect(home.answer(1, 0x509, 0, [.unsigned(code)]) == .response(1, [Element(.context(0), .unsigned(0))]))
      #expect(home.written.last?.first.value == key)
    }
    #expect(home.answer(1, 0x509, 0, [.unsigned(0x70)]) == .response(1, [Element(.context(0), .unsigned(1))]))
    #expect(home.invoke(1, 0x509, 0) == .invalidCommand && home.invoke(1, 0x509, 0, .text("")) == .invalidCommand)
    #expect(home.invoke(1, 6, 1) == .success)
    #expect(try home.value(.active) == 1)
  }

  @Test("A loudspeaker is on while it is not muted, and its level is the volume")
  func speaker() throws {
    let home = try MappedHome("speaker")
    #expect(try home.deviceTypes(1) == [.speaker] && home.read(1, 6, 0) == .bool(true))
    #expect(home.invoke(1, 6, 0) == .success)
    #expect(try home.value(.mute) == true)
    #expect(home.invoke(1, 8, 4, .unsigned(127), .null, .unsigned(0), .unsigned(0)) == .success)
    #expect(try home.value(.volume) == 50 && home.value(.mute) == false)
  }

  @Test("Slats that only tilt open and close by their angle")
  func slats() throws {
    let home = try MappedHome("slats")
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == 0x102 })
    #expect(cluster.features == 0x12 && cluster.commands.map(\.number) == [0, 1, 2, 8])
    #expect(home.invoke(1, 0x102, 1) == .success)
    #expect(try home.value(CoveringCluster.slat.targetTilt) == 90 && home.read(1, 0x102, 0) == .unsigned(7))
    #expect(home.invoke(1, 0x102, 2) == .success)
    #expect(try home.value(CoveringCluster.slat.targetTilt) == 0)
  }

  @Test("A garage door is a covering that is open, closed, or unknown")
  func garage() throws {
    let home = try MappedHome("garage-door")
    for (state, position, status) in [
      (0, .unsigned(0), 0), (1, .unsigned(10000), 0), (2, .null, 0b0101), (3, .null, 0b1010), (4, .null, 0),
    ] as [(Value, Element.Value, UInt64)] {
      try home.change(.currentDoorState, to: state)
      #expect(try home.read(1, 0x102, 0x0E) == position && home.read(1, 0x102, 0x0A) == .unsigned(status))
    }
    for (closed, target) in [(0, 0), (5000, 0), (5001, 1), (10000, 1)] as [(UInt64, Value)] {
      #expect(home.invoke(1, 0x102, 5, .unsigned(closed)) == .success)
      #expect(try home.value(.targetDoorState) == target)
    }
    #expect(home.invoke(1, 0x102, 0) == .success)
    #expect(try home.value(.targetDoorState) == 0 && home.invoke(1, 0x102, 2) == .invalidInState)
    #expect(home.invoke(1, 0x102, 5, .unsigned(10001)) == .constraintError)
  }

  @Test("The filter of an air purifier is a cluster of its endpoint, and can be reset")
  func filter() throws {
    let home = try MappedHome("air-purifier")
    #expect(home.node.endpoints == [1])
    #expect(try home.read(1, 0x71, 0) == .unsigned(100) && home.read(1, 0x71, 2) == .unsigned(0))
    try home.change(.filterChange, to: 1)
    #expect(try home.read(1, 0x71, 2) == .unsigned(2))
    #expect(home.invoke(1, 0x71, 0) == .success)
    #expect(home.written.last?.first.value == 1)
    #expect(try home.read(1, 0x202, 0) == .unsigned(0))
  }

  @Test("The units of a thermostat's display, and its keypad, are written")
  func display() throws {
    let home = try MappedHome("thermostat")
    #expect(home.write(1, 0x204, 0, .unsigned(1)) == .success)
    #expect(try home.value(.displayUnits) == 1 && home.read(1, 0x204, 0) == .unsigned(1))
    #expect(home.write(1, 0x204, 0, .unsigned(2)) == .constraintError)
    #expect(home.write(1, 0x204, 1, .unsigned(5)) == .success)
    #expect(home.write(1, 0x204, 1, .unsigned(6)) == .constraintError)
    #expect(try home.read(1, 0x204, 1) == .unsigned(5))
  }
}
