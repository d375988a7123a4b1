import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel

/// The answer to a request. A refused request is a `HomeError` instead.
package enum HubAnswer: Hashable, Sendable {
  /// To `attach`.
  case attached(HubSnapshot)
  /// To `perform`, `remove` and `acceptShare`: the changes, which the app does not get as events.
  case changed([HomeChange])
  /// To `add` and `adopt`: the new accessories, a bridge first, and the changes.
  case added([HomeObjectID], [HomeChange])
  /// To `execute` and `write`.
  case executed(ExecutionResult)
  /// To `read`, in the order of the request.
  case values([CharacteristicReading])
  /// To `fire`: the evaluation after the writes have ended, or why nothing was executed.
  case evaluated(EvaluationReport)
  /// To `explain`.
  case explained([EvaluationReport])
  /// To `search`.
  case found([NewAccessory])
  /// To `requestShare` and `renewShare`: the text of a file. To `pageToken`: the token.
  case document(String)
  /// To `share`.
  case shared(SharedHome)
  /// To `status`.
  case status(HubStatus)
  /// To all other requests.
  case done
}

/// A home that was shared.
package struct SharedHome: Hashable, Sendable {
  /// The new user.
  package var user: HomeObjectID
  /// The text of the file for the user's hub; nil: the home could not be written just now. `renewShare` repeats it.
  package var document: String?
  /// The accessories that could not be reached. They learn of the user later.
  package var later: [HomeObjectID]
  package var changes: [HomeChange]

  package init(user: HomeObjectID, document: String?, later: [HomeObjectID], changes: [HomeChange]) {
    (self.user, self.document, self.later, self.changes) = (user, document, later, changes)
  }
}

/// All homes and their state at one moment.
package struct HubSnapshot: Hashable, Sendable {
  /// The homes.
  package var model: HomeModel
  /// The accessories that can't be reached, with the reason.
  package var unreachable: [HomeObjectID: String]
  /// The places of the users who have one, ascending by user.
  package var persons: [PersonState]

  package init(model: HomeModel, unreachable: [HomeObjectID: String], persons: [PersonState]) {
    (self.model, self.unreachable, self.persons) = (model, unreachable, persons)
  }
}

/// A value that was read, or why there is none.
package struct CharacteristicReading: Hashable, Sendable {
  package var characteristic: HomeObjectID
  package var value: Value?
  package var error: HomeError?

  package init(_ characteristic: HomeObjectID, value: Value? = nil, error: HomeError? = nil) {
    (self.characteristic, self.value, self.error) = (characteristic, value, error)
  }
}

/// The result of an execution.
package struct ExecutionResult: Hashable, Sendable {
  /// How an action ended.
  package enum Outcome: String, CaseIterable, Sendable {
    /// The accessory confirmed the write.
    case done
    /// The accessory refused the write.
    case refused
    /// Nothing was sent.
    case notSent = "not-sent"
    /// The write was sent, and there was no valid answer.
    case unknown
  }

  package struct Action: Hashable, Sendable {
    /// Nil for a write without a set.
    package var actionSet: HomeObjectID?
    package var action: HomeAction
    package var outcome: Outcome
    /// HAP status, if the accessory gave one.
    package var status: Int?
    package var error: HomeError?

    package init(
      actionSet: HomeObjectID?, action: HomeAction, outcome: Outcome, status: Int? = nil, error: HomeError? = nil
    ) {
      (self.actionSet, self.action, self.outcome) = (actionSet, action, outcome)
      (self.status, self.error) = (status, error)
    }
  }

  package struct SkippedSet: Hashable, Sendable {
    package var actionSet: HomeObjectID
    package var error: HomeError

    package init(_ actionSet: HomeObjectID, _ error: HomeError) { (self.actionSet, self.error) = (actionSet, error) }
  }

  package var actions: [Action]
  package var skipped: [SkippedSet]
  /// Nil if all is done; 64 if a part is, 63 if nothing is.
  package var error: HomeError?

  package init(actions: [Action], skipped: [SkippedSet], error: HomeError?) {
    (self.actions, self.skipped, self.error) = (actions, skipped, error)
  }
}

/// An evaluation of a trigger, for people and programs.
package struct EvaluationReport: Hashable, Sendable {
  package var trigger: HomeObjectID
  /// Counts the evaluations of the trigger since the start of the hub. A report with the same number replaces an earlier one.
  package var number: Int
  package var time: Instant
  /// The outcome as one word, such as "executed" or "condition-false".
  package var outcome: String
  /// The explanation, with newlines between its lines.
  package var text: String
  /// The whole evaluation as JSON.
  package var detail: String

  package init(trigger: HomeObjectID, number: Int, time: Instant, outcome: String, text: String, detail: String) {
    (self.trigger, self.number, self.time) = (trigger, number, time)
    (self.outcome, self.text, self.detail) = (outcome, text, detail)
  }
}

/// An accessory on the network that is in no home and has no pairing.
package struct NewAccessory: Hashable, Sendable {
  package var device: DeviceID
  /// The instance name of its record.
  package var name: String
  package var model: String?
  /// The category's number, HAP R2 §13.
  package var category: UInt8?
  /// The setup hash of the record, 4 bytes.
  package var setupHash: [UInt8]?

  package init(device: DeviceID, name: String, model: String?, category: UInt8?, setupHash: [UInt8]?) {
    (self.device, self.name, self.model) = (device, name, model)
    (self.category, self.setupHash) = (category, setupHash)
  }
}

/// The state of a hub.
package struct HubStatus: Hashable, Sendable {
  package struct Device: Hashable, Sendable {
    package var device: DeviceID
    package var isReachable: Bool
    /// The reason if it can't be reached.
    package var why: String?
    package var address: String?
    package var subscriptions: Int

    package init(device: DeviceID, isReachable: Bool, why: String?, address: String?, subscriptions: Int) {
      (self.device, self.isReachable, self.why) = (device, isReachable, why)
      (self.address, self.subscriptions) = (address, subscriptions)
    }
  }

  package struct App: Hashable, Sendable {
    package var name: String
    package var processID: Int?
    package var subscriptions: Int
    /// The number of times that events were dropped because the app read too slowly.
    package var gaps: Int

    package init(name: String, processID: Int?, subscriptions: Int, gaps: Int) {
      (self.name, self.processID, self.subscriptions, self.gaps) = (name, processID, subscriptions, gaps)
    }
  }

  package var version: String
  package var processID: Int
  package var started: Instant
  package var devices: [Device]
  package var apps: [App]
  /// Rows of the store that could not be used, for people.
  package var problems: [String]

  package init(
    version: String, processID: Int, started: Instant, devices: [Device], apps: [App], problems: [String]
  ) {
    (self.version, self.processID, self.started) = (version, processID, started)
    (self.devices, self.apps, self.problems) = (devices, apps, problems)
  }
}
