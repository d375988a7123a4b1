import AppStage
import Foundation
import HomeKit
import TextScreens
import Testing

/// The lines of scripts for apps.
@MainActor @Suite("Scripts for apps") struct AppScriptTests {
  /// An app with a button, a field, and the time zone of its calendar.
  private final class Counter: TextApp {
    private let calendar: Calendar
    private var (count, text) = (0, "")

    init(_ calendar: Calendar) { self.calendar = calendar }

    var screen: Screen {
      Screen(
        "Counter", alert: count == 2 ? "two" : nil,
        rows: [
          .text(calendar.timeZone.identifier), .button("Add", detail: "\(count)") { self.count += 1 },
          .button("Reset") { self.count = 0 }, .field("Text", content: text) { self.text = $0 },
        ])
    }
  }

  private func run(_ text: String) async throws -> [String] {
    var lines: [String] = []
    try await SimulatedRun.run(
      AppScript(text), in: AppProgram.folder(of: "kilgo"), print: { lines.append($0) }, makeApp: { Counter($0) })
    return lines
  }

  /// The message of the problem in a script.
  private func problem(_ text: String) async -> String? {
    do {
      _ = try await run(text)
      return nil
    } catch { return "\(error)" }
  }

  @Test("A screen is printed after the start, and then the lines that disappeared and appeared") func screens()
    async throws
  {
    let lines = try await run(
      "clock 2026-06-01T10:00:00 Europe/Berlin\nstart\n\ntap Add\ntap Add\n# A comment.\ntap Add\ntype Text \"a b\"\ntap Reset\n"
    )
    #expect(
      lines == [
        "clock 2026-06-01T10:00:00 Europe/Berlin", "start", "    Counter", "    -------", "    Europe/Berlin",
        "    [Add] 0", "    [Reset]", "    Text: <>", "", "tap Add", "  - [Add] 0", "  + [Add] 1", "tap Add",
        "  - [Add] 1", "  + ! two", "  + [Add] 2", "# A comment.", "tap Add", "  - ! two", "  - [Add] 2",
        "  + [Add] 3", "type Text \"a b\"", "  - Text: <>", "  + Text: <a b>", "tap Reset", "  - [Add] 3",
        "  + [Add] 0",
      ])
  }

  @Test("An accessory is served, and its values are set and shown") func accessories() async throws {
    let lines = try await run(
      """
      serve "Colour Light Bridge" bridge-two-colour-lights
      serve Door garage-door
      set "Colour Light Bridge" "Kitchen Light/Hue" 120
      show "Colour Light Bridge" "Kitchen Light/Hue"
      show "Colour Light Bridge" "Stereo Light/On"
      show Door "Target Door State"
      wait 2 h
      # {code of Door}
      """)
    #expect(lines.contains("Kitchen Light/Hue: 120.0"), "\(lines)")
    #expect(lines.contains("Stereo Light/On: false"), "\(lines)")
    #expect(lines.contains("Target Door State: closed"), "\(lines)")
    #expect(lines.last?.wholeMatch(of: /# \d{3}-\d{2}-\d{3}/) != nil, "\(lines.last ?? "")")
  }

  @Test(
    "A line that is none is refused with its number",
    arguments: [
      "press Add", "tap", "tap \"Add\" twice", "wait 1 year", "wait x s", "until 24:00", "until noon",
      "clock today Europe/Berlin", "clock 2026-06-01T10:00:00 Nowhere", "home A north south", "serve A", " ",
    ])
  func notALine(_ line: String) async {
    let message = await problem("# first\n\(line)\n")
    #expect(message?.hasPrefix("taps:2: \"\(line)\" is not a line of a script") == true, "\(message ?? "")")
  }

  @Test("A tap on something that is not on the screen is refused, and the screen is shown") func missing() async {
    #expect(await problem("tap Add\n") == "taps:1: the app was not started: write \"start\" before")
    let button = await problem("start\ntap Subtract\n")
    #expect(
      button?.hasPrefix("taps:2: the screen has no button \"Subtract\":\n    Counter\n") == true, "\(button ?? "")")
    let field = await problem("start\ntype Add 1\n")
    #expect(field?.hasPrefix("taps:2: the screen has no field \"Add\":\n") == true, "\(field ?? "")")
  }

  @Test("An accessory that is not served is refused, and the served ones are named") func unknownAccessory() async {
    let message = await problem("serve Door garage-door\nshow Gate On\n")
    #expect(message?.contains("the world has no accessory \"Gate\"; it has \"Door\"") == true, "\(message ?? "")")
    #expect(await problem("# {size of Door}\n") == "taps:1: expected \"{code of NAME}\" or \"{payload of NAME}\"")
  }
}
