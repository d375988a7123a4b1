import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: homes, rooms, zones, groups and users")
struct PlaceTests {
  // MARK: Homes

  @Test("A home is added with its zone and place; the first one is primary; another can become primary")
  func homes() throws {
    let bench = HomeBench()
    #expect(bench("list") == Transcript(out: "There is no home: add one with 'hapctl home new NAME --zone ZONE'.\n"))
    #expect(
      bench("new", "My Home", "--zone", "Test/City", "--at", "37.33,-122.03")
        == Transcript(out: "Added the home \"My Home\".\nMade \"My Home\" the primary home.\n"))
    #expect(bench.home.location == Coordinate(latitude: 37.33, longitude: -122.03))
    #expect(bench.home.users.map(\.name) == ["Owner"])
    #expect(bench("new", "Cottage", "--zone", "UTC", "--owner", "Ben").out == "Added the home \"Cottage\".\n")
    #expect(bench("list").out == "Cottage  UTC\nMy Home  Test/City  primary\n")
    #expect(bench("primary", "cottage").out == "Made \"Cottage\" the primary home.\n")
    let list = try bench("list", "--json").json
    #expect(list["homes"]?.elements?.map { $0["primary"]?.boolValue } == [false, true])
    #expect(list["homes"]?.elements?.first?["location"]?.elements?.count == 2)
    #expect(bench("room", "add", "Attic", "--home", "My Home").exit == .well)
    #expect(bench.hub.model.homes.map(\.rooms.count) == [1, 0])
    #expect(bench("room", "list", "--home", bench.home.id.description).out == "Attic\n")
  }

  @Test("Errors of homes name the rule and say what to do")
  func homeErrors() throws {
    let bench = HomeBench()
    #expect(bench("room", "list").error.contains("there is no home: add one with 'hapctl home new NAME --zone ZONE'"))
    #expect(bench("new", "X").error.contains("--zone is missing") && bench("new", "X").exit == .usage)
    #expect(bench("new", "X", "--zone", "No where").exit == .usage)
    #expect(bench("new", "X", "--zone", "Europe/Nowhere").error.contains("no time zone Europe/Nowhere"))
    #expect(bench("new", "X", "--zone", "UTC", "--at", "91,0").error.contains("--at 91,0: expected the latitude"))
    #expect(bench("new", "My Home", "--zone", "UTC").exit == .well)
    let twice = bench("new", "my home", "--zone", "UTC")
    #expect(twice.exit == .problem && twice.error.contains("(rule N1)") && twice.out.isEmpty)
    #expect(bench("list", "extra").exit == .usage)
    #expect(
      bench("primary", "My Hone").error
        == "hapctl home primary: there is no home \"My Hone\": did you mean \"My Home\"?\n")
    #expect(bench("room", "list", "--home", "My Hone").exit == .problem)
    #expect(bench("configure").error.contains("nothing to change"))
    #expect(bench("configure", "--at", "1,2", "--no-location").error.contains("exclude each other"))
  }

  @Test("The zone and the place of a home are changed, and the place removed")
  func configure() throws {
    let bench = try HomeBench.filled()
    #expect(bench("configure", "--zone", "UTC").out == "Set the time zone of \"My Home\" to UTC.\n")
    #expect(bench("configure", "--no-location").out == "Removed the location of \"My Home\".\n")
    #expect(bench.home.zone == .utc && bench.home.location == nil)
    #expect(bench("configure", "--zone", "Europe/Nowhere").exit == .problem)
  }

  @Test("A home with accessories is removed only with --forget")
  func delete() throws {
    let bench = try HomeBench.filled()
    #expect(bench("delete", "My Home").error.contains("has 7 accessories: remove them"))
    #expect(bench.hub.model.homes.count == 1)
    #expect(bench("delete", "My Home", "--forget").exit == .well && bench.hub.model.homes.isEmpty)
  }

  @Test("Any object is renamed by name, path or identifier; the home too")
  func rename() throws {
    let bench = try HomeBench.filled()
    #expect(bench("rename", "arrive home", "hi house").out == "Renamed the scene \"Arrive Home\" to \"hi house\".\n")
    #expect(
      bench("rename", "Strip/Left", "Desk Lamp").out == "Renamed the service \"Left\" of \"Strip\" to \"Desk Lamp\".\n")
    let strip = try bench.id("Strip")
    #expect(bench("rename", strip.description, "Power").exit == .well)
    #expect(bench("rename", "My Home", "Our Home").out == "Renamed the home \"My Home\" to \"Our Home\".\n")
    #expect(bench.home.accessories.map(\.name.text).contains("Power") && bench.home.name.text == "Our Home")
    let service = try #require(HomeLookup(bench.home).home.accessories.find(strip)?.services.last)
    #expect(bench("rename", service.id.description, "Second").exit == .well)
    #expect(bench("rename", "Hall", "hi, hall").error.contains("(rule N4)"))
    #expect(bench("rename", "Hall", "Kitchen").error.contains("(rule N2)"))
    #expect(
      bench("rename", "Nothing", "X").error.contains("there is no home, room, zone, group, accessory, scene or trigger")
    )
    #expect(bench("room", "rename", "Hall", "Entrance").out == "Renamed the room \"Hall\" to \"Entrance\".\n")
    #expect(bench("room", "rename", "Power", "X").error.contains("\"Power\" is an accessory, not a room"))
  }

  // MARK: Rooms, zones, groups

  @Test("Rooms are added, listed and removed; the accessories of a removed room move")
  func rooms() throws {
    let bench = try HomeBench.filled()
    #expect(bench("room", "add", "Attic", "Cellar").out == "Added the room \"Attic\".\nAdded the room \"Cellar\".\n")
    #expect(
      bench("room", "list").out.contains("Hall: Front Door Lock\nKitchen: Kitchen Light\nLiving Room: Stereo Light\n"))
    let removed = bench("room", "remove", "Hall", "--json")
    #expect(
      try removed.json["changes"]?.elements?.map { $0["change"]?.stringValue } == ["accessory-moved", "room-removed"])
    #expect(bench.home.accessories[0].room == bench.home.roomForEntireHome.id)
    let list = try bench("room", "list", "--json").json["rooms"]?.elements ?? []
    #expect(list.count == 5 && list[4]["id"]?.stringValue == bench.home.roomForEntireHome.id.description)
  }

  @Test("Lists are in the order of names, with numbers by their value, and the room for the entire home last")
  func order() throws {
    let bench = try HomeBench.filled()
    #expect(bench("room", "remove", "Hall", "Living Room", "Kitchen").exit == .well)
    #expect(bench("room", "add", "Room 10", "room 2", "Attic", "Room 1", "Room 02b").exit == .well)
    #expect(bench("scene", "add", "Scene 10").exit == .well && bench("scene", "add", "Scene 9").exit == .well)
    #expect(
      bench("zone", "add", "Z 10", "Room 10", "room 2").exit == .well && bench("zone", "add", "Z 9").exit == .well)
    let rooms = ["Attic", "Room 1", "room 2", "Room 02b", "Room 10", "Default Room"]
    let list = bench("room", "list").out.split(separator: "\n").map { $0.split(separator: ":")[0] }
    #expect(list.map(String.init) == rooms)
    let show = bench("show").out.split(separator: "\n").map(String.init)
    #expect(show.filter { $0.hasPrefix("  room ") } == rooms.map { "  room \($0)" })
    #expect(show.contains("    Bridge: no services") && show.contains("  zone Z 10: room 2, Room 10"))
    let accessories = show.filter { $0.hasPrefix("    ") }.map { $0.split(separator: ":")[0].dropFirst(4) }
    #expect(
      accessories.map(String.init) == [
        "Bridge", "Front Door Lock", "Kitchen Light", "Motion Sensor", "Stereo Light", "Strip", "Thermostat",
      ])
    #expect(bench("zone", "list").out == "Z 9\nZ 10: room 2, Room 10\n")
    #expect(bench("scene", "list").out.contains("Scene 9: no actions\nScene 10: no actions\n"))
    let json = try bench("room", "list", "--json").json["rooms"]?.elements?.first
    #expect(json?["name"]?.stringValue == "Room 10", "programs get the order of the home")
  }

  @Test("If one of several is refused, the ones before are performed and printed")
  func partly() throws {
    let bench = try HomeBench.filled()
    let said = bench("room", "add", "Attic", "Kitchen", "Cellar")
    #expect(said.out == "Added the room \"Attic\".\n" && said.error.contains("(rule N2)") && said.exit == .problem)
    #expect(bench.home.rooms.map(\.name.text) == ["Hall", "Living Room", "Kitchen", "Attic"])
  }

  @Test("A zone is added with rooms, or not at all; rooms are added and removed")
  func zones() throws {
    let bench = try HomeBench.filled()
    #expect(
      bench("zone", "add", "Downstairs", "Hall", "kitchen").out
        == "Added the zone \"Downstairs\".\nAdded the room \"Hall\" to the zone \"Downstairs\".\nAdded the room \"Kitchen\" to the zone \"Downstairs\".\n"
    )
    #expect(bench("zone", "add", "Upstairs", "Hall", "Hall").error.contains("(rule Z1)"))
    #expect(bench.home.zones.map(\.name.text) == ["Downstairs"])
    #expect(bench("zone", "remove-from", "Downstairs", "Hall").exit == .well)
    #expect(bench("zone", "add-to", "Downstairs", "Living Room").exit == .well)
    #expect(bench("zone", "list").out == "Downstairs: Kitchen, Living Room\n")
    #expect(bench("zone", "add-to", "Downstairs", "Livingrom").error.contains("did you mean \"Living Room\"?"))
    #expect(bench("zone", "add-to", "Hall", "Kitchen").error.contains("\"Hall\" is a room, not a zone"))
    #expect(
      bench("zone", "rename", "Downstairs", "Below").exit == .well && bench("zone", "remove", "Below").exit == .well)
    #expect(bench("zone", "list").out == "The home \"My Home\" has no zones.\n")
  }

  @Test("A group has services by path, by name and by accessory")
  func groups() throws {
    let bench = try HomeBench.filled()
    #expect(
      bench("group", "add", "Night Lights", "Strip/Left", "Kitchen Light", "Stereo Light/Light Bulb").exit == .well)
    #expect(
      bench("group", "list").out == "Night Lights: Kitchen Light/Kitchen Light, Stereo Light/Stereo Light, Strip/Left\n"
    )
    #expect(bench("group", "remove-from", "Night Lights", "Left").exit == .well)
    #expect(bench.home.groups[0].services.count == 2)
    let json = try bench("group", "list", "--json").json["groups"]?.elements?.first
    #expect(
      json?["services"]?.elements?.map(\.stringValue) == ["Kitchen Light/Kitchen Light", "Stereo Light/Stereo Light"])
    #expect(
      bench("group", "add", "G", "Strip").error.contains("has 2 services: name one of \"Strip/Left\", \"Strip/Right\""))
    #expect(bench("group", "add", "G", "Lump").exit == .problem)
    #expect(bench("group", "add", "G", "Strip/Middle").error.contains("there is no service \"Middle\""))
    #expect(bench("group", "add-to", "Night Lights", "Strip/Right").exit == .well)
    #expect(bench("group", "remove", "Night Lights").exit == .well && bench.home.groups.isEmpty)
  }

  // MARK: Users

  @Test("Users are added, get a role, have a place, and are removed")
  func users() throws {
    let bench = try HomeBench.filled()
    #expect(bench("user", "add", "Ben").out == "Added the user \"Ben\" as a guest.\n")
    #expect(bench("user", "add", "Cleo", "--role", "administrator").exit == .well)
    #expect(bench("user", "role", "Ben", "administrator").out == "Made the user \"Ben\" an administrator.\n")
    #expect(
      bench("user", "role", "Ben", "owner").exit == .usage && bench("user", "add", "D", "--role", "x").exit == .usage)
    #expect(bench("person", "ben", "arrive").out == "Ben is at home.\n")
    #expect(bench("person", "Anna", "at", "37.4,-122").out == "Anna is at 37.4, -122.0.\n")
    #expect(
      bench("user", "list").out
        == "Anna  owner  at 37.4, -122.0\nBen  administrator  at home\nCleo  administrator  away\n")
    #expect(try bench("user", "list", "--json").json["users"]?.elements?[1]["place"]?.stringValue == "home")
    #expect(try bench("person", "Ben", "leave", "--json").json["place"]?.stringValue == "away")
    #expect(bench("user", "remove", "Anna").error.contains("(rule U1)"))
    #expect(bench("user", "remove", "Ben").exit == .well && bench.home.users.map(\.name) == ["Anna", "Cleo"])
    for words in [["at"], ["at", "x"], ["arrive", "1,2"], ["dance"]] {
      #expect(bench.run(["person", "Anna"] + words).exit == .usage, "\(words)")
    }
    #expect(bench("person", "Dora", "arrive").error.contains("there is no user \"Dora\""))
  }
}
