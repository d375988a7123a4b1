import Foundation
import HomeKit

/// The model of the app: the one home manager, and Kilgo's accessories in the home of the person.
///
/// HomeKit's objects are the state. They change by themselves, so the screens read them each time that they are drawn.
@MainActor final class HomeStore: NSObject {
  private let manager: HMHomeManager
  /// Whether the homes are known.
  private(set) var isLoaded = false
  /// The last change that an accessory reported; nil: none.
  private(set) var latest: String?
  /// The last task that enables notifications. Each waits for the one before.
  private var watching: Task<Void, Never>?

  init(manager: HMHomeManager) {
    self.manager = manager
    super.init()
    manager.delegate = self
  }

  // MARK: State

  /// The home that the app shows; nil: there is none yet.
  var home: HMHome? { manager.homes.first }

  /// Kilgo's accessories in the home.
  var accessories: [HMAccessory] { home?.accessories.filter(\.isKilgo) ?? [] }

  /// The services that the app shows.
  var services: [HMService] { accessories.flatMap(\.services).filter(\.isUserInteractive) }

  // MARK: Requests

  /// Adds the first home. The delegate is not called for the app's own changes.
  func addHome(named name: String) async throws {
    _ = try await manager.addHome(named: name)
    watch()
  }

  /// Lets the person add an accessory. The system asks for its setup code, its name and its room.
  func addAccessory() async throws {
    let request = HMAccessorySetupRequest()
    request.homeUniqueIdentifier = home?.uniqueIdentifier
    _ = try await HMAccessorySetupManager().performAccessorySetup(using: request)
  }

  /// Moves an accessory to a room, which is added if the home does not have it.
  func move(_ accessory: HMAccessory, toRoomNamed name: String) async throws {
    guard let home else { return }
    let rooms = home.rooms + [home.roomForEntireHome()]
    var room = rooms.first { $0.name == name }
    if room == nil { room = try await home.addRoom(named: name) }
    if let room { try await home.assignAccessory(accessory, to: room) }
  }

  /// Removes an accessory from the home.
  func remove(_ accessory: HMAccessory) async throws { try await home?.removeAccessory(accessory) }

  // MARK: Notifications

  /// Becomes the delegate of all objects, and enables the notifications of all characteristics of the services.
  private func watch() {
    home?.delegate = self
    for accessory in accessories { accessory.delegate = self }
    let earlier = watching
    watching = Task {
      await earlier?.value
      for characteristic in services.flatMap(\.characteristics) { await watch(characteristic) }
    }
  }

  /// An accessory that can't be reached now reports its values when it returns. So an error is no reason for a message.
  private func watch(_ characteristic: HMCharacteristic) async {
    let properties = characteristic.properties
    if properties.contains(HMCharacteristicPropertySupportsEventNotification), !characteristic.isNotificationEnabled {
      try? await characteristic.enableNotification(true)
    }
    if properties.contains(HMCharacteristicPropertyReadable), characteristic.value == nil {
      try? await characteristic.readValue()
    }
  }
}

// MARK: Delegates

extension HomeStore: @MainActor HMHomeManagerDelegate {
  func homeManagerDidUpdateHomes(_ manager: HMHomeManager) {
    isLoaded = true
    watch()
  }

  func homeManager(_ manager: HMHomeManager, didAdd home: HMHome) { watch() }
}

extension HomeStore: @MainActor HMHomeDelegate {
  func home(_ home: HMHome, didAdd accessory: HMAccessory) { watch() }
}

// The protocol is Sendable, so the conformance can't belong to the main actor. HomeKit calls it there.
extension HomeStore: @preconcurrency HMAccessoryDelegate {
  func accessoryDidUpdateServices(_ accessory: HMAccessory) { watch() }

  func accessoryDidUpdateReachability(_ accessory: HMAccessory) {
    latest = "\(accessory.name) \(accessory.isReachable ? "can be reached" : "does not respond")"
  }

  func accessory(
    _ accessory: HMAccessory, service: HMService, didUpdateValueFor characteristic: HMCharacteristic
  ) {
    latest = "\(service.name): \(characteristic.title) is \(characteristic.text)"
  }
}
