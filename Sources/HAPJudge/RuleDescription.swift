import HAPReport

/// A rule for controllers, in words.
package struct RuleDescription: Equatable, Sendable {
  package enum Area: String, CaseIterable, Sendable {
    case connections, requests, pairing, characteristics, events, configuration
  }

  /// "resubscribes": permanent, never reused.
  package let name: String
  package let area: Area
  package let level: RequirementLevel
  /// One sentence.
  package let requirement: String
  /// Where it stands: "HAP R2 §6.8.2", or who reported what breaks otherwise.
  package let source: String
  /// Why it matters.
  package let impact: String
  /// What has to happen so that it shows.
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

  /// As reports have it.
  var caseDescription: CaseDescription {
    CaseDescription(
      id: name, name: "", area: area.rawValue, level: level, requirement: "A controller \(requirement).",
      section: source,
      impact: impact, more: "hapsim judge --list")
  }
}
