import FuzzSupport
import HAPImport
import HAPModel
import HAPProfile
import HAPWire

/// Whatever can be imported makes a profile that can be served, and that is a copy: what it serves is what was imported.
package func fuzzImport(_ bytes: UnsafeRawBufferPointer) {
  guard let file = try? ImportedFile([UInt8](bytes)) else { return }
  for device in file.devices {
    var copy = device.copy
    _ = copy.mend()
    guard let profile = try? AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "copy") else {
      preconditionFailure("what is written is no profile")
    }
    // What isn't whole is completed and held against all rules: it may be refused.
    guard copy.isWhole else { continue }
    require(profile.isServable, "it can't be served: \(profile.problems)")
    var ids = IDMap()
    guard let deviceID = DeviceID("AA:BB:CC:DD:EE:0F"), let built = try? profile.build(ids: &ids, deviceID: deviceID)
    else { preconditionFailure("it can't be built") }
    var again = DeviceCopy(built.database.accessories)
    again.category = profile.category
    again.saysBooleansInWords = copy.saysBooleansInWords
    again.listsEmptyTLV8AsNull = copy.listsEmptyTLV8AsNull
    copy.category = profile.category
    require(again.profileText == copy.profileText, "the copy of the copy differs")
    copy.redact()
    let redacted = try? AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "redacted")
    require(redacted?.isServable == true, "redacted, it can't be served")
  }
}
