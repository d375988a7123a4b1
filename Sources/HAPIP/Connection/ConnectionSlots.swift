/// A connection that may hold a slot.
package protocol SlotHolder: AnyObject {
  var remoteAddress: RemoteAddress { get }
  /// The time of the last complete request, or of connecting.
  var lastHeard: Duration { get }
  /// Whether the response to a request is pending.
  var isAnswerOwed: Bool { get }
  /// The time of the first valid M1 of Pair Verify.
  var verifyStarted: Duration? { get }
  /// Stored for `ConnectionSlots`; only it may change the value.
  var slotState: SlotState { get set }
}

/// The state of a connection in `ConnectionSlots`.
package enum SlotState: Sendable {
  /// New, evicted or closed.
  case none
  /// It has not sent a complete request yet.
  case waiting
  /// It has sent more than `shortBodyLimit` bytes of its first body, but not a complete request yet.
  case sending
  case slot
  /// It has a slot and is a verified session.
  case session

  /// Whether the connection has no slot yet, because it has not sent a complete request.
  package var isBeforeRequest: Bool { self == .waiting || self == .sending }
}

/// Shares connection slots fairly between remote addresses.
///
/// A connection waits until its first complete request, and takes a slot then. A silent connection therefore takes no
/// slot. If there are too many connections of one kind, the address with the most of them loses one first. Rules
/// CN.10 to CN.20 of `docs/internals/protocol.md`.
package struct ConnectionSlots<Holder: SlotHolder> {
  package enum Admission {
    /// Admitted. `evicting` has lost its place; the caller closes it.
    case admitted(evicting: Holder?)
    /// Refused for lack of slots; the caller closes the connection.
    case refused
  }

  /// The maximum number of connections with a slot.
  package var limit: Int
  private let sessionPatience: Duration
  /// The maximum number of waiting connections, at least 1. The limit is lower while file descriptors are scarce.
  package var waitingLimit: Int { didSet { currentWaitingLimit = waitingLimit } }
  private var currentWaitingLimit: Int
  /// The time when the process last had no file descriptor left, or `currentWaitingLimit` last grew.
  private var shrunk: Duration?
  private var taken: [Holder] = []
  private var unverifiedByAddress: [RemoteAddress: Int] = [:]
  /// In order of arrival.
  private var waiting: [Holder] = []
  private var waitingByAddress: [RemoteAddress: Int] = [:]
  /// In the order in which their first bodies exceeded `shortBodyLimit`.
  private var sending: [Holder] = []
  private var sendingByAddress: [RemoteAddress: Int] = [:]

  /// - Parameters:
  ///   - limit: the maximum number of connections with a slot.
  ///   - sessionPatience: how long a verified session must be silent before it may be evicted.
  package init(limit: Int, waitingLimit: Int = slotWaitingLimit(openFiles: .max), sessionPatience: Duration) {
    self.limit = limit
    self.waitingLimit = waitingLimit
    currentWaitingLimit = waitingLimit
    self.sessionPatience = sessionPatience
  }

  package var takenCount: Int { taken.count }
  package var waitingCount: Int { waiting.count }
  package var sendingCount: Int { sending.count }
  package var all: [Holder] { taken + waiting + sending }

  /// The maximum number of connections that send a long first body: the number of free slots, but at least 8.
  private var sendingLimit: Int { max(leastSending, limit - taken.count) }

  // MARK: Changes

  /// Adds a new connection, which waits. Refuses it if its first request could not take a slot now.
  package mutating func open(_ holder: Holder, at now: Duration) -> Admission {
    guard taken.count < limit || candidate(for: holder, at: now) != nil else { return .refused }
    growWaiting(at: now)
    holder.slotState = .waiting
    waiting.append(holder)
    waitingByAddress[holder.remoteAddress, default: 0] += 1
    return .admitted(evicting: waiting.count > currentWaitingLimit ? evictWaiting() : nil)
  }

  /// Gives a slot to a connection that has sent its first complete request.
  package mutating func take(_ holder: Holder, at now: Duration) -> Admission {
    guard holder.slotState.isBeforeRequest else { return .admitted(evicting: nil) }
    var evicted: Holder?
    if taken.count >= limit {
      guard let candidate = candidate(for: holder, at: now) else { return .refused }
      remove(candidate)
      evicted = candidate
    }
    remove(holder)
    holder.slotState = .slot
    taken.append(holder)
    unverifiedByAddress[holder.remoteAddress, default: 0] += 1
    // If a free slot was used, one connection fewer may send.
    if evicted == nil, sending.count > sendingLimit { evicted = evictSending() }
    return .admitted(evicting: evicted)
  }

  /// Moves a waiting connection to those that send a long first body: it has sent more than `shortBodyLimit` bytes of
  /// it. It takes no slot.
  /// - Returns: another such connection, which is evicted because there are too many. The caller closes it.
  package mutating func send(_ holder: Holder) -> Holder? {
    guard holder.slotState == .waiting else { return nil }
    remove(holder)
    holder.slotState = .sending
    sending.append(holder)
    sendingByAddress[holder.remoteAddress, default: 0] += 1
    return sending.count > sendingLimit ? evictSending() : nil
  }

  /// Marks a connection with a slot as a verified session.
  package mutating func verified(_ holder: Holder) {
    guard holder.slotState == .slot else { return }
    holder.slotState = .session
    unverifiedByAddress.decrement(holder.remoteAddress)
  }

  /// Removes a connection. Can be called repeatedly.
  package mutating func remove(_ holder: Holder) {
    switch holder.slotState {
    case .none: return
    case .slot, .session:
      if holder.slotState == .slot { unverifiedByAddress.decrement(holder.remoteAddress) }
      taken.removeAll { $0 === holder }
    case .waiting:
      if let index = waiting.firstIndex(where: { $0 === holder }) { waiting.remove(at: index) }
      waitingByAddress.decrement(holder.remoteAddress)
    case .sending:
      sending.removeAll { $0 === holder }
      sendingByAddress.decrement(holder.remoteAddress)
    }
    holder.slotState = .none
  }

  /// Evicts half of the waiting connections, because the process has no file descriptor left, and lowers the limit of
  /// waiting connections.
  /// - Returns: the evicted connections.
  package mutating func shrinkWaiting(at now: Duration) -> [Holder] {
    guard !waiting.isEmpty else { return [] }
    let kept = waiting.count / 2
    currentWaitingLimit = min(currentWaitingLimit, max(shortestSlotQueue, kept))
    shrunk = now
    var evicted: [Holder] = []
    while waiting.count > kept, let next = evictWaiting() { evicted.append(next) }
    return evicted
  }

  /// Doubles the limit of waiting connections if file descriptors were available for long enough.
  private mutating func growWaiting(at now: Duration) {
    guard let since = shrunk, now - since >= growthInterval else { return }
    currentWaitingLimit = min(waitingLimit, currentWaitingLimit * 2)
    shrunk = currentWaitingLimit < waitingLimit ? now : nil
  }

  private mutating func evictWaiting() -> Holder? { evictOldest(of: waiting, waitingByAddress) }

  private mutating func evictSending() -> Holder? { evictOldest(of: sending, sendingByAddress) }

  /// Evicts the oldest of these connections from the address that has the most of them.
  private mutating func evictOldest(of holders: [Holder], _ countByAddress: [RemoteAddress: Int]) -> Holder? {
    let most = countByAddress.values.max()
    guard let oldest = holders.first(where: { countByAddress[$0.remoteAddress] == most }) else { return nil }
    remove(oldest)
    return oldest
  }

  // MARK: Eviction

  /// Returns the connection that loses its slot to `newcomer`: an unverified one, otherwise a session that was silent
  /// for long enough.
  private func candidate(for newcomer: Holder, at now: Duration) -> Holder? {
    if let candidate = unverifiedCandidate(for: newcomer, at: now) { return candidate }
    // An address that already has an unverified slot evicts no session: otherwise a flood from one address would evict
    // all sessions.
    guard unverifiedByAddress[newcomer.remoteAddress] == nil else { return nil }
    let sessionCount = taken.count { $0.slotState == .session }
    guard sessionCount == taken.count || sessionCount > safeSessionCount else { return nil }
    return taken.filter { $0.slotState == .session && !$0.isAnswerOwed && now - $0.lastHeard >= sessionPatience }
      .min { $0.lastHeard < $1.lastHeard }
  }

  private func unverifiedCandidate(for newcomer: Holder, at now: Duration) -> Holder? {
    func isVerifying(_ holder: Holder) -> Bool {
      holder.verifyStarted.map { now - $0 < verifyProtection } ?? false
    }
    let own = (unverifiedByAddress[newcomer.remoteAddress] ?? 0) + 1
    let most = max(own, unverifiedByAddress.values.max() ?? 0)
    // If no other address has more unverified slots than the newcomer's would have, the newcomer evicts no connection
    // that is in Pair Verify or waits for an answer.
    let isFairShare = own < most
    var candidate: Holder?
    for holder in taken where holder.slotState == .slot {
      let count = holder.remoteAddress == newcomer.remoteAddress ? own : unverifiedByAddress[holder.remoteAddress]
      guard count == most, isFairShare || !(isVerifying(holder) || holder.isAnswerOwed) else { continue }
      guard let best = candidate else {
        candidate = holder
        continue
      }
      let isBetter =
        if isVerifying(holder) != isVerifying(best) {
          isVerifying(best)
        } else if holder.isAnswerOwed != best.isAnswerOwed {
          best.isAnswerOwed
        } else {
          holder.lastHeard < best.lastHeard
        }
      if isBetter { candidate = holder }
    }
    return candidate
  }
}

extension [RemoteAddress: Int] {
  fileprivate mutating func decrement(_ address: RemoteAddress) {
    if let count = self[address] { self[address] = count > 1 ? count - 1 : nil }
  }
}

/// Returns the maximum number of connections that wait for their first request.
/// - Parameter openFiles: the number of open files that one port may use. At most a quarter of them is for waiting
///   connections.
package func slotWaitingLimit(openFiles: Int) -> Int {
  min(longestSlotQueue, max(shortestSlotQueue, openFiles / 4))
}

/// Returns the number of slots of a port: at most half of its open files, but at least the default of every
/// accessory.
/// - Parameter openFiles: the number of open files that one port may use.
package func slotLimit(_ wanted: Int, openFiles: Int) -> Int { min(wanted, max(leastSlots, openFiles / 2)) }

/// The maximum number of bytes of its first body that a waiting connection may send. Thousands of connections may
/// wait.
package let shortBodyLimit = 2 << 10

private let longestSlotQueue = 4096
/// The lowest limit of waiting connections: more than the 64 that a listener accepts in one turn.
private let shortestSlotQueue = 128
private let leastSlots = 17
private let leastSending = 8
/// How long file descriptors must be available before the limit of waiting connections is raised.
private let growthInterval = Duration.seconds(10)
/// The number of sessions that unverified connections cannot evict: the minimum that every accessory must support.
/// HAP R2 §6.2.3.
private let safeSessionCount = 8
/// How long the first valid M1 of Pair Verify protects a connection.
private let verifyProtection = Duration.seconds(5)
