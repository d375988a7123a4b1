import Foundation
import HomeKit
import TextScreens

/// A room: its name and its accessories.
@MainActor final class RoomPage: Page {
  private let (room, home): (HMRoom, HMHome)
  var title: String { room.name }

  init(_ room: HMRoom, in home: HMHome) { (self.room, self.home) = (room, home) }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let (room, home) = (room, home)
    return [app.field("Name", content: room.name) { try await room.updateName($0) }]
      + room.accessories.map { .text($0.name) }
      + [app.removal("Remove Room") { try await home.removeRoom(room) }]
  }
}

/// A zone: its name and its rooms.
@MainActor final class ZonePage: Page {
  private let (zone, home): (HMZone, HMHome)
  var title: String { zone.name }

  init(_ zone: HMZone, in home: HMHome) { (self.zone, self.home) = (zone, home) }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let (zone, home) = (zone, home)
    return [app.field("Name", content: zone.name) { try await zone.updateName($0) }]
      + home.rooms.map { room in
        if zone.rooms.contains(room) {
          return app.button(room.name, detail: "in the zone") { try await zone.removeRoom(room) }
        }
        return app.button(room.name) { try await zone.addRoom(room) }
      } + [app.removal("Remove Zone") { try await home.removeZone(zone) }]
  }
}

/// A service group: its name and its services.
@MainActor final class GroupPage: Page {
  private let (group, home): (HMServiceGroup, HMHome)
  var title: String { group.name }

  init(_ group: HMServiceGroup, in home: HMHome) { (self.group, self.home) = (group, home) }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let (group, home) = (group, home)
    return [app.field("Name", content: group.name) { try await group.updateName($0) }]
      + home.shownServices.map { service in
        if group.services.contains(service) {
          return app.button(service.name, detail: "in the group") { try await group.removeService(service) }
        }
        return app.button(service.name) { try await group.addService(service) }
      } + [app.removal("Remove Group") { try await home.removeServiceGroup(group) }]
  }
}

/// The users of a home.
@MainActor final class UsersPage: Page {
  private let home: HMHome
  let title = "Users"

  init(_ home: HMHome) { self.home = home }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let home = home
    func row(_ user: HMUser, _ name: String) -> Screen.Row {
      .text("\(name): \(home.homeAccessControl(for: user).isAdministrator ? "may edit the home" : "guest")")
    }
    return [row(home.currentUser, "You")] + home.otherUsers.map { row($0, $0.name) }
      + [app.button("Manage Users") { try await home.manageUsers() }]
  }
}

/// Apple has deprecated the list of users, without a successor. A use through this protocol gives no warning.
private protocol HomeWithUsers { var users: [HMUser] { get } }

extension HMHome: HomeWithUsers {
  fileprivate var otherUsers: [HMUser] { (self as any HomeWithUsers).users }
}
