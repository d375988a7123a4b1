import Foundation
import HomeKit
import TextScreens

/// The accessories on the network that are in no home.
@MainActor final class BrowserPage: NSObject, LivePage {
  private let home: HMHome
  private let browser = HMAccessoryBrowser()
  let title = "Add Accessory"
  /// The accessory that appeared or disappeared last; nil: none did.
  private var latest: String?

  init(_ home: HMHome) {
    self.home = home
    super.init()
    browser.delegate = self
  }

  func appear(in app: CatalogApp) { browser.startSearchingForNewAccessories() }
  func disappear() { browser.stopSearchingForNewAccessories() }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let home = home
    return browser.discoveredAccessories.sorted { $0.name < $1.name }.map { accessory in
      app.button(accessory.name, detail: accessory.category.localizedDescription) {
        try await home.addAccessory(accessory)
        app.push(AccessoryPage(accessory, in: home))
      }
    } + (latest.map { [.text($0)] } ?? [])
  }
}

extension BrowserPage: @MainActor HMAccessoryBrowserDelegate {
  func accessoryBrowser(_ browser: HMAccessoryBrowser, didFindNewAccessory accessory: HMAccessory) {
    latest = "\(accessory.name) appeared"
  }

  func accessoryBrowser(_ browser: HMAccessoryBrowser, didRemoveNewAccessory accessory: HMAccessory) {
    latest = "\(accessory.name) disappeared"
  }
}

/// An accessory: name, room, and the controls of its services.
@MainActor final class AccessoryPage: LivePage {
  private let (accessory, home): (HMAccessory, HMHome)
  var title: String { accessory.name }

  init(_ accessory: HMAccessory, in home: HMHome) { (self.accessory, self.home) = (accessory, home) }

  func appear(in app: CatalogApp) {
    Task { for characteristic in characteristics { try? await characteristic.readValue() } }
  }

  func disappear() {}

  private var characteristics: [HMCharacteristic] {
    accessory.services.filter(\.isUserInteractive).flatMap(\.characteristics).filter {
      $0.isReadable && $0.characteristicType != HMCharacteristicTypeName
    }
  }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let (accessory, home) = (accessory, home)
    let rooms = home.rooms.filter { $0 != accessory.room }
    return [
      app.field("Name", content: accessory.name) { try await accessory.updateName($0) },
      .text("\(accessory.manufacturer ?? "-"), \(accessory.model ?? "-"), \(accessory.firmwareVersion ?? "-")"),
      .text("Room: \(accessory.room?.name ?? "-")"),
    ]
      + accessory.services.filter(\.isUserInteractive).flatMap { rows(for: $0, app) }
      + rooms.map { room in app.button("Move to \(room.name)") { try await home.assignAccessory(accessory, to: room) } }
      + characteristics.map { row(for: $0, app) }
      + [
        app.button("Identify") { try await accessory.identify() },
        app.removal("Remove Accessory") { try await home.removeAccessory(accessory) },
      ]
  }

  /// The name of a service, and for a switch or an outlet the device that it controls.
  private func rows(for service: HMService, _ app: CatalogApp) -> [Screen.Row] {
    let name = app.field(service.localizedDescription, content: service.name) { try await service.updateName($0) }
    guard [HMServiceTypeSwitch, HMServiceTypeOutlet].contains(service.serviceType) else { return [name] }
    let isFan = service.associatedServiceType == HMServiceTypeFan
    return [
      name,
      app.button("Controls a Fan", detail: isFan ? "yes" : "no") {
        try await service.updateAssociatedServiceType(isFan ? nil : HMServiceTypeFan)
      },
    ]
  }

  private func row(for characteristic: HMCharacteristic, _ app: CatalogApp) -> Screen.Row {
    guard characteristic.isWritable else { return .text("\(characteristic.title): \(characteristic.text)") }
    return app.field(characteristic.title, content: characteristic.text) {
      try await characteristic.writeValue(characteristic.value(from: $0))
    }
  }
}
