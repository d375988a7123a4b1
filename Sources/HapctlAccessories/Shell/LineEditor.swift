import CEdit
import HAPCommandLine
import HAPModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads lines from a terminal with a prompt, editing, history and completion by libedit. Output lines that arrive
/// meanwhile are printed above the line that the user types.
///
/// Belongs to one thread, which it blocks.
final class LineEditor: ShellLines {
  /// The maximum length of a line. At this length, further characters are ignored.
  private static let limit = 4096

  private let edit: OpaquePointer
  private let past: OpaquePointer?
  private let input: ShellInput
  private let screen: ShellScreen
  private let console: Console
  private let database: () -> AttributeDatabase
  private var history: ShellHistory
  private let prompt: String
  private let promptText: UnsafeMutablePointer<CChar>
  private var columns: Int32 = 0
  private var hasEnded = false

  /// - Parameters:
  ///   - database: returns the database for completion.
  /// - Returns: nil if the library doesn't support this terminal.
  init?(
    prompt: String, history: ShellHistory, _ input: ShellInput, _ screen: ShellScreen, _ console: Console,
    database: @escaping () -> AttributeDatabase
  ) {
    setlocale(LC_CTYPE, "")
    if edit_bytes_in_character() == 1 { setlocale(LC_CTYPE, "C.UTF-8") }
    guard
      let edit = el_init("hapctl", edit_standard_input(), edit_standard_output(), edit_standard_error()),
      let promptText = strdup(prompt)
    else { return nil }
    self.edit = edit
    self.promptText = promptText
    self.prompt = prompt
    self.input = input
    self.screen = screen
    self.console = console
    self.database = database
    self.history = history
    past = history_init()
    edit_set_pointer(edit, EL_CLIENTDATA, Unmanaged.passUnretained(self).toOpaque())
    edit_set_prompt(edit) { edit in LineEditor.of(edit)?.promptText }
    edit_set_text(edit, EL_EDITOR, "emacs")
    edit_set_reader(edit) { edit, character in LineEditor.of(edit)?.readCharacter(character) ?? 0 }
    // While the user types, Ctrl-C is an ordinary key that clears the line.
    edit_set_terminal(edit, "-d", "-isig")
    edit_bind(edit, "^C", "em-kill-line")
    edit_add_function(edit, "hapctl-complete", "Completes names and values") { edit, _ in
      LineEditor.of(edit)?.complete() ?? UInt8(CC_ERROR)
    }
    edit_bind(edit, "^I", "hapctl-complete")
    if let past {
      edit_keep_past(past, Int32(ShellHistory.room))
      for line in history.lines { edit_enter_past(past, line) }
      edit_set_history(edit, past)
    }
  }

  deinit {
    el_end(edit)
    if let past { history_end(past) }
    free(promptText)
  }

  private static func of(_ edit: OpaquePointer?) -> LineEditor? {
    var pointer: UnsafeMutableRawPointer?
    guard edit_get_pointer(edit, EL_CLIENTDATA, &pointer) == 0, let pointer else { return nil }
    return Unmanaged<LineEditor>.fromOpaque(pointer).takeUnretainedValue()
  }

  func next() -> String? {
    guard !screen.isOver, !hasEnded else { return nil }
    screen.startPrompting()
    // Set the terminal before the prompt is printed, so that an immediate answer is read as keys and not as a line.
    edit_set_number(edit, EL_PREP_TERM, 1)
    var count: Int32 = 0
    let bytes = el_gets(edit, &count)
    let text = bytes.map { String(cString: $0) }
    // After Ctrl-D or the end of input, the cursor is still after the prompt.
    if text == nil { console.print() }
    screen.stopPrompting()
    guard var text, !screen.isOver else { return nil }
    while text.last?.isNewline == true { text.removeLast() }
    history.add(text)
    if let past, !text.isEmpty { edit_enter_past(past, text) }
    return text
  }

  /// Saves the history for the next run.
  func save() { history.save() }

  // MARK: Callbacks of the library

  /// - Returns: 1 for a character, 0 at the end.
  private func readCharacter(_ character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    followSize()
    var bytes: [UInt8] = []
    while true {
      if screen.isOver { return 0 }
      switch input.next(1) {
      case .woken: showWaiting()
      case .end:
        hasEnded = true
        return 0
      case .bytes(let next):
        bytes += next
        guard let scalar = Self.scalar(bytes) else { continue }
        bytes = []
        // Enter and the keys that delete still work.
        if scalar.value >= 0x20, scalar.value != 0x7F, textCount >= Self.limit { continue }
        character?.pointee = wchar_t(scalar.value)
        return 1
      }
    }
  }

  /// Returns the character that the bytes encode; U+FFFD if they are invalid; nil if more bytes are needed.
  private static func scalar(_ bytes: [UInt8]) -> Unicode.Scalar? {
    guard let first = bytes.first else { return nil }
    let count = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    if bytes.count < count, bytes.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) { return nil }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.first
  }

  /// Informs the library of a new window size.
  private func followSize() {
    let now = Int32(Terminal(descriptor: STDOUT_FILENO) { _ in nil }.columns ?? 80)
    if now != columns, columns != 0 { el_resize(edit) }
    columns = now
  }

  /// Prints the waiting lines above the prompt and the typed text.
  private func showWaiting() {
    let lines = screen.takeWaiting()
    guard !lines.isEmpty else { return }
    let rows = (prompt.count + textToCursor.unicodeScalars.count) / max(1, Int(columns))
    console.print("\r" + (rows > 0 ? "\u{1B}[\(rows)A" : "") + "\u{1B}[J" + lines.joined(separator: "\n"))
    edit_refresh(edit)
  }

  private var textCount: Int {
    guard let line = el_line(edit)?.pointee, let start = line.buffer, let end = line.lastchar else { return 0 }
    return end - start
  }

  private var textToCursor: String {
    guard let line = el_line(edit)?.pointee, let start = line.buffer, let end = line.cursor else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, end - start)), as: UTF8.self)
  }

  /// - Returns: the next action of the library.
  private func complete() -> UInt8 {
    let completion = ShellCompletion(of: textToCursor, in: database())
    if completion.removing > 0 { el_deletestr(edit, Int32(completion.removing)) }
    if !completion.inserting.isEmpty { el_insertstr(edit, ShellScreen.harmless(completion.inserting)) }
    guard !completion.choices.isEmpty else {
      return UInt8(completion.inserting.isEmpty ? CC_ERROR : CC_REFRESH)
    }
    var choices = completion.choices.prefix(60).map { ShellWords.written(ShellScreen.harmless($0)) }
    if choices.count < completion.choices.count { choices.append("…") }
    console.print("\n" + choices.joined(separator: "  "))
    edit_refresh(edit)
    return UInt8(CC_NORM)
  }
}
