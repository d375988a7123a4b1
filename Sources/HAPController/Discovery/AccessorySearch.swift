import HAPDiscovery
import HAPLoop
import HAPTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A search of the network for accessories, as an asynchronous sequence of events. It ends after a time limit, or when
/// it is closed.
package struct AccessorySearch: Sendable {
  package typealias Event = AccessorySighting

  /// The maximum number of waiting events, because a network must not exhaust the memory. The search ends when this
  /// number is exceeded.
  private static let room = 10_000

  /// The events, until the end of the search.
  package let events: AsyncStream<Event>
  private let loop: EventLoop
  private let work: LoopBound<SearchWork>

  /// Starts the search immediately.
  /// - Parameters:
  ///   - interfaces: the names of the interfaces; empty: all interfaces of the local network.
  ///   - limit: the maximum time; nil: until the search is closed.
  ///   - quiet: the search ends if no new accessory is found for this time; nil: without this limit.
  ///   - endsOnSignal: whether SIGINT and SIGTERM end the search instead of the process.
  package init(
    on loop: EventLoop, interfaces: [String], limit: Duration?, quiet: Duration? = nil, endsOnSignal: Bool = false
  ) {
    self.loop = loop
    let (events, tell) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(Self.room))
    self.events = events
    let work = LoopBound(loop, SearchWork(loop, tell, quiet: quiet))
    self.work = work
    // A stopped loop runs no work.
    if !loop.schedule({ work.value.start(interfaces, limit, endsOnSignal) }) { tell.finish() }
  }

  /// Ends the search. Can be called any number of times.
  package func close() { loop.schedule { [work] in work.value.finish() } }

  /// Ends the search after this time, instead of after its previous limit.
  package func end(after time: Duration) { loop.schedule { [work] in work.value.limit?.start(after: time) } }

  /// Waits for the end of the search.
  /// - Parameter onEvent: called after each event. `isEmpty`: no accessory is present.
  /// - Throws: `ClientError.cancelled`, because a cancelled search is incomplete.
  /// - Returns: the accessories by name, and the reason if the network can't be searched at the end.
  package func all(
    onEvent: (Event, _ isEmpty: Bool) -> Void = { _, _ in }
  ) async throws(ClientError) -> (found: [FoundAccessory], trouble: String?) {
    defer { close() }
    var present: [String: FoundAccessory] = [:]
    var trouble: String?
    for await event in events {
      switch event {
      case .appeared(let found), .changed(let found): (present[found.name], trouble) = (found, nil)
      case .gone(let found): present[found.name] = nil
      case .trouble(let reason): trouble = reason
      }
      onEvent(event, present.isEmpty)
    }
    if Task.isCancelled { throw .cancelled }
    return (present.values.sorted { $0.name < $1.name }, trouble)
  }
}

/// The work of a search, on the loop's thread. Its timers retain it until the end of the search.
private final class SearchWork {
  typealias Event = AccessorySighting

  /// The minimum time before silence ends the search. A responder that has sent a record within the last second doesn't
  /// repeat it (RFC 6762 §6). The next query follows after one second.
  private static let leastTime = Duration.milliseconds(1500)

  private let loop: EventLoop
  private let tell: AsyncStream<Event>.Continuation
  private let quiet: Duration?
  private var browser: ServiceBrowser?
  private var present: [String: FoundAccessory] = [:]
  private(set) var limit: LoopTimer?
  private var silence: LoopTimer?
  private var signals: [SignalWatcher] = []
  private var startTime: UInt64 = 0
  private var isOver = false

  init(_ loop: EventLoop, _ tell: AsyncStream<Event>.Continuation, quiet: Duration?) {
    self.loop = loop
    self.tell = tell
    self.quiet = quiet
  }

  func start(_ interfaces: [String], _ time: Duration?, _ endsOnSignal: Bool) {
    if isOver { return }
    let limit = LoopTimer(loop) { self.finish() }
    // Finish also when the loop is stopped, so that no task waits for events forever.
    limit.onClosed = { self.finish() }
    self.limit = limit
    silence = LoopTimer(loop) { self.finish() }
    do throws(LoopError) {
      if endsOnSignal {
        for number in [SIGINT, SIGTERM] {
          signals.append(try SignalWatcher(loop, signal: number) { self.finish() })
        }
      }
      browser = try BackEnd.browse(on: loop, interfaces: interfaces) { self.take($0) }.browser
    } catch {
      tell.yield(.trouble(error.detail))
      return finish()
    }
    // The limit starts here, because connecting to the machine's daemon takes time.
    startTime = loop.readClock()
    if let time { limit.start(after: time) }
  }

  private func take(_ event: BrowserEvent) {
    switch event {
    case .appeared(let service):
      yield(.appeared(keep(service)))
      if let quiet {
        let elapsed = Duration.nanoseconds(loop.readClock() - startTime)
        silence?.start(after: max(quiet, Self.leastTime - elapsed))
      }
    case .changed(let service): yield(.changed(keep(service)))
    case .gone(let name): if let gone = present.removeValue(forKey: name) { yield(.gone(gone)) }
    case .trouble(let reason): yield(.trouble(reason))
    }
  }

  private func keep(_ service: DiscoveredService) -> FoundAccessory {
    let found = FoundAccessory(service)
    present[found.name] = found
    return found
  }

  private func yield(_ event: Event) {
    if case .dropped = tell.yield(event) { finish() }
  }

  func finish() {
    guard !isOver else { return }
    isOver = true
    browser?.close()
    browser = nil
    limit?.close()
    silence?.close()
    for signal in signals { signal.close() }
    tell.finish()
  }
}
