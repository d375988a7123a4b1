import HAPImport
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@Suite("Profiles of recorded devices") struct RecordedDeviceTests {
  @Test(
    "Every recorded device becomes a profile that can be served, and is read back as it was", arguments: deviceFiles)
  func servedAgain(name: String) throws {
    let file = try ImportedFile(try deviceFile(name))
    #expect(file.form == .database)
    var copy = try #require(file.devices.first).copy
    #expect(copy.mend() == [])
    let profile = try AccessoryProfile(json: Array(copy.profileText.utf8), fileName: name)
    #expect(profile.problems.filter { $0.severity == .error } == [])
    let served = try accessories(servedBy: profile)
    #expect(served == copy.accessories)
    // A second time, from what the copy serves.
    var again = DeviceCopy(served)
    again.category = profile.category
    again.saysBooleansInWords = copy.saysBooleansInWords
    again.listsEmptyTLV8AsNull = copy.listsEmptyTLV8AsNull
    #expect(again.profileText == copy.profileText)
  }

  @Test("What is off in a recording is told, and nothing else")
  func remarks() throws {
    for name in deviceFiles {
      let remarks = try ImportedFile(try deviceFile(name)).devices[0].remarks
      switch name {
      case "eve_energy.json": #expect(remarks.count == 8)
      case "nanoleaf_bulb.json": #expect(remarks.count == 2)
      default: #expect(remarks == [])
      }
    }
  }

  @Test("A device that lists empty TLV8 as null does so as a copy")
  func emptyTLV8() throws {
    let copy = try ImportedFile(try deviceFile("camera.json")).devices[0].copy
    #expect(copy.listsEmptyTLV8AsNull)
    let profile = try AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "copy")
    #expect(profile.conduct?.listsEmptyTLV8AsNull == true)
    #expect(try listing(servedBy: profile).contains(#""value":null"#))
  }
}
