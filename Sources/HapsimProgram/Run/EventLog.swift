import HAPCommandLine
import HAPHost
import HAPWire
import Synchronization

/// A log of the accessories' events, with a line each, as text or JSON.
final class EventLog: Sendable {
  private let lines: LineOutput
  private let json: Bool
  private let isQuiet: Bool
  /// The name of the only initial accessory, which is not repeated in every line.
  private let alone: String?
  private let terminal: Terminal
  /// The events before the log was opened; nil afterwards.
  private let held = Mutex<[SimulatorEvent]?>([])

  init(_ lines: LineOutput, json: Bool, isQuiet: Bool, alone: String?, _ terminal: Terminal) {
    self.lines = lines
    self.json = json
    self.isQuiet = isQuiet
    self.alone = alone
    self.terminal = terminal
  }

  /// The receiver of the accessories' events.
  var sink: @Sendable (SimulatorEvent) -> Void { { [self] in write($0) } }

  /// Opens the log: writes the held events, and all events from now on. Values that devices set at their start are not
  /// logged, because the accessories have not been announced yet.
  func open() {
    held.withLock { held in
      for event in held ?? [] { put(event) }
      held = nil
    }
  }

  func write(_ event: SimulatorEvent) {
    let isOpen = held.withLock { held in
      held?.append(event)
      return held == nil
    }
    if isOpen { put(event) }
  }

  private func put(_ event: SimulatorEvent) {
    if isQuiet, !event.isTrouble { return }
    if json {
      lines.write(JSONWriter.text { json in json.object { event.write(to: &$0) } }, isDroppable: !event.isTrouble)
    } else {
      let name = event.accessory == alone ? "" : terminal.styled(event.accessory.oneLine, .bold) + "  "
      lines.write(name + terminal.styled(event.text.oneLine, event.style), isDroppable: !event.isTrouble)
    }
  }
}

extension SimulatorEvent {
  fileprivate var isTrouble: Bool {
    switch kind {
    case .trouble, .renamed, .selfCheck(_, false): true
    default: false
    }
  }

  fileprivate var style: Terminal.Style {
    switch kind {
    case .refused: .yellow
    case .trouble, .renamed, .selfCheck(_, false): .red
    case .paired, .unpaired, .identified: .green
    case .wrote, .changed: .cyan
    default: .dim
    }
  }
}
