import Foundation
import HomeKit
import TextScreens

/// The first flow of WWDC 2021's talk about Matter: the app starts the system's setup, and shows the result.
@MainActor public final class SetupApp: NSObject, TextApp {
  private let manager: HMHomeManager
  /// Whether the homes are known.
  private var isLoaded = false
  /// The result of the last setup; nil: there was none.
  private var result: String?

  /// Starts the app.
  public init(manager: HMHomeManager = HMHomeManager()) {
    self.manager = manager
    super.init()
    manager.delegate = self
  }

  /// The present screen.
  public var screen: Screen {
    guard isLoaded else { return Screen("Accessories", rows: [.text("Loading…")]) }
    let homes = manager.homes.flatMap { home -> [Screen.Row] in
      [.text("Home \(home.name)")] + home.accessories.map { .text("  \(text(of: $0))") }
    }
    let buttons: [Screen.Row] = manager.homes.flatMap { home -> [Screen.Row] in
      [
        .button("Add to \(home.name)") { await self.add(to: home) },
        .button("Add to \(home.name) with a Handler") { self.addWithHandler(to: home) },
      ]
    }
    return Screen(
      "Accessories",
      rows: (result.map { [.text($0)] } ?? []) + homes + buttons + [
        .field("Scanned Payload") { await self.add(scanned: $0) },
        .field("New Home") { await self.addHome(named: $0) },
      ])
  }

  private func text(of accessory: HMAccessory) -> String {
    let services = accessory.services.filter(\.isUserInteractive).map(\.name).joined(separator: ", ")
    let (category, room) = (accessory.category.localizedDescription, accessory.room?.name ?? "-")
    return "\(accessory.name) (\(category)) in \(room): \(services)"
  }

  // MARK: Setup

  /// The asynchronous form.
  private func add(to home: HMHome) async {
    do {
      try await (home as any AccessorySetup).addAndSetUpAccessories()
      result = "The setup has succeeded."
    } catch { result = text(of: error) }
  }

  /// The form with a completion handler. The function returns at once.
  private func addWithHandler(to home: HMHome) {
    result = nil
    (home as any AccessorySetup).addAndSetupAccessories { error in
      self.result = error.map { self.text(of: $0) } ?? "The handler was called without an error."
    }
  }

  /// The successor of both forms. If there are several homes, the system asks for one.
  private func add(scanned payload: String) async {
    let request = HMAccessorySetupRequest()
    request.payload = HMAccessorySetupPayload(url: URL(string: payload))
    request.suggestedAccessoryName = "New Device"
    do {
      let added = try await HMAccessorySetupManager().performAccessorySetup(using: request)
      let home = manager.homes.first { $0.uniqueIdentifier == added.homeUniqueIdentifier }
      result = "\(added.accessoryUniqueIdentifiers.count) accessory was added to \(home?.name ?? "-")."
    } catch { result = text(of: error) }
  }

  private func addHome(named name: String) async {
    do {
      _ = try await manager.addHome(named: name)
      result = nil
    } catch { result = text(of: error) }
  }

  private func text(of error: any Error) -> String {
    if case HMError.operationCancelled = error { return "You cancelled the setup." }
    return error.localizedDescription
  }
}

/// The calls of the talk. Apple has deprecated them since; a call through this protocol gives no warning.
private protocol AccessorySetup {
  func addAndSetupAccessories(completionHandler completion: @escaping ((any Error)?) -> Void)
  func addAndSetUpAccessories() async throws
}

extension HMHome: AccessorySetup {}

extension SetupApp: @MainActor HMHomeManagerDelegate {
  /// The homes are known.
  public func homeManagerDidUpdateHomes(_ manager: HMHomeManager) { isLoaded = true }
}
