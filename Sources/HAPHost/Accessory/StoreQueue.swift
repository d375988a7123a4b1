import HAPLoop
import HAPModel
import HAPStore

/// Stores the changes of one accessory in order, one at a time and off the loop, because an fsync must not delay
/// sessions.
///
/// Belongs to the loop's thread.
final class StoreQueue {
  private let store: AccessoryStore
  private let loop: EventLoop
  /// Changes that wait for the one being stored.
  private var waiting: [(change: StoredChange, done: (StoreError?) -> Void)] = []
  private var isStoring = false
  private var onceEmpty: (() -> Void)?

  init(_ store: AccessoryStore, on loop: EventLoop) {
    self.store = store
    self.loop = loop
  }

  /// - Parameter done: called on the loop when the change is stored or has failed; retained until then.
  func add(_ change: StoredChange, done: @escaping (StoreError?) -> Void) {
    waiting.append((change, done))
    storeNext()
  }

  /// Calls `body` when every change is stored or has failed, which may be immediately. Only one caller at a time may
  /// wait.
  func whenEmpty(_ body: @escaping () -> Void) {
    precondition(onceEmpty == nil, "one caller at a time waits for the queue")
    guard isStoring else { return body() }
    onceEmpty = body
  }

  private func storeNext() {
    guard !isStoring, !waiting.isEmpty else { return }
    isStoring = true
    let (change, done) = waiting.removeFirst()
    loop.offload { [store] () -> StoreError? in
      do throws(StoreError) {
        try store.keep(change)
        return nil
      } catch { return error }
    } then: { [self] error in
      isStoring = false
      done(error)
      storeNext()
      if !isStoring, let body = onceEmpty {
        onceEmpty = nil
        body()
      }
    }
  }
}
