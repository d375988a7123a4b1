import Foundation
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import Testing

@testable import HAPHomeKit

/// The whole addition: the code, the accessory, the home, names and rooms.
@Suite("Adding and setting up accessories") @MainActor struct SetupTests {
  private let hub = ScriptedHub()
  private let url = URL(
    string: SetupPayload(category: 5, code: try! SetupCode(ScriptedHub.code), setupID: SetupID("7OSX")).uri)!

  private func payload() throws -> HMAccessorySetupPayload { try #require(HMAccessorySetupPayload(url: url)) }

  /// Adds an accessory with a prompt, and returns the error.
  @available(*, deprecated)
  private func setUp(_ home: HMHome, _ prompt: any HMSetupPrompt) async -> HMError? {
    do { try await HMSetupUI.withPrompt(prompt) { try await home.addAndSetUpAccessories() } } catch {
      return error as? HMError
    }
    return nil
  }

  @available(*, deprecated)
  private func setUp(_ home: HMHome, _ payload: HMAccessorySetupPayload, _ prompt: any HMSetupPrompt) async throws
    -> [HMAccessory]
  {
    try await HMSetupUI.withPrompt(prompt) { try await home.addAndSetUpAccessories(payload: payload) }
  }

  private func perform(
    _ request: HMAccessorySetupRequest, on hub: ScriptedHub, _ prompt: any HMSetupPrompt
  ) async throws -> HMAccessorySetupResult {
    let manager = HMAccessorySetupManager(hub)
    return try await HMSetupUI.withPrompt(prompt) { try await manager.performAccessorySetup(using: request) }
  }

  private func code(of body: () async throws -> Void) async -> HMError.Code? {
    do { try await body() } catch { return (error as? HMError)?.code }
    return nil
  }

  // MARK: HMHome

  @available(*, deprecated)
  @Test("The person gives a code, and a name and a room for the service; a new room is added")
  func whole() async throws {
    hub.appear(1, "Lamp")
    let app = try await ScriptedApp(hub)
    let prompt = HMSetupAnswers(
      code: ScriptedHub.code,
      name: { page in
        #expect(page.suggestedName == "Lamp" && page.accessory === app.home.accessories[0] && page.problem == nil)
        #expect(page.service.accessory === page.accessory && page.rooms.count == 1)
        return "Reading Lamp"
      }, room: { _ in "Study" })
    #expect(await setUp(app.home, prompt) == nil)
    let lamp = try #require(app.home.accessories.first)
    #expect(lamp.name == "Reading Lamp" && lamp.room?.name == "Study" && app.home.rooms.map(\.name) == ["Study"])
    #expect(await hub.openCount() == 0)
    while hub.state.withLock({ $0.links.count > 1 }) { await Task.yield() }
    #expect(hub.state.withLock { $0.links.count } == 1, "the link of the search ends")
  }

  @available(*, deprecated)
  @Test("A payload needs no code and no choice; the accessories are the result")
  func payloads() async throws {
    hub.appear(1, "Lamp", hash: ScriptedHub.hash)
    hub.appear(2, "Fan", hash: [1, 2, 3, 4])
    let app = try await ScriptedApp(hub)
    let prompt = HMSetupAnswers(code: { _ in preconditionFailure("the code is known") }, room: { _ in "default room" })
    let added = try await setUp(app.home, payload(), prompt)
    #expect(added.count == 1 && added[0] === app.home.accessories[0] && added[0].name == "Lamp")
    #expect(added[0].room === app.home.roomForEntireHome() && app.home.rooms.isEmpty)
  }

  @available(*, deprecated)
  @Test("A payload whose accessory is missing lets the person choose; one with a token is refused")
  func otherPayloads() async throws {
    let app = try await ScriptedApp(ScriptedHub(hasNoTime: true))
    let payload = try payload()
    #expect(
      await code { _ = try await setUp(app.home, payload, HMSetupAnswers(code: "1")) } == .accessoryDiscoveryFailed)
    let token = try #require(HMAccessoryOwnershipToken(data: Data([1])))
    let proven = try #require(HMAccessorySetupPayload(url: url, ownershipToken: token))
    #expect(await code { _ = try await setUp(app.home, proven, HMSetupAnswers(code: "1")) } == .operationNotSupported)
  }

  @available(*, deprecated)
  @Test("A cancellation at a page, and an error of the prompt, remove the pairing")
  func cancel() async throws {
    let app = try await ScriptedApp(hub)
    for (number, error) in [(UInt8(1), nil), (2, HMError(.accessDenied))] {
      hub.appear(number, "Lamp")
      let prompt = HMSetupAnswers(
        code: ScriptedHub.code,
        name: { _ in
          #expect(app.home.accessories.count == 1)
          if let error { throw error }
          return nil
        })
      #expect(await setUp(app.home, prompt)?.code == error?.code ?? .operationCancelled)
      #expect(app.home.accessories.isEmpty && hub.home.accessories.isEmpty)
    }
    #expect(await hub.openCount() == 0)
  }

  @available(*, deprecated)
  @Test("If the pairing can't be removed after a cancellation, that is the error: the accessory stays")
  func removalFails() async throws {
    hub.appear(1, "Lamp")
    hub.state.withLock { $0.removalError = HomeError(.accessoryNotReachable, nil, "off") }
    let app = try await ScriptedApp(hub)
    let prompt = HMSetupAnswers(code: ScriptedHub.code, name: { _ in nil })
    #expect(await setUp(app.home, prompt)?.code == .accessoryNotReachable)
    #expect(app.home.accessories.count == 1)
  }

  @available(*, deprecated)
  @Test("A refused name is asked again with the reason; the same one again ends the addition")
  func refusedName() async throws {
    let app = try await ScriptedApp(hub)
    hub.perform(.addRoom(home: hub.home.id, name: "Hall"))
    hub.appear(1, "Lamp")
    let stubborn = HMSetupAnswers(code: ScriptedHub.code, name: { _ in "Hall" })
    #expect(await setUp(app.home, stubborn)?.code == .objectWithSimilarNameExistsInHome)
    #expect(app.home.accessories.isEmpty)
    hub.appear(1, "Lamp")
    let learning = HMSetupAnswers(
      code: ScriptedHub.code, name: { $0.problem?.code == .objectWithSimilarNameExistsInHome ? "Light" : "Hall" },
      room: { _ in "hall" })
    #expect(await setUp(app.home, learning) == nil)
    #expect(app.home.accessories.map(\.name) == ["Light"] && app.home.accessories[0].room?.name == "Hall")
  }

  @available(*, deprecated)
  @Test("Each accessory of a bridge has a page, and the room of the one before is the suggestion")
  func bridge() async throws {
    hub.appear(1, "Bridge", bridged: ["Left", "Right"])
    let app = try await ScriptedApp(hub)
    let suggestions = Guarded<[String]>([])
    let prompt = HMSetupAnswers(
      code: ScriptedHub.code,
      room: { page in
        suggestions.withLock { $0.append("\(page.suggestedName): \(page.suggestedRoom.name)") }
        return "Hall"
      })
    #expect(await setUp(app.home, prompt) == nil)
    let whole = app.home.roomForEntireHome().name
    #expect(suggestions.withLock { $0 } == ["Left: \(whole)", "Right: Hall"])
  }

  @available(*, deprecated)
  @Test("If another app removes the accessory or the home meanwhile, the addition ends with its error")
  func otherApps() async throws {
    let app = try await ScriptedApp(hub)
    for isHome in [false, true] {
      hub.appear(1, "Lamp")
      let prompt = HMSetupAnswers(
        code: ScriptedHub.code,
        name: { [hub] page in
          hub.perform(isHome ? .removeHome(hub.home.id) : .removeAccessory(hub.home.accessories[0].id))
          while page.accessory.handle?.isGone == false { await Task.yield() }
          return "Lamp 2"
        })
      let home = app.home
      #expect(await setUp(home, prompt)?.code == (isHome ? .notFound : .objectNotAssociatedToAnyHome))
    }
  }

  // MARK: HMAccessorySetupManager

  @Test("With several homes, the person chooses one, and sees the accessory of the payload")
  func homes() async throws {
    let hub = ScriptedHub(homes: ["One", "Two"])
    hub.appear(1, "Lamp", hash: ScriptedHub.hash)
    hub.appear(2, "Fan", hash: [1, 2, 3, 4])
    let request = HMAccessorySetupRequest()
    request.payload = try payload()
    let prompt = HMSetupAnswers(
      code: { _ in nil },
      home: { homes, candidates in
        for await found in candidates.updates where !found.isEmpty {
          #expect(found.map(\.name) == ["Lamp"])
          break
        }
        #expect(homes.map(\.name) == ["One", "Two"])
        return homes[1]
      })
    let result = try await perform(request, on: hub, prompt)
    let home = hub.model.homes[1]
    #expect(result.homeUniqueIdentifier == UUID(home.id))
    #expect(result.accessoryUniqueIdentifiers == home.accessories.map { UUID($0.id) })
    #expect(await hub.openCount() == 0)
    while hub.state.withLock({ !$0.links.isEmpty }) { await Task.yield() }
    #expect(hub.state.withLock { $0.links.isEmpty }, "the links end with the operation")
  }

  @Test("A home that was removed is asked for again; the same one again ends the addition with 2")
  func removedHome() async throws {
    let hub = ScriptedHub(homes: ["One", "Two", "Three"])
    let app = try await ScriptedApp(hub)
    let removed = app.manager.homes[2]
    try await app.manager.removeHome(removed)
    hub.appear(1, "Lamp")
    let count = Guarded(0)
    let stubborn = HMSetupAnswers(
      code: ScriptedHub.code,
      home: { _, _ in
        count.withLock { $0 += 1 }
        return removed
      })
    do {
      _ = try await perform(HMAccessorySetupRequest(), on: hub, stubborn)
      Issue.record("the home was accepted")
    } catch let error as HMError {
      #expect(error.code == .notFound && error.localizedDescription.contains("\"Three\""))
    }
    #expect(count.withLock { $0 } == 2 && !hub.requests.contains("add"))
    let learning = HMSetupAnswers(
      code: ScriptedHub.code,
      home: { homes, _ in
        count.withLock { $0 += 1 }
        return count.withLock { $0 } == 3 ? removed : homes[1]
      })
    _ = try await perform(HMAccessorySetupRequest(), on: hub, learning)
    #expect(hub.model.homes[1].accessories.count == 1)
  }

  @available(*, deprecated)
  @Test("An accessory that was refused is asked for again; the same one again ends the addition with the reason")
  func refusedAccessory() async throws {
    let app = try await ScriptedApp(hub)
    hub.appear(1, "Lamp")
    hub.appear(2, "Fan")
    let gone = HMSetupUI.Candidate(
      NewAccessory(device: DeviceDescription.device(3), name: "Gone", model: nil, category: 5, setupHash: nil))
    let problems = Guarded<[HMError.Code?]>([])
    func choosing(_ choice: @escaping @Sendable ([HMSetupUI.Candidate]) -> HMSetupUI.Candidate?) -> HMSetupAnswers {
      HMSetupAnswers(
        code: ScriptedHub.code,
        accessory: { candidates in
          problems.withLock { $0.append(candidates.problem?.code) }
          for await found in candidates.updates where found.count == 2 { return choice(found) }
          return nil
        })
    }
    let missing = await setUp(app.home, choosing { _ in gone })
    #expect(missing?.code == .notFound && missing?.localizedDescription.contains("\(gone.device)") == true)
    #expect(problems.withLock { $0 } == [nil, .notFound] && !hub.requests.contains("add"))
    hub.state.withLock { $0.additionError = HomeError(.accessoryOutOfResources, nil, "no space for a pairing") }
    problems.withLock { $0 = [] }
    #expect(await setUp(app.home, choosing { $0[0] })?.code == .accessoryOutOfResources)
    #expect(problems.withLock { $0 } == [nil, .accessoryOutOfResources])
    #expect(hub.requests.count { $0 == "add" } == 1)
    hub.state.withLock { $0.additionError = nil }
    #expect(await setUp(app.home, choosing { [gone, $0[1]][problems.withLock { $0.count % 2 }] }) == nil)
    #expect(app.home.accessories.map(\.name) == ["Fan"])
    #expect(await hub.openCount() == 0)
  }

  @Test("A hub that answers with the answer of another request ends the addition, with advice")
  func confusedHub() async throws {
    hub.appear(1, "Lamp")
    hub.state.withLock { $0.confusesAdditions = true }
    do {
      _ = try await perform(HMAccessorySetupRequest(), on: hub, HMSetupAnswers(code: ScriptedHub.code))
      Issue.record("the answer was accepted")
    } catch let error as HMError {
      #expect(error.code == .unexpectedError && error.localizedDescription.contains("restart the hub"))
    }
    #expect(hub.home.accessories.isEmpty)
    #expect(await hub.openCount() == 0)
  }

  @Test("The home of the request is not asked for; its name and room are suggested")
  func suggestions() async throws {
    let hub = ScriptedHub(homes: ["One", "Two"])
    hub.perform(.addRoom(home: hub.model.homes[1].id, name: "Hall"))
    hub.appear(1, "Lamp")
    let request = HMAccessorySetupRequest()
    request.homeUniqueIdentifier = UUID(hub.model.homes[1].id)
    request.suggestedRoomUniqueIdentifier = UUID(hub.model.homes[1].rooms[0].id)
    request.suggestedAccessoryName = "Hall Lamp"
    _ = try await perform(request, on: hub, HMSetupAnswers(code: ScriptedHub.code))
    let home = hub.model.homes[1]
    #expect(home.accessories.map(\.name.text) == ["Hall Lamp"] && home.accessories[0].room == home.rooms[0].id)
  }

  @Test("An unknown home, no home, and no hub are refused")
  func refusals() async {
    let (request, prompt) = (HMAccessorySetupRequest(), HMSetupAnswers(code: "1"))
    #expect(await code { _ = try await perform(request, on: ScriptedHub(homes: []), prompt) } == .notFound)
    request.homeUniqueIdentifier = UUID()
    #expect(await code { _ = try await perform(request, on: ScriptedHub(), prompt) } == .notFound)
    let hub = ScriptedHub()
    hub.end()
    #expect(await code { _ = try await perform(request, on: hub, prompt) } == .noHomeHub)
    #expect(await hub.openCount() == 0)
    #expect(HMAccessorySetupManager.isSupported)
  }
}
