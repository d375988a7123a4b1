import HAPModel

/// The accessories on the network that can be added: those that have no pairing, according to their record, and are in
/// none of the hub's homes. home.md §11.
///
/// Each one is found once. It is gone when it was paired or added, and when its record has been gone for a short time:
/// an accessory that restarts, or changes its name, is not gone.
///
/// Times are uptimes. They never decrease.
package struct NewAccessoryList: Sendable {
  package enum Change: Hashable, Sendable {
    /// An accessory was found.
    case found(SeenDevice)
    /// The record of an accessory in the list changed.
    case changed(SeenDevice)
    case gone(DeviceID)
  }

  /// The time until an accessory whose record is gone is gone, too.
  package static let patience = Duration.seconds(2)
  /// The maximum number of accessories, because anybody on the network can announce some.
  package static let room = 10_000

  private struct Entry: Sendable {
    var seen: SeenDevice
    /// The time at which it is gone; nil: its record is present.
    var goneTime: Duration?
  }

  /// The devices in the hub's homes.
  private var own: Set<DeviceID>
  private var entries: [DeviceID: Entry] = [:]

  /// - Parameter own: the devices in the hub's homes.
  package init(own: Set<DeviceID>) { self.own = own }

  /// The accessories, by device ID.
  package var accessories: [SeenDevice] { entries.values.map(\.seen).sorted { $0.device < $1.device } }

  /// Empties the list without reporting it: a search begins.
  package mutating func start() { entries = [:] }

  /// A record was received.
  package mutating func seen(_ device: SeenDevice) -> [Change] {
    guard device.isPaired == false, !own.contains(device.device) else { return remove(device.device) }
    guard let known = entries[device.device] else {
      if entries.count >= Self.room { return [] }
      entries[device.device] = Entry(seen: device)
      return [.found(device)]
    }
    entries[device.device] = Entry(seen: device)
    return known.seen == device ? [] : [.changed(device)]
  }

  /// A record is gone: a goodbye was received, or it has expired.
  package mutating func gone(_ device: DeviceID, at now: Duration) {
    guard let entry = entries[device], entry.goneTime == nil else { return }
    entries[device]?.goneTime = now + Self.patience
  }

  /// Sets the devices in the hub's homes.
  package mutating func setOwn(_ devices: Set<DeviceID>) -> [Change] {
    own = devices
    return entries.keys.filter { devices.contains($0) }.sorted().flatMap { remove($0) }
  }

  /// The next time at which `advance` is required; nil: none.
  package var nextDeadline: Duration? { entries.values.compactMap(\.goneTime).min() }

  /// Returns the changes that are due, in the order of the device IDs.
  package mutating func advance(to now: Duration) -> [Change] {
    entries.filter { $0.value.goneTime.map { $0 <= now } ?? false }.keys.sorted().flatMap { remove($0) }
  }

  private mutating func remove(_ device: DeviceID) -> [Change] {
    entries.removeValue(forKey: device) == nil ? [] : [.gone(device)]
  }
}
