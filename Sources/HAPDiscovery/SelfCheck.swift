import HAPLoop

/// Looks whether what is advertised can be found on the network. The daemon's back end browses for it as a controller would, the embedded one
/// listens for its own announcements and answers. The accessories don't wait for it: what is not found in time is reported, and the search continues.
final class SelfCheck {
  enum Outcome: Equatable {
    case seen
    case unseen(after: Duration)
  }

  private struct Search {
    let name: String
    /// Counts the searches.
    let number: Int
    let tell: (Outcome) -> Void
  }

  private struct Deadline {
    let owner: ObjectIdentifier
    /// Of the search.
    let number: Int
    /// In nanoseconds of the loop's clock.
    let time: UInt64
  }

  private let loop: EventLoop
  private let patience: Duration
  private let setBrowsing: (Bool) -> Void
  private var searches: [ObjectIdentifier: Search] = [:]
  /// Who looks for a name.
  private var owners: [String: Set<ObjectIdentifier>] = [:]
  private var visible: [String: Int] = [:]
  private var lastNumber = 0
  /// Of all searches that have time left, the first one first; and of some that have ended.
  private var deadlines: [Deadline] = []
  /// How many of `deadlines` are over.
  private var overCount = 0
  /// Fires at the first deadline that isn't over. Open while a deadline is left.
  private var timer: LoopTimer?

  /// - Parameters:
  ///   - patience: how long a search continues before it is reported. Probing and announcing are over when it begins, so the answer is a matter of
  ///     milliseconds.
  ///   - setBrowsing: starts a browser of our type, whose findings come by `appeared` and `disappeared`; or ends it.
  init(_ loop: EventLoop, patience: Duration = .seconds(5), setBrowsing: @escaping (Bool) -> Void = { _ in }) {
    self.loop = loop
    self.patience = patience
    self.setBrowsing = setBrowsing
  }

  /// Looks for `name`, in place of what was looked for on behalf of `owner` before.
  /// - Parameter tell: `unseen` once at most, then or instead `seen`, which is the end of it.
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

  /// Found on one more interface.
  func appeared(_ name: String) {
    visible[name, default: 0] += 1
    found(name)
  }

  /// Gone from one of them.
  func disappeared(_ name: String) {
    visible[name, default: 0] -= 1
    if visible[name, default: 0] <= 0 { visible[name] = nil }
  }

  /// What `owner` looks for was found.
  func seen(_ owner: AnyObject) {
    let tell = searches[ObjectIdentifier(owner)]?.tell
    cancel(owner)
    tell?(.seen)
  }

  private func found(_ name: String) {
    guard let found = owners.removeValue(forKey: name) else { return }
    // In the order in which the searches began.
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

  /// Every search has the same patience, so its deadline is the last one.
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
