import HAPImport
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@Suite("Profiles of recorded devices") struct RecordedDeviceTests {
  @Test(
    "Each recorded device becomes a valid profile, and is read back unchanged", arguments: deviceFiles)
  func servedAgain(name: String) throws {
    let file = try ImportedFile(try deviceFile(name))
    #expect(file.form == .database)
    var copy = try #require(file.devices.first).copy
    #expect(copy.mend() == [])
    let profile = try AccessoryProfile(json: Array(copy.profileText.utf8), fileName: name)
    #expect(profile.problems.filter { $0.severity == .error } == [])
    let served = try accessories(servedBy: profile)
    #expect(served == copy.accessories)
    // Once more, from the answer of the copy.
    var again = DeviceCopy(served)
    again.category = profile.category
    again.saysBooleansInWords = copy.saysBooleansInWords
    again.listsEmptyTLV8AsNull = copy.listsEmptyTLV8AsNull
    #expect(again.profileText == copy.profileText)
  }

  @Test("Only the deviations of a recording are reported")
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

  @Test("The copy of a device that lists empty TLV8 as null does so, too")
  func emptyTLV8() throws {
    let copy = try ImportedFile(try deviceFile("camera.json")).devices[0].copy
    #expect(copy.listsEmptyTLV8AsNull)
    let profile = try AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "copy")
    #expect(profile.quirks?.listsEmptyTLV8AsNull == true)
    #expect(try listing(servedBy: profile).contains(#""value":null"#))
  }
}
