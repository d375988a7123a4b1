import HAPWire

/// A case as its suite writes it: what is required, what it needs, and the steps that find out.
package struct CaseDefinition: Equatable, Sendable {
  /// "PS-29": permanent, never reused, no position.
  package var id: String
  /// "m1-while-paired"; selects as the id does.
  package var name: String
  /// The suite's: "pair-setup".
  package var area: String
  package var level: CaseLevel
  /// In our own words.
  package var requirement: String
  /// Sections of the specification: "HAP R2 §5.6.2".
  package var section: String
  /// Why accessories get it wrong, as a rule.
  package var cause: String?
  /// What to do about it.
  package var fix: String?
  /// What controllers do with an accessory that gets it wrong.
  package var impact: String?
  package var stacks: [KnownStack]
  /// Names of public test plans that seem to mean the same.
  package var aliases: [String]
  package var needs: CaseNeeds
  package var causes = CaseCauses()
  /// What is looked for in the database before the case runs, by the variable that gets it.
  package var find: [NamedSubject]
  /// Sets of variables; the steps run once with each. Empty: once.
  package var variants: [CaseVariant]
  package var steps: [Step]
  /// May run beside others: it works in connections of its own and with what it finds alone.
  package var isShared: Bool
  /// How long each variant may take; nil: as long as the run lets any.
  package var limit: Duration?
  /// The file it was read from, and where in it.
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

/// How much a requirement weighs.
package enum CaseLevel: String, CaseIterable, Equatable, Sendable {
  case must, should, info
}

/// What must be so before a case can run.
package struct CaseNeeds: Equatable, Sendable {
  package enum State: String, CaseIterable, Equatable, Sendable {
    /// Whatever it is.
    case any
    /// No controller is paired.
    case unpaired
    /// The tester is paired, as an admin.
    case paired
  }

  package var state = State.any
  /// It is about what sessions are built on: a pairing is enough, also where no session comes about with it.
  package var isBelowSessions = false
  /// It takes more than a few seconds of waiting: runs with `--long`.
  package var isLong = false
  /// It leaves the accessory to be reset: runs with `--allow-reset`.
  package var resets = false
  /// It takes away pairings that may not be the tester's: on an accessory that was paired when found it runs with `--allow-reset`.
  package var unpairs = false
  package var multicast = false
  /// With multicast it is about whether the accessory is heard at all, so that silence is no reason to skip it.
  package var silenceCounts = false
  /// The setup code, although the accessory is to be unpaired.
  package var code = false
  /// How many times it enters a wrong setup code; accessories take about a hundred in their life.
  package var wrongCodes = 0
  package var hooks: [HookName] = []
  /// Claims that must be known, and not false.
  package var claims: [String] = []

  package init() {}
}
