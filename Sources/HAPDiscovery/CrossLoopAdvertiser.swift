import HAPLoop
import Synchronization

/// A responder on a separate loop, for accessories on several other loops. Its work for thousands of accessories blocks none of them.
package final class CrossLoopResponder: Sendable {
  fileprivate let loop: EventLoop
  private let responder: LoopBound<any Responder>
  let isEnding = Atomic(false)
  /// Requests of accessories since the last batch.
  private let requests = Mutex<[@Sendable (any Responder) -> Void]>([])
  /// Runs while requests are collected.
  private let timer: LoopBound<LoopTimer?>

  /// The time limit for closing.
  private static let farewell = Duration.seconds(5)
  /// How long requests are collected. Thousands of accessories start one after the other, and each would otherwise wake the thread.
  private static let collecting = Duration.milliseconds(5)

  /// - Parameters:
  ///   - responder: belongs to the loop.
  ///   - loop: owned by this object from now on. The caller is on its thread.
  package init(_ responder: any Responder, on loop: EventLoop) {
    self.responder = LoopBound(here: loop, responder)
    timer = LoopBound(here: loop, nil)
    self.loop = loop
  }

  /// Returns an advertiser for an accessory on another loop.
  package func makeAdvertiser(for loop: EventLoop) -> any Advertiser { CrossLoopAdvertiser(of: self, for: loop) }

  /// Sends goodbyes within the time limit and ends the loop. Callable from any thread except the loop's. Requests that are not yet
  /// performed, such as those of the last 5 ms, are dropped.
  package func close(sayingGoodbye: Bool = true) {
    isEnding.store(true, ordering: .releasing)
    let isDone: Bool? = loop.perform(waitingAtMost: Self.farewell) {
      self.timer.value?.close()
      // Each request retains its advertiser, which retains this object.
      _ = self.takeRequests()
      if sayingGoodbye { self.responder.value.close() }
      return true
    }
    if isDone == true { loop.stop() }
  }

  fileprivate func perform(_ work: @escaping @Sendable (any Responder) -> Void) {
    let isFirst = requests.withLock { requests in
      if isEnding.load(ordering: .acquiring) { return false }
      requests.append(work)
      return requests.count == 1
    }
    if isFirst { loop.schedule { self.collect() } }
  }

  private func collect() {
    if isEnding.load(ordering: .acquiring) { return }
    let timer = timer.value ?? LoopTimer(loop) { [unowned self] in performRequests() }
    self.timer.value = timer
    timer.start(after: Self.collecting)
  }

  private func takeRequests() -> [@Sendable (any Responder) -> Void] {
    requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
  }

  private func performRequests() {
    for request in takeRequests() where !isEnding.load(ordering: .acquiring) { request(responder.value) }
  }
}

/// A cross-loop advertiser. Its calls go to the responder's loop, and events return to the accessory's loop, both in order.
private final class CrossLoopAdvertiser: Advertiser {
  private let home: CrossLoopResponder
  private let loop: EventLoop
  /// Used only on the responder's loop.
  private let base: LoopBound<(any Advertiser)?>
  private var events: ((AdvertisementEvent) -> Void)?
  /// Incremented by each `publish`, so that events of an earlier record are dropped.
  private var edition = 0
  private var isClosed = false

  init(of home: CrossLoopResponder, for loop: EventLoop) {
    self.home = home
    self.loop = loop
    base = LoopBound(home.loop, nil)
    home.perform { [base] in base.value = $0.makeAdvertiser() }
  }

  // The base advertiser belongs to the responder's loop.
  deinit { if !isClosed { home.perform { [base] _ in base.value = nil } } }

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    guard !isClosed else { return }
    edition += 1
    self.events = events
    // Weak, because the base advertiser keeps the closure until it is closed.
    let (edition, loop, bound) = (edition, loop, LoopBound(here: loop, Weak(self)))
    home.perform { [base] _ in
      base.value?.publish(record) { event in loop.schedule { bound.value.object?.tell(event, edition) } }
    }
  }

  private func tell(_ event: AdvertisementEvent, _ edition: Int) {
    if edition == self.edition { events?(event) }
  }

  func update(txt: TextRecord) { home.perform { [base] _ in base.value?.update(txt: txt) } }

  func withdraw() {
    edition += 1
    events = nil
    home.perform { [base] _ in base.value?.withdraw() }
  }

  func close() { end { $0.close() } }
  func abandon() { end { $0.abandon() } }

  private func end(_ body: @escaping @Sendable (any Advertiser) -> Void) {
    guard !isClosed else { return }
    isClosed = true
    edition += 1
    events = nil
    home.perform { [base] _ in
      if let advertiser = base.value { body(advertiser) }
      base.value = nil
    }
  }
}
