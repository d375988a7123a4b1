import HAPModel

/// Decides which devices are blocked: those with three violations of the protocol within ten minutes. home.md §10.
///
/// Times are uptimes. They never decrease.
package struct ViolationCounter: Sendable {
  /// The number of violations that blocks a device.
  package static let limit = 3
  /// The time within which they must happen.
  package static let time = Duration.seconds(600)

  /// The times of the last violations, oldest first, of devices that are not blocked.
  private var times: [DeviceID: [Duration]] = [:]
  /// The blocked devices.
  package private(set) var blocked: Set<DeviceID>

  /// - Parameter blocked: the devices that were blocked before a restart.
  package init(blocked: Set<DeviceID> = []) { self.blocked = blocked }

  /// Counts a violation.
  /// - Returns: whether the device is blocked by it. False if it is blocked already.
  package mutating func violation(of device: DeviceID, at now: Duration) -> Bool {
    if blocked.contains(device) { return false }
    let recent = (times[device] ?? []).filter { now - $0 <= Self.time } + [now]
    if recent.count < Self.limit {
      times[device] = recent
      return false
    }
    times.removeValue(forKey: device)
    blocked.insert(device)
    return true
  }

  /// Ends the blocking of a device, and forgets its violations.
  package mutating func forgive(_ device: DeviceID) {
    blocked.remove(device)
    times.removeValue(forKey: device)
  }
}
