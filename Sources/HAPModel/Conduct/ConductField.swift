/// One field of `Conduct` by its name, as profiles and the command line have it: what it takes, and how to read and set it as text.
public struct ConductField: Sendable {
  /// What a field takes, as JSON has it.
  public enum Kind: Hashable, Sendable {
    /// `true` or `false`.
    case boolean
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A number in a range.
    case fraction(ClosedRange<Double>)
    /// One of these words.
    case choice([String])
    /// "250ms", "2s"; "0s".
    case duration
    /// "470 -70411", see `HTTPAnswer`.
    case answer
    /// -70409 and the like.
    case status
    /// A list of types, short or full.
    case types
  }

  /// A value of a field, as JSON has it.
  public enum Setting: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    case fraction(Double)
    case text(String)
    case list([String])
  }

  /// The property's own name.
  public let name: String
  /// What it takes.
  public let kind: Kind
  /// Where the divergence stands: a heading of the facts, a row of the matrix, or a rule of docs/protocol.md.
  public let row: String
  private let get: @Sendable (Conduct) -> Setting
  private let set: @Sendable (inout Conduct, Setting) -> Bool

  /// The setting of a conduct.
  public func setting(of conduct: Conduct) -> Setting { get(conduct) }

  /// - Returns: false, and nothing is changed, when the setting is none of the field's.
  public func apply(_ setting: Setting, to conduct: inout Conduct) -> Bool { set(&conduct, setting) }

  /// The field of this name.
  public static func named(_ name: String) -> ConductField? { all.first { $0.name == name } }
}

extension ConductField {
  private typealias Path<Value> = WritableKeyPath<Conduct, Value> & Sendable

  private static func flag(_ name: String, _ path: Path<Bool>, _ row: String) -> ConductField {
    ConductField(name: name, kind: .boolean, row: row, get: { .boolean($0[keyPath: path]) }) { conduct, setting in
      guard case .boolean(let value) = setting else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func number(_ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ row: String)
    -> ConductField
  {
    ConductField(name: name, kind: .integer(range), row: row, get: { .integer($0[keyPath: path]) }) {
      conduct, setting in
      guard case .integer(let value) = setting, range.contains(value) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func fraction(_ name: String, _ path: Path<Double>, _ range: ClosedRange<Double>, _ row: String)
    -> ConductField
  {
    ConductField(name: name, kind: .fraction(range), row: row, get: { .fraction($0[keyPath: path]) }) {
      conduct, setting in
      switch setting {
      case .fraction(let value) where range.contains(value): conduct[keyPath: path] = value
      case .integer(let value) where range.contains(Double(value)): conduct[keyPath: path] = Double(value)
      default: return false
      }
      return true
    }
  }

  private static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Choice>, _ row: String
  ) -> ConductField where Choice.RawValue == String {
    ConductField(
      name: name, kind: .choice(Choice.allCases.map(\.rawValue)), row: row,
      get: { .text($0[keyPath: path].rawValue) }
    ) { conduct, setting in
      guard case .text(let word) = setting, let value = Choice(rawValue: word) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func duration(_ name: String, _ path: Path<Duration>, _ row: String) -> ConductField {
    ConductField(name: name, kind: .duration, row: row, get: { .text($0[keyPath: path].shortText) }) {
      conduct, setting in
      guard case .text(let text) = setting, let value = Duration(text) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func answer(_ name: String, _ path: Path<HTTPAnswer>, _ row: String) -> ConductField {
    ConductField(name: name, kind: .answer, row: row, get: { .text($0[keyPath: path].text) }) { conduct, setting in
      guard case .text(let text) = setting, let value = HTTPAnswer(text) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func status(_ name: String, _ path: Path<HAPStatus>, _ row: String) -> ConductField {
    ConductField(name: name, kind: .status, row: row, get: { .integer(Int($0[keyPath: path].rawValue)) }) {
      conduct, setting in
      guard case .integer(let number) = setting, let value = Int32(exactly: number).flatMap(HAPStatus.init),
        value != .success
      else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func types(_ name: String, _ path: Path<Set<TypeID>>, _ row: String) -> ConductField {
    ConductField(
      name: name, kind: .types, row: row, get: { .list($0[keyPath: path].map(\.wireForm).sorted()) }
    ) { conduct, setting in
      guard case .list(let names) = setting else { return false }
      let types = names.compactMap { TypeID($0) ?? Catalogue.characteristic(named: $0)?.type }
      guard types.count == names.count else { return false }
      conduct[keyPath: path] = Set(types)
      return true
    }
  }

  /// Every field, in the order of the documentation. A test compares the names with the properties of `Conduct`.
  public static let all: [ConductField] = [
    choice("setupOutOfOrder", \.setupOutOfOrder, "matrix: Setup state out of order; PS.20"),
    flag("tellsBusy", \.tellsBusy, "matrix: Second controller in setup; PS.60"),
    duration("setupTakeover", \.setupTakeover, "facts §2: Busy; PS.62"),
    number("maximumTries", \.maximumTries, 0...1_000_000, "matrix: 100 wrong codes; PS.40"),
    flag("keepsFailedTries", \.keepsFailedTries, "matrix: 100 wrong codes; PS.41"),
    flag("clearsFailedTries", \.clearsFailedTries, "facts §2: counter; PS.26"),
    choice("proofForms", \.proofForms, "facts §2: leading zeros; PS.6"),
    choice("exchangeFailure", \.exchangeFailure, "matrix: M5 bad tag; PS.27"),
    flag("heedsSetupFlags", \.heedsSetupFlags, "facts §2: Transient, Split; PS.50"),
    choice("unpairedVerify", \.unpairedVerify, "matrix: Verify while unpaired; PV.11"),
    flag("refusesVerifyMethod", \.refusesVerifyMethod, "facts §3: a Method item in PV M1; PV.13"),
    number("maximumPairings", \.maximumPairings, 1...10_000, "facts §10: 16 pairings; PR.4"),
    flag("overwritesKeys", \.overwritesKeys, "facts §11: PY and SW overwrite the key; PR.3"),
    flag("removesUnknownPairings", \.removesUnknownPairings, "matrix: Remove unknown pairing; PR.6"),
    flag("closesRemovedSessions", \.closesRemovedSessions, "facts §11: PY closes no session; PR.10"),
    flag("listsForAdminsOnly", \.listsForAdminsOnly, "features [6]; PR.7"),
    flag("listHasState", \.listHasState, "features [6]; PR.8"),
    flag("demotionDropsAll", \.demotionDropsAll, "facts §11: Demoting the last admin; PR.16"),
    number("maximumSessions", \.maximumSessions, 1...10_000, "facts §10: 17 sessions"),
    duration("reclaimsAfter", \.reclaimsAfter, "facts §10: idle reclaim only when full"),
    flag("takesLongFrames", \.takesLongFrames, "facts §4: length > 1024; SE.4"),
    answer("unverified", \.unverified, "matrix: Plain GET /accessories; HTTP.1"),
    flag("securesUnknownAddresses", \.securesUnknownAddresses, "facts §5: Not verified; HTTP.3"),
    answer("unknownAddress", \.unknownAddress, "matrix: Unknown URL secured; HTTP.21"),
    answer("wrongMethod", \.wrongMethod, "matrix: Wrong HTTP method; HTTP.20"),
    answer("malformedBody", \.malformedBody, "facts §5: Malformed JSON; HTTP.11"),
    answer("malformedQuery", \.malformedQuery, "facts §5: missing query; HTTP.12"),
    flag("refusesUnknownQueryKeys", \.refusesUnknownQueryKeys, "facts §5: an unknown query key; HTTP.14"),
    choice("queryFlags", \.queryFlags, "facts §5, §11: GET flags; HTTP.16"),
    answer("emptyRead", \.emptyRead, "facts §5: an empty id; HTTP.13"),
    answer("emptyWrite", \.emptyWrite, "facts §5: PUT with an empty array; HTTP.17"),
    flag("refusesDuplicateIDs", \.refusesDuplicateIDs, "facts §5: Duplicate id; HTTP.23"),
    choice("partialWrite", \.partialWrite, "matrix: One failing write; HTTP.9"),
    choice("chunked", \.chunked, "facts §5: Content-Length or chunked; HTTP.25"),
    flag("takesChunkedRequests", \.takesChunkedRequests, "facts §5: chunked request; HTTP.29"),
    flag("takesAnyHeaderCase", \.takesAnyHeaderCase, "matrix: Header name case; HTTP.30"),
    flag("hasIdentifyAddress", \.hasIdentifyAddress, "matrix: Plain POST /identify; ID.1"),
    answer("noResource", \.noResource, "facts §5: /resource; HTTP.60"),
    flag("securesResource", \.securesResource, "facts §11: PY does not gate /resource; HTTP.61"),
    choice("booleans", \.booleans, "facts §6: Booleans; CH.32"),
    flag("listsEmptyTLV8AsNull", \.listsEmptyTLV8AsNull, "facts §6: A readable control-point TLV; CH.23"),
    status("unknownRead", \.unknownRead, "matrix: Unknown characteristic; HTTP.10"),
    status("unknownWrite", \.unknownWrite, "matrix: Unknown characteristic; HTTP.10"),
    flag("unknownWriteEndsRequest", \.unknownWriteEndsRequest, "matrix: Unknown characteristic; HTTP.10"),
    flag("refusesIdleEntries", \.refusesIdleEntries, "facts §5: an entry with neither; CH.12"),
    flag("skipsUnknownAccessories", \.skipsUnknownAccessories, "facts §5, §11: PY drops an unknown aid; HTTP.7"),
    flag("checksPermissions", \.checksPermissions, "facts: HAP-python has no permission checks; EV.3"),
    choice("outOfRange", \.outOfRange, "facts §6: Out of range; CH.3"),
    status("refusedValue", \.refusedValue, "facts §6: values; CH.3"),
    flag("checksSteps", \.checksSteps, "facts §11: Steps; CH.5"),
    fraction("floatSnapFraction", \.floatSnapFraction, 0...0.5, "facts §11: Steps; CH.6"),
    flag("checksValidValues", \.checksValidValues, "facts §11: SDK none for valid-values; CH.7"),
    flag("takesBooleansAsNumbers", \.takesBooleansAsNumbers, "facts §6: Booleans; CH.1"),
    flag("takesWholeFloats", \.takesWholeFloats, "facts §6: Integers with a fraction; CH.2"),
    flag("nullIsMalformed", \.nullIsMalformed, "facts §6: value:null"),
    flag("refusesUnknownResponses", \.refusesUnknownResponses, "facts §5: r:true where wr is missing; CH.61"),
    duration("deviceDeadline", \.deviceDeadline, "facts §10: 9 s deadline; CH.81"),
    answer("malformedPrepare", \.malformedPrepare, "facts §6: Timed write; CH.50"),
    flag("enforcesTimedWrites", \.enforcesTimedWrites, "facts §11: Timed writes; CH.54"),
    choice("timedWriteScope", \.timedWriteScope, "matrix: Timed-write scope; CH.50"),
    flag("wrongPIDSpends", \.wrongPIDSpends, "facts §6: Timed write; CH.52"),
    flag("laterPrepareReplaces", \.laterPrepareReplaces, "facts §11: PY keeps the first; CH.53"),
    flag("executesUnpreparedWrites", \.executesUnpreparedWrites, "features [12]; CH.51"),
    duration("coalescing", \.coalescing, "matrix: Event coalescing; EV.12"),
    types("immediateEvents", \.immediateEvents, "facts §6: immediate types; EV.13"),
    flag("tellsIntermediateValues", \.tellsIntermediateValues, "features: Intermediate values; EV.12"),
    flag("tellsWriter", \.tellsWriter, "features: Writer excluded; EV.8"),
    flag("tellsUnchanged", \.tellsUnchanged, "facts §6: No event when the value did not change; EV.10"),
    choice("protocolVersion", \.protocolVersion, "facts §9: pv; AD.4"),
    flag("stateNumberGrows", \.stateNumberGrows, "facts §9: s#; AD.21"),
    flag("configurationWrapsToZero", \.configurationWrapsToZero, "features: c# wraps; AD.20"),
    flag("modelIsName", \.modelIsName, "cases DISC-23; AD.8"),
  ]
}
