import HAPCommandLine
import HAPSimulator
import HAPWire

/// Writes what happens to the accessories, a line each: for people, or as JSON.
struct EventLog: Sendable {
  private let lines: LineOutput
  private let json: Bool
  private let isQuiet: Bool
  /// The one that there was at the start needs no name in front of every line.
  private let alone: String?
  private let terminal: Terminal

  init(_ lines: LineOutput, json: Bool, isQuiet: Bool, alone: String?, _ terminal: Terminal) {
    self.lines = lines
    self.json = json
    self.isQuiet = isQuiet
    self.alone = alone
    self.terminal = terminal
  }

  /// For the accessories; nil when nobody reads it and requests need not pay for it. Trouble is always told.
  var sink: (@Sendable (SimulatorEvent) -> Void)? { { write($0) } }

  func write(_ event: SimulatorEvent) {
    if isQuiet, !event.isTrouble { return }
    if json {
      lines.write(JSONWriter.text { json in json.object { event.write(to: &$0) } }, isDroppable: !event.isTrouble)
    } else {
      let name = event.accessory == alone ? "" : terminal.styled(event.accessory, .bold) + "  "
      lines.write(name + terminal.styled(event.text, event.style), isDroppable: !event.isTrouble)
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
