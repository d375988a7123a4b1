import HAPModel
import HAPWire
import Testing

@testable import HAPProfile

private func build(_ json: String, _ ids: inout IDMap, renumber: Bool = false) throws -> BuiltAccessory {
  try profile(json).build(ids: &ids, deviceID: testDeviceID, renumber: renumber)
}

/// All iids of an accessory by service type, ordinal and characteristic type.
private func iids(_ built: BuiltAccessory, aid: UInt64 = 1) -> [String: UInt64] {
  var result: [String: UInt64] = [:]
  var ordinals: [TypeID: Int] = [:]
  for service in built.database.accessories.first(where: { $0.aid == aid })!.services {
    ordinals[service.type, default: 0] += 1
    let key = "\(service.type)#\(ordinals[service.type]!)"
    result[key] = service.iid
    for characteristic in service.characteristics { result["\(key)/\(characteristic.type)"] = characteristic.iid }
  }
  return result
}

private func problem(_ body: () throws -> BuiltAccessory) -> [ProfileProblem] {
  do {
    _ = try body()
    return []
  } catch {
    return (error as? ProfileErrors)?.problems ?? []
  }
}

struct IDTests {
  @Test(
    "[DB.1] [DB.2] [DB.3] [DB.4] Ids count from 1: aid 1 is the bridge, iid 1 Accessory Information, all are unique")
  func counting() throws {
    var ids = IDMap()
    let built = try build(bridge(lamp(#""name": "A""#) + "," + lamp(#""name": "B""#)), &ids)
    #expect(built.database.accessoryEntries.map(\.aid) == [1, 2, 3])
    for accessory in built.database.accessories {
      #expect(accessory.services.first { $0.type == 0x3E }?.iid == 1)
      let all = accessory.services.flatMap { [$0.iid] + $0.characteristics.map(\.iid) }
      #expect(all == (1...UInt64(all.count)).map { $0 })
    }
  }

  @Test("[DB.14] Restarts and edits keep each id")
  func stable() throws {
    var ids = IDMap()
    let before = iids(try build(document(services: #"{ "type": "Switch" }, { "type": "LightBulb" }"#), &ids))
    #expect(iids(try build(document(services: #"{ "type": "Switch" }, { "type": "LightBulb" }"#), &ids)) == before)
    let edited = iids(
      try build(
        document(
          services: """
            { "type": "Outlet" }, { "type": "LightBulb", "characteristics": [ { "type": "Hue" }, { "type": "On" } ] },
            { "type": "Switch" }
            """), &ids))
    for (key, iid) in before { #expect(edited[key] == iid) }
    #expect(Set(edited.values).count == edited.count)
    for (key, iid) in edited where before[key] == nil { #expect(iid > before.values.max()!) }
  }

  @Test("After shuffling, each iid has changed except explicit ones, and values move along")
  func shuffled() throws {
    var ids = IDMap()
    let text = bridge(lamp(#""name": "A", "id": "a""#))
    let first = try build(text, &ids)
    let shuffled = try profile(text).shuffled(ids)
    var map = shuffled
    let second = try build(text, &map)
    #expect(map == shuffled, "a second build changes nothing")
    for aid: UInt64 in [1, 2] {
      let (before, after) = (iids(first, aid: aid), iids(second, aid: aid))
      #expect(before.keys == after.keys && Set(before.values) == Set(after.values))
      #expect(before.filter { after[$0.key] == $0.value }.map(\.key) == ["3E#1"])
    }
    let on = try #require(iids(first, aid: 2)["43#1/25"]), newOn = try #require(iids(second, aid: 2)["43#1/25"])
    let moved = try profile(text).moved(
      [AttributeID(aid: 2, iid: on): "on", AttributeID(aid: 9, iid: 9): "nobody's"], from: ids, to: shuffled)
    #expect(moved == [AttributeID(aid: 2, iid: newOn): "on"])
  }

  @Test("Shuffling keeps explicit ids, and ids of profiles that were never served")
  func shuffledExplicit() throws {
    var ids = IDMap()
    let text = document(
      services: #"{ "type": "Switch", "iid": 70, "characteristics": [ { "type": "On", "iid": 71 } ] }"#)
    let before = iids(try build(text, &ids))
    ids = try profile(text).shuffled(ids)
    let after = iids(try build(text, &ids))
    #expect(after["49#1"] == 70 && after["49#1/25"] == 71 && after != before)
    #expect(try profile(text).shuffled(IDMap()) == IDMap())
  }

  @Test("[DB.14] A freed id is never assigned again, not even to its former owner")
  func freed() throws {
    var ids = IDMap()
    let both = document(services: #"{ "type": "Switch" }, { "type": "LightBulb" }"#)
    let one = document(services: #"{ "type": "LightBulb" }"#)
    let before = iids(try build(both, &ids))
    _ = try build(one, &ids)
    let after = iids(try build(both, &ids))
    #expect(after["43#1"] == before["43#1"])
    #expect(after["49#1"]! > before.values.max()!)
    let gone: Set<UInt64> = [before["49#1"]!, before["49#1/25"]!]
    #expect(gone.isDisjoint(with: after.values))
  }

  @Test("[DB.14] The aid of a removed bridged accessory is never assigned again; the others are kept")
  func freedAccessory() throws {
    var ids = IDMap()
    let (a, b, c) = (lamp(#""name": "A""#), lamp(#""name": "B""#), lamp(#""name": "C""#))
    #expect(try build(bridge("\(a), \(b)"), &ids).names == [1: "Bridge", 2: "A", 3: "B"])
    #expect(try build(bridge("\(b)"), &ids).names == [1: "Bridge", 3: "B"])
    #expect(try build(bridge("\(c), \(a), \(b)"), &ids).names == [1: "Bridge", 3: "B", 4: "C", 5: "A"])
  }

  @Test("A freed explicit id above the counter is never assigned again either")
  func freedExplicit() throws {
    var ids = IDMap()
    _ = try build(document(services: #"{ "type": "Switch", "iid": 13 }"#), &ids)
    let after = iids(
      try build(document(services: repeated(4) { #"{ "type": "LightBulb", "name": "L\#($0)" }"# }), &ids))
    #expect(!after.values.contains(13))
    let found = problem {
      try build(document(services: #"{ "type": "Outlet", "iid": 13 }"#), &ids)
    }
    #expect(found.map(\.rule) == ["id-changed"])
  }

  @Test("A freed explicit id stays reserved until the counter has passed it, however many edits later")
  func freedExplicitMuchLater() throws {
    var ids = IDMap()
    _ = try build(document(services: #"{ "type": "Switch", "iid": 40 }"#), &ids)
    _ = try build(document(services: #"{ "type": "Outlet" }"#), &ids)
    _ = try build(document(services: #"{ "type": "Outlet" }, { "type": "Fan" }"#), &ids)
    let after = iids(
      try build(document(services: repeated(20) { #"{ "type": "LightBulb", "name": "L\#($0)" }"# }), &ids))
    #expect(after.values.max()! > 40 && !after.values.contains(40))
  }

  @Test("A service is identified by its label, not by its position")
  func labels() throws {
    var ids = IDMap()
    let a = #"{ "type": "Switch", "id": "a", "name": "A" }"#
    let b = #"{ "type": "Switch", "id": "b", "name": "B" }"#
    let before = iids(try build(document(services: "\(a), \(b)"), &ids))
    let after = iids(try build(document(services: "\(b), \(a)"), &ids))
    #expect(after["49#1"] == before["49#2"] && after["49#2/25"] == before["49#1/25"])
  }

  @Test("Explicit ids take precedence, and the counter skips them")
  func explicit() throws {
    var ids = IDMap()
    let json = bridge(
      #"{ "name": "A", "services": [ { "type": "LightBulb" } ] }, { "name": "B", "aid": 2, "services": [ { "type": "Switch", "iid": 2, "characteristics": [ { "type": "On", "iid": 18446744073709551615 } ] } ] }"#
    )
    let built = try build(json, &ids)
    #expect(built.names == [1: "Bridge", 3: "A", 2: "B"])
    let found = iids(built, aid: 2)
    #expect(found["49#1"] == 2 && found["49#1/25"] == .max && found["3E#1"] == 1)
    #expect(Set(found.values).count == found.count)
    #expect(try iids(build(json, &ids), aid: 2) == found)
  }

  @Test("For an explicit id that contradicts the served one, the error has both numbers; renumber accepts it")
  func contradiction() throws {
    var ids = IDMap()
    let before = iids(try build(document(services: #"{ "type": "Switch" }"#), &ids))
    let stored = ids
    let moved = document(services: #"{ "type": "Switch", "iid": 70 }"#)
    let found = problem { try build(moved, &ids) }
    #expect(found.map(\.rule) == ["id-changed"])
    #expect(found.first?.path == "services[0].iid" && found.first?.line == 2)
    #expect(found.first?.message.contains("70") == true && found.first?.message.contains("\(before["49#1"]!)") == true)
    #expect(ids == stored, "a refused id changes nothing")
    let after = iids(try build(moved, &ids, renumber: true))
    #expect(after["49#1"] == 70 && after["49#1/25"] == before["49#1/25"])
    #expect(throws: Never.self) { try build(moved, &ids) }
  }

  @Test("A duplicate explicit id is refused; with renumber, the other one moves")
  func takenAway() throws {
    var ids = IDMap()
    let json = document(services: #"{ "type": "Switch" }, { "type": "Outlet" }"#)
    let before = iids(try build(json, &ids))
    let wanted = before["49#1"]!
    let taking = document(services: #"{ "type": "Switch" }, { "type": "LightBulb", "iid": \#(wanted) }"#)
    let found = problem { try build(taking, &ids) }
    #expect(found.map(\.rule) == ["id-changed"])
    #expect(found.first?.message.contains("49#1") == true)
    let after = iids(try build(taking, &ids, renumber: true))
    #expect(after["43#1"] == wanted && after["49#1"]! > before.values.max()!)
  }

  @Test("A contradicting aid is refused and can be renumbered; the accessory keeps its iids")
  func contradictingAID() throws {
    var ids = IDMap()
    let before = iids(try build(bridge(lamp(#""name": "A""#)), &ids), aid: 2)
    let moved = bridge(lamp(#""name": "A", "aid": 9"#))
    #expect(problem { try build(moved, &ids) }.map(\.path) == ["bridgedAccessories[0].aid"])
    let built = try build(moved, &ids, renumber: true)
    #expect(built.names == [1: "Bridge", 9: "A"])
    #expect(iids(built, aid: 9) == before)
  }

  @Test(
    "After any sequence of edits, ids are unique and stable, and freed ids stay unused",
    arguments: 0..<30 as Range<UInt64>
  )
  func anyEdits(_ seed: UInt64) throws {
    var state = seed &+ 1
    func random(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    var ids = IDMap()
    var owners: [UInt64: String] = [:]
    var current: [String: UInt64] = [:]
    for _ in 0..<25 {
      let services = (0..<5).filter { _ in random(2) == 0 }.map {
        #"{ "type": "Switch", "id": "s\#($0)", "name": "S\#($0)" }"#
      }
      let built = try build(document(services: services.joined(separator: ",")), &ids)
      var now: [String: UInt64] = [:]
      let labels = services.map { String($0.split(separator: "\"")[7]) }
      for (label, service) in zip(labels, built.database.accessories[0].services.dropFirst(2)) {
        now[label] = service.iid
      }
      for (label, iid) in now {
        if let before = current[label] { #expect(before == iid) }
        if let owner = owners[iid] { #expect(owner == label && current[label] == iid, "an id was reused") }
        owners[iid] = label
      }
      current = now
    }
  }
}
