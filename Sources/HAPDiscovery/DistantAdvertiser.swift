import HAPLoop
import Synchronization

/// A responder on a loop of its own, for accessories on several others: what it does for thousands of them holds up none.
package final class DistantResponder: Sendable {
  fileprivate let loop: EventLoop
  private let responder: LoopBound<any Responder>
  let isEnding = Atomic(false)
  /// What accessories asked for since the last batch.
  private let requests = Mutex<[@Sendable (any Responder) -> Void]>([])
  /// Runs while requests are collected.
  private let timer: LoopBound<LoopTimer?>

  /// How long its end may take.
  private static let farewell = Duration.seconds(5)
  /// How long requests are collected. Thousands of accessories start one after the other; without this each one wakes the thread.
  private static let collecting = Duration.milliseconds(5)

  /// - Parameters:
  ///   - responder: belongs to the loop.
  ///   - loop: its own from now on. The caller is on its thread.
  package init(_ responder: any Responder, on loop: EventLoop) {
    self.responder = LoopBound(here: loop, responder)
    timer = LoopBound(here: loop, nil)
    self.loop = loop
  }

  /// For an accessory on another loop.
  package func makeAdvertiser(for loop: EventLoop) -> any Advertiser { DistantAdvertiser(of: self, for: loop) }

  /// Says goodbye for what is announced, as far as there is time, and ends the loop. From any thread but the loop's. Requests that are not performed
  /// yet, such as those of the last 5 ms, are left undone.
  package func close(sayingGoodbye: Bool = true) {
    isEnding.store(true, ordering: .releasing)
    let isDone: Bool? = loop.perform(waitingAtMost: Self.farewell) {
      self.timer.value?.close()
      // Each one keeps its advertiser, which keeps this object.
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

/// An advertiser of a responder that lives on another loop than the accessory: what it is told goes there, and events come back, in their order.
private final class DistantAdvertiser: Advertiser {
  private let home: DistantResponder
  private let loop: EventLoop
  /// Used at home alone.
  private let base: LoopBound<(any Advertiser)?>
  private var events: ((AdvertisementEvent) -> Void)?
  /// Counts what was published, so that news of an earlier record is not told to the next.
  private var edition = 0
  private var isClosed = false

  init(of home: DistantResponder, for loop: EventLoop) {
    self.home = home
    self.loop = loop
    base = LoopBound(home.loop, nil)
    home.perform { [base] in base.value = $0.makeAdvertiser() }
  }

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    guard !isClosed else { return }
    edition += 1
    self.events = events
    let (edition, loop, bound) = (edition, loop, LoopBound(here: loop, self))
    home.perform { [base] _ in
      base.value?.publish(record) { event in loop.schedule { bound.value.tell(event, edition) } }
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

  func close() {
    guard !isClosed else { return }
    isClosed = true
    edition += 1
    events = nil
    home.perform { [base] _ in
      base.value?.close()
      base.value = nil
    }
  }
}
