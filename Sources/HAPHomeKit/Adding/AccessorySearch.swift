import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel

/// A search for accessories that can be added, with a session of its own: the events of two searches do not mix.
///
/// Any thread may use it. After an absence of the hub, it begins again by itself. Its session ends with it.
final class AccessorySearch: SessionOwner {
  enum News: Hashable, Sendable {
    case found(NewAccessory)
    /// An accessory of the list sent another record.
    case changed(NewAccessory)
    case gone(DeviceID)
  }

  fileprivate struct State: Sendable {
    var isOpen = false
    var isSearching = false
    /// Counts the requests, so that the answer to an earlier one is ignored.
    var number = 0
    var isWaiting = false
    /// Whether the session was attached while the request waited.
    var isAttachedAgain = false
    /// The devices of events that arrived before the answer: the events are newer.
    var heard: Set<DeviceID> = []
    var list: [NewAccessory] = []
    var observer: (@Sendable (News) -> Void)?
  }

  let session: AppSession
  private let state = Guarded(State())

  init(_ place: any AppPlace) {
    session = AppSession(place)
    session.sessionOwner = self
  }

  deinit { session.close() }

  /// The accessories, in the order in which they appeared.
  var list: [NewAccessory] { state.withLock { $0.list } }

  /// Calls a function in work items of the main queue, after the list has changed.
  func observe(_ body: @escaping @Sendable (News) -> Void) { state.withLock { $0.observer = body } }

  /// Begins with an empty list. The first call opens the session.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isOpen = true }
      (state.list, state.isSearching) = ([], true)
      return !state.isOpen
    }
    if isFirst { session.open() }
    request()
  }

  /// Ends the search. The list stays.
  func stop() {
    let wasSearching = state.withLock { state in
      defer { state.isSearching = false }
      return state.isSearching
    }
    if wasSearching { session.ask(.endSearch) { _ in } }
  }

  private func request() {
    let number = state.withLock { state in
      (state.isWaiting, state.isAttachedAgain, state.heard) = (true, false, [])
      state.number += 1
      return state.number
    }
    session.ask(.search) { [weak self] result in self?.take(result, of: number) }
  }

  // MARK: News, in work items of the main queue

  private func take(_ result: Result<HubAnswer, HMError>, of number: Int) {
    var begins = false
    let news: [News] = state.withLock { state in
      guard state.isSearching, state.number == number else { return [] }
      state.isWaiting = false
      guard case .success(.found(let present)) = result else {
        begins = state.isAttachedAgain
        return []
      }
      return state.replaceList(by: present)
    }
    report(news)
    if begins { request() }
  }

  func homesLoaded() {
    let begins = state.withLock { state in
      guard state.isSearching else { return false }
      // The first request waits for this attachment.
      if state.isWaiting { state.isAttachedAgain = true }
      return !state.isWaiting
    }
    if begins { request() }
  }

  func found(_ accessory: NewAccessory) {
    let news = state.withLock { state -> News? in
      guard state.isSearching else { return nil }
      if state.isWaiting { state.heard.insert(accessory.device) }
      return state.add(accessory)
    }
    report([news].compactMap { $0 })
  }

  func gone(_ device: DeviceID) {
    let isListed = state.withLock { state in
      guard state.isSearching else { return false }
      if state.isWaiting { state.heard.insert(device) }
      return state.remove(device)
    }
    if isListed { report([.gone(device)]) }
  }

  private func report(_ news: [News]) {
    guard let observer = state.withLock({ $0.observer }) else { return }
    for news in news { observer(news) }
  }
}

extension AccessorySearch.State {
  /// - Returns: nil if the list has the accessory with this record.
  fileprivate mutating func add(_ accessory: NewAccessory) -> AccessorySearch.News? {
    guard let index = list.firstIndex(where: { $0.device == accessory.device }) else {
      list.append(accessory)
      return .found(accessory)
    }
    guard list[index] != accessory else { return nil }
    list[index] = accessory
    return .changed(accessory)
  }

  /// - Returns: whether the list had the accessory.
  fileprivate mutating func remove(_ device: DeviceID) -> Bool {
    let count = list.count
    list.removeAll { $0.device == device }
    return list.count < count
  }

  /// Takes the answer of the hub. Accessories that disappeared during an absence of the hub are not in it.
  fileprivate mutating func replaceList(by present: [NewAccessory]) -> [AccessorySearch.News] {
    let devices = Set(present.map(\.device)).union(heard)
    var news: [AccessorySearch.News] = []
    for device in list.map(\.device) where !devices.contains(device) {
      if remove(device) { news.append(.gone(device)) }
    }
    for accessory in present where !heard.contains(accessory.device) {
      if let change = add(accessory) { news.append(change) }
    }
    heard = []
    return news
  }
}
