import Foundation
import HomeKit
import TextScreens

/// A list of objects of a home, with a field that adds one.
@MainActor final class ListPage: Page {
  struct Item {
    let name: String
    var detail = ""
    let page: @MainActor () -> any Page
  }

  let title: String
  private let items: @MainActor () -> [Item]
  private let more: @MainActor (CatalogApp) -> [Screen.Row]

  /// - Parameters:
  ///   - items: returns the objects. Called each time that the page is drawn.
  ///   - more: returns the rows below the objects.
  init(
    _ title: String, items: @escaping @MainActor () -> [Item],
    more: @escaping @MainActor (CatalogApp) -> [Screen.Row] = { _ in [] }
  ) {
    (self.title, self.items, self.more) = (title, items, more)
  }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    items().map { app.link($0.name, detail: $0.detail, to: $0.page) } + more(app)
  }
}

/// The homes of the person.
@MainActor final class HomesPage: Page {
  let title = "Homes"

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let homes = app.store.homes
    return homes.map { home in app.link(home.name, detail: home.isPrimary ? "primary" : "") { HomePage(home) } }
      + [app.field("New Home") { try await app.store.addHome(named: $0) }]
  }
}

/// A home: its lists.
@MainActor final class HomePage: Page {
  private let home: HMHome
  var title: String { home.name }

  init(_ home: HMHome) { self.home = home }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let home = home
    func list(_ title: String, _ count: Int, _ page: @escaping @MainActor () -> any Page) -> Screen.Row {
      app.link(title, detail: "\(count)", to: page)
    }
    return [
      app.field("Name", content: home.name) { try await home.updateName($0) },
      list("Accessories", home.accessories.count) { ListPage.accessories(of: home) },
      list("Rooms", home.rooms.count) { ListPage.rooms(of: home) },
      list("Zones", home.zones.count) { ListPage.zones(of: home) },
      list("Service Groups", home.serviceGroups.count) { ListPage.groups(of: home) },
      list("Scenes", home.actionSets.count) { ListPage.scenes(of: home) },
      list("Triggers", home.triggers.count) { ListPage.triggers(of: home) },
      app.link("Users") { UsersPage(home) },
      app.removal("Remove Home") { try await app.store.remove(home) },
    ]
  }
}

extension ListPage {
  static func accessories(of home: HMHome) -> ListPage {
    ListPage("Accessories") {
      home.accessories.map { accessory in
        .init(name: accessory.name, detail: accessory.room?.name ?? "") { AccessoryPage(accessory, in: home) }
      }
    } more: { app in
      [app.link("Add Accessory") { BrowserPage(home) }]
    }
  }

  static func rooms(of home: HMHome) -> ListPage {
    ListPage("Rooms") {
      home.rooms.map { room in .init(name: room.name) { RoomPage(room, in: home) } }
    } more: { app in
      [app.field("New Room") { _ = try await home.addRoom(named: $0) }]
    }
  }

  static func zones(of home: HMHome) -> ListPage {
    ListPage("Zones") {
      home.zones.map { zone in .init(name: zone.name) { ZonePage(zone, in: home) } }
    } more: { app in
      [app.field("New Zone") { _ = try await home.addZone(named: $0) }]
    }
  }

  static func groups(of home: HMHome) -> ListPage {
    ListPage("Service Groups") {
      home.serviceGroups.map { group in .init(name: group.name) { GroupPage(group, in: home) } }
    } more: { app in
      [app.field("New Group") { _ = try await home.addServiceGroup(named: $0) }]
    }
  }

  static func scenes(of home: HMHome) -> ListPage {
    ListPage("Scenes") {
      home.actionSets.map { scene in
        .init(name: scene.name, detail: "\(scene.actions.count)") { ScenePage(scene, in: home) }
      }
    } more: { app in
      [app.field("New Scene") { _ = try await home.addActionSet(named: $0) }]
    }
  }

  static func triggers(of home: HMHome) -> ListPage {
    ListPage("Triggers") {
      home.triggers.map { trigger in
        .init(name: trigger.name, detail: trigger.isEnabled ? "on" : "off") { TriggerPage(trigger, in: home) }
      }
    } more: { app in
      [
        app.link("New Timer") { TimerPage(home) },
        app.link("New Characteristic Trigger") { CharacteristicTriggerPage(home) },
        app.link("New Location Trigger") { LocationTriggerPage(home) },
      ]
    }
  }
}
