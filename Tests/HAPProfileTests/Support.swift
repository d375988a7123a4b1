import HAPModel

@testable import HAPProfile

let testDeviceID = DeviceID("AA:BB:CC:DD:EE:0F")!
