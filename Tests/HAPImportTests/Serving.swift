import HAPIP
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

let someDeviceID = DeviceID("AA:BB:CC:DD:EE:0F")!

/// The answer to `GET /accessories` of a profile.
func listing(servedBy profile: AccessoryProfile) throws -> String {
  var ids = IDMap()
  let built = try profile.build(ids: &ids, deviceID: someDeviceID)
  let accessory = TestHome.accessory(
    accessories: built.database.accessories, quirks: profile.quirks ?? Quirks())
  return try #require(accessory.verified().get("/accessories")).text
}

/// The answer to `GET /accessories` of a profile, parsed as a controller does, without any remark.
func accessories(servedBy profile: AccessoryProfile) throws -> [Accessory] {
  let mirror = try AccessoryMirror(Array(try listing(servedBy: profile).utf8))
  #expect(mirror.remarks == [])
  return mirror.database.accessories
}
