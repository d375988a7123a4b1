import HAPModel
import HAPHost
import HAPWire

/// An event of an accessory with its time, or a gap in the record.
package struct RecordedEvent: Sendable {
  private enum Content {
    case happened(SimulatorEvent)
    case dropped(Int, accessory: String)
  }

  private let content: Content
  /// The simulator's time of the event.
  package let time: Duration
  /// The machine's time of the event, since the simulator was made.
  package let uptime: Duration

  init(_ event: SimulatorEvent, at time: Duration, uptime: Duration) {
    content = .happened(event)
    self.time = time
    self.uptime = uptime
  }

  /// Replaces events that were dropped because the record was full.
  /// - Parameter next: the first event that was kept.
  init(dropped count: Int, before next: RecordedEvent) {
    content = .dropped(count, accessory: next.accessory)
    time = next.time
    uptime = next.uptime
  }

  /// The value of `event` in its JSON.
  package var name: String {
    switch content {
    case .happened(let event): event.name
    case .dropped: "dropped"
    }
  }

  package var accessory: String {
    switch content {
    case .happened(let event): event.accessory
    case .dropped(_, let accessory): accessory
    }
  }

  /// The identifier of the controller that caused the event, or that was notified.
  package var controller: String? {
    guard case .happened(let event) = content else { return nil }
    return switch event.kind {
    case .paired(let controller, _), .unpaired(let controller), .verified(let controller), .wrote(_, let controller),
      .subscribed(_, let controller), .unsubscribed(_, let controller), .told(_, let controller):
      controller
    case .matter(let event): event.controller
    default: nil
    }
  }

  /// One line for users.
  package var text: String {
    switch content {
    case .happened(let event): event.text
    case .dropped(let count, _): "\(count) events were dropped here because the record was full"
    }
  }

  /// One JSON object, as written by `hapsim run --json`.
  package var json: String {
    JSONWriter.text { json in
      json.object { json in
        switch content {
        case .happened(let event): event.write(to: &json)
        case .dropped(let count, let accessory):
          json.key("event")
          json.string(name)
          json.key("accessory")
          json.string(accessory)
          json.key("count")
          json.integer(count)
        }
      }
    }
  }

  /// The value that was written, changed or sent.
  package var value: SimulatorEvent.NamedValue? {
    guard case .happened(let event) = content else { return nil }
    return switch event.kind {
    case .wrote(let value, _), .told(let value, _), .changed(let value): value
    default: nil
    }
  }

  /// The characteristic of the event.
  package var characteristic: SimulatorEvent.NamedCharacteristic? {
    if let value { return value.characteristic }
    guard case .happened(let event) = content else { return nil }
    return switch event.kind {
    case .subscribed(let characteristic, _), .unsubscribed(let characteristic, _): characteristic
    default: nil
    }
  }
}

extension RecordedEvent: CustomStringConvertible {
  /// The simulator's time, the machine's time in parentheses, and the event: "0:00:04.000 (+1.25 s)  Target Door State
  /// (1.12): open (0)".
  package var description: String {
    let hundredths = Int64(uptime / .milliseconds(10))
    let fraction = hundredths % 100
    return "\(time.clockText) (+\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s)  \(text)"
  }
}
