import Foundation
import HomeKit
import TextScreens

/// The app of a company that makes garage doors. It shows only its own accessories.
@MainActor public final class KilgoApp: TextApp {
  private enum Page {
    case list
    case details(HMService)
    case settings(HMService)
  }

  private let store: HomeStore
  private var page = Page.list
  /// The reason why the last tap failed; nil: it did not.
  private var alert: String?

  /// Starts the app.
  public init(manager: HMHomeManager = HMHomeManager()) { store = HomeStore(manager: manager) }

  /// The present screen.
  public var screen: Screen {
    switch page {
    case .list: list
    case .details(let service): details(of: service)
    case .settings(let service): settings(of: service)
    }
  }

  /// Performs the effect of a tap. An error is shown, unless the person cancelled.
  private func attempt(_ body: () async throws -> Void) async {
    alert = nil
    do { try await body() } catch HMError.operationCancelled {} catch { alert = error.localizedDescription }
  }

  private func show(_ page: Page) { (self.page, alert) = (page, nil) }

  // MARK: The list

  private var list: Screen {
    guard store.isLoaded else { return Screen("Kilgo Garage", rows: [.text("Loading…")]) }
    guard let home = store.home else { return firstHome }
    let services = store.services
    var rows: [Screen.Row] = services.flatMap { service -> [Screen.Row] in
      [
        .button(service.name, detail: service.stateText) { await self.tap(service) },
        .button("Details of \(service.name)") { self.show(.details(service)) },
      ]
    }
    if services.isEmpty { rows.append(.text("Tap + to add a garage door of Kilgo.")) }
    if let latest = store.latest { rows.append(.text(latest)) }
    rows.append(.button("+") { await self.attempt { try await self.store.addAccessory() } })
    return Screen(home.name, alert: alert, rows: rows)
  }

  private var firstHome: Screen {
    Screen(
      "Kilgo Garage", alert: alert,
      rows: [
        .text("There is no home yet."),
        .field("Name of Your Home") { name in await self.attempt { try await self.store.addHome(named: name) } },
      ])
  }

  /// Opens or closes the door, or switches the light.
  private func tap(_ service: HMService) async { await attempt { try await service.primaryControl?.toggle() } }

  // MARK: Details

  private func details(of service: HMService) -> Screen {
    guard let accessory = service.accessory else { return Screen(service.name, rows: [back(to: .list)]) }
    return Screen(
      service.name, alert: alert,
      rows: [
        .field("Name", content: service.name) { name in
          await self.attempt { try await service.updateName(name) }
        },
        .field("Room", content: accessory.room?.name ?? "") { name in
          await self.attempt { try await self.store.move(accessory, toRoomNamed: name) }
        },
        .text("Firmware: \(accessory.firmwareVersion ?? "unknown")"),
        .button("Settings") { self.show(.settings(service)) },
        .button("Remove \(accessory.name)") {
          await self.attempt {
            try await self.store.remove(accessory)
            self.show(.list)
          }
        },
        back(to: .list),
      ])
  }

  // MARK: Settings

  private func settings(of service: HMService) -> Screen {
    Screen(
      "Settings of \(service.name)", alert: alert,
      rows: service.settings.map { row(for: $0) } + [back(to: .details(service))])
  }

  private func row(for characteristic: HMCharacteristic) -> Screen.Row {
    let (title, text) = (characteristic.title, characteristic.text)
    if characteristic.isSwitch {
      return .button(title, detail: text) { await self.attempt { try await characteristic.toggle() } }
    }
    guard characteristic.isWritable else { return .text("\(title): \(text)") }
    return .field(title, content: text) { text in await self.attempt { try await characteristic.write(text) } }
  }

  private func back(to page: Page) -> Screen.Row { .button("Back") { self.show(page) } }
}
