/// A screen of an app: text, buttons and fields. An app on Apple's systems draws the same state with SwiftUI.
public struct Screen: Sendable {
  /// The title.
  public var title: String
  /// A message about something that failed; nil: none.
  public var alert: String?
  /// The rows, from the top.
  public var rows: [Row]

  /// A row of a screen.
  public enum Row: Sendable {
    /// A line of text.
    case text(String)
    /// A button, with a text next to it.
    case button(String, detail: String, action: Action)
    /// A field, with its present content.
    case field(String, content: String, commit: Commit)
  }

  /// The effect of a tap.
  public typealias Action = @MainActor @Sendable () async -> Void
  /// The effect of a text in a field.
  public typealias Commit = @MainActor @Sendable (String) async -> Void

  /// Creates a screen.
  public init(_ title: String, alert: String? = nil, rows: [Row]) {
    (self.title, self.alert, self.rows) = (title, alert, rows)
  }

  /// The screen as lines of text: `[Button] detail`, `Field: <content>`, `! alert`.
  public var lines: [String] {
    [title, String(repeating: "-", count: title.count)] + (alert.map { ["! \($0)"] } ?? []) + rows.map(\.line)
  }

  /// Returns the effect of the button with this label; nil without one.
  public func button(_ label: String) -> Action? {
    for case .button(label, _, let action) in rows { return action }
    return nil
  }

  /// Returns the effect of the field with this label; nil without one.
  public func field(_ label: String) -> Commit? {
    for case .field(label, _, let commit) in rows { return commit }
    return nil
  }
}

extension Screen.Row {
  /// A button without a text next to it.
  public static func button(_ label: String, action: @escaping Screen.Action) -> Screen.Row {
    .button(label, detail: "", action: action)
  }

  /// An empty field.
  public static func field(_ label: String, commit: @escaping Screen.Commit) -> Screen.Row {
    .field(label, content: "", commit: commit)
  }

  fileprivate var line: String {
    switch self {
    case .text(let text): text
    case .button(let label, detail: "", action: _): "[\(label)]"
    case .button(let label, let detail, action: _): "[\(label)] \(detail)"
    case .field(let label, let content, commit: _): "\(label): <\(content)>"
    }
  }
}
