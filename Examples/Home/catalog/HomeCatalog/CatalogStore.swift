import Foundation
import HomeKit

/// The one home manager of the app.
@MainActor final class CatalogStore: NSObject {
  private let manager: HMHomeManager
  /// Whether the homes are known.
  private(set) var isLoaded = false

  init(manager: HMHomeManager) {
    self.manager = manager
    super.init()
    manager.delegate = self
  }

  var homes: [HMHome] { manager.homes }

  func addHome(named name: String) async throws { _ = try await manager.addHome(named: name) }

  func remove(_ home: HMHome) async throws { try await manager.removeHome(home) }
}

extension CatalogStore: @MainActor HMHomeManagerDelegate {
  func homeManagerDidUpdateHomes(_ manager: HMHomeManager) { isLoaded = true }
}
