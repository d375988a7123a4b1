import Dispatch
import Foundation
import HAPHomeKit
import HAPLoop

/// The delegates of an app, which write down their calls. Each line is the name of a method and its arguments.
final class Recorder: NSObject, Sendable {
  private let lines = Guarded<[String]>([])
  /// The main queue may run on any thread.
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
  private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mark) == true }
  /// Set by a test that looks at the homes during a call.
  let onCall = Guarded<(@Sendable (String) -> Void)?>(nil)

  /// The calls since the last use.
  var calls: [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  private func note(_ line: String) {
    lines.withLock { $0.append(Self.isOnMainQueue ? line : "not on the main queue: \(line)") }
    onCall.withLock { $0 }?(line)
  }

  /// Becomes the delegate of a manager, its homes and their accessories.
  func watch(_ manager: HMHomeManager) {
    manager.delegate = self
    for home in manager.homes {
      home.delegate = self
      for accessory in home.accessories { accessory.delegate = self }
    }
  }
}

extension Recorder: HMHomeManagerDelegate {
  func homeManagerDidUpdateHomes(_ manager: HMHomeManager) { note("homes \(manager.homes.map(\.name))") }
  func homeManagerDidUpdatePrimaryHome(_ manager: HMHomeManager) { note("primary") }
  func homeManager(_ manager: HMHomeManager, didAdd home: HMHome) { note("home+ \(home.name)") }
  func homeManager(_ manager: HMHomeManager, didRemove home: HMHome) { note("home- \(home.name)") }
}

extension Recorder: HMHomeDelegate {
  func homeDidUpdateName(_ home: HMHome) { note("home= \(home.name)") }
  func homeDidUpdateAccessControl(forCurrentUser home: HMHome) { note("access \(home.name)") }
  func home(_ home: HMHome, didAdd accessory: HMAccessory) { note("accessory+ \(accessory.name)") }
  func home(_ home: HMHome, didRemove accessory: HMAccessory) { note("accessory- \(accessory.name)") }
  func home(_ home: HMHome, didAdd user: HMUser) { note("user+ \(user.name)") }
  func home(_ home: HMHome, didRemove user: HMUser) { note("user- \(user.name)") }
  func home(_ home: HMHome, didUpdate room: HMRoom, for accessory: HMAccessory) {
    note("moved \(accessory.name) \(room.name) \(accessory.room?.name ?? "-")")
  }
  func home(_ home: HMHome, didAdd room: HMRoom) { note("room+ \(room.name)") }
  func home(_ home: HMHome, didRemove room: HMRoom) { note("room- \(room.name)") }
  func home(_ home: HMHome, didUpdateNameFor room: HMRoom) { note("room= \(room.name)") }
  func home(_ home: HMHome, didAdd zone: HMZone) { note("zone+ \(zone.name)") }
  func home(_ home: HMHome, didRemove zone: HMZone) { note("zone- \(zone.name)") }
  func home(_ home: HMHome, didUpdateNameFor zone: HMZone) { note("zone= \(zone.name)") }
  func home(_ home: HMHome, didAdd room: HMRoom, to zone: HMZone) { note("room+zone \(room.name) \(zone.name)") }
  func home(_ home: HMHome, didRemove room: HMRoom, from zone: HMZone) { note("room-zone \(room.name) \(zone.name)") }
  func home(_ home: HMHome, didAdd group: HMServiceGroup) { note("group+ \(group.name)") }
  func home(_ home: HMHome, didRemove group: HMServiceGroup) { note("group- \(group.name)") }
  func home(_ home: HMHome, didUpdateNameFor group: HMServiceGroup) { note("group= \(group.name)") }
  func home(_ home: HMHome, didAdd service: HMService, to group: HMServiceGroup) {
    note("service+group \(service.name) \(group.name)")
  }
  func home(_ home: HMHome, didRemove service: HMService, from group: HMServiceGroup) {
    note("service-group \(service.name) \(group.name)")
  }
  func home(_ home: HMHome, didAdd actionSet: HMActionSet) { note("set+ \(actionSet.name)") }
  func home(_ home: HMHome, didRemove actionSet: HMActionSet) { note("set- \(actionSet.name)") }
  func home(_ home: HMHome, didUpdateNameFor actionSet: HMActionSet) { note("set= \(actionSet.name)") }
  func home(_ home: HMHome, didUpdateActionsFor actionSet: HMActionSet) {
    note("actions \(actionSet.name) \(actionSet.actions.count)")
  }
  func home(_ home: HMHome, didAdd trigger: HMTrigger) { note("trigger+ \(trigger.name)") }
  func home(_ home: HMHome, didRemove trigger: HMTrigger) { note("trigger- \(trigger.name)") }
  func home(_ home: HMHome, didUpdateNameFor trigger: HMTrigger) { note("trigger= \(trigger.name)") }
  func home(_ home: HMHome, didUpdate trigger: HMTrigger) { note("trigger \(trigger.name) \(trigger.isEnabled)") }
  func home(_ home: HMHome, didUnblockAccessory accessory: HMAccessory) { note("unblocked \(accessory.name)") }
  func home(_ home: HMHome, didEncounterError error: any Error, for accessory: HMAccessory) {
    note("error \(accessory.name) \((error as? HMError)?.code.rawValue ?? 0)")
  }
  func home(_ home: HMHome, didUpdate homeHubState: HMHomeHubState) { note("hub \(homeHubState)") }
}

extension Recorder: HMAccessoryDelegate {
  func accessoryDidUpdateName(_ accessory: HMAccessory) { note("accessory= \(accessory.name)") }
  func accessory(_ accessory: HMAccessory, didUpdateNameFor service: HMService) { note("service= \(service.name)") }
  func accessory(_ accessory: HMAccessory, didUpdateAssociatedServiceTypeFor service: HMService) {
    note("associated \(service.associatedServiceType ?? "-")")
  }
  func accessoryDidUpdateServices(_ accessory: HMAccessory) { note("services \(accessory.services.count)") }
  func accessoryDidUpdateReachability(_ accessory: HMAccessory) {
    note("reachable \(accessory.name) \(accessory.isReachable)")
  }
  func accessory(_ accessory: HMAccessory, service: HMService, didUpdateValueFor characteristic: HMCharacteristic) {
    note("value \(accessory.name) \(characteristic.localizedDescription) \(characteristic.value ?? "nil")")
  }
  func accessory(_ accessory: HMAccessory, didUpdateFirmwareVersion firmwareVersion: String) {
    note("firmware \(firmwareVersion)")
  }
}

/// Calls a method with a completion handler, and returns its error's number; 0: success.
func code(_ body: (@escaping ((any Error)?) -> Void) -> Void) async -> Int {
  await withCheckedContinuation { continuation in
    body { error in continuation.resume(returning: error.map { ($0 as? HMError)?.code.rawValue ?? -99 } ?? 0) }
  }
}

/// Returns the number of the error that a body throws; 0: none.
func thrown(_ body: () async throws -> Void) async -> Int {
  do {
    try await body()
    return 0
  } catch { return (error as? HMError)?.code.rawValue ?? -99 }
}
