/// The description of a case in reports.
package struct CaseDescription: Equatable, Sendable {
  /// The permanent id, such as "PS-29". It is never reused.
  package var id: String
  /// "m1-while-paired".
  package var name: String
  /// "pair-setup".
  package var area: String
  package var level: RequirementLevel
  /// The requirement in the project's own words.
  package var requirement: String
  /// Sections of the specification: "HAP R2 §5.6.2".
  package var section: String
  /// The usual reason why accessories fail this case; `nil`: not known.
  package var cause: String?
  /// How to fix the accessory.
  package var fix: String?
  /// How controllers behave with an accessory that fails this case.
  package var impact: String?
  /// The behaviour of known stacks.
  package var stacks: [Stack]
  /// Names of public test plans that probably mean the same.
  package var aliases: [String]
  /// The command that shows more.
  package var more: String

  /// The id and the name, such as "PS-29 m1-while-paired"; only the id if there is no name.
  package var title: String { name.isEmpty ? id : "\(id) \(name)" }

  package struct Stack: Equatable, Sendable {
    /// "HomeKitADK".
    package var name: String
    /// "400, no body".
    package var behaviour: String
    /// The place in its source that shows this: "fb201f9 HAP/HAPPairingPairings.c:210"; `nil`: not checked against a source.
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
