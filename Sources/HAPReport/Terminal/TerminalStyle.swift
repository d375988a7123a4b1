/// The style of lines: plain or coloured.
struct TerminalStyle: Sendable {
  var isColoured: Bool

  func bold(_ text: String) -> String { coded("1", text) }
  func faint(_ text: String) -> String { coded("2", text) }

  func coloured(_ text: String, as verdict: Verdict?) -> String {
    switch verdict {
    case .pass: coded("32", text)
    case .nonStrict, .xfail: coded("33", text)
    case .info: coded("36", text)
    case .fail, .error: coded("1;31", text)
    case .xpass, .flaky: coded("1;35", text)
    case .blocked: coded("35", text)
    case .skip, nil: coded("2", text)
    }
  }

  private func coded(_ code: String, _ text: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
