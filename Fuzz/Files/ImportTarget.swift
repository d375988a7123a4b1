import FuzzSupport
import HAPImport
import HAPModel
import HAPProfile
import HAPWire

/// Every file that can be imported results in a profile that can be served, and that serves the same database.
package func fuzzImport(_ bytes: UnsafeRawBufferPointer) {
  guard let file = try? ImportedFile([UInt8](bytes)) else { return }
  for device in file.devices {
    var copy = device.copy
    _ = copy.mend()
    guard let profile = try? AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "copy") else {
      preconditionFailure("the written text is not a profile")
    }
    // An incomplete import is completed and then checked against all rules, so it may be refused.
    guard copy.isWhole else { continue }
    require(profile.isServable, "the profile cannot be served: \(profile.problems)")
    var ids = IDMap()
    guard let deviceID = DeviceID("AA:BB:CC:DD:EE:0F"), let built = try? profile.build(ids: &ids, deviceID: deviceID)
    else { preconditionFailure("the profile cannot be built") }
    var again = DeviceCopy(built.database.accessories)
    again.category = profile.category
    again.saysBooleansInWords = copy.saysBooleansInWords
    again.listsEmptyTLV8AsNull = copy.listsEmptyTLV8AsNull
    copy.category = profile.category
    require(again.profileText == copy.profileText, "the copy of the copy differs")
    copy.redact()
    let redacted = try? AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "redacted")
    require(redacted?.isServable == true, "the redacted profile cannot be served")
  }
}
