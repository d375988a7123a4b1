import Foundation
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import Testing

@testable import HAPHomeKit

/// `HMHome.addAccessory(_:)` with an accessory of a browser.
@Suite("Adding an accessory of a browser") @MainActor struct AddingTests {
  private let hub = ScriptedHub()
  private let browser: HMAccessoryBrowser

  init() { browser = HMAccessoryBrowser(hub) }

  private func found(_ count: Int = 1) async -> [HMAccessory] {
    browser.startSearchingForNewAccessories()
    while browser.discoveredAccessories.count < count { await Task.yield() }
    return browser.discoveredAccessories
  }

  /// Adds the accessory with a prompt, and returns the error.
  private func add(_ accessory: HMAccessory, to home: HMHome, _ prompt: any HMSetupPrompt) async -> HMError? {
    do { try await HMSetupUI.withPrompt(prompt) { try await home.addAccessory(accessory) } } catch {
      return error as? HMError
    }
    return nil
  }

  @Test("The object of the browser becomes the one of the home")
  func add() async throws {
    hub.appear(1, "Lamp")
    let app = try await ScriptedApp(hub)
    let lamp = try #require(await found().first)
    let prompt = HMSetupAnswers(code: { request in
      #expect(request.accessory?.name == "Lamp" && request.home === app.home && request.problem == nil)
      return ScriptedHub.code
    })
    #expect(await add(lamp, to: app.home, prompt) == nil)
    #expect(app.home.accessories.count == 1 && app.home.accessories[0] === lamp && lamp.home === app.home)
    #expect(lamp.services.map(\.name).contains("Lamp") && lamp.room === app.home.roomForEntireHome())
    while !browser.discoveredAccessories.isEmpty { await Task.yield() }
    #expect(browser.discoveredAccessories.isEmpty)
    try await lamp.updateName("Reading Lamp")
    #expect(lamp.name == "Reading Lamp" && hub.home.accessories[0].name.text == "Reading Lamp")
    #expect(await hub.openCount() == 0)
  }

  @Test("A bridge is the object of the browser, too, although its bridged accessories are reported first")
  func bridge() async throws {
    final class Watcher: NSObject, HMHomeDelegate {
      var calls: [String] = []
      var bridge: HMAccessory?
      func home(_ home: HMHome, didAdd accessory: HMAccessory) {
        bridge = home.accessories.first
        // The delegate gets the bridge before the completion handler does.
        calls.append("\(accessory.name) of \(home.accessories.map(\.name))")
      }
    }
    hub.appear(1, "Bridge", bridged: ["Left", "Right"])
    let app = try await ScriptedApp(hub)
    let watcher = Watcher()
    app.home.delegate = watcher
    let bridge = try #require(await found().first)
    #expect(await add(bridge, to: app.home, HMSetupAnswers(code: ScriptedHub.code)) == nil)
    #expect(watcher.calls.count == 2 && app.home.accessories[0] === bridge)
    #expect(bridge.bridgedAccessories.map(\.name) == ["Left", "Right"])
    hub.perform(.rename(bridge.handle!.id, "Hall Bridge"))
    while bridge.name != "Hall Bridge" { await Task.yield() }
    #expect(bridge.name == "Hall Bridge" && watcher.bridge?.name == "Hall Bridge", "both objects get the changes")
  }

  @Test("A wrong code is asked again with the reason; the same one again ends the addition with 18")
  func wrongCode() async throws {
    hub.appear(1, "Lamp")
    let app = try await ScriptedApp(hub)
    let lamp = try #require(await found().first)
    let problems = Guarded<[HMError.Code?]>([])
    let codes = Guarded(["hello", "111-22-333", ScriptedHub.code])
    let prompt = HMSetupAnswers(code: { request in
      problems.withLock { $0.append(request.problem?.code) }
      return codes.withLock { $0.removeFirst() }
    })
    #expect(await add(lamp, to: app.home, HMSetupAnswers(code: "111-22-333"))?.code == .accessoryPairingFailed)
    #expect(await add(lamp, to: app.home, HMSetupAnswers(code: "hello"))?.code == .invalidParameter)
    #expect(
      await add(lamp, to: app.home, HMSetupAnswers(code: "MT:Y.K9042C00KA0648G00"))?.code == .operationNotSupported)
    #expect(await add(lamp, to: app.home, prompt) == nil)
    #expect(problems.withLock { $0 } == [nil, .invalidParameter, .accessoryPairingFailed])
  }

  @Test("Nothing is sent if the person cancels or the prompt fails")
  func cancel() async throws {
    hub.appear(1, "Lamp")
    let app = try await ScriptedApp(hub)
    let lamp = try #require(await found().first)
    #expect(await add(lamp, to: app.home, HMSetupAnswers(code: { _ in nil }))?.code == .operationCancelled)
    let failing = HMSetupAnswers(code: { _ in throw HMError(.accessDenied) })
    #expect(await add(lamp, to: app.home, failing)?.code == .accessDenied)
    #expect(!hub.requests.contains("add") && lamp.home == nil && lamp.found != nil)
    #expect(await hub.openCount() == 0)
  }

  @Test("An accessory of a home, one that disappeared, and a home that was removed are refused")
  func refusals() async throws {
    hub.appear(1, "Lamp")
    hub.appear(2, "Fan")
    let app = try await ScriptedApp(hub)
    let (home, devices) = (app.home, await found(2))
    let prompt = HMSetupAnswers(code: ScriptedHub.code)
    #expect(await add(devices[0], to: home, prompt) == nil)
    #expect(await add(devices[0], to: home, prompt)?.code == .objectAlreadyAssociatedToHome)
    hub.disappear(2)
    #expect(await add(devices[1], to: home, prompt)?.code == .accessoryDiscoveryFailed)
    try await home.removeAccessory(devices[0])
    #expect(await add(devices[0], to: home, prompt)?.code == .objectNotAssociatedToAnyHome)
    hub.appear(2, "Fan")
    try await app.manager.removeHome(home)
    #expect(await add(devices[1], to: home, prompt)?.code == .objectNotAssociatedToAnyHome)
  }
}
