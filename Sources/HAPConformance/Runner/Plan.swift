import HAPExpectation
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

/// The cases to run, in order, and those to skip, with reasons.
package struct Plan: Sendable {
  package struct Entry: Sendable {
    package var definition: CaseDefinition
    package var expectations: NamedExpectations
    /// Why the case is skipped; nil: it runs.
    package var skipReason: String?
    /// Why the case can't be decided: a claim that it needs is unknown.
    package var errorReason: String?
  }

  /// The cases in execution order.
  package var entries: [Entry]
  /// Unselected cases that may run to find the cause of a failure, without those that can't run.
  var others: [Entry] = []
  /// Number of cases that a short run leaves out: those of a run without options, and those that `--long` adds.
  private(set) var leftOut: (usual: Int, long: Int)?
  /// The cases that test a procedure on behalf of others, in the order of the suites.
  let owners: [Procedure: [String]]

  package var planned: [PlannedCase] {
    entries.map { PlannedCase($0.definition.description, skipReason: $0.skipReason ?? $0.errorReason) }
  }

  /// Facts known before the run.
  package struct Circumstances: Sendable {
    package var hasCode: Bool
    /// Whether the accessory is paired with another controller than the tester's. Cases that need a certain pairing
    /// state then can't run.
    package var isForeign: Bool
    /// Whether the tester uses an existing pairing, which must not be removed.
    package var isBorrowed: Bool
    package var noMulticast: String?
    /// Whether multicast was requested and works, but no packet of the accessory was received.
    package var isSilent: Bool
    package var hooks: any HookRunner
    package var claims: Claims

    package init(
      hasCode: Bool, isForeign: Bool, isBorrowed: Bool, noMulticast: String?, isSilent: Bool = false,
      hooks: any HookRunner, claims: Claims
    ) {
      self.isSilent = isSilent
      self.hasCode = hasCode
      self.isForeign = isForeign
      self.isBorrowed = isBorrowed
      self.noMulticast = noMulticast
      self.hooks = hooks
      self.claims = claims
    }
  }

  /// - Parameter isSelected: the user's selection. Unselected cases are not in `entries`.
  package init(
    _ suites: [Suite], options: TestOptions, circumstances: Circumstances, isSelected: (CaseDefinition) -> Bool
  ) {
    let all = suites.flatMap { suite in
      suite.cases.map { Entry(definition: $0, expectations: suite.expectations) }
    }
    var owners: [Procedure: [String]] = [:]
    for entry in all {
      for procedure in entry.definition.causes.owns { owners[procedure, default: []].append(entry.definition.id) }
    }
    self.owners = owners
    var entries = all.filter { options.levels.contains($0.definition.level) && isSelected($0.definition) }
    if options.isShort {
      var short = ShortRun()
      let whole = entries
      entries = whole.filter { short.takes($0.definition) }
      leftOut = (
        whole.count { !$0.definition.needs.isLong } - entries.count, whole.count { $0.definition.needs.isLong }
      )
    }
    entries = entries.enumerated().filter { options.shard.has($0.offset) }.map(\.element)
    let chosen = Set(entries.map(\.definition.id))
    others = all.filter { !chosen.contains($0.definition.id) }.filter { entry in
      var entry = entry
      if Self.skipReason(entry.definition.needs, options, circumstances) != nil { return false }
      Self.judgeClaims(&entry, options, circumstances.claims)
      return entry.skipReason == nil && entry.errorReason == nil && entry.definition.needs.wrongCodes == 0
    }
    var wrongCodes = 0
    for index in entries.indices {
      let definition = entries[index].definition
      entries[index].skipReason = Self.skipReason(definition.needs, options, circumstances)
      if entries[index].skipReason == nil { Self.judgeClaims(&entries[index], options, circumstances.claims) }
      guard entries[index].skipReason == nil, entries[index].errorReason == nil else { continue }
      let count = definition.needs.wrongCodes * max(1, options.repetitions)
      // A factory reset also clears the accessory's count of wrong codes.
      if count > 0, !definition.needs.resets {
        if wrongCodes + count > options.wrongCodeLimit {
          entries[index].skipReason = "the limit of \(options.wrongCodeLimit) wrong setup codes is reached"
        } else {
          wrongCodes += count
        }
      }
    }
    let ordered = entries.enumerated().sorted {
      (Self.phase($0.element.definition), $0.offset) < (Self.phase($1.element.definition), $1.offset)
    }.map(\.element)
    let first = ordered.filter { Self.phase($0.definition) == 0 }
    self.entries = Self.spaced(first) + ordered.dropFirst(first.count)
  }

  /// Groups cases by the state that they need. Cases that remove pairings come late.
  static func phase(_ definition: CaseDefinition) -> Int {
    if definition.needs.resets { return 6 }
    switch definition.needs.state {
    case .any: return definition.isShared ? 3 : 0
    case .unpaired: return definition.needs.wrongCodes > 0 ? 1 : 0
    case .paired: return definition.needs.unpairs ? 5 : definition.isShared ? 3 : 4
    }
  }

  /// Places cases that wait for announcements of pairings between cases that don't pair. A record is multicast at most
  /// once per second (RFC 6762 §6), so such cases would have to wait if they ran one after the other.
  private static func spaced(_ entries: [Entry]) -> [Entry] {
    let isListener: (Entry) -> Bool = { $0.definition.needs.multicast && $0.definition.needs.state == .unpaired }
    let listeners = entries.filter(isListener)
    let quiet = entries.filter { !isListener($0) && $0.definition.needs.state == .any }
    let others = entries.filter { !isListener($0) && $0.definition.needs.state != .any }
    var result: [Entry] = []
    var next = 0
    for (index, listener) in listeners.enumerated() {
      let end = quiet.count * (index + 1) / (listeners.count + 1)
      result += quiet[next..<end] + [listener]
      next = end
    }
    return result + quiet[next...] + others
  }

  private static func skipReason(_ needs: CaseNeeds, _ options: TestOptions, _ at: Circumstances) -> String? {
    if needs.isLong, !options.isLong { return "takes long; use --long to run it" }
    if needs.resets, !options.allowsReset { return "needs a factory reset afterwards; use --allow-reset to run it" }
    if needs.state != .any, at.isForeign { return "the accessory is paired with another controller" }
    if needs.state == .unpaired, at.isBorrowed { return "the accessory's pairing must be kept" }
    if needs.unpairs, at.isBorrowed, !options.allowsReset { return "removes pairings; use --allow-reset to run it" }
    if needs.code || needs.state == .paired && !at.isBorrowed, !at.hasCode { return "no setup code; use --code" }
    if needs.multicast, let reason = at.noMulticast, !(needs.silenceCounts && at.isSilent) {
      return "no multicast: \(reason)"
    }
    for hook in needs.hooks where !at.hooks.isAvailable(hook) { return "no hook \(hook.rawValue)" }
    return nil
  }

  private static func judgeClaims(_ entry: inout Entry, _ options: TestOptions, _ claims: Claims) {
    for name in entry.definition.needs.claims {
      switch claims[name] {
      case .unknown where options.hasClaimsFile: entry.errorReason = "the claim \"\(name)\" is unknown"
      case .unknown: entry.skipReason = "the claim \"\(name)\" is unknown; use --claims"
      case .flag(false): entry.skipReason = "according to its claims it has no \(name)"
      default: break
      }
    }
  }
}

extension CaseDefinition {
  /// The case's description for reports.
  package var description: CaseDescription {
    CaseDescription(
      id: id, name: name, area: area, level: RequirementLevel(rawValue: level.rawValue) ?? .must,
      requirement: requirement, section: section, cause: cause, fix: fix, impact: impact,
      stacks: stacks.map { CaseDescription.Stack(name: $0.name, behaviour: $0.behaviour, source: $0.source) },
      aliases: aliases)
  }
}
