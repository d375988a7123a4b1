/// A connection that may hold a slot.
package protocol SlotHolder: AnyObject {
  var remoteAddress: RemoteAddress { get }
  /// When the last whole request came, or the connection itself.
  var lastHeard: Duration { get }
  /// Whether the answer to a request is still owed.
  var isAnswerOwed: Bool { get }
  /// When the first valid M1 of Pair Verify came.
  var verifyStarted: Duration? { get }
  /// Kept for `ConnectionSlots`, which alone changes it.
  var slotState: SlotState { get set }
}

/// The state of a connection in `ConnectionSlots`.
package enum SlotState: Sendable {
  /// New, evicted or closed.
  case none
  /// It has sent no whole request yet.
  case waiting
  /// It has sent more than `shortBodyLimit` bytes of its first body, and no whole request yet.
  case sending
  case slot
  /// It has a slot as a verified session.
  case session

  /// Whether the connection has no slot before its first whole request.
  package var isBeforeRequest: Bool { self == .waiting || self == .sending }
}

/// Shares connection slots fairly between remote addresses.
///
/// A connection waits until its first whole request, and takes a slot then. So a silent connection takes no slot. When there are too many of
/// one kind, the address with the most of them loses one first. Rules CN.10 to CN.20 of `docs/protocol.md`.
package struct ConnectionSlots<Holder: SlotHolder> {
  package enum Admission {
    /// There is room. `evicting` has lost its place, and the caller closes it.
    case admitted(evicting: Holder?)
    /// There is no room, and the caller closes the connection.
    case refused
  }

  /// Connections with a slot.
  package var limit: Int
  private let sessionPatience: Duration
  /// Connections that may wait at once, at least 1. While files are short fewer may.
  package var waitingLimit: Int { didSet { currentWaitingLimit = waitingLimit } }
  private var currentWaitingLimit: Int
  /// When the process last had no open file left, or `currentWaitingLimit` last grew.
  private var shrunk: Duration?
  private var taken: [Holder] = []
  private var unverifiedByAddress: [RemoteAddress: Int] = [:]
  /// In order of arrival.
  private var waiting: [Holder] = []
  private var waitingByAddress: [RemoteAddress: Int] = [:]
  /// In the order in which their bodies grew too long to wait.
  private var sending: [Holder] = []
  private var sendingByAddress: [RemoteAddress: Int] = [:]

  /// - Parameters:
  ///   - limit: connections with a slot.
  ///   - sessionPatience: how long a verified session is silent before it may be evicted.
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

  /// Connections that may send a long first body at once: as many as there are free slots, and 8 at least.
  private var sendingLimit: Int { max(leastSending, limit - taken.count) }

  // MARK: Changes

  /// Lets a new connection wait. It is refused if its first request could take no slot now.
  package mutating func open(_ holder: Holder, at now: Duration) -> Admission {
    guard taken.count < limit || candidate(for: holder, at: now) != nil else { return .refused }
    growWaiting(at: now)
    holder.slotState = .waiting
    waiting.append(holder)
    waitingByAddress[holder.remoteAddress, default: 0] += 1
    return .admitted(evicting: waiting.count > currentWaitingLimit ? evictWaiting() : nil)
  }

  /// Gives a slot to a connection that has sent its first whole request.
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
    // Where a slot was free, one connection fewer may send.
    if evicted == nil, sending.count > sendingLimit { evicted = evictSending() }
    return .admitted(evicting: evicted)
  }

  /// Counts a waiting connection among those that send a long first body: it has sent more than `shortBodyLimit` bytes of it. It takes no slot.
  /// - Returns: another such connection, which is evicted because there are too many. The caller closes it.
  package mutating func send(_ holder: Holder) -> Holder? {
    guard holder.slotState == .waiting else { return nil }
    remove(holder)
    holder.slotState = .sending
    sending.append(holder)
    sendingByAddress[holder.remoteAddress, default: 0] += 1
    return sending.count > sendingLimit ? evictSending() : nil
  }

  /// Counts a connection with a slot as a verified session from now on.
  package mutating func verified(_ holder: Holder) {
    guard holder.slotState == .slot else { return }
    holder.slotState = .session
    unverifiedByAddress.decrement(holder.remoteAddress)
  }

  /// Removes a connection. Any number of times.
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

  /// Evicts half of the waiting connections, because the process has no open file left. Fewer may wait from now on.
  /// - Returns: the evicted ones.
  package mutating func shrinkWaiting(at now: Duration) -> [Holder] {
    guard !waiting.isEmpty else { return [] }
    let kept = waiting.count / 2
    currentWaitingLimit = min(currentWaitingLimit, max(shortestSlotQueue, kept))
    shrunk = now
    var evicted: [Holder] = []
    while waiting.count > kept, let next = evictWaiting() { evicted.append(next) }
    return evicted
  }

  /// Doubles how many may wait, if the process had enough open files for long enough.
  private mutating func growWaiting(at now: Duration) {
    guard let since = shrunk, now - since >= growthInterval else { return }
    currentWaitingLimit = min(waitingLimit, currentWaitingLimit * 2)
    shrunk = currentWaitingLimit < waitingLimit ? now : nil
  }

  private mutating func evictWaiting() -> Holder? { evictOldest(of: waiting, waitingByAddress) }

  private mutating func evictSending() -> Holder? { evictOldest(of: sending, sendingByAddress) }

  /// Evicts the first of these connections whose address has the most of them.
  private mutating func evictOldest(of holders: [Holder], _ countByAddress: [RemoteAddress: Int]) -> Holder? {
    let most = countByAddress.values.max()
    guard let oldest = holders.first(where: { countByAddress[$0.remoteAddress] == most }) else { return nil }
    remove(oldest)
    return oldest
  }

  // MARK: Who loses its slot

  /// The connection that loses its slot to `newcomer`: an unverified one, else a session that was silent for long.
  private func candidate(for newcomer: Holder, at now: Duration) -> Holder? {
    if let candidate = unverifiedCandidate(for: newcomer, at: now) { return candidate }
    // An address gets no second unverified slot from a session: a flood from one address would evict session after session.
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
    // Where the newcomer's address has as many as any other, it takes no slot of a connection that is making progress.
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

/// Connections that may wait for their first request at once.
/// - Parameter openFiles: how many open files one port may use. No more than a quarter of them is for connections that wait.
package func slotWaitingLimit(openFiles: Int) -> Int {
  min(longestSlotQueue, max(shortestSlotQueue, openFiles / 4))
}

/// Slots of a port: no more than half of its open files, and at least as many as every accessory has by default.
/// - Parameter openFiles: how many open files one port may use.
package func slotLimit(_ wanted: Int, openFiles: Int) -> Int { min(wanted, max(leastSlots, openFiles / 2)) }

/// Bytes of its first body that a connection may send while it waits. Thousands may wait.
package let shortBodyLimit = 2 << 10

private let longestSlotQueue = 4096
/// More than the 64 connections that a listener accepts in one turn.
private let shortestSlotQueue = 128
private let leastSlots = 17
private let leastSending = 8
/// How long the process has enough open files before more connections may wait again.
private let growthInterval = Duration.seconds(10)
/// Sessions that unverified connections cannot evict: as many as every accessory has to hold. HAP R2 §6.2.3.
private let safeSessionCount = 8
/// How long the first valid M1 of Pair Verify protects a connection.
private let verifyProtection = Duration.seconds(5)
