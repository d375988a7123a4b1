import Foundation
import HAPHubLink
import HAPIP
import HAPLoop
import HAPModel
import HAPWire

extension HMSetupUI {
  /// The accessories that can be added. The list changes while the person thinks.
  public struct Candidates: Sendable {
    /// The longest wait of a prompt without a person, in seconds.
    static let patience = 30

    private let list: CandidateList
    private let payload: SetupPayload?
    /// The reason why the last accessory was not added; nil: it is the first attempt.
    public let problem: HMError?

    /// - Parameter payload: leaves only the accessory that it belongs to.
    init(_ list: CandidateList, matching payload: SetupPayload? = nil, problem: HMError? = nil) {
      (self.list, self.payload, self.problem) = (list, payload, problem)
    }

    /// The accessories at this moment, in the order in which they appeared.
    public var found: [Candidate] { Self.candidates(list.present, payload) }

    /// The list at this moment, and after each change. It ends with the operation.
    public var updates: AsyncStream<[Candidate]> { makeUpdates().stream }

    private func makeUpdates() -> (
      stream: AsyncStream<[Candidate]>, continuation: AsyncStream<[Candidate]>.Continuation
    ) {
      let updates = AsyncStream.makeStream(of: [Candidate].self, bufferingPolicy: .bufferingNewest(1))
      list.observe(
        CandidateList.Observer(
          take: { [payload] list in updates.continuation.yield(Self.candidates(list, payload)) },
          end: { updates.continuation.finish() }),
        until: updates.continuation)
      return updates
    }

    private static func candidates(_ list: [NewAccessory], _ payload: SetupPayload?) -> [Candidate] {
      list.filter { payload?.canBelong(to: $0) ?? true }.map { Candidate($0) }
    }

    /// Returns the accessories as soon as there is one; none if none appears.
    func waitForFirst() async -> [Candidate] {
      let (stream, continuation) = makeUpdates()
      list.place.start { [list] in
        for _ in 0..<Self.patience where !list.isEnded { guard await list.place.pause() else { break } }
        continuation.finish()
      }
      for await found in stream where !found.isEmpty { return found }
      return []
    }
  }
}

extension SetupPayload {
  /// Whether the payload can be that of an accessory: its setup hash matches the setup ID. HAP R2 Table 6-7.
  func canBelong(to accessory: NewAccessory) -> Bool {
    guard let setupID, let hash = accessory.setupHash else { return (accessory.category ?? category) == category }
    return Base64.encode(hash) == Advertisement.setupHash(setupID: setupID, deviceID: accessory.device)
  }
}

/// The accessories that a search has found, for the prompts of one operation. Any thread may use it.
final class CandidateList: Sendable {
  struct Observer: Sendable {
    let take: @Sendable ([NewAccessory]) -> Void
    let end: @Sendable () -> Void
  }

  private struct State: Sendable {
    var list: [NewAccessory] = []
    var observers: [Int: Observer] = [:]
    var lastObserver = 0
    var isEnded = false
  }

  let place: any AppPlace
  private let state = Guarded(State())

  init(_ place: any AppPlace) { self.place = place }

  var present: [NewAccessory] { state.withLock { $0.list } }
  var isEnded: Bool { state.withLock { $0.isEnded } }

  func set(_ list: [NewAccessory]) {
    // With the lock, so that no observer gets an earlier list after a later one.
    state.withLock { state in
      state.list = list
      for observer in state.observers.values { observer.take(list) }
    }
  }

  /// Calls the observer with the present list, and after each change until the end of its stream.
  func observe<Element>(_ observer: Observer, until stream: AsyncStream<Element>.Continuation) {
    let ended = AsyncStream.makeStream(of: Never.self)
    let isOpen = state.withLock { state in
      observer.take(state.list)
      if state.isEnded { return false }
      state.lastObserver += 1
      let number = state.lastObserver
      state.observers[number] = observer
      // With the lock, so that the end of the operation comes later.
      stream.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
        ended.continuation.finish()
      }
      return true
    }
    guard isOpen else { return observer.end() }
    // A reader waits for accessories: in a simulated world, the clock moves. One task, because the world runs the tasks
    // of a moment in any order.
    place.start { [place] in
      place.requestBegins()
      for await _ in ended.stream {}
      place.requestEnds()
    }
  }

  /// The operation has ended.
  func end() {
    let observers = state.withLock { state in
      defer { (state.observers, state.isEnded) = ([:], true) }
      return state.observers
    }
    for observer in observers.values { observer.end() }
  }
}
