/// What a case is, as reports tell it.
package struct CaseDescription: Equatable, Sendable {
  /// "PS-29": permanent, never reused.
  package var id: String
  /// "m1-while-paired".
  package var name: String
  /// "pair-setup".
  package var area: String
  package var level: RequirementLevel
  /// In our own words.
  package var requirement: String
  /// Sections of the specification: "HAP R2 §5.6.2".
  package var section: String
  /// Why accessories get it wrong, as a rule; nil: not known.
  package var cause: String?
  /// What to do about it.
  package var fix: String?
  /// Why it matters: what controllers do with an accessory that gets it wrong.
  package var impact: String?
  /// How known stacks behave.
  package var stacks: [Stack]
  /// Names of public test plans that seem to mean the same.
  package var aliases: [String]
  /// The command that tells more.
  package var more: String

  /// "PS-29 m1-while-paired"; the id alone where it is a name already.
  package var title: String { name.isEmpty ? id : "\(id) \(name)" }

  package struct Stack: Equatable, Sendable {
    /// "HomeKitADK".
    package var name: String
    /// "400, no body".
    package var behaviour: String
    /// Where its source shows this: "fb201f9 HAP/HAPPairingPairings.c:210"; `nil`: not checked against a source.
    package var source: String?

    package init(name: String, behaviour: String, source: String? = nil) {
      self.name = name
      self.behaviour = behaviour
      self.source = source
    }
  }

  package init(
    id: String, name: String, area: String, level: RequirementLevel, requirement: String, section: String,
    cause: String? = nil, fix: String? = nil, impact: String? = nil, stacks: [Stack] = [], aliases: [String] = [],
    more: String? = nil
  ) {
    self.id = id
    self.name = name
    self.area = area
    self.level = level
    self.requirement = requirement
    self.section = section
    self.cause = cause
    self.fix = fix
    self.impact = impact
    self.stacks = stacks
    self.aliases = aliases
    self.more = more ?? "haptest explain \(id)"
  }
}
