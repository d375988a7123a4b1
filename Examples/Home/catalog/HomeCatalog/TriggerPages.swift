import Foundation
import HomeKit
import TextScreens

/// A new trigger: its name and its scenes. Each kind of trigger has a subclass with more rows.
@MainActor class NewTriggerPage: Page {
  let home: HMHome
  private var name = ""
  private var scenes: [HMActionSet] = []
  var title: String { "New Trigger" }

  init(_ home: HMHome) { self.home = home }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    [app.field("Name", content: name) { self.name = $0 }] + details(app)
      + home.actionSets.filter { !$0.actions.isEmpty }.map { scene in
        let isChosen = scenes.contains(scene)
        return app.button("Scene \(scene.name)", detail: isChosen ? "yes" : "no") {
          if isChosen { self.scenes.removeAll { $0 == scene } } else { self.scenes.append(scene) }
        }
      } + [app.removal("Save") { try await self.save(app) }]
  }

  /// The rows of the kind.
  func details(_ app: CatalogApp) -> [Screen.Row] { [] }

  /// The trigger with the content that the person entered.
  func trigger(named name: String, _ app: CatalogApp) throws -> HMTrigger {
    throw EntryError("Choose a kind of trigger.")
  }

  private func save(_ app: CatalogApp) async throws {
    let trigger = try trigger(named: name, app)
    try await home.addTrigger(trigger)
    for scene in scenes { try await trigger.addActionSet(scene) }
    try await trigger.enable(true)
  }
}

/// A trigger at a time.
final class TimerPage: NewTriggerPage {
  private var (time, period) = ("", "day")
  override var title: String { "New Timer" }

  private static let periods = [
    "hour": DateComponents(hour: 1), "day": DateComponents(day: 1), "week": DateComponents(weekOfYear: 1),
  ]

  override func details(_ app: CatalogApp) -> [Screen.Row] {
    [
      app.field("Time", content: time) { self.time = $0 },
      app.field("Every", content: period) { self.period = $0 },
    ]
  }

  override func trigger(named name: String, _ app: CatalogApp) throws -> HMTrigger {
    let numbers = time.split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count == 5,
      let date = app.calendar.date(
        from: DateComponents(
          year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4]))
    else { throw EntryError("\"\(time)\" is not a time such as 2026-06-02 19:00.") }
    guard period.isEmpty || Self.periods[period] != nil else {
      throw EntryError("\"\(period)\" is not hour, day or week.")
    }
    return HMTimerTrigger(name: name, fireDate: date, recurrence: Self.periods[period])
  }
}

/// A trigger after the change of a characteristic, with an optional condition.
final class CharacteristicTriggerPage: NewTriggerPage {
  private var event: HMCharacteristic?
  private var (value, before) = ("", "")
  override var title: String { "New Characteristic Trigger" }

  override func details(_ app: CatalogApp) -> [Screen.Row] {
    home.shownCharacteristics.filter(\.isNotifying).map { characteristic in
      app.button("When \(characteristic.path)", detail: characteristic == event ? "yes" : "") {
        self.event = characteristic
      }
    } + [
      app.field("Becomes", content: value) { self.value = $0 },
      app.field("Only Before", content: before) { self.before = $0 },
    ]
  }

  override func trigger(named name: String, _ app: CatalogApp) throws -> HMTrigger {
    guard let event else { throw EntryError("Choose a characteristic.") }
    let value = value.isEmpty ? nil : event.value(from: value)
    return HMEventTrigger(
      name: name, events: [HMCharacteristicEvent(characteristic: event, triggerValue: value)],
      predicate: try condition())
  }

  private func condition() throws -> NSPredicate? {
    guard !before.isEmpty else { return nil }
    let numbers = before.split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2 else { throw EntryError("\"\(before)\" is not a time such as 22:00.") }
    return HMEventTrigger.predicateForEvaluatingTrigger(
      occurringBefore: DateComponents(hour: numbers[0], minute: numbers[1]))
  }
}

/// A trigger when the person enters or leaves a region.
final class LocationTriggerPage: NewTriggerPage {
  private var (latitude, longitude, radius, isEntry) = ("", "", "100", true)
  override var title: String { "New Location Trigger" }

  override func details(_ app: CatalogApp) -> [Screen.Row] {
    [
      app.field("Latitude", content: latitude) { self.latitude = $0 },
      app.field("Longitude", content: longitude) { self.longitude = $0 },
      app.field("Radius", content: radius) { self.radius = $0 },
      app.button("When You", detail: isEntry ? "arrive" : "leave") { self.isEntry.toggle() },
    ]
  }

  override func trigger(named name: String, _ app: CatalogApp) throws -> HMTrigger {
    guard let latitude = Double(latitude), let longitude = Double(longitude), let radius = Double(radius) else {
      throw EntryError("A region has a latitude, a longitude and a radius in metres.")
    }
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius, identifier: name)
    (region.notifyOnEntry, region.notifyOnExit) = (isEntry, !isEntry)
    return HMEventTrigger(name: name, events: [HMLocationEvent(region: region)], predicate: nil)
  }
}
