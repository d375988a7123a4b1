import HAPReport

/// The description of a rule for controllers.
package struct RuleDescription: Equatable, Sendable {
  package enum Area: String, CaseIterable, Sendable {
    case connections, requests, pairing, characteristics, events, configuration
  }

  /// The name, such as "resubscribes". Names are permanent and never reused.
  package let name: String
  package let area: Area
  package let level: RequirementLevel
  /// The requirement: one sentence.
  package let requirement: String
  /// The source: "HAP R2 §6.8.2", or the report of a failure in the field.
  package let source: String
  /// The effect of a violation.
  package let impact: String
  /// The situation that tests the rule.
  package let chance: String

  init(
    _ name: String, _ area: Area, _ level: RequirementLevel, _ requirement: String, source: String, impact: String,
    chance: String
  ) {
    self.name = name
    self.area = area
    self.level = level
    self.requirement = requirement
    self.source = source
    self.impact = impact
    self.chance = chance
  }

  /// The description in the form of reports.
  var caseDescription: CaseDescription {
    CaseDescription(
      id: name, name: "", area: area.rawValue, level: level, requirement: "A controller \(requirement).",
      section: source,
      impact: impact, more: "hapsim judge --list")
  }
}
