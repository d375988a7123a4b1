import HAPWire

/// How bad a finding is, the worst first.
package enum LintSeverity: String, CaseIterable, Comparable, Sendable {
  /// A rule that binds is broken.
  case must
  /// A rule that asks is not followed.
  case should
  /// Against the rule, but seen in certified devices or done by other stacks; the message says whose.
  case nonStrict = "non-strict"
  /// Worth knowing.
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

  /// Whether it makes a database one that doesn't conform.
  package var isFailure: Bool { self == .must || self == .should }
}

/// What iOS is reported to do about something. Nobody outside Apple knows more than reports.
package enum IOSReaction: String, CaseIterable, Sendable {
  /// It refuses the accessory, or drops the pairing.
  case rejects
  /// Devices that work have it.
  case tolerates
  /// No report is known.
  case unknown
}

/// What a finding is about, in words; empty where it is about no such thing.
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

/// One thing in a database that a rule speaks of.
package struct LintFinding: Hashable, Sendable {
  /// The rule's name and what about it, "information-lengths/serial-too-short".
  package var rule: String
  /// The row of the catalogue of cases, "ADB-08".
  package var caseID: String
  /// Where it stands. Nil where the text was not JSON and had to be mended before it could be read.
  package var place: JSONPlace?
  /// `accessories[0].services[1].characteristics[2].value`; empty for the whole.
  package var path: String
  package var subject: LintSubject
  /// What is wrong, without where.
  package var summary: String
  package var severity: LintSeverity
  package var ios: IOSReaction
  /// Who reports what iOS does, or whose devices have it, "homebridge#178".
  package var source: String?
  /// What to do about it.
  package var fix: String?

  /// Where and what, in one sentence.
  package var message: String {
    let subject = subject.description
    return subject.isEmpty ? summary : "\(subject): \(summary)"
  }
}
