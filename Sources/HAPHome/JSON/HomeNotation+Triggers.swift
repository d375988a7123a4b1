import HAPAlmanac
import HAPModel
import HAPWire

/// The members of a timer.
package enum TimerMember: String, CaseIterable, Sendable {
  /// The first time.
  case at
  /// The period, such as "1d".
  case every
  /// The zone for the period; without it, the home's zone counts.
  case timeZone
}

/// The members of a trigger's events.
package enum EventTriggerMember: String, CaseIterable, Sendable {
  /// The list of events.
  case when
  /// The condition.
  case condition = "if"
  /// The list of end events.
  case end
  /// The weekdays on which events count, such as `["mon", "tue"]`; without it, all.
  case weekdays
  /// Whether the trigger is executed once.
  case once
}

extension HomeNotation {
  /// The members that `triggerKind` reads.
  package static var triggerMembers: [String] {
    TimerMember.allCases.map(\.rawValue) + EventTriggerMember.allCases.map(\.rawValue)
  }

  // MARK: Reading

  /// Reads the time or the events of a trigger from its object: `{"at": …, "every": "1d"}`, or
  /// `{"when": [EVENT…], "if": CONDITION}`.
  /// - Parameter others: the other members that the object may have, such as "name".
  package func triggerKind(_ node: JSONNode, and others: [String]) throws(JSONProblem) -> Trigger.Kind {
    try node.refuseUnknownMembers(except: others + Self.triggerMembers)
    guard node["when"] != nil else {
      guard node["at"] != nil else {
        throw node.problem("a trigger has the time of a timer as \"at\", or a list of events as \"when\"")
      }
      try node.refuse(EventTriggerMember.allCases.map(\.rawValue), "a timer")
      return .timer(try timer(node))
    }
    try node.refuse(TimerMember.allCases.map(\.rawValue), "a trigger with events")
    return .event(try eventTrigger(node))
  }

  private func timer(_ node: JSONNode) throws(JSONProblem) -> TimerTrigger {
    TimerTrigger(
      fireDate: try instant(try node.required("at")),
      recurrence: try node["every"].map { node throws(JSONProblem) in
        try node.parsed("a period such as \"1d\" or \"1h 30min\"", HomeText.period)
      },
      zone: try node["timeZone"].map { node throws(JSONProblem) in try node.zoneName() })
  }

  private func eventTrigger(_ node: JSONNode) throws(JSONProblem) -> EventTrigger {
    EventTrigger(
      events: try node.list("when") { node throws(JSONProblem) in try event(node) },
      endEvents: try node.list("end") { node throws(JSONProblem) in try event(node) },
      weekdays: Set(try node.list("weekdays") { node throws(JSONProblem) in try node.weekday() }),
      condition: try node["if"].map { node throws(JSONProblem) in try condition(node) },
      executesOnce: try node.bool("once", default: false))
  }

  // MARK: Writing

  /// Writes the members of a trigger's time or events.
  package func members(_ kind: Trigger.Kind) -> [JSONMember] {
    switch kind {
    case .timer(let timer):
      let members: [(TimerMember, JSONNode?)] = [
        (.at, written(timer.fireDate)), (.every, timer.recurrence.map { .text(HomeText.periodText($0)) }),
        (.timeZone, timer.zone.map { .text($0.text) }),
      ]
      return members.compactMap { name, value in value.map { (name.rawValue, $0) } }
    case .event(let trigger):
      let weekdays = Weekday.allCases.filter(trigger.weekdays.contains).map { JSONNode.text($0.word) }
      let members: [(EventTriggerMember, JSONNode?)] = [
        (.when, .list(trigger.events.map { written($0) })), (.condition, trigger.condition.map { written($0) }),
        (.end, trigger.endEvents.isEmpty ? nil : .list(trigger.endEvents.map { written($0) })),
        (.weekdays, weekdays.isEmpty ? nil : .list(weekdays)), (.once, trigger.executesOnce ? .flag(true) : nil),
      ]
      return members.compactMap { name, value in value.map { (name.rawValue, $0) } }
    }
  }
}

extension JSONNode {
  /// - Throws: for the first of these members that the object has.
  fileprivate func refuse(_ names: [String], _ noun: String) throws(JSONProblem) {
    for name in names {
      if let member = self[name] { throw member.problem("\(noun) has no member \"\(name)\": remove it") }
    }
  }

  /// Reads the name of a time zone.
  package func zoneName() throws(JSONProblem) -> ZoneName {
    try parsed("the name of a time zone such as \"Europe/Berlin\"", ZoneName.init)
  }
}
