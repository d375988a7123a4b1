import HAPWire

/// A case as its suite writes it: the requirement, the preconditions and the steps.
package struct CaseDefinition: Equatable, Sendable {
  /// The permanent id, such as "PS-29". It is never reused and is not a position.
  package var id: String
  /// A name such as "m1-while-paired"; it selects the case as the id does.
  package var name: String
  /// The area of the suite, such as "pair-setup".
  package var area: String
  package var level: CaseLevel
  /// The requirement in the project's own words, not the specification's text.
  package var requirement: String
  /// Sections of the specification: "HAP R2 §5.6.2".
  package var section: String
  /// The usual reason why accessories fail this case.
  package var cause: String?
  /// How to fix the accessory.
  package var fix: String?
  /// How controllers behave with an accessory that fails this case.
  package var impact: String?
  package var stacks: [KnownStack]
  /// Names that this case probably has in public test plans.
  package var aliases: [String]
  package var needs: CaseNeeds
  package var causes = CaseCauses()
  /// Things to find in the database before the case runs, each with the variable that receives it.
  package var find: [NamedSubject]
  /// Sets of variables; the steps run once with each. Empty: once.
  package var variants: [CaseVariant]
  package var steps: [Step]
  /// Whether the case can run at the same time as others. It then uses only its own connections and the things in `find`.
  package var isShared: Bool
  /// The time limit of each variant; `nil`: the default limit of the run.
  package var limit: Duration?
  /// The source file, and the position in it.
  package var file: String
  package var place: JSONPlace

  package init(
    id: String, name: String, area: String, level: CaseLevel, requirement: String, section: String, cause: String?,
    fix: String?, impact: String?, stacks: [KnownStack], aliases: [String], needs: CaseNeeds,
    find: [NamedSubject], variants: [CaseVariant], steps: [Step], isShared: Bool,
    limit: Duration? = nil, file: String, place: JSONPlace
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
    self.needs = needs
    self.find = find
    self.variants = variants
    self.steps = steps
    self.isShared = isShared
    self.limit = limit
    self.file = file
    self.place = place
  }

  package static func == (a: CaseDefinition, b: CaseDefinition) -> Bool {
    a.id == b.id && a.name == b.name && a.area == b.area && a.level == b.level && a.file == b.file && a.place == b.place
  }
}

/// The weight of a requirement.
package enum CaseLevel: String, CaseIterable, Equatable, Sendable {
  case must, should, info
}

/// The preconditions of a case.
package struct CaseNeeds: Equatable, Sendable {
  package enum State: String, CaseIterable, Equatable, Sendable {
    /// Any state.
    case any
    /// No controller is paired.
    case unpaired
    /// The tester is paired, as an admin.
    case paired
  }

  package var state = State.any
  /// Whether the case tests the layer below sessions. It then needs only a pairing, even if no session can be established with it.
  package var isBelowSessions = false
  /// Whether the case waits for more than a few seconds. It then runs only with `--long`.
  package var isLong = false
  /// Whether the case resets the accessory. It then runs only with `--allow-reset`.
  package var resets = false
  /// Whether the case removes pairings that may not be the tester's. On an accessory that was already paired it runs only with `--allow-reset`.
  package var unpairs = false
  package var multicast = false
  /// Whether the case itself tests that the accessory is heard on multicast DNS. Silence is then no reason to skip the case.
  package var silenceCounts = false
  /// Whether the case needs the setup code although the accessory must be unpaired.
  package var code = false
  /// The number of wrong setup codes that the case enters. An accessory accepts about a hundred before it locks Pair Setup.
  package var wrongCodes = 0
  package var hooks: [HookName] = []
  /// Claims that must be known and not `false`.
  package var claims: [String] = []

  package init() {}
}
