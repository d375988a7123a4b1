import HAPModel
import HAPWire

/// One pass of the rules over a database.
///
/// Each family of rules is in its own extension, and reports findings. This type limits and sorts them.
struct LintRun {
  let lint: DatabaseLint
  let facts: LintFacts
  private let selected: Set<String>?
  private var raw: [RawFinding] = []
  /// The number of findings of each kind, including those that were dropped.
  private var counts: [Kind: Count] = [:]

  private struct Kind: Hashable {
    var code: String
    var severity: LintSeverity
  }

  private struct Count {
    var number: Int
    /// The reaction of the first finding of this kind.
    var ios: IOSReaction
    var source: String?
  }

  private struct RawFinding {
    var finding: LintFinding
    /// The offset in the original text; `nil` if repair moved it.
    var offset: Int?
    /// The offset in the text that was read.
    var rank: Int
    var order: Int
  }

  init(_ lint: DatabaseLint, rules: Set<String>?, facts: LintFacts) {
    self.lint = lint
    self.facts = facts
    selected = rules
  }

  func isSelected(_ rule: LintRule) -> Bool {
    guard let selected else { return true }
    return selected.contains(rule.id) || selected.contains(rule.name)
  }

  /// Whether a recorder wrote the text for a device that is not on IP. Rules about the form of the JSON then apply to the recorder.
  var isForeignRecording: Bool { !facts.isReadOverIP && lint.database?.isOfOtherTransport == true }

  /// The parts of a finding other than rule and place.
  struct Remark {
    var severity: LintSeverity
    var message: String
    var ios = IOSReaction.unknown
    var source: String?
    var fix: String?

    init(
      _ severity: LintSeverity, _ message: String, ios: IOSReaction = .unknown, source: String? = nil,
      fix: String? = nil
    ) {
      self.severity = severity
      self.message = message
      self.ios = ios
      self.source = source
      self.fix = fix
    }
  }

  /// - Parameters:
  ///   - code: the detail of the rule, such as "serial-too-short".
  ///   - isOnceEnough: whether only the first finding of the kind is reported, and further ones are counted.
  ///   - spot: evaluated only if the finding is reported.
  ///   - remark: evaluated only if the rule is selected.
  mutating func report(
    _ rule: LintRule, _ code: String, at spot: @autoclosure () -> LintSpot, isOnceEnough: Bool = false,
    _ remark: @autoclosure () -> Remark
  ) {
    guard isSelected(rule) else { return }
    var remark = remark()
    if isForeignRecording, rule.speaksOfTheTransport, remark.severity.isFailure {
      remark.severity = .nonStrict
      remark.ios = .unknown
      remark.source = nil
      remark.message += " (in a recording of a device on Thread or Bluetooth)"
    }
    let kind = Kind(code: "\(rule.name)/\(code)", severity: remark.severity)
    counts[kind, default: Count(number: 0, ios: remark.ios, source: remark.source)].number += 1
    guard counts[kind]?.number ?? 0 <= (isOnceEnough ? 1 : DatabaseLint.mostOfAKind) else { return }
    let spot = spot()
    let finding = LintFinding(
      rule: kind.code, caseID: rule.id, path: spot.path, subject: spot.subject, summary: remark.message,
      severity: remark.severity, ios: remark.ios, source: remark.source, fix: remark.fix)
    let offset = spot.isOfTheText || lint.reading.keepsPlaces ? spot.offset : nil
    raw.append(RawFinding(finding: finding, offset: offset, rank: spot.offset ?? 0, order: raw.count))
  }

  // MARK: Running

  mutating func findings() -> [LintFinding] {
    judgeText()
    if let database = lint.database { judge(database) }
    return settled()
  }

  private mutating func judge(_ database: ParsedDatabase) {
    judgeShape(database)
    judgeIDs(database)
    judgeSerials(database)
    judgeProtocolInformation(database)
    judgeCategory(database)
    for accessory in database.accessories {
      let place = LintSpot(database, accessory)
      judgeInformation(accessory, place)
      judgeServices(accessory, place)
      for service in accessory.services {
        let place = place.service(service)
        judge(service, of: accessory, place)
        for characteristic in service.characteristics {
          judge(characteristic, of: service, place.characteristic(characteristic))
        }
      }
    }
  }

  private mutating func judge(_ service: ParsedService, of accessory: ParsedAccessory, _ place: LintSpot) {
    judgeType(service.value["type"], place)
    judgeAgainstCatalogue(service, place)
    judgeHidden(service, place)
    judgeThresholds(service, place)
    judgeColours(service, place)
  }

  private mutating func judge(_ characteristic: ParsedCharacteristic, of service: ParsedService, _ place: LintSpot) {
    judgeType(characteristic.value["type"], place)
    judgeFormat(characteristic, place)
    judgePermissions(characteristic, place)
    judgeDefinition(characteristic, place)
    judgeLimits(characteristic, place)
    judgeValue(characteristic, of: service, place)
  }

  /// Returns the findings in the order of the text, with places, and with a remark for each kind that was cut.
  private func settled() -> [LintFinding] {
    var kept = raw
    var remarks: [LintFinding] = []
    if kept.count > DatabaseLint.mostFindings {
      kept.sort { ($0.finding.severity, $0.order) < ($1.finding.severity, $1.order) }
      kept.removeSubrange(DatabaseLint.mostFindings...)
    }
    let told = Dictionary(grouping: kept) { Kind(code: $0.finding.rule, severity: $0.finding.severity) }
    for (kind, count) in counts {
      let missing = count.number - (told[kind]?.count ?? 0)
      guard missing > 0, let id = lint.caseID(of: kind.code) else { continue }
      remarks.append(
        LintFinding(
          rule: kind.code, caseID: id, path: "", subject: LintSubject(), summary: "\(missing) more of this kind",
          severity: kind.severity, ios: count.ios, source: count.source))
    }
    remarks.sort { ($0.caseID, $0.rule, $0.severity) < ($1.caseID, $1.rule, $1.severity) }
    kept.sort { ($0.rank, $0.order) < ($1.rank, $1.order) }
    return lint.placed(kept.map { ($0.finding, $0.offset) }) + remarks
  }
}

extension DatabaseLint {
  fileprivate func caseID(of code: String) -> String? {
    Self.rules.first { $0.name == code.prefix { $0 != "/" } }?.id
  }

  /// Sets the lines and columns of findings and reads each byte only once.
  /// - Parameter findings: by ascending offset.
  fileprivate func placed(_ findings: [(LintFinding, Int?)]) -> [LintFinding] {
    var at = 0
    var place = JSONPlace(line: 1, column: 1)
    return text.withUnsafeBufferPointer { text in
      findings.map { finding, offset in
        var finding = finding
        guard let offset else { return finding }
        while at < min(offset, text.count) {
          if text[at] == 0x0A {
            place = JSONPlace(line: place.line + 1, column: 1)
          } else if text[at] & 0xC0 != 0x80 {
            place.column += 1
          }
          at += 1
        }
        finding.place = place
        return finding
      }
    }
  }
}
