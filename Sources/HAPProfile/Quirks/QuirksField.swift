import HAPAttributes
import HAPIP
import HAPModel
import HAPPairing

/// One field of `Quirks` by its name in profiles and on the command line: its kind, and how to read and set it as text.
public struct QuirksField: Sendable {
  /// The kind of values a field accepts, in JSON terms.
  public enum Kind: Hashable, Sendable {
    /// `true` or `false`.
    case boolean
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A number in a range.
    case fraction(ClosedRange<Double>)
    /// One of these strings.
    case choice([String])
    /// A duration such as "250ms", "2s" or "0s".
    case duration
    /// An answer such as "470 -70411", see `HTTPAnswer`.
    case answer
    /// A HAP status other than 0, such as -70409.
    case status
    /// A list of types, short or full.
    case types
  }

  /// A value of a field, in JSON terms.
  public enum Setting: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    case fraction(Double)
    case text(String)
    case list([String])
  }

  /// The name of the property.
  public let name: String
  /// The kind of values it accepts.
  public let kind: Kind
  private let get: @Sendable (Quirks) -> Setting
  private let set: @Sendable (inout Quirks, Setting) -> Bool

  /// Returns the value of this field.
  public func setting(of quirks: Quirks) -> Setting { get(quirks) }

  /// - Returns: `false`, without a change, if the field doesn't accept the setting.
  public func apply(_ setting: Setting, to quirks: inout Quirks) -> Bool { set(&quirks, setting) }

  /// Returns the field with this name.
  public static func named(_ name: String) -> QuirksField? { all.first { $0.name == name } }
}

extension QuirksField {
  private typealias Path<Value> = WritableKeyPath<Quirks, Value> & Sendable

  private static func flag(_ name: String, _ path: Path<Bool>) -> QuirksField {
    QuirksField(name: name, kind: .boolean, get: { .boolean($0[keyPath: path]) }) { quirks, setting in
      guard case .boolean(let value) = setting else { return false }
      quirks[keyPath: path] = value
      return true
    }
  }

  private static func number(_ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>)
    -> QuirksField
  {
    QuirksField(name: name, kind: .integer(range), get: { .integer($0[keyPath: path]) }) {
      quirks, setting in
      guard case .integer(let value) = setting, range.contains(value) else { return false }
      quirks[keyPath: path] = value
      return true
    }
  }

  private static func fraction(_ name: String, _ path: Path<Double>, _ range: ClosedRange<Double>)
    -> QuirksField
  {
    QuirksField(name: name, kind: .fraction(range), get: { .fraction($0[keyPath: path]) }) {
      quirks, setting in
      switch setting {
      case .fraction(let value) where range.contains(value): quirks[keyPath: path] = value
      case .integer(let value) where range.contains(Double(value)): quirks[keyPath: path] = Double(value)
      default: return false
      }
      return true
    }
  }

  private static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Choice>
  ) -> QuirksField where Choice.RawValue == String {
    QuirksField(
      name: name, kind: .choice(Choice.allCases.map(\.rawValue)),
      get: { .text($0[keyPath: path].rawValue) }
    ) { quirks, setting in
      guard case .text(let word) = setting, let value = Choice(rawValue: word) else { return false }
      quirks[keyPath: path] = value
      return true
    }
  }

  private static func duration(_ name: String, _ path: Path<Duration>) -> QuirksField {
    QuirksField(name: name, kind: .duration, get: { .text($0[keyPath: path].fieldText) }) {
      quirks, setting in
      guard case .text(let text) = setting, let value = Duration(text) else { return false }
      quirks[keyPath: path] = value
      return true
    }
  }

  private static func answer(_ name: String, _ path: Path<HTTPAnswer>) -> QuirksField {
    QuirksField(name: name, kind: .answer, get: { .text($0[keyPath: path].text) }) { quirks, setting in
      guard case .text(let text) = setting, let value = HTTPAnswer(text) else { return false }
      quirks[keyPath: path] = value
      return true
    }
  }

  private static func status(_ name: String, _ path: Path<HAPStatus>) -> QuirksField {
    QuirksField(name: name, kind: .status, get: { .integer(Int($0[keyPath: path].rawValue)) }) {
      quirks, setting in
      guard case .integer(let number) = setting, let value = Int32(exactly: number).flatMap(HAPStatus.init),
        value != .success
      else { return false }
      quirks[keyPath: path] = value
      return true
    }
  }

  private static func types(_ name: String, _ path: Path<Set<TypeID>>) -> QuirksField {
    QuirksField(
      name: name, kind: .types, get: { .list($0[keyPath: path].map(\.wireForm).sorted()) }
    ) { quirks, setting in
      guard case .list(let names) = setting else { return false }
      let types = names.compactMap { TypeID($0) ?? Catalogue.characteristic(named: $0)?.type }
      guard types.count == names.count else { return false }
      quirks[keyPath: path] = Set(types)
      return true
    }
  }

  /// Every field, in the order of the documentation. A test compares the names with the properties of `Quirks`.
  public static let all: [QuirksField] = [
    choice("setupOutOfOrder", \.pairing.setupOutOfOrder),
    flag("tellsBusy", \.pairing.tellsBusy),
    duration("setupTakeover", \.pairing.setupTakeover),
    flag("takeoverCountsFromStart", \.pairing.takeoverCountsFromStart),
    number("maximumTries", \.pairing.maximumTries, 0...1_000_000),
    flag("keepsFailedTries", \.pairing.keepsFailedTries),
    flag("clearsFailedTries", \.pairing.clearsFailedTries),
    choice("proofForms", \.pairing.proofForms),
    choice("exchangeFailure", \.pairing.exchangeFailure),
    choice("signatureFailure", \.pairing.signatureFailure),
    flag("heedsSetupFlags", \.pairing.heedsSetupFlags),
    choice("setupMethod1", \.pairing.setupMethod1),
    choice("unpairedVerify", \.pairing.unpairedVerify),
    flag("refusesVerifyMethod", \.pairing.refusesVerifyMethod),
    number("maximumPairings", \.pairing.maximumPairings, 1...10_000),
    flag("overwritesKeys", \.pairing.overwritesKeys),
    flag("removesUnknownPairings", \.pairing.removesUnknownPairings),
    flag("closesRemovedSessions", \.pairing.closesRemovedSessions),
    flag("listsForAdminsOnly", \.pairing.listsForAdminsOnly),
    flag("listHasState", \.pairing.listHasState),
    flag("listNeedsIdentifier", \.pairing.listNeedsIdentifier),
    flag("demotionDropsAll", \.pairing.demotionDropsAll),
    number("maximumSessions", \.ip.maximumSessions, 1...10_000),
    duration("reclaimsAfter", \.ip.reclaimsAfter),
    flag("takesLongFrames", \.ip.takesLongFrames),
    answer("unverified", \.ip.unverified),
    flag("securesUnknownAddresses", \.ip.securesUnknownAddresses),
    answer("unknownAddress", \.ip.unknownAddress),
    answer("wrongMethod", \.ip.wrongMethod),
    flag("servesAnyMethod", \.ip.servesAnyMethod),
    answer("malformedBody", \.ip.malformedBody),
    answer("malformedQuery", \.ip.malformedQuery),
    flag("refusesUnknownQueryKeys", \.ip.refusesUnknownQueryKeys),
    choice("queryFlags", \.ip.queryFlags),
    answer("emptyRead", \.ip.emptyRead),
    answer("emptyWrite", \.ip.emptyWrite),
    flag("refusesDuplicateIDs", \.ip.refusesDuplicateIDs),
    choice("partialWrite", \.ip.partialWrite),
    choice("chunked", \.ip.chunked),
    flag("takesChunkedRequests", \.ip.takesChunkedRequests),
    flag("takesAnyHeaderCase", \.ip.takesAnyHeaderCase),
    flag("hasIdentifyAddress", \.ip.hasIdentifyAddress),
    answer("noResource", \.ip.noResource),
    flag("securesResource", \.ip.securesResource),
    choice("booleans", \.ip.booleans),
    flag("listsEmptyTLV8AsNull", \.ip.listsEmptyTLV8AsNull),
    status("unknownRead", \.attributes.unknownRead),
    status("unknownWrite", \.attributes.unknownWrite),
    flag("unknownWriteEndsRequest", \.attributes.unknownWriteEndsRequest),
    flag("refusesIdleEntries", \.attributes.refusesIdleEntries),
    flag("idleEntryIsMalformed", \.ip.idleEntryIsMalformed),
    flag("skipsUnknownAccessories", \.ip.skipsUnknownAccessories),
    flag("checksPermissions", \.attributes.checksPermissions),
    choice("outOfRange", \.attributes.values.outOfRange),
    status("refusedValue", \.attributes.refusedValue),
    flag("checksSteps", \.attributes.values.checksSteps),
    fraction("floatSnapFraction", \.attributes.values.floatSnapFraction, 0...0.5),
    flag("checksValidValues", \.attributes.values.checksValidValues),
    flag("takesBooleansAsNumbers", \.attributes.values.takesBooleansAsNumbers),
    flag("takesWholeFloats", \.attributes.values.takesWholeFloats),
    flag("takesFractions", \.attributes.values.takesFractions),
    flag("nullIsMalformed", \.ip.nullIsMalformed),
    flag("nullIsNoValue", \.ip.nullIsNoValue),
    flag("refusesUnknownResponses", \.attributes.refusesUnknownResponses),
    flag("returnsUnknownResponses", \.attributes.returnsUnknownResponses),
    duration("deviceDeadline", \.attributes.deviceDeadline),
    answer("malformedPrepare", \.ip.malformedPrepare),
    answer("malformedPrepareBody", \.ip.malformedPrepareBody),
    flag("enforcesTimedWrites", \.attributes.enforcesTimedWrites),
    choice("timedWriteScope", \.attributes.timedWriteScope),
    flag("wrongPIDSpends", \.attributes.wrongPIDSpends),
    flag("laterPrepareReplaces", \.attributes.laterPrepareReplaces),
    flag("executesUnpreparedWrites", \.ip.executesUnpreparedWrites),
    duration("coalescing", \.attributes.coalescing),
    flag("sendsFirstEventAtOnce", \.attributes.sendsFirstEventAtOnce),
    types("immediateEvents", \.attributes.immediateEvents),
    flag("tellsIntermediateValues", \.attributes.tellsIntermediateValues),
    flag("tellsWriter", \.attributes.tellsWriter),
    flag("tellsUnchanged", \.attributes.tellsUnchanged),
    choice("protocolVersion", \.ip.protocolVersion),
    flag("stateNumberGrows", \.ip.stateNumberGrows),
    flag("configurationWrapsToZero", \.ip.configurationWrapsToZero),
    flag("modelIsName", \.ip.modelIsName),
  ]
}

extension Duration {
  /// A text that parses to the same duration.
  fileprivate var fieldText: String { Duration(shortText) == self ? shortText : exactText }
}
