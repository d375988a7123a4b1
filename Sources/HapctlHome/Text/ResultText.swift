import HAPHome
import HAPHubLink
import HAPWire

/// Results of executions, readings and evaluations as text and as JSON, with paths instead of identifiers alone.
struct ResultText: Sendable {
  let lookup: HomeLookup

  private var home: Home { lookup.home }

  init(_ home: Home) { lookup = HomeLookup(home) }

  // MARK: Executions

  /// One line for each action, and for each set that was skipped.
  func lines(_ result: ExecutionResult) -> [String] {
    result.actions.map { entry in
      let path = lookup.path(ofCharacteristic: entry.action.characteristic)
      let line = "\(path): \(home.text(of: entry.action.value, entry.action.characteristic))"
      guard entry.outcome != .done else { return line }
      let status = entry.status.map { " (status \($0))" } ?? ""
      return "\(line): \(entry.outcome.text)\(status)\(entry.error.map { ": \($0)" } ?? "")"
    }
      + result.skipped.map { "\(name(ofSet: $0.actionSet)): not run: \($0.error)" }
  }

  func name(ofSet id: HomeObjectID) -> String { home.actionSets.find(id)?.name.text ?? id.description }

  func members(_ result: ExecutionResult) -> [JSONMember] {
    [
      ("actions", .list(result.actions.map(node))),
      (
        "skipped",
        .list(
          result.skipped.map {
            .object([
              ("scene", .id($0.actionSet)), ("name", .text(name(ofSet: $0.actionSet))), ("error", $0.error.node),
            ])
          })
      ),
      ("error", result.error?.node ?? JSONNode(.null)),
    ]
  }

  private func node(_ entry: ExecutionResult.Action) -> JSONNode {
    let found = home.characteristic(entry.action.characteristic)
    return .members(
      ("scene", entry.actionSet.map { .id($0) }), ("characteristic", .id(entry.action.characteristic)),
      ("path", .text(lookup.path(ofCharacteristic: entry.action.characteristic))),
      ("value", found?.characteristic.node(of: entry.action.value) ?? entry.action.value.exactNode),
      ("outcome", .text(entry.outcome.rawValue)), ("status", entry.status.map { .integer($0) }),
      ("error", entry.error?.node))
  }

  // MARK: Readings

  /// "Lamp/On: on", or the reason why there is no value.
  func line(_ reading: CharacteristicReading) -> String {
    let path = lookup.path(ofCharacteristic: reading.characteristic)
    if let value = reading.value { return "\(path): \(home.text(of: value, reading.characteristic))" }
    return "\(path): \(reading.error.map { "\($0)" } ?? "no value")"
  }

  func members(_ reading: CharacteristicReading) -> [JSONMember] {
    let found = home.characteristic(reading.characteristic)?.characteristic
    let all: [(name: String, value: JSONNode?)] = [
      ("characteristic", .id(reading.characteristic)),
      ("path", .text(lookup.path(ofCharacteristic: reading.characteristic))),
      ("value", reading.value.map { found?.node(of: $0) ?? $0.exactNode }),
      ("text", reading.value.map { .text(found?.text(of: $0) ?? "") }), ("error", reading.error?.node),
    ]
    return all.compactMap { member in member.value.map { (member.name, $0) } }
  }

  // MARK: Evaluations

  func members(_ report: EvaluationReport) -> [JSONMember] {
    [
      ("trigger", .id(report.trigger)),
      ("name", .text(home.triggers.find(report.trigger)?.name.text ?? report.trigger.description)),
      ("number", .integer(report.number)), ("time", .text(report.time.description)), ("outcome", .text(report.outcome)),
      ("text", .text(report.text)),
      (
        "detail",
        (try? JSONNode.parse(Array(report.detail.utf8), depthLimit: JSONNode.homeDepthLimit)) ?? JSONNode(.null)
      ),
    ]
  }
}

extension ExecutionResult.Outcome {
  fileprivate var text: String {
    switch self {
    case .done: "done"
    case .refused: "the accessory refused the value"
    case .notSent: "not sent"
    case .unknown: "sent, but the accessory did not answer"
    }
  }
}
