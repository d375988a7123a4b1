import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Names of homes and objects")
struct NameTests {
  @Test("HOME.N1 the names of homes are unique")
  func homes() throws {
    var bench = HomeBench()
    let first = try bench.addHome("Beach House")
    let second = try bench.addHome("City")
    let same = HomeCommand.addHome(name: "beachhouse", zone: .utc, location: nil, owner: "Anna")
    #expect(bench.refusal(same) == Refusal(32, .n1))
    #expect(bench.refusal(.rename(second, "BEACH HOUSE")) == Refusal(32, .n1))
    try bench.perform(.rename(first, "Beach house"))
    try bench.perform(.rename(second, "Beach House 2"))
    #expect(bench.model.homes.map(\.name.text) == ["Beach house", "Beach House 2"])
  }

  @Test("HOME.N2 a home and its objects share one namespace")
  func namespace() throws {
    var bench = HomeBench()
    let home = try bench.addHome("Villa")
    _ = try bench.addRoom("Kitchen", to: home)
    _ = try bench.addZone("Downstairs", to: home)
    _ = try bench.addGroup("Night Lights", to: home)
    _ = try bench.addSet("Movie", to: home)
    _ = try bench.add(.light(1, "Lamp"), to: home)
    _ = try bench.addTrigger("Evening", .on(.calendar(.hour(19))), to: home)
    let names = [
      "Villa", "Kitchen", "Downstairs", "Night Lights", "Movie", "Lamp", "Evening", "Good Night", "Default Room",
    ]
    for name in names {
      #expect(bench.refusal(.addRoom(home: home, name: name)) == Refusal(31, .n2), "\(name)")
      #expect(bench.refusal(.addZone(home: home, name: name)) == Refusal(31, .n2), "\(name)")
      #expect(bench.refusal(.addGroup(home: home, name: name)) == Refusal(31, .n2), "\(name)")
      #expect(bench.refusal(.addActionSet(home: home, name: name)) == Refusal(31, .n2), "\(name)")
      let trigger = HomeCommand.addTrigger(home: home, name: name, .on(.calendar(.hour(1))))
      #expect(bench.refusal(trigger) == Refusal(31, .n2), "\(name)")
    }
    let other = try bench.addHome("Cottage")
    _ = try bench.addRoom("Kitchen", to: other)
    #expect(bench.refusal(.rename(other, "Kitchen")) == Refusal(31, .n2))
    let named = HomeCommand.addHome(name: "Good Night", zone: .utc, location: nil, owner: "Anna")
    #expect(bench.refusal(named) == Refusal(31, .n2))
  }

  @Test("HOME.N2 an accessory and its services may have the same name, two services may not")
  func accessoryAndService() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let two = Accessory.with(aid: 1, "Lamp", [.light(iid: 10, "Lamp"), .light(iid: 30, "Spot")])
    let accessory = try bench.add(.device(1, [two]), to: home)
    let lights = accessory.services.filter(\.isUserInteractive)
    #expect(accessory.name.text == "Lamp")
    #expect(lights.map(\.name.text) == ["Lamp", "Spot"])
    #expect(bench.refusal(.rename(lights[1].id, "lamp")) == Refusal(31, .n2))
    try bench.perform(.rename(lights[0].id, "Ceiling"))
    try bench.perform(.rename(lights[1].id, "Lamp"))
    let other = try bench.add(.light(2, "Other"), to: home)
    #expect(bench.refusal(.rename(other.id, "Ceiling")) == Refusal(31, .n2))
    #expect(bench.refusal(.rename(other.services[1].id, "Lamp")) == Refusal(31, .n2))
    try bench.perform(.rename(accessory.id, "Ceiling"))
  }

  @Test(
    "HOME.N3 case, spaces, apostrophes and the form of a character do not make names different",
    arguments: [
      ("Home 1", "home1"), ("Anna's Room", "annas room"), ("Anna’s Room", "Anna's Room"), ("Café", "cafe\u{301}"),
      ("STRASSE", "straße"), ("ΟΔΟΣ", "οδος"), ("A  B", "ab"),
    ])
  func comparison(one: String, other: String) throws {
    #expect(HomeName(one).key == HomeName(other).key)
    #expect(HomeName(one) != HomeName(other) || one == other)
    var bench = HomeBench()
    let home = try bench.addHome("Villa")
    _ = try bench.addRoom(one, to: home)
    #expect(bench.refusal(.addRoom(home: home, name: other)) == Refusal(31, .n2))
  }

  @Test("HOME.N3 other characters make names different", arguments: [("Room 1", "Room 2"), ("Bär", "Bar"), ("a", "á")])
  func difference(one: String, other: String) { #expect(HomeName(one).key != HomeName(other).key) }

  @Test(
    "HOME.N4 letters, digits, spaces and apostrophes; a letter or digit at both ends",
    arguments: [
      ("Kitchen", nil), ("2nd Floor", nil), ("Anna's", nil), ("Küche", nil), ("キッチン", nil), ("रसोई", nil), ("7", nil),
      (" Kitchen", 36), ("'Kitchen", 36), ("-x", 36), ("\u{301}x", 36), ("Kitchen ", 60), ("Kitchen'", 60), ("x!", 60),
      ("hi, house", 35), ("a_b", 35), ("a\nb", 35), ("a🙂b", 35), ("a\u{202E}b", 35), ("🙂", 36), (" ", 36), ("'", 36),
    ] as [(String, Int?)])
  func characters(name: String, code: Int?) throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let refusal = bench.refusal(.addRoom(home: home, name: name))
    #expect(refusal == code.map { Refusal($0, .n4) })
  }

  @Test("HOME.N4 the policy of the reference allows symbols within a name, but no control characters")
  func reference() throws {
    var bench = HomeBench()
    bench.policy.names = .reference
    let home = try bench.addHome()
    for name in ["hi, house", "a_b", "a🙂b", "A/B"] { _ = try bench.addRoom(name, to: home) }
    for name in ["a\nb", "a\u{7}b", "a\u{202E}b", "a\u{2028}b", "a\u{E000}b"] {
      #expect(bench.refusal(.addRoom(home: home, name: name)) == Refusal(35, .n4))
    }
    #expect(bench.refusal(.addRoom(home: home, name: "house!")) == Refusal(60, .n4))
  }

  @Test("HOME.N5 a name has 1 to 64 characters")
  func length() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    #expect(bench.refusal(.addRoom(home: home, name: "")) == Refusal(51, .n5))
    #expect(bench.refusal(.addRoom(home: home, name: String(repeating: "a", count: 65))) == Refusal(46, .n5))
    _ = try bench.addRoom(String(repeating: "é", count: 64), to: home)
    let marks = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(bench.refusal(.addRoom(home: home, name: marks)) == Refusal(46, .n5))
  }

  @Test("HOME.N6 renaming an object to its name is refused; another spelling of it is not")
  func sameName() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let room = try bench.addRoom("Kitchen", to: home)
    #expect(bench.refusal(.rename(room, "Kitchen")) == Refusal(33, .n6))
    #expect(bench.refusal(.rename(home, "My Home")) == Refusal(33, .n6))
    let changes = try bench.perform(.rename(room, "kitchen"))
    #expect(changes == [HomeChange(home, .roomRenamed(room, HomeName("kitchen")))])
  }

  @Test("HOME.N7 names of accessories are kept and get a number if they are taken")
  func suppliedNames() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    _ = try bench.addRoom("Lamp", to: home)
    let names = try ["Lamp", "MyBulb_1", "lamp", "🙂", nil, "  ", String(repeating: "x", count: 70)].enumerated().map {
      try bench.add(.light(UInt8($0), $1), to: home).name.text
    }
    #expect(names == ["Lamp 2", "MyBulb_1", "lamp 3", "🙂", "M1", "Accessory", String(repeating: "x", count: 64)])
    let long = try bench.add(.light(20, String(repeating: "x", count: 64)), to: home)
    #expect(long.name.text == String(repeating: "x", count: 62) + " 2")
    #expect(long.services[1].name == long.name)
    let twins = Accessory.with(
      aid: 1, "Strip", [.light(iid: 10, "Outlet"), .light(iid: 30, "Outlet"), .light(iid: 50, nil)])
    let strip = try bench.add(.device(21, [twins]), to: home)
    #expect(strip.services.map(\.name.text) == ["Strip", "Outlet", "Outlet 2", "Strip"])
  }
}
