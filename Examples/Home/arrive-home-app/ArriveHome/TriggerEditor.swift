import Foundation
import HomeKit
import TextScreens

/// A new trigger, made in steps: kind, name, event, conditions, scene.
@MainActor final class TriggerEditor: Editor {
  private enum Step { case kind, name, event, conditions, scene }

  /// A condition, with its text for the person.
  private struct Condition {
    let text: String
    let predicate: NSPredicate
  }

  private let (home, store): (HMHome, HomeStore)
  private var step = Step.kind
  private var name = ""
  private var event: HMEvent?
  private var conditions: [Condition] = []

  init(_ home: HMHome, _ store: HomeStore) { (self.home, self.store) = (home, store) }

  var title: String {
    switch step {
    case .kind: "New Trigger: What Starts It?"
    case .name: "New Trigger: Name"
    case .event: "New Trigger: When?"
    case .conditions: "New Trigger: Only If"
    case .scene: "New Trigger: Which Scene?"
    }
  }

  func rows(in app: ArriveHomeApp) -> [Screen.Row] {
    switch step {
    case .kind: kinds(app)
    case .name:
      [
        app.field("Name", content: name) {
          self.name = $0
          self.step = .event
        }
      ]
    case .event: events(app)
    case .conditions: conditions(app)
    case .scene: store.scenes.map { scene in app.button(scene.name) { try await self.save(scene, app) } }
    }
  }

  // MARK: Steps

  private func kinds(_ app: ArriveHomeApp) -> [Screen.Row] {
    [
      app.button("An Accessory") { self.step = .name },
      app.button("Your Location") { throw EntryError("The example \"catalog\" makes a trigger for a location.") },
      app.button("A Time") { throw EntryError("The example \"catalog\" makes a trigger for a time.") },
    ]
  }

  private func events(_ app: ArriveHomeApp) -> [Screen.Row] {
    store.states.flatMap { characteristic in
      characteristic.states.map { state in
        app.button("\(characteristic.path) becomes \(characteristic.text(of: state))") {
          self.event = HMCharacteristicEvent(characteristic: characteristic, triggerValue: state as any NSCopying)
          self.step = .conditions
        }
      }
    }
  }

  private func conditions(_ app: ArriveHomeApp) -> [Screen.Row] {
    conditions.map { .text($0.text) } + [app.field("The Time Is Before") { try self.addTime($0) }]
      + store.states.flatMap { characteristic in
        characteristic.states.map { state in
          let text = "\(characteristic.path) is \(characteristic.text(of: state))"
          return app.button(text) {
            let predicate = HMEventTrigger.predicateForEvaluatingTrigger(
              characteristic, relatedBy: .equalTo, toValue: state)
            self.conditions.append(Condition(text: text, predicate: predicate))
          }
        }
      } + [app.button("Next") { self.step = .scene }]
  }

  private func addTime(_ text: String) throws {
    let parts = text.split(separator: ":").compactMap { Int($0) }
    guard parts.count == 2 else { throw EntryError("\"\(text)\" is not a time such as 18:00.") }
    let predicate = HMEventTrigger.predicateForEvaluatingTrigger(
      occurringBefore: DateComponents(hour: parts[0], minute: parts[1]))
    conditions.append(Condition(text: "The time is before \(text)", predicate: predicate))
  }

  // MARK: The end

  private func save(_ scene: HMActionSet, _ app: ArriveHomeApp) async throws {
    guard let event else { return }
    let predicate =
      conditions.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: conditions.map(\.predicate))
    let trigger = HMEventTrigger(name: name, events: [event], predicate: predicate)
    try await home.addTrigger(trigger)
    try await trigger.addActionSet(scene)
    try await trigger.enable(true)
    app.close()
  }
}

extension HMCharacteristic {
  /// The states that a person can choose.
  fileprivate var states: [NSNumber] {
    switch characteristicType {
    case HMCharacteristicTypeCurrentLockMechanismState:
      [HMCharacteristicValueLockMechanismState.unsecured, .secured].map { NSNumber(value: $0.rawValue) }
    case HMCharacteristicTypeMotionDetected: [NSNumber(value: true), NSNumber(value: false)]
    default: []
    }
  }
}
