import Foundation
import HAPHome
import HAPHubLink
import HAPLoop

/// The home's side of a trigger, for the trigger and its events: the record, the requests, and the objects for events.
///
/// Requests are sent one after another, each after the answer to the one before. An app may change the time and the
/// period of a timer without waiting in between; each command replaces the whole content, so the second one must contain
/// the result of the first.
final class TriggerLink: Sendable {
  /// Makes the command from the record at that time.
  typealias Request = @Sendable (Trigger) throws(HMError) -> HomeCommand

  private struct Waiting: Sendable {
    let request: Request
    let done: MainHandler<HMError?>
  }

  private struct State: Sendable {
    var isBusy = false
    var waiting: [Waiting] = []
    var events: [EventKey: HMEvent] = [:]
  }

  let handle: Handle<Trigger>
  private let state = Guarded(State())

  init(_ handle: Handle<Trigger>) { self.handle = handle }

  // MARK: Requests

  /// Performs a command about the trigger.
  /// - Parameter done: called on the main queue, after the objects show the changes.
  func perform(_ request: @escaping Request, _ done: @escaping ((any Error)?) -> Void) {
    let new = Waiting(request: request, done: MainHandler { done($0) })
    let isFirst = state.withLock { state in
      if state.isBusy { state.waiting.append(new) }
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isFirst { begin(new) }
  }

  private func begin(_ next: Waiting) {
    let answered: (Result<HubAnswer, HMError>) -> Void = { [self] result in
      next.done.call(result.error)
      if let next = self.next() { begin(next) }
    }
    let command: HomeCommand
    do throws(HMError) { command = try next.request(handle.record) } catch {
      return AppSession.refuse(error, answered)
    }
    handle.ask(.perform(command), answered)
  }

  private func next() -> Waiting? {
    state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.isBusy ? state.waiting.removeFirst() : nil
    }
  }

  // MARK: Events

  /// The objects for the events of one list of the trigger; for a removed characteristic, there is none.
  func events(_ records: [HomeEvent], areEnds: Bool) -> [HMEvent] {
    let (session, home) = (handle.session, handle.homeRecord)
    return records.compactMap { record in
      let key = EventKey(record: record, isEnd: areEnds)
      if let known = state.withLock({ $0.events[key] }) { return known }
      guard let session, let home, let event = session.event(record, in: home) else { return nil }
      _ = event.join(self, as: key)
      return keep(event, as: key)
    }
  }

  /// The home took events of the app. They belong to the trigger from now on; if possible, they are its objects.
  func adopt(_ events: [HMEvent], as records: [HomeEvent], areEnds: Bool) {
    for (event, record) in zip(events, records) {
      let key = EventKey(record: record, isEnd: areEnds)
      if event.join(self, as: key), event.isLasting { _ = keep(event, as: key) }
    }
  }

  /// The trigger has other content for an event.
  func move(_ event: HMEvent, to record: HomeEvent) {
    guard let old = event.key(in: self) else { return }
    let new = EventKey(record: record, isEnd: old.isEnd)
    event.move(to: new, in: self)
    state.withLock { state in
      if state.events[old] === event { state.events[old] = nil }
    }
    if event.isLasting { _ = keep(event, as: new) }
  }

  /// Keeps the object for an event, unless there is one.
  private func keep(_ event: HMEvent, as key: EventKey) -> HMEvent {
    let present = handle.record.eventKeys
    return state.withLock { state in
      if let known = state.events[key] { return known }
      // Only with a new event, and only if the trigger lost one: a trigger may have 1000 events.
      if state.events.count >= present.count {
        let present = Set(present)
        state.events = state.events.filter { present.contains($0.key) }
      }
      state.events[key] = event
      return event
    }
  }
}

extension Trigger {
  fileprivate var eventKeys: [EventKey] {
    guard case .event(let events) = kind else { return [] }
    return events.events.map { EventKey(record: $0, isEnd: false) }
      + events.endEvents.map { EventKey(record: $0, isEnd: true) }
  }
}

extension AppSession {
  /// Makes the object for an event; nil if a characteristic does not exist any more.
  func event(_ record: HomeEvent, in home: Home) -> HMEvent? {
    switch record {
    case .characteristic(let id, equals: let value):
      characteristic(id, in: home).map {
        HMCharacteristicEvent<NSCopying>($0, triggerValue: value?.foundationValue)
      }
    case .threshold(let id, let range):
      characteristic(id, in: home).map { HMCharacteristicThresholdRangeEvent($0, HMNumberRange(range)) }
    case .calendar(let parts): HMCalendarEvent(fire: DateComponents(parts))
    case .sun(let moment):
      HMSignificantTimeEvent(significantEvent: moment.significantEvent, offset: moment.components)
    case .presence(let presence): HMPresenceEvent(presence)
    case .location(let region, onEntry: let onEntry, onExit: let onExit):
      HMLocationEvent(region: CLCircularRegion(region, onEntry: onEntry, onExit: onExit))
    case .duration(let seconds): HMDurationEvent(duration: TimeInterval(seconds))
    }
  }
}

extension HMError {
  /// The hub made a trigger of another kind, which no hub of this version does.
  static func otherKind(_ trigger: Trigger) -> HMError {
    HMError(.unexpectedError, "the trigger \"\(trigger.name)\" has another kind now: remove it, and add a new one")
  }
}
