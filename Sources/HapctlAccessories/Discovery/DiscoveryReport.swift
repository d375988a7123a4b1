import HAPCommandLine
import HAPController

/// The output of `hapctl discover` for a search.
struct DiscoveryReport {
  let isWatching: Bool
  let isJSON: Bool
  private(set) var hasFound = false
  /// The reason why the search currently fails.
  private(set) var trouble: String?
  /// The last printed line of each accessory, by name.
  private var lines: [String: String] = [:]

  init(isWatching: Bool, isJSON: Bool) {
    self.isWatching = isWatching
    self.isJSON = isJSON
  }

  /// Returns the lines for standard output and for standard error.
  mutating func take(_ event: AccessorySearch.Event, alias: (FoundAccessory) -> String?) -> (
    out: [String], errors: [String]
  ) {
    switch event {
    case .appeared(let found):
      hasFound = true
      trouble = nil
      let notes = found.accessory.remarks.map { "note: \(shown(found.name)): \(plain("\($0)"))" }
      return ([line("+", "appeared", found, alias(found))], isJSON ? [] : notes)
    case .changed(let found):
      let before = lines[found.name]
      let line = line("~", "changed", found, alias(found))
      return (isWatching && lines[found.name] != before ? [line] : [], [])
    case .gone(let found):
      let line = line("-", "gone", found, alias(found))
      lines[found.name] = nil
      return (isWatching ? [line] : [], [])
    case .trouble(let reason):
      trouble = reason
      return ([], isWatching ? ["hapctl discover: accessories can't be discovered: \(reason)"] : [])
    }
  }

  private mutating func line(_ mark: String, _ event: String, _ found: FoundAccessory, _ alias: String?) -> String {
    let shown = isJSON ? found.json("", alias: alias) : found.text(alias: alias)
    lines[found.name] = shown
    if isJSON { return found.json(event, alias: alias) }
    return isWatching ? "\(mark) \(shown)" : shown
  }
}

/// Returns the text with control characters replaced, because a terminal would execute those that the network sent.
private func plain(_ text: String) -> String {
  String(
    String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
}
