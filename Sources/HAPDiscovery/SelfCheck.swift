import HAPLoop

/// Looks whether what is advertised can be found on the network, by browsing for it as a controller would. It holds nothing up: what is not
/// found in time is told, and looked for further.
final class SelfCheck {
  enum Outcome: Equatable {
    case seen
    case unseen(after: Duration)
  }

  /// Probing and announcing are over when the search begins, so the answer is a matter of milliseconds.
  static let patience = Duration.seconds(5)

  private struct Search {
    let name: String
    let timer: LoopTimer
    let tell: (Outcome) -> Void
  }

  private let loop: EventLoop
  private let setBrowsing: (Bool) -> Void
  private var searches: [ObjectIdentifier: Search] = [:]
  /// Who looks for a name.
  private var owners: [String: Set<ObjectIdentifier>] = [:]
  private var visible: [String: Int] = [:]

  /// - Parameter setBrowsing: starts a browser of our type, whose findings come by `appeared` and `disappeared`; or ends it.
  init(_ loop: EventLoop, setBrowsing: @escaping (Bool) -> Void) {
    self.loop = loop
    self.setBrowsing = setBrowsing
  }

  /// Looks for `name`, in place of what was looked for on behalf of `owner` before.
  /// - Parameter tell: `unseen` once at most, then or instead `seen`, which is the end of it.
  func look(for name: String, onBehalfOf owner: AnyObject, tell: @escaping (Outcome) -> Void) {
    cancel(owner)
    let timer = LoopTimer(loop) { tell(.unseen(after: Self.patience)) }
    timer.start(after: Self.patience)
    searches[ObjectIdentifier(owner)] = Search(name: name, timer: timer, tell: tell)
    owners[name, default: []].insert(ObjectIdentifier(owner))
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
    search.timer.close()
    if searches.isEmpty { setBrowsing(false) }
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

  /// Found in a packet, of which there is no end to be told.
  func heard(_ name: String) { found(name) }

  private func found(_ name: String) {
    guard let found = owners.removeValue(forKey: name) else { return }
    for owner in found {
      guard let search = searches.removeValue(forKey: owner) else { continue }
      search.timer.close()
      search.tell(.seen)
    }
    if searches.isEmpty { setBrowsing(false) }
  }
}
