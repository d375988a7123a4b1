import Dispatch
import Foundation
import HAPCommandLine
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import Testing

@testable import HAPHomeKit

/// The questions on a terminal. Each answer is a line that a person types; after the last one, the input ends.
@Suite("The terminal prompt") @MainActor struct TerminalPromptTests {
  /// A terminal with the lines that a person types.
  private final class Screen: Sendable {
    private let lines: Guarded<[String]>
    private let printed = Guarded("")
    /// The person types only after this text is on the screen; empty: at once.
    private let awaited: String
    private let isShown = DispatchSemaphore(value: 0)

    init(_ lines: [String], after awaited: String = "") {
      (self.lines, self.awaited) = (Guarded(lines), awaited)
    }

    var text: String { printed.withLock { $0 } }

    var prompt: TerminalPrompt {
      TerminalPrompt(
        Console(
          out: { _ in }, error: { self.show($0) }, answer: { self.answer() },
          errors: Terminal(isTerminal: true, columns: 80, hasColour: false)))
    }

    private func show(_ text: String) {
      printed.withLock { $0 += text }
      if !awaited.isEmpty, text.contains(awaited) { isShown.signal() }
    }

    private func answer() -> String? {
      if !awaited.isEmpty {
        isShown.wait()
        isShown.signal()
      }
      return lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  private static let lamp = NewAccessory(
    device: DeviceDescription.device(1), name: "Lamp\u{1B}[2J", model: nil, category: 5, setupHash: nil)

  @Test("The code is asked until there is one; the question shows the accessory and the last problem")
  func code() async throws {
    let app = try await ScriptedApp(ScriptedHub())
    let screen = Screen(["", "  031-45-154 "])
    let request = HMSetupUI.CodeRequest(
      home: app.home, accessory: HMSetupUI.Candidate(Self.lamp), problem: HMError(.accessoryPairingFailed, "wrong code")
    )
    #expect(try await screen.prompt.setupCode(for: request) == "031-45-154")
    #expect(screen.text.hasPrefix("wrong code\n") && screen.text.contains("Setup code of Lamp\\u{1B}[2J  Lightbulb"))
    for end in [["cancel"], []] {
      #expect(try await Screen(end).prompt.setupCode(for: request) == nil)
    }
  }

  @Test("Accessories get numbers when they appear, and a number that is not in the list is asked again")
  func accessories() async throws {
    let list = CandidateList(ScriptedHub())
    let screen = Screen(["0", "two", "1"], after: "1  Lamp")
    let asking = Task { try await screen.prompt.accessory(among: HMSetupUI.Candidates(list)) }
    await Task.yield()
    list.set([Self.lamp])
    #expect(try await asking.value?.device == Self.lamp.device)
    #expect(screen.text.contains("There is no accessory \"0\" in the list."))
    #expect(!screen.text.contains("\u{1B}"))
    #expect(try await Screen(["cancel"]).prompt.accessory(among: HMSetupUI.Candidates(list)) == nil)
  }

  @Test("A home is chosen by its number or its name")
  func homes() async throws {
    let app = try await ScriptedApp(ScriptedHub(homes: ["One", "Two"]))
    let (homes, none) = (app.manager.homes, HMSetupUI.Candidates(CandidateList(app.hub)))
    let screen = Screen(["3", "Three", "2"])
    #expect(try await screen.prompt.home(among: homes, for: none) === homes[1])
    #expect(screen.text.contains("1  One\n2  Two\n") && screen.text.contains("There is no home \"Three\"."))
    #expect(try await Screen(["one"]).prompt.home(among: homes, for: none) === homes[0])
    let list = CandidateList(app.hub)
    list.set([Self.lamp])
    let detecting = Screen(["1"])
    _ = try await detecting.prompt.home(among: homes, for: HMSetupUI.Candidates(list))
    #expect(detecting.text.hasPrefix("Accessory: Lamp\\u{1B}[2J  Lightbulb"))
  }

  @Test("Empty answers accept the suggested name and room")
  func pages() async throws {
    let hub = ScriptedHub()
    hub.add(1, "Lamp")
    let app = try await ScriptedApp(hub)
    let accessory = try #require(app.home.accessories.first)
    let page = HMSetupUI.Page(
      accessory: accessory, service: try #require(accessory.services.last), name: "Lamp",
      room: app.home.roomForEntireHome(), rooms: [app.home.roomForEntireHome()], problem: nil)
    let screen = Screen(["", ""])
    #expect(try await screen.prompt.nameAndRoom(for: page) == page.suggestions)
    #expect(screen.text.contains("Name of the Light Bulb of Lamp [Lamp]:"))
    let other = try await Screen(["Reading Lamp", "Study"]).prompt.nameAndRoom(for: page)
    #expect(other == HMSetupUI.PageAnswer(name: "Reading Lamp", room: "Study"))
    #expect(try await Screen(["Reading Lamp", "cancel"]).prompt.nameAndRoom(for: page) == nil)
  }

  @Test("A user may edit the home only if the person says so")
  func users() async throws {
    let app = try await ScriptedApp(ScriptedHub())
    for (line, isAdministrator) in [("", false), ("no", false), ("YES", true)] {
      let screen = Screen(["Ben", "perhaps", line])
      let expected = HMUserInvitation(name: "Ben", isAdministrator: isAdministrator)
      #expect(try await screen.prompt.userToInvite(to: app.home) == expected)
    }
    #expect(try await Screen(["Ben"]).prompt.userToInvite(to: app.home) == nil)
  }
}
