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

  private struct Connection: Sendable {
    var isReady = false
    var why: String
  }

  private var connections: [DeviceID: Connection] = [:]
  private var states: [DeviceID: [UInt64: State]] = [:]

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
    for (aid, state) in states[device] ?? [:] where !state.answersBridge { states[device]?[aid]?.askTime = now }
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
    }
    findDeadline()
  }

  // MARK: Outputs

  /// The next time at which `advance` is required; nil: none.
  package private(set) var nextDeadline: Duration?

  private mutating func findDeadline() {
    nextDeadline = nil
    for states in states.values {
      for state in states.values {
        for time in [state.reportTime, state.askTime] {
          if let time { nextDeadline = min(nextDeadline ?? time, time) }
        }
      }
    }
  }

  /// Returns the actions that are due, in the order of the accessories.
  package mutating func advance(to now: Duration) -> [Action] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    defer { findDeadline() }
    var actions: [Action] = []
    for device in states.keys.sorted() {
      for aid in (states[device] ?? [:]).keys.sorted() {
        guard var state = states[device]?[aid] else { continue }
        let member = Member(device, aid: aid)
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
        states[device]?[aid] = state
      }
    }
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
