import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire
import Testing

@testable import HAPHomeFile

@Suite("Reading .hashome documents")
struct HomeFileReadingTests {
  /// The document of the design, with more kinds of events and conditions.
  static let example = """
    home: My Home
    timeZone: America/Los_Angeles
    location: [37.33, -122.03]
    rooms: [Hall, Living Room, Kitchen]
    zones: { Downstairs: [Hall, Living Room, Kitchen] }
    accessories:
      Front Door Lock: { device: "AA:BB:CC:00:00:01", room: Hall }
      Stereo Light: { device: "aa:bb:cc:00:00:03", aid: 2, room: Living Room, services: { "Stereo Light": { name: Big Light } } }
      Strip: { services: { "@20": Left, Right: { associated: Fan }, Outlet: { name: Both, associated: null } } }
    groups: { Night Lights: [Stereo Light/Big Light, "Kitchen Light/@10"] }
    scenes:
      hi house: { type: home-arrival, set: { Stereo Light/On: on, Stereo Light/Hue: 120, Kitchen Light/Light Bulb/On: true } }
      mine: { type: user-defined }
    triggers:
      arrived home:
        when: [{ characteristic: Front Door Lock/Lock Current State, is: unsecured }]
        if: { all: [{ before: "18:00" }, { characteristic: Motion Sensor/Motion Detected, is: true }] }
        run: [hi house, { set: { Stereo Light/Brightness: 5 } }]
        enabled: true
      evening: { at: "2026-06-01T19:00", every: 1d, timeZone: Europe/Berlin, run: [hi house] }
      once: { at: "2026-06-01T19:00Z" }
      dusk: { when: [{ sun: sunset, offset: -30min }], weekdays: [mon, tue], end: [{ after: 10min }], once: true }
      all events:
        when:
          - { characteristic: a/b }
          - { characteristic: a/b, at-least: 1.5 }
          - { characteristic: a/b, at-least: 1, at-most: 2 }
          - { at: "07:30" }
          - { at: { weekday: sun, hour: 8 } }
          - { sun: sunrise }
          - { presence: last-exit }
          - { presence: every-entry, users: [Anna] }
          - { region: { centre: [1, 2], radius: 50 }, entry: true }
        if:
          any:
            - not: { before: sunset }
            - between: ["22:00", "06:00:30"]
            - between: [{ sun: sunrise, offset: 1h }, sunset]
            - on: { month: 12, day: 24 }
            - { after: { hour: 9 } }
            - { presence: first-entry, users: current-user }
            - { characteristic: a/b/c, at-least: 5 }
            - { unknown: true }
            - { all: [{ any: [] }, { characteristic: a/b, is-not: x }] }
    """

  @Test("The example is read with all of its parts")
  func example() throws {
    let file = try HomeFile.read(Array(Self.example.utf8))
    #expect(file.home.value == "My Home" && file.timeZone?.value == ZoneName("America/Los_Angeles"))
    #expect(file.location?.value == Coordinate(latitude: 37.33, longitude: -122.03))
    #expect(file.rooms?.map(\.value) == ["Hall", "Living Room", "Kitchen"])
    #expect(file.zones?.first?.rooms.map(\.value) == ["Hall", "Living Room", "Kitchen"])
    let accessories = try #require(file.accessories)
    #expect(accessories[1].device == DeviceID("AA:BB:CC:00:00:03") && accessories[1].aid == 2)
    #expect(accessories[2].device == nil && accessories[2].room == nil)
    #expect(accessories[2].services.map(\.service.value) == [.iid(20), .name("Right"), .name("Outlet")])
    #expect(accessories[2].services.map { $0.associatedType?.value } == [nil, .some(0x40), .some(nil)])
    #expect(file.groups?[0].services[1].value == HomeFilePath("Kitchen Light", .iid(10)))
    #expect(file.scenes?.map(\.builtIn) == [.homeArrival, nil] && file.scenes?[1].actions == nil)
    #expect(file.scenes?[0].actions?.map(\.value.value) == ["on", 120, true])
    let triggers = try #require(file.triggers)
    #expect(triggers.map { $0.isEnabled?.value } == [true, nil, nil, nil, nil])
    #expect(triggers[0].run?.count == 2 && triggers[2].run == nil)
    let events = try #require(triggers[4].kind?.node)
    #expect(events["when"]?.elements?.count == 9 && events["if"]?["any"]?.elements?.count == 9)
    #expect(events["if"]?["any"]?.elements?[8]["all"]?.elements?[0]["any"]?.elements?.isEmpty == true)
    #expect(file.home.place == JSONPlace(line: 1, column: 7))
    #expect(accessories[1].name.place == JSONPlace(line: 8, column: 3))
  }

  @Test("A document that was read is written as YAML and JSON with the same content")
  func writing() throws {
    let file = try HomeFile.read(Array(Self.example.utf8))
    #expect(try HomeFile.read(Array(file.yaml.utf8)) == file)
    #expect(try HomeFile.read(Array(file.json.utf8)) == file)
    #expect(try HomeFile.read(Array(file.yaml.utf8)).yaml == file.yaml)
    #expect(file.yaml.hasPrefix("home: My Home\ntimeZone: America/Los_Angeles\nlocation: [37.33, -122.03]\n"))
  }

  private func problems(_ text: String) -> [String] {
    do throws(HomeFileProblems) {
      _ = try HomeFile.read(Array(text.utf8))
      return []
    } catch { return error.problems.map(\.description) }
  }

  @Test("A document alone is refused for each of its errors, with line and column, all at once")
  func allAtOnce() {
    let text = """
      home: 5
      zone: Nowhere!
      colour: red
      location: [91, 0]
      rooms: [Hall, hall, 7]
      zones: { Up: [Hall, Attic, h all], up: Hall }
      accessories:
        A: { device: AA, aid: 0, room: [], services: { "@x": 5, a: { nam: x } } }
        B: { aid: 2 }
        C: { device: "AA:BB:CC:DD:EE:FF" }
        D: { device: "aa:bb:cc:dd:ee:ff" }
      groups: { G: [a, a/b, a/b, /x] }
      scenes: { S: { type: party, set: { a: 1, a/b: null, a/c: [] } }, T: { type: sleep }, U: { type: sleep } }
      triggers: 5
      """
    #expect(
      problems(text) == [
        "1:7: home: a string is expected, not an integer",
        "2:1: there is no member \"zone\" here: the time zone of the home is called \"timeZone\"",
        "3:1: colour: there is no member \"colour\" here",
        "4:11: location: a latitude is from -90 to 90, and a longitude from -180 to 180",
        "5:15: \"hall\" counts as the same as \"Hall\" in line 5: keep one of them",
        "5:21: rooms[2]: a string is expected, not an integer",
        "6:28: \"h all\" counts as the same as \"Hall\" in line 6: keep one of them",
        "6:36: \"up\" counts as the same as \"Up\" in line 6: keep one of them",
        "6:40: zones.up: a list is expected, not a string",
        "8:16: accessories.A.device: \"AA\" is not a device ID, such as \"AA:BB:CC:DD:EE:FF\"",
        "8:25: accessories.A.aid: 0 is not in 1...18446744073709551615",
        "8:34: accessories.A.room: a string is expected, not a list",
        "8:50: accessories.A.services.@x: \"@x\" is not an instance ID: write \"@\" and a number, or a name",
        "8:64: accessories.A.services.a.nam: there is no member \"nam\" here: did you mean \"name\"?",
        "9:13: aid needs device: an accessory without both is found by its name",
        "11:3: the device AA:BB:CC:DD:EE:FF with aid 1 is already in line 10: keep one of them",
        "12:15: groups.G[0]: the path \"a\" has the wrong number of parts: write ACCESSORY/SERVICE, ACCESSORY/CHARACTERISTIC or ACCESSORY/SERVICE/CHARACTERISTIC",
        "12:23: \"a/b\" counts as the same as \"a/b\" in line 12: keep one of them",
        "12:28: groups.G[3]: a name is missing before or after a slash",
        "13:22: scenes.S.type: \"party\" is not a type of scenes: use wake-up, sleep, home-departure, home-arrival or user-defined",
        "13:36: scenes.S.set.a: the path \"a\" has the wrong number of parts: write ACCESSORY/SERVICE, ACCESSORY/CHARACTERISTIC or ACCESSORY/SERVICE/CHARACTERISTIC",
        "13:47: scenes.S.set.a/b: a value is a name, a text, a number, true or false, not null",
        "13:58: scenes.S.set.a/c: a value is a text, a number, true, false or {\"base64\": …}, not a list",
        "13:86: a home has one scene of the type sleep, which is already in line 13: keep one of them",
        "14:11: triggers: an object is expected, not an integer",
      ])
  }

  @Test(
    "Each error in a trigger is reported at its place",
    arguments: [
      (
        "{ at: tomorrow }",
        "1:21: triggers.T.at: \"tomorrow\" has another form than YYYY-MM-DDTHH:MM[:SS[.fraction]], such as \"2026-06-01T19:00\""
      ),
      (
        "{ at: \"2026-13-01T00:00Z\" }",
        "1:21: triggers.T.at: the month is 13; it must be 1 to 12, such as \"2026-06-01T19:00\""
      ),
      (
        "{ at: \"2026-06-01T19:00\", when: [] }",
        "1:21: triggers.T.at: a trigger with events has no member \"at\": remove it"
      ),
      (
        "{ every: 1d }",
        "1:15: triggers.T: a trigger has the time of a timer as \"at\", or a list of events as \"when\""
      ),
      (
        "{ at: \"2026-06-01T19:00\", every: 1 day }",
        "1:48: triggers.T.every: a period such as \"1d\" or \"1h 30min\" is expected, not \"1 day\""
      ),
      (
        "{ at: \"2026-06-01T19:00\", timeZone: \"?\" }",
        "1:51: triggers.T.timeZone: the name of a time zone such as \"Europe/Berlin\" is expected, not \"?\""
      ),
      ("{ when: 5 }", "1:23: triggers.T.when: a list is expected, not an integer"),
      (
        "{ when: [{}] }",
        "1:24: triggers.T.when[0]: an event has one of the members characteristic, at, sun, presence, region or after"
      ),
      (
        "{ when: [{ sun: sunset, time: \"07:00\" }] }",
        "1:39: triggers.T.when[0].time: there is no member \"time\" here"
      ),
      (
        "{ when: [{ at: \"24:00\" }] }",
        "1:30: triggers.T.when[0].at: a time such as \"18:00\", or a date such as \"2026-06-01\" is expected, not \"24:00\""
      ),
      (
        "{ when: [{ presence: every-entry, users: Anna }] }",
        "1:56: triggers.T.when[0].users: \"Anna\" is not a list of users: write current-user or home-users"
      ),
      ("{ when: [{ presence: every-entry, users: [\"\"] }] }", "1:57: triggers.T.when[0].users[0]: the name is empty"),
      (
        "{ when: [{ characteristic: a }] }",
        "1:42: triggers.T.when[0].characteristic: the path \"a\" has the wrong number of parts: write ACCESSORY/SERVICE, ACCESSORY/CHARACTERISTIC or ACCESSORY/SERVICE/CHARACTERISTIC"
      ),
      (
        "{ when: [{ characteristic: a/b, is: null }] }",
        "1:51: triggers.T.when[0].is: a value is a name, a text, a number, true or false, not null"
      ),
      ("{ when: [{ characteristic: a/b, is: {} }] }", "1:51: triggers.T.when[0].is: \"base64\" is missing"),
      (
        "{ when: [], weekdays: [mon, monday] }",
        "1:43: triggers.T.weekdays[1]: \"monday\" is not a day of the week: write sun, mon, tue, wed, thu, fri or sat"
      ),
      ("{ when: [], if: [{ unknown: true }] }", "1:31: triggers.T.if: an object is expected, not a list"),
      (
        "{ when: [], if: { between: [\"18:00\", sunset] } }",
        "1:42: triggers.T.if.between: \"between\" has two times of the day, or two moments of the sun, not one of each"
      ),
      (
        "{ when: [], if: { all: [], any: [] } }",
        "1:47: triggers.T.if.any: a condition has only one of the members \"all\" and \"any\""
      ),
      ("{ run: [a, A] }", "1:26: \"A\" counts as the same as \"a\" in line 1: keep one of them"),
      ("{ enabled: yes }", "1:26: triggers.T.enabled: true or false is expected, not a string"),
      ("5", "1:15: triggers.T: an object is expected, not an integer"),
    ])
  func triggers(_ trigger: String, _ problem: String) {
    // The first line has 14 characters before the trigger.
    let found = problems("triggers: {T: \(trigger)}\nhome: H")
    #expect(found == [problem], "\(trigger)")
  }

  @Test(
    "Each other wrong text has one problem",
    arguments: [
      ("", "1:1: there is nothing here"), ("5", "1:1: an object is expected, not an integer"),
      ("{}", "1:1: \"home\" is missing"), ("home: \"\"", "1:7: home: the name is empty"),
      ("home: a\nhome: b", "2:1: \"home\" occurs twice in one object: it is already in line 1"),
      ("home: a\nrooms: [", "3:1: a value is expected here"),
      (
        "home: a\ntimeZone: Europe//Berlin",
        "2:11: timeZone: the name of a time zone such as \"Europe/Berlin\" is expected, not \"Europe//Berlin\""
      ),
      (
        "home: a\nlocation: 5",
        "2:11: location: a place such as [37.33, -122.03] is expected: the latitude and the longitude in degrees"
      ),
      ("home: a\nkey: 5", "2:1: key: there is no member \"key\" here"),
    ])
  func others(_ text: String, _ problem: String) {
    let found = problems(text)
    #expect(found.count == 1 && found[0].hasPrefix(problem), "\(found)")
  }

  @Test("The errors of all events and of all parts of a condition are reported")
  func allParts() {
    let text = """
      home: H
      triggers:
        T:
          when: [{ characteristic: a }, { sun: noon }, { at: "18:00" }]
          if: { all: [{ before: noon }, { not: { any: [{ unknown: false }, { afterwards: 1 }] } }, { any: [{ on: 5 }] }] }
          end: [{ after: soon }]
          run: [{ sets: {} }, 5]
      """
    #expect(
      problems(text).map { $0.prefix(26) } == [
        "4:30: triggers.T.when[0].c", "4:42: triggers.T.when[1].s", "5:27: triggers.T.if.all[0]",
        "5:61: triggers.T.if.all[1]",
        "5:72: triggers.T.if.all[1]", "5:108: triggers.T.if.all[2", "6:20: triggers.T.end[0].af",
        "7:11: triggers.T.run[0]: \"",
        "7:13: triggers.T.run[0].se", "7:25: triggers.T.run[1]: a",
      ])
  }

  @Test("A document of more than 8 MiB, or with too many values, is refused")
  func tooLarge() {
    let text = "home: a\n# " + String(repeating: "x", count: HomeFile.byteLimit)
    #expect(problems(text) == ["1:1: the file has more than 8 MiB"])
    let many = "{\"home\": \"a\", \"rooms\": [" + String(repeating: "1,", count: 500_001) + "1]}"
    #expect(problems(many) == ["1:1: there are more than 500000 values, including the copies of aliases"])
  }

  @Test("Two spellings of one path or instance ID are refused")
  func spellings() {
    let text = """
      home: a
      scenes: { S: { set: { A/@22: 1, A/@022: 1, "A/\\\\B": 1, A/B: 2 } } }
      accessories: { A: { services: { "@20": B, "@020": C, D: E, "\\\\D": F } } }
      """
    #expect(
      problems(text) == [
        "2:33: \"A/@22\" counts as the same as \"A/@22\" in line 2: keep one of them",
        "2:56: \"A/B\" counts as the same as \"A/B\" in line 2: keep one of them",
        "3:43: \"@20\" counts as the same as \"@20\" in line 3: keep one of them",
        "3:60: \"D\" counts as the same as \"D\" in line 3: keep one of them",
      ])
  }

  @Test("Members that begin with x- are ignored")
  func extensions() throws {
    #expect(problems("home: a\nx-note: 5\nscenes: { S: { x-colour: 1 } }") == [])
  }

  @Test(
    "A path is written with escapes where a name needs them, and read back",
    arguments: [
      (HomeFilePath("Stereo Light", .name("On")), "Stereo Light/On"),
      (HomeFilePath("A/B@1\\", .name("@10"), .iid(7)), "A\\/B@1\\\\/\\@10/@7"),
      (HomeFilePath("@", .iid(.max)), "\\@/@18446744073709551615"),
    ])
  func paths(_ path: HomeFilePath, _ text: String) throws {
    #expect(path.description == text)
    #expect(try HomeFilePath(text) == path)
  }

  @Test(
    "A path without a name, with too many parts or a wrong instance ID is refused",
    arguments: [
      "", "a", "/", "a/", "/a", "a//b", "a/b/c/d", "@1/a", "a/@", "a/@x", "a/@-1", "a/@18446744073709551616", "a\\/b",
      "a/b\\/c/",
    ])
  func malformedPaths(_ text: String) {
    #expect(throws: HomeFilePath.Malformed.self) { try HomeFilePath(text) }
  }
}
