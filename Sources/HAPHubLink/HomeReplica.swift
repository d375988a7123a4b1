import HAPHome
import HAPHomeEngine
import HAPLoop

/// A copy of a hub's homes, which the link of an app keeps up to date. Any thread may read it.
///
/// The link passes each answer and each event in the order of their arrival, before the app gets them. After an answer,
/// the copy has its changes. An app that gets an event can see later changes in the copy.
package final class HomeReplica: Sendable {
  /// What arrives at an app: in one order, which two streams would not show.
  package enum News: Sendable {
    case answer(HubAnswer)
    case event(HubEvent)
    /// The link has ended.
    case end
  }

  private let state = Guarded<HubSnapshot?>(nil)
  private let observer = Guarded<(@Sendable (News) -> Void)?>(nil)

  package init() {}

  /// Calls a function for all news from now on, after the copy has them and before the app gets its answer. It returns at
  /// once, and calls nothing of the link.
  package func observe(_ body: @escaping @Sendable (News) -> Void) { observer.withLock { $0 = body } }

  private func tell(_ news: News) { observer.withLock { $0 }?(news) }

  /// The homes and their state; nil before the answer to `attach`, after lost events until the next such answer, and
  /// after the end of the link.
  package var snapshot: HubSnapshot? { state.withLock { $0 } }

  /// Applies an answer. All answers but `attached`, `changed`, `added` and `shared` change nothing.
  package func receive(_ answer: HubAnswer) {
    switch answer {
    case .attached(let snapshot): state.withLock { $0 = snapshot }
    case .changed(let changes), .added(_, let changes): state.withLock { $0?.apply(changes) }
    case .shared(let shared): state.withLock { $0?.apply(shared.changes) }
    case .executed, .values, .evaluated, .explained, .found, .document, .status, .done: break
    }
    tell(.answer(answer))
  }

  /// Applies an event.
  package func receive(_ event: HubEvent) {
    switch event {
    case .missed, .stopping: state.withLock { $0 = nil }
    case .changed, .reachability, .person: state.withLock { $0?.apply(event) }
    case .values, .evaluated, .executed, .found, .gone: break
    }
    tell(.event(event))
  }

  /// Forgets the copy, because the link has ended.
  package func end() {
    state.withLock { $0 = nil }
    tell(.end)
  }
}

extension HubSnapshot {
  /// The reason while an accessory that is connected was not reported to be reachable.
  package static let newConnection = "the connection is new"

  /// Applies the changes of a command. The places of removed users, and the reachability of removed accessories, end
  /// with them. A new accessory can't be reached until the hub reports that it can.
  package mutating func apply(_ changes: [HomeChange]) {
    let before = model
    model.apply(changes)
    var removesHome = false
    for change in changes {
      switch change.detail {
      case .accessoryAdded(let accessory): unreachable[accessory.id] = Self.newConnection
      case .accessoryRemoved(let id): unreachable[id] = nil
      case .userRemoved(let id): persons.removeAll { $0.user == id }
      case .homeAdded(let home):
        // A home that was removed and added again keeps its connections.
        let known = Set((before.home(home.id)?.accessories ?? []).map(\.id))
        for accessory in home.accessories where !known.contains(accessory.id) {
          unreachable[accessory.id] = Self.newConnection
        }
      case .homeRemoved: removesHome = true
      default: break
      }
    }
    if removesHome { dropUnknown() }
  }

  /// Applies an event about the model, the reachability of an accessory, or the place of a user.
  package mutating func apply(_ event: HubEvent) {
    switch event {
    case .changed(let changes, app: _): apply(changes)
    case .reachability(let accessory, let isReachable, let why):
      unreachable[accessory] = isReachable ? nil : why ?? ""
    case .person(let person):
      persons.removeAll { $0.user == person.user }
      persons.insert(person, at: persons.firstIndex { person.user < $0.user } ?? persons.endIndex)
    case .values, .evaluated, .executed, .found, .gone, .missed, .stopping: break
    }
  }

  private mutating func dropUnknown() {
    let accessories = Set(model.homes.flatMap(\.accessories).map(\.id))
    let users = Set(model.homes.flatMap(\.users).map(\.id))
    unreachable = unreachable.filter { accessories.contains($0.key) }
    persons.removeAll { !users.contains($0.user) }
  }
}
