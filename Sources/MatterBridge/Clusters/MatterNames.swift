import MatterModel

/// A device type of an endpoint. Matter 1.4 device library.
package struct DeviceType: Hashable, Sendable {
  package var number: UInt32
  package var revision: UInt16

  init(_ number: UInt32, revision: UInt16) { (self.number, self.revision) = (number, revision) }

  static let aggregator = DeviceType(0x0E, revision: 2)
  static let bridgedNode = DeviceType(0x13, revision: 3)
  static let powerSource = DeviceType(0x11, revision: 1)
  static let onOffLight = DeviceType(0x0100, revision: 3)
  static let dimmableLight = DeviceType(0x0101, revision: 3)
  static let colourTemperatureLight = DeviceType(0x010C, revision: 4)
  static let extendedColourLight = DeviceType(0x010D, revision: 4)
  static let onOffPlug = DeviceType(0x010A, revision: 3)
  static let dimmablePlug = DeviceType(0x010B, revision: 4)
  static let mountedOnOffControl = DeviceType(0x010F, revision: 1)
  static let doorLock = DeviceType(0x0A, revision: 3)
  static let windowCovering = DeviceType(0x0202, revision: 3)
  static let thermostat = DeviceType(0x0301, revision: 4)
  static let fan = DeviceType(0x2B, revision: 3)
  static let airPurifier = DeviceType(0x2D, revision: 2)
  static let contactSensor = DeviceType(0x15, revision: 2)
  static let waterLeakDetector = DeviceType(0x43, revision: 1)
  static let occupancySensor = DeviceType(0x0107, revision: 4)
  static let temperatureSensor = DeviceType(0x0302, revision: 2)
  static let humiditySensor = DeviceType(0x0307, revision: 2)
  static let lightSensor = DeviceType(0x0106, revision: 3)
  static let airQualitySensor = DeviceType(0x2C, revision: 1)
  static let smokeAlarm = DeviceType(0x76, revision: 1)
  static let waterValve = DeviceType(0x42, revision: 1)
  static let genericSwitch = DeviceType(0x0F, revision: 3)
  static let videoPlayer = DeviceType(0x28, revision: 2)
  static let speaker = DeviceType(0x22, revision: 1)

  /// A vendor's own type of a service that Matter does not know. Matter 1.4 §7.19.2.
  static func own(of vendor: UInt16) -> DeviceType { DeviceType(UInt32(vendor) << 16 | 1, revision: 1) }
}

/// The clusters that HAP services become. Matter 1.4 application cluster library.
enum ClusterName {
  static let identify: ClusterID = 0x03
  static let groups: ClusterID = 0x04
  static let onOff: ClusterID = 0x06
  static let levelControl: ClusterID = 0x08
  static let descriptor: ClusterID = 0x1D
  static let powerSource: ClusterID = 0x2F
  static let bridgedInformation: ClusterID = 0x39
  static let button: ClusterID = 0x3B
  static let airQuality: ClusterID = 0x5B
  static let smokeAlarm: ClusterID = 0x5C
  static let filter: ClusterID = 0x71
  static let valve: ClusterID = 0x81
  static let booleanState: ClusterID = 0x45
  static let doorLock: ClusterID = 0x0101
  static let windowCovering: ClusterID = 0x0102
  static let thermostat: ClusterID = 0x0201
  static let fanControl: ClusterID = 0x0202
  static let thermostatUserInterface: ClusterID = 0x0204
  static let colourControl: ClusterID = 0x0300
  static let illuminance: ClusterID = 0x0400
  static let temperature: ClusterID = 0x0402
  static let humidity: ClusterID = 0x0405
  static let occupancy: ClusterID = 0x0406
  static let mediaPlayback: ClusterID = 0x0506
  static let keypad: ClusterID = 0x0509

  /// Returns a cluster of a vendor. Matter 1.4 §7.19.2. The suffixes from FC00 to FCFF are left to connectedhomeip, which
  /// has clusters for its own tests there (FFF1FC05, FFF1FC06 and FFF1FC20): its controllers expect the attributes of
  /// these.
  /// - Parameter number: 1...`EndpointNumbers.clusterLimit`.
  static func own(_ number: UInt32, of vendor: UInt16) -> ClusterID { UInt32(vendor) << 16 | (0xFD00 + number) }

  /// Whether a cluster is one of a vendor.
  static func isOwn(_ cluster: ClusterID) -> Bool { cluster > 0xFFFF }
}
