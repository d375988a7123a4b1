import HAPModel
import Testing

@testable import HAPIP

@Suite struct DiscoveredAccessoryTests {
  /// A valid record. The given entries replace those of the same key; an empty one removes the key.
  private func accessory(_ strings: String...) -> DiscoveredAccessory {
    let keys = strings.map { $0.split(separator: "=", omittingEmptySubsequences: false)[0] }
    let right = ["c#=3", "ff=0", "id=AA:BB:CC:DD:EE:FF", "md=Door", "pv=1.1", "s#=1", "sf=1", "ci=4", "sh=o3ZGTQ=="]
    let kept = right.filter { string in !keys.contains { string.hasPrefix("\($0)=") } }
    return DiscoveredAccessory(
      name: "Door", txt: (kept + strings.filter { $0.contains("=") || $0.count > 2 }).map { Array($0.utf8) })
  }

  @Test("The record of our own accessories is read back without a remark")
  func ours() throws {
    let id = try #require(DeviceID("AA:BB:CC:DD:EE:FF"))
    for isPaired in [true, false] {
      let said = Advertisement(
        model: "Tür=4", deviceID: id, configurationNumber: 65535, category: 4, isPaired: isPaired,
        setupID: SetupID("7OSX"))
      let read = DiscoveredAccessory(name: "Tür", txt: said.txt.map { Array("\($0.key)=\($0.value)".utf8) })
      #expect(read.remarks == [])
      #expect(read.name == "Tür" && read.model == "Tür=4" && read.deviceID == id.text && read.isPaired == isPaired)
      #expect(read.configurationNumber == 65535 && read.stateNumber == 1 && read.protocolVersion == "1.1")
      #expect(read.category == .garageDoorOpener && read.featureFlags == 0 && read.setupHash?.count == 4)
    }
  }

  @Test(
    "Only bit 0 of sf shows whether it is paired",
    arguments: [(0, true), (1, false), (2, true), (3, false), (4, true), (5, false)])
  func paired(flags: Int, isPaired: Bool) {
    #expect(accessory("sf=\(flags)").isPaired == isPaired && accessory("sf=\(flags)").remarks == [])
  }

  @Test("Absent optional keys (ff, pv and sh) and unknown keys cause no remark")
  func leftOut() {
    let read = accessory("ff", "pv", "sh", "x=1", "flag")
    #expect(read.remarks == [] && read.featureFlags == 0 && read.protocolVersion == "1.0" && read.setupHash == nil)
  }

  @Test("A missing key is reported, and the others are read", arguments: ["c#", "id", "md", "s#", "sf", "ci"])
  func missing(key: String) {
    let read = accessory(key)
    #expect(read.remarks == [Deviation(key, "it is missing")])
    let isNil = [
      "c#": read.configurationNumber == nil, "id": read.deviceID == nil, "md": read.model == nil,
      "s#": read.stateNumber == nil, "sf": read.isPaired == nil, "ci": read.category == nil,
    ]
    #expect(isNil.filter(\.value).map(\.key) == [key])
    #expect(accessory("\(key)=").remarks == [Deviation(key, "it is empty")])
  }

  @Test(
    "An unusual spelling is accepted and reported",
    arguments: [
      ("C#=3", "c#: it is written C#"), ("ID=aa:bb:cc:dd:ee:ff", "id: it is written ID"),
      ("c#= 3", "c#: 3 is written \" 3\""), ("c#=003", "c#: 3 is written \"003\""),
      ("c#=+3", "c#: 3 is written \"+3\""),
    ])
  func otherwise(string: String, remark: String) {
    let key = string.split(separator: "=")[0].lowercased()
    let read = key == "id" ? accessory("id", string) : accessory("c#", string)
    #expect(read.remarks.map(\.description) == [remark])
    #expect(read.configurationNumber == 3 && read.deviceID == "AA:BB:CC:DD:EE:FF")
  }

  @Test("A device ID in lower case is the same device ID")
  func smallLetters() {
    #expect(accessory("id=aa:bb:cc:dd:ee:ff") == accessory())
  }

  @Test(
    "An unreadable value is reported and treated as missing",
    arguments: [
      ("c#=three", "c#: \"three\" is not a number from 1 to 4294967295"),
      ("c#=0", "c#: \"0\" is not a number from 1 to"),
      ("c#=-1", "c#: \"-1\" is not a number"), ("c#=99999999999999999999", "is not a number"),
      ("s#=", "s#: it is empty"), ("sf=256", "sf: \"256\" is not a number from 0 to 255"),
      ("sf=0x1", "sf: \"0x1\" is not a number"),
      ("ci=garage", "ci: \"garage\" is not a number"), ("ff=x", "ff: \"x\" is not a number"),
      ("sh=AA==", "sh: \"AA==\" is not the Base64 of 4 bytes"),
      ("sh=????", "sh: \"????\" is not"),
    ])
  func misunderstood(string: String, remark: String) {
    let read = accessory(string)
    #expect(read.remarks.count == 1 && read.remarks[0].description.contains(remark), "\(read.remarks)")
    switch string.prefix(2) {
    case "c#": #expect(read.configurationNumber == nil)
    case "sf": #expect(read.isPaired == nil)
    case "ci": #expect(read.categoryNumber == nil)
    case "sh": #expect(read.setupHash == nil)
    default: break
    }
  }

  @Test("An unusual value is accepted unchanged and reported")
  func strange() {
    #expect(accessory("c#=65536").configurationNumber == 65536)
    #expect(accessory("c#=65536").remarks == [Deviation("c#", "65536 is more than 65535")])
    #expect(accessory("ci=250").categoryNumber == 250 && accessory("ci=250").category == nil)
    #expect(accessory("ci=250").remarks == [Deviation("ci", "there is no category 250")])
    #expect(accessory("sf=9").isPaired == false)
    #expect(accessory("sf=9").remarks == [Deviation("sf", "9 has unknown flags")])
    #expect(accessory("id=bulb").deviceID == "BULB")
    #expect(accessory("id=bulb").remarks == [Deviation("id", "\"BULB\" is not six octets with colons")])
    for version in ["1", "1.1.0", "x.y", ".", "-1.1"] {
      #expect(accessory("pv=\(version)").protocolVersion == version)
      #expect(accessory("pv=\(version)").remarks == [Deviation("pv", "\"\(version)\" is not a version such as 1.1")])
    }
  }

  @Test("Malformed entries are skipped; of duplicates, the first counts")
  func entries() {
    let read = DiscoveredAccessory(
      name: "",
      txt: [Array("id=1".utf8), Array("ID=2".utf8), Array("=x".utf8), [], Array("sf".utf8), [0x6D, 0x64, 0x3D, 0xFF]])
    #expect(read.deviceID == "1" && read.model == "\u{FFFD}")
    let remarks = read.remarks.map(\.description)
    #expect(
      remarks.prefix(5) == [
        "id: it occurs twice", "an entry has no key", "an entry has no key",
        "sf: it has no value", "md: its value is not UTF-8",
      ])
    #expect(DiscoveredAccessory(name: "", txt: []).remarks.count == 6)
  }

  @Test("Any amount of any bytes is read without a trap, and remarks are bounded")
  func bounded() {
    for length in [0, 1, 255] {
      for byte in [0, 0x3D, 0x80, 0xFF] as [UInt8] {
        let read = DiscoveredAccessory(
          name: "x", txt: Array(repeating: Array(repeating: byte, count: length), count: 5000))
        #expect(read.remarks.count <= 110)
      }
    }
  }
}
