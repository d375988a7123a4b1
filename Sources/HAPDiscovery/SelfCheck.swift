import HAPLoop

/// Checks whether advertised records can be found on the network. The daemon's back end browses as a controller would; the embedded one
/// listens for its own announcements and answers. Accessories don't wait for it. A record that is not found in time is reported, and
/// the search continues.
final class SelfCheck {
  enum Outcome: Equatable {
    case seen
    case unseen(after: Duration)
  }

  private struct Search {
    let name: String
    /// The number of the search.
    let number: Int
    let tell: (Outcome) -> Void
  }

  private struct Deadline {
    let owner: ObjectIdentifier
    /// The number of the search.
    let number: Int
    /// In nanoseconds of the loop's clock.
    let time: UInt64
  }

  private let loop: EventLoop
  private let patience: Duration
  private let setBrowsing: (Bool) -> Void
  private var searches: [ObjectIdentifier: Search] = [:]
  /// The owners that look for a name.
  private var owners: [String: Set<ObjectIdentifier>] = [:]
  private var visible: [String: Int] = [:]
  private var lastNumber = 0
  /// The deadlines of all searches with time left, earliest first, and of some that have ended.
  private var deadlines: [Deadline] = []
  /// The number of `deadlines` that are over.
  private var overCount = 0
  /// Fires at the first deadline that isn't over. It exists while a deadline is left.
  private var timer: LoopTimer?

  /// - Parameters:
  ///   - patience: the time after which an unsuccessful search is reported. Probing and announcing are over when a search starts, so
  ///     an answer takes only milliseconds.
  ///   - setBrowsing: starts or stops a browser of our type, which reports by `appeared` and `disappeared`.
  init(_ loop: EventLoop, patience: Duration = .seconds(5), setBrowsing: @escaping (Bool) -> Void = { _ in }) {
    self.loop = loop
    self.patience = patience
    self.setBrowsing = setBrowsing
  }

  /// Looks for `name`, instead of the previous name of `owner`.
  /// - Parameter tell: receives `unseen` at most once. `seen` is the last outcome.
  func look(for name: String, onBehalfOf owner: AnyObject, tell: @escaping (Outcome) -> Void) {
    cancel(owner)
    lastNumber += 1
    searches[ObjectIdentifier(owner)] = Search(name: name, number: lastNumber, tell: tell)
    owners[name, default: []].insert(ObjectIdentifier(owner))
    setDeadline(ObjectIdentifier(owner))
    if searches.count == 1 {
      visible = [:]
      setBrowsing(true)
    } else if visible[name, default: 0] > 0 {
      found(name)
    }
  }

  func cancel(_ owner: AnyObject) {
    guard let search = searches.removeValue(forKey: ObjectIdentifier(owner)) else { return }
    owners[search.name]?.remove(ObjectIdentifier(owner))
    if owners[search.name]?.isEmpty == true { owners[search.name] = nil }
    if searches.isEmpty { end() }
  }

  /// Records that a name was found on one more interface.
  func appeared(_ name: String) {
    visible[name, default: 0] += 1
    found(name)
  }

  /// Records that a name disappeared from one interface.
  func disappeared(_ name: String) {
    visible[name, default: 0] -= 1
    if visible[name, default: 0] <= 0 { visible[name] = nil }
  }

  /// Records that the name of `owner` was found.
  func seen(_ owner: AnyObject) {
    let tell = searches[ObjectIdentifier(owner)]?.tell
    cancel(owner)
    tell?(.seen)
  }

  private func found(_ name: String) {
    guard let found = owners.removeValue(forKey: name) else { return }
    // In the order in which the searches started.
    for owner in found.sorted(by: { searches[$0]?.number ?? 0 < searches[$1]?.number ?? 0 }) {
      guard let search = searches.removeValue(forKey: owner) else { continue }
      search.tell(.seen)
    }
    if searches.isEmpty { end() }
  }

  private func end() {
    deadlines = []
    overCount = 0
    timer?.close()
    timer = nil
    setBrowsing(false)
  }

  // MARK: Deadlines

  /// All searches have the same time limit, so the new deadline is the latest one.
  private func setDeadline(_ owner: ObjectIdentifier) {
    let time = loop.readClock() + UInt64(patience / .nanoseconds(1))
    deadlines.append(Deadline(owner: owner, number: lastNumber, time: time))
    if timer == nil {
      timer = LoopTimer(loop) { [unowned self] in reportUnseen() }
      timer?.start(after: patience)
    }
  }

  private func isOpen(_ deadline: Deadline) -> Bool { searches[deadline.owner]?.number == deadline.number }

  private func reportUnseen() {
    let now = loop.readClock()
    while overCount < deadlines.count, deadlines[overCount].time <= now || !isOpen(deadlines[overCount]) {
      let deadline = deadlines[overCount]
      overCount += 1
      if isOpen(deadline) { searches[deadline.owner]?.tell(.unseen(after: patience)) }
    }
    if overCount > deadlines.count / 2 {
      deadlines.removeFirst(overCount)
      overCount = 0
    }
    guard overCount < deadlines.count else {
      timer?.close()
      timer = nil
      return
    }
    timer?.start(after: .nanoseconds(Int64(deadlines[overCount].time - now)))
  }
}
