import HAPDeviations

/// A deliberate error that makes an invariant fail.
package enum SwarmMutation: String, SwarmWord {
  // Errors of the machine.
  case diskIgnoresSync = "disk-ignores-sync"
  case valuesLost = "values-lost-by-a-crash"
  case stateLost = "state-lost-by-a-crash"
  case leak = "a-socket-for-each-value-set-by-hand"
  // Errors of the accessory: defects.
  case tries = "tries-not-kept"
  case writer = "events-to-the-writer"
  case unsubscribing = "unsubscribing-is-not-done"
  case eventLost = "changes-of-brightness-untold"
  case counter = "event-takes-answers-number"
  case configuration = "configuration-number-constant"
  case unanswered = "reads-without-an-answer"
  case slow = "reads-answered-late"
  case unsound = "event-lost-among-answers"
  // Errors of a node, its machine or its network.
  case fabricsLost = "node-disk-ignores-sync"
  case removalsUndone = "removed-fabrics-restored-by-a-crash"
  case eventsRepeated = "event-numbers-restored-by-a-crash"
  case labelChanged = "passcode-changed-by-a-crash"
  case sessionsEnded = "sessions-ended-by-removals"
  case protocolsDiffer = "brightness-raised-in-reads"
  case timeless = "time-stands-still-at-rest"
  case recordsLeft = "records-not-withdrawn"
  case datagramsLost = "datagrams-lost-without-a-fault"
  case datagramsLate = "datagrams-late-without-a-fault"
  // What a Matter controller receives differs from what the node has sent.
  case oldValues = "values-of-the-first-read"
  case oldReports = "reports-without-changes"
  case versionsConstant = "data-versions-constant"
  case commandsFail = "commands-answered-with-failure"

  package var isOfMatter: Bool {
    switch self {
    case .diskIgnoresSync, .valuesLost, .stateLost, .leak, .tries, .writer, .unsubscribing, .eventLost, .counter,
      .configuration, .unanswered, .slow, .unsound:
      false
    case .fabricsLost, .removalsUndone, .eventsRepeated, .labelChanged, .sessionsEnded, .protocolsDiffer, .timeless,
      .recordsLeft, .datagramsLost, .datagramsLate, .oldValues, .oldReports, .versionsConstant, .commandsFail:
      true
    }
  }

  /// Whether disks report syncs as done that are not.
  var ignoresSync: Bool { self == .diskIgnoresSync || self == .fabricsLost }
  /// Whether a crash restores an earlier state of the accessory.
  package var restoresState: Bool { self == .removalsUndone || self == .eventsRepeated }

  /// The defect to install in each accessory.
  var defect: Defect? { Self.own.defects.first { $0.id == rawValue } ?? DefectLibrary.builtIn[rawValue] }

  /// The defects that are not built into hapsim.
  private static let own: DefectFile = {
    let text = """
      area: swarm
      defects:
        - id: tries-not-kept
          breaks: PS-31
          what: The count of wrong setup codes is lost when the process ends.
          quirks: { keepsFailedTries: false }
        - id: events-to-the-writer
          breaks: EV-13
          what: The connection that wrote a value gets an event of it.
          quirks: { tellsWriter: true }
        - id: reads-without-an-answer
          breaks: RD-01
          what: The third read of a session has no answer.
          rules:
            - when: { request: GET /characteristics, nth: 3 }
              drop: true
        - id: reads-answered-late
          breaks: RD-01
          what: Reads are answered after four seconds.
          rules:
            - when: { answer: GET /characteristics }
              pause: 4s
        - id: brightness-raised-in-reads
          breaks: RD-01
          what: Reads of Brightness return one percent more.
          rules:
            - when: { answer: GET /characteristics, where: ["/characteristics/*[type=Brightness]"] }
              json:
                - { raise: "/characteristics/*[type=Brightness]/value", by: 1 }
      """
    let file = DefectFile(Array(text.utf8), file: "swarm")
    precondition(file.problems.isEmpty, "\(file.problems)")
    return file
  }()

  /// The required profile, or `nil` for any.
  var profile: String? { self == .eventLost ? "light-white" : nil }

  /// The invariant that must fail.
  package var breaks: SwarmInvariant {
    switch self {
    case .diskIgnoresSync: .pairingsAgree
    case .valuesLost: .writesAreKept
    case .stateLost: .identityIsKept
    case .leak: .memoryReturns
    case .tries: .triesAreKept
    case .writer: .noEventToWriter
    case .unsubscribing: .noEventUnsubscribed
    case .eventLost: .noEventLost
    case .counter: .countersAreUnique
    case .configuration: .configurationRises
    case .unanswered: .requestsAreAnswered
    case .slow: .waitsAreBounded
    case .unsound, .commandsFail: .answersAreSound
    case .fabricsLost: .commissioningsAreKept
    case .removalsUndone: .removalsAreKept
    case .eventsRepeated: .eventNumbersRise
    case .labelChanged: .identityIsKept
    case .sessionsEnded: .removalsHarmNobody
    case .protocolsDiffer: .protocolsAgree
    case .timeless: .tablesAreBounded
    case .recordsLeft: .recordsAreTrue
    case .datagramsLost: .requestsAreAnswered
    case .datagramsLate: .waitsAreBounded
    case .oldValues: .writesAreKept
    case .oldReports: .subscriptionsConverge
    case .versionsConstant: .versionsFollowData
    }
  }
}
