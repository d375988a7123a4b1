import HAPWire

/// The severity of a finding, the worst first.
package enum LintSeverity: String, CaseIterable, Comparable, Sendable {
  /// A MUST rule is violated.
  case must
  /// A SHOULD rule is violated.
  case should
  /// A deviation that certified devices or other stacks share. The message names them.
  case nonStrict = "non-strict"
  /// Useful information.
  case info

  package static func < (left: LintSeverity, right: LintSeverity) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .must: 0
    case .should: 1
    case .nonStrict: 2
    case .info: 3
    }
  }

  /// Whether the finding makes the database non-conforming.
  package var isFailure: Bool { self == .must || self == .should }
}

/// The reported reaction of iOS. Only reports are known outside Apple.
package enum IOSReaction: String, CaseIterable, Sendable {
  /// iOS refuses the accessory, or drops the pairing.
  case rejects
  /// Working devices do the same.
  case tolerates
  /// No report is known.
  case unknown
}

/// The subject of a finding in words; parts that do not apply are empty.
package struct LintSubject: Hashable, Sendable {
  /// `accessory 1 "Hall Lamp"`
  package var accessory = ""
  /// `Light Bulb (iid 8)`
  package var service = ""
  /// `Brightness (iid 10)`
  package var characteristic = ""

  /// `Brightness (iid 10) of Light Bulb (iid 8) of accessory 1 "Hall Lamp"`
  package var description: String {
    [characteristic, service, accessory].filter { !$0.isEmpty }.joined(separator: " of ")
  }
}

/// A violation, deviation or remark at one place of a database.
package struct LintFinding: Hashable, Sendable {
  /// The name of the rule with a code, such as "information-lengths/serial-too-short".
  package var rule: String
  /// The id of the rule, such as "ADB-08".
  package var caseID: String
  /// The position. `nil` if the text had to be repaired before it could be read as JSON.
  package var place: JSONPlace?
  /// The path `accessories[0].services[1].characteristics[2].value`; empty for the whole database.
  package var path: String
  package var subject: LintSubject
  /// The problem, without its place.
  package var summary: String
  package var severity: LintSeverity
  package var ios: IOSReaction
  /// The source of the reported reaction of iOS, or the devices that do the same: "homebridge#178".
  package var source: String?
  /// How to fix the problem.
  package var fix: String?

  /// The place and the problem in one sentence.
  package var message: String {
    let subject = subject.description
    return subject.isEmpty ? summary : "\(subject): \(summary)"
  }
}
