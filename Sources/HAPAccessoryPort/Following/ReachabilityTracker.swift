import HAPModel

/// Decides which accessories can be reached, and when a change is reported. home.md §10.
///
/// An accessory can be reached while its connection is ready. An accessory behind a bridge can be reached only if, in
/// addition, the last answer about it was not -70402; such an accessory is asked again after 60 s, and after each new
/// connection. A change is reported once, after 250 ms without another one; a change that was undone meanwhile is not
/// reported.
///
/// Times are uptimes. They never decrease.
package struct ReachabilityTracker: Sendable {
  /// An accessory of a paired device.
  package struct Member: Hashable, Sendable, Comparable {
    package var device: DeviceID
    package var aid: UInt64

    package init(_ device: DeviceID, aid: UInt64) { (self.device, self.aid) = (device, aid) }

    package static func < (left: Member, right: Member) -> Bool {
      left.device != right.device ? left.device < right.device : left.aid < right.aid
    }
  }

  package enum Action: Hashable, Sendable {
    /// The accessory can be reached or not. `why`: the reason if not.
    case report(Member, isReachable: Bool, why: String?)
    /// Read a characteristic of the accessory, and pass the status to `answered`.
    case ask(Member)
  }

  /// The time without another change before a change is reported.
  package static let settlingTime = Duration.milliseconds(250)
  /// The time until an accessory that did not answer its bridge is asked again.
  package static let askAgain = Duration.seconds(60)

  private struct State: Sendable {
    /// Whether the last answer about it was not -70402.
    var answersBridge = true
    var isReported = false
    /// The time of the report of an unreported change.
    var reportTime: Duration?
    var askTime: Duration?
  }

  /// Accessories with their times, in the order of the times. An entry is void if its accessory has another time by now.
  private struct Queue: Sendable {
    private var entries: [(time: Duration, member: Member)] = []
    private var start = 0

    var first: (time: Duration, member: Member)? { start < entries.count ? entries[start] : nil }

    /// The number of entries at which the void ones are removed.
    private var limit = 64

    /// - Parameter isValid: removes the void entries from time to time: a bridge can cause thousands in a second.
    mutating func append(_ member: Member, at time: Duration, isValid: (Member, Duration) -> Bool) {
      entries.append((time, member))
      guard entries.count >= limit else { return }
      var kept: Set<Member> = []
      entries = entries[start...].filter { isValid($0.member, $0.time) && kept.insert($0.member).inserted }
      start = 0
      limit = max(64, 2 * entries.count)
    }

    mutating func removeFirst() {
      start += 1
      guard 2 * start > entries.count else { return }
      entries.removeFirst(start)
      start = 0
    }
  }

  private struct Connection: Sendable {
    var isReady = false
    var why: String
  }

  private var connections: [DeviceID: Connection] = [:]
  private var states: [DeviceID: [UInt64: State]] = [:]
  /// The times of reports, of questions after a new connection, and of questions that are repeated. In each queue the
  /// times are those of the inputs and a constant, so a new one is the latest.
  private var reports = Queue()
  private var questions = Queue()
  private var repetitions = Queue()

  package init() {}

  // MARK: Inputs

  /// Sets the accessories of a device. New ones count as reported to be not reachable.
  /// - Parameter aids: with 1, the device itself. An empty set forgets the device.
  package mutating func setAccessories(_ aids: Set<UInt64>, of device: DeviceID, at now: Duration) {
    guard !aids.isEmpty else {
      connections.removeValue(forKey: device)
      states.removeValue(forKey: device)
      return findDeadline()
    }
    if connections[device] == nil { connections[device] = Connection(why: "no connection was made yet") }
    let old = states[device] ?? [:]
    states[device] = Dictionary(uniqueKeysWithValues: aids.map { ($0, old[$0] ?? State()) })
    review(device, at: now)
  }

  /// The connection of a device is ready.
  package mutating func connected(_ device: DeviceID, at now: Duration) {
    guard connections[device] != nil else { return }
    connections[device]?.isReady = true
    for (aid, state) in states[device] ?? [:] where !state.answersBridge {
      states[device]?[aid]?.askTime = now
      note(Member(device, aid: aid), askedAt: now, in: \.questions)
    }
    review(device, at: now)
  }

  /// The connection of a device was lost, or could not be made.
  package mutating func lost(_ device: DeviceID, why: String, at now: Duration) {
    guard connections[device] != nil else { return }
    connections[device] = Connection(why: why)
    for aid in (states[device] ?? [:]).keys { states[device]?[aid]?.askTime = nil }
    review(device, at: now)
  }

  /// An accessory answered, or its bridge answered for it.
  /// - Parameter status: HAP status of a read, a write, a subscription or an event; 0: success.
  package mutating func answered(_ member: Member, status: Int, at now: Duration) {
    guard member.aid != 1, var state = states[member.device]?[member.aid] else { return }
    let answersBridge = status != Int(HAPStatus.unableToCommunicate.rawValue)
    // Each event passes here, so the usual case is cheap.
    if answersBridge, state.answersBridge { return }
    state.answersBridge = answersBridge
    let isReady = connections[member.device]?.isReady == true
    state.askTime = state.answersBridge || !isReady ? nil : now + Self.askAgain
    states[member.device]?[member.aid] = state
    if let time = state.askTime { note(member, askedAt: time, in: \.repetitions) }
    review(member.device, at: now)
  }

  /// Notes the changes of a device: a change starts the settling time, and one that was undone ends it.
  private mutating func review(_ device: DeviceID, at now: Duration) {
    for aid in (states[device] ?? [:]).keys {
      guard var state = states[device]?[aid] else { continue }
      let isReachable = isReachable(Member(device, aid: aid))
      let wasChanging = state.reportTime != nil
      if isReachable == state.isReported {
        state.reportTime = nil
      } else if !wasChanging {
        state.reportTime = now + Self.settlingTime
      }
      states[device]?[aid] = state
      guard !wasChanging, let time = state.reportTime else { continue }
      let states = states
      reports.append(Member(device, aid: aid), at: time) { states[$0.device]?[$0.aid]?.reportTime == $1 }
    }
    findDeadline()
  }

  // MARK: Outputs

  /// The next time at which `advance` is required; nil: none.
  package private(set) var nextDeadline: Duration?

  private mutating func findDeadline() {
    while let first = reports.first, state(first.member)?.reportTime != first.time { reports.removeFirst() }
    while let first = questions.first, state(first.member)?.askTime != first.time { questions.removeFirst() }
    while let first = repetitions.first, state(first.member)?.askTime != first.time { repetitions.removeFirst() }
    nextDeadline = [reports.first, questions.first, repetitions.first].compactMap { $0?.time }.min()
  }

  /// Puts an accessory with its `askTime` into a queue.
  private mutating func note(_ member: Member, askedAt time: Duration, in queue: WritableKeyPath<Self, Queue>) {
    let states = states
    self[keyPath: queue].append(member, at: time) { states[$0.device]?[$0.aid]?.askTime == $1 }
  }

  private func state(_ member: Member) -> State? { states[member.device]?[member.aid] }

  /// Returns the actions that are due, in the order of the accessories.
  package mutating func advance(to now: Duration) -> [Action] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    defer { findDeadline() }
    var due: Set<Member> = []
    for queue in [\Self.reports, \.questions, \.repetitions] {
      while let first = self[keyPath: queue].first, first.time <= now {
        self[keyPath: queue].removeFirst()
        due.insert(first.member)
      }
    }
    return due.sorted().flatMap { actions(of: $0, at: now) }
  }

  private mutating func actions(of member: Member, at now: Duration) -> [Action] {
    guard var state = state(member) else { return [] }
    var actions: [Action] = []
    if let time = state.reportTime, time <= now {
      state.reportTime = nil
      state.isReported.toggle()
      actions.append(.report(member, isReachable: state.isReported, why: why(member)))
    }
    if let time = state.askTime, time <= now {
      // Without an answer it is asked again.
      state.askTime = now + Self.askAgain
      actions.append(.ask(member))
    }
    states[member.device]?[member.aid] = state
    if actions.contains(.ask(member)) { note(member, askedAt: now + Self.askAgain, in: \.repetitions) }
    return actions
  }

  /// Whether an accessory can be reached now. False for an unknown one.
  package func isReachable(_ member: Member) -> Bool {
    guard let state = states[member.device]?[member.aid] else { return false }
    return connections[member.device]?.isReady == true && state.answersBridge
  }

  /// The reason why an accessory can't be reached now; nil if it can.
  package func why(_ member: Member) -> String? {
    if isReachable(member) { return nil }
    guard let connection = connections[member.device], states[member.device]?[member.aid] != nil else {
      return "the accessory is not known"
    }
    return connection.isReady ? "the bridge can't reach the accessory" : connection.why
  }

  /// The accessories that were reported to be reachable.
  package var reported: Set<Member> {
    var members: Set<Member> = []
    for (device, states) in states {
      for (aid, state) in states where state.isReported { members.insert(Member(device, aid: aid)) }
    }
    return members
  }
}
