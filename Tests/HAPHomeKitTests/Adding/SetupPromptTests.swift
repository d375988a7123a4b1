import Foundation
import HAPHome
import HAPHubLink
import HAPModel
import Testing

@testable import HAPHomeKit

/// The prompts on their own: the defaults, and the one of a program without a terminal.
@Suite("Prompts of HMSetupUI") @MainActor struct SetupPromptTests {
  /// A prompt with the defaults alone.
  private struct Defaults: HMSetupPrompt {
    func setupCode(for request: HMSetupUI.CodeRequest) async throws -> String? { nil }
  }

  private let list = CandidateList(ScriptedHub())

  private func news(_ number: UInt8, _ name: String) -> NewAccessory {
    NewAccessory(
      device: DeviceDescription.device(number), name: name, model: nil, category: 5, setupHash: nil)
  }

  private func code(of body: () async throws -> Void) async -> HMError.Code? {
    do { try await body() } catch { return (error as? HMError)?.code }
    return nil
  }

  // MARK: Defaults

  @Test("The default takes the only accessory, also one that appears later")
  func onlyAccessory() async throws {
    let waiting = Task { try await Defaults().accessory(among: HMSetupUI.Candidates(list)) }
    await Task.yield()
    list.set([news(1, "Lamp")])
    let taken = try #require(try await waiting.value)
    #expect(taken.name == "Lamp" && taken.category.categoryType == HMAccessoryCategoryTypeLightbulb)
    #expect(taken.identifier == UUID(of: DeviceDescription.device(1)))
  }

  @Test("The default refuses to choose among several accessories, and ends its wait for one")
  func severalAccessories() async {
    let none = HMSetupUI.Candidates(CandidateList(ScriptedHub(hasNoTime: true)))
    #expect(await code { _ = try await Defaults().accessory(among: none) } == .accessoryDiscoveryFailed)
    let candidates = HMSetupUI.Candidates(list)
    list.set([news(1, "Lamp"), news(2, "Fan")])
    #expect(await code { _ = try await Defaults().accessory(among: candidates) } == .missingParameter)
  }

  @Test("The defaults throw the problem of the last answer, because they have no other one")
  func problems() async {
    let candidates = HMSetupUI.Candidates(list, problem: HMError(.accessoryIsBusy))
    #expect(await code { _ = try await Defaults().accessory(among: candidates) } == .accessoryIsBusy)
  }

  @Test("A list of accessories shows each change, and ends with the operation")
  func updates() async {
    let candidates = HMSetupUI.Candidates(list)
    var names: [[String]] = []
    for await found in candidates.updates {
      names.append(found.map(\.name))
      switch found.count {
      case 0: list.set([news(1, "Lamp")])
      case 1: list.set([news(1, "Lamp"), news(2, "Fan")])
      default: list.end()
      }
    }
    #expect(names == [[], ["Lamp"], ["Lamp", "Fan"]])
    #expect(candidates.found.count == 2)
    for await found in candidates.updates { #expect(found.count == 2, "a late reader gets the last list") }
  }

  @Test("The request of a reader begins before it ends, in whatever order a world runs the tasks of a moment")
  func readerOfOneMoment() async throws {
    let hub = ScriptedHub()
    hub.state.withLock { $0.heldTasks = [] }
    let list = CandidateList(hub)
    let updates = HMSetupUI.Candidates(list).updates
    list.end()
    // The hub forgets them, because each one keeps the hub.
    let tasks = hub.state.withLock { state in
      defer { state.heldTasks = nil }
      return state.heldTasks ?? []
    }
    for task in tasks.reversed() {
      await task()
      #expect(hub.state.withLock { $0.openCount } >= 0)
    }
    #expect(hub.state.withLock { $0.openCount } == 0)
    for await found in updates { #expect(found.isEmpty) }
  }

  // MARK: Programs without a terminal

  @Test("Without a terminal, the code is that of the environment, or the error names the ways to give it")
  func script() async throws {
    let app = try await ScriptedApp(ScriptedHub())
    let home = app.home
    let request = HMSetupUI.CodeRequest(
      home: home, accessory: HMSetupUI.Candidate(news(1, "Lamp")), problem: nil)
    #expect(try await ScriptPrompt(code: "031-45-154").setupCode(for: request) == "031-45-154")
    for code in [nil, ""] {
      do {
        _ = try await ScriptPrompt(code: code).setupCode(for: request)
        Issue.record("a code without a source")
      } catch let error as HMError {
        #expect(error.code == .operationCancelled)
        for part in ["\"Lamp\"", "HAPHOME_SETUP_CODE", "terminal", "HMSetupUI.shared"] {
          #expect(error.localizedDescription.contains(part))
        }
      }
    }
    #expect(await code { _ = try await ScriptPrompt(code: "1").userToInvite(to: home) } == .operationCancelled)
  }

  // MARK: The present prompt

  @Test("A prompt of a task replaces the shared one for this task alone")
  func local() async throws {
    let app = try await ScriptedApp(ScriptedHub())
    let home = app.home
    let invitation = HMUserInvitation(name: "Ben", isAdministrator: true)
    let answers = HMSetupAnswers(code: "1", user: { _ in invitation })
    try await HMSetupUI.withPrompt(answers) {
      #expect(try await HMSetupUI.shared.userToInvite(to: home) == invitation)
      try await home.manageUsers()
    }
    #expect(!(HMSetupUI.shared is HMSetupAnswers))
    #expect(app.hub.home.users.map(\.name) == ["Anna", "Ben"] && app.hub.home.users[1].role == .administrator)
    let silent = HMSetupAnswers(code: "1", user: { _ in nil })
    #expect(
      await code { try await HMSetupUI.withPrompt(silent) { try await home.manageUsers() } } == .operationCancelled)
    #expect(await app.hub.openCount() == 0)
  }

  @Test("An error that a prompt throws is the error of the operation; others than HMError become -1")
  func errors() async throws {
    struct Failure: Error {}
    let app = try await ScriptedApp(ScriptedHub())
    for (error, expected): (any Error, HMError.Code) in [
      (HMError(.accessDenied), .accessDenied), (CancellationError(), .operationCancelled),
      (Failure(), .unexpectedError),
    ] {
      let prompt = HMSetupAnswers(code: "1", user: { _ in throw error })
      #expect(await code { try await HMSetupUI.withPrompt(prompt) { try await app.home.manageUsers() } } == expected)
    }
  }

  @Test("A home without its manager asks nothing")
  func noManager() async throws {
    var app: ScriptedApp? = try await ScriptedApp(ScriptedHub())
    let home = try #require(app?.home)
    app = nil
    let prompt = HMSetupAnswers(code: { _ in "1" }, user: { _ in preconditionFailure("the prompt is asked") })
    let error = await code { try await HMSetupUI.withPrompt(prompt) { try await home.manageUsers() } }
    #expect(error == .objectNotAssociatedToAnyHome)
  }
}
