import Foundation
import HomeKit
import TextScreens

/// A trigger of a home: its content, and whether it is enabled.
@MainActor final class TriggerPage: Page {
  private let (trigger, home): (HMTrigger, HMHome)
  var title: String { trigger.name }

  init(_ trigger: HMTrigger, in home: HMHome) { (self.trigger, self.home) = (trigger, home) }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let (trigger, home) = (trigger, home)
    return [app.field("Name", content: trigger.name) { try await trigger.updateName($0) }]
      + content(app).map { .text($0) }
      + [
        .text("Scenes: \(trigger.actionSets.map(\.name).joined(separator: ", "))"),
        app.button("Enabled", detail: trigger.isEnabled ? "yes" : "no") {
          try await trigger.enable(!trigger.isEnabled)
        },
        app.removal("Remove Trigger") { try await home.removeTrigger(trigger) },
      ]
  }

  private func content(_ app: CatalogApp) -> [String] {
    switch trigger {
    case let timer as HMTimerTrigger:
      let time = app.calendar.dateComponents([.year, .month, .day, .hour, .minute], from: timer.fireDate)
      return ["At \(time.text)\(timer.recurrence == nil ? "" : ", and again")"]
    case let trigger as HMEventTrigger:
      return trigger.events.map { text(of: $0) } + (trigger.predicate.map { ["If \($0.conditionText)"] } ?? [])
    default: return []
    }
  }

  private func text(of event: HMEvent) -> String {
    switch event {
    case let event as HMCharacteristicEvent<NSCopying>:
      let value = event.triggerValue.map { event.characteristic.text(of: $0) } ?? "another value"
      return "When \(event.characteristic.path) becomes \(value)"
    case let event as HMLocationEvent:
      guard let region = event.region as? CLCircularRegion else { return "When you are in a region" }
      let place = "\(region.center.latitude), \(region.center.longitude)"
      return "When you \(region.notifyOnEntry ? "arrive at" : "leave") \(place) (\(Int(region.radius)) m)"
    default: return "When another event happens"
    }
  }
}

extension DateComponents {
  /// "2026-06-02 19:00".
  fileprivate var text: String {
    func part(_ number: Int?) -> String { number.map { $0 < 10 ? "0\($0)" : "\($0)" } ?? "--" }
    return "\(part(year))-\(part(month))-\(part(day)) \(clockText)"
  }
}
