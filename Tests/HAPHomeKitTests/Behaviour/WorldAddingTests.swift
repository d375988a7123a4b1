import Foundation
import HAPHomeKit
import HAPHomeKitTesting
import HAPLoop
import Testing

/// Accessories that an app finds and adds, with real pairing. home.md M16, §11.
@Suite("Adding accessories in a world") struct WorldAddingTests {
  /// Writes down the calls of a browser.
  private final class Watcher: NSObject, HMAccessoryBrowserDelegate, Sendable {
    let lines = Lines()
    func accessoryBrowser(_ browser: HMAccessoryBrowser, didFindNewAccessory accessory: HMAccessory) {
      lines.add("+\(accessory.name)")
    }
    func accessoryBrowser(_ browser: HMAccessoryBrowser, didRemoveNewAccessory accessory: HMAccessory) {
      lines.add("-\(accessory.name)")
    }
  }

  private static let lamp = HomeWorld.Device("Lamp", .new("LightBulb:Brightness"), isAdded: false)
  private static let outlet = HomeWorld.Device("Plug", .new("outlet"), isAdded: false)

  @Test("A browser finds the accessories that are in no home, and one of them is added")
  func browser() async throws {
    let world = try await HomeWorld.start(accessories: [Self.lamp, Self.outlet, .init("Old", .new("switch"))])
    defer { world.end() }
    let (manager, watcher) = (try await world.makeManager(), Watcher())
    let browser = await world.perform { HMAccessoryBrowser() }
    browser.delegate = watcher
    browser.startSearchingForNewAccessories()
    await world.advance(by: .seconds(10))
    #expect(watcher.lines.taken.sorted() == ["+Lamp", "+Plug"])
    #expect(browser.discoveredAccessories.map(\.name).sorted() == ["Lamp", "Plug"])
    let lamp = try #require(browser.discoveredAccessories.first { $0.name == "Lamp" })
    #expect(lamp.category.categoryType == HMAccessoryCategoryTypeLightbulb && lamp.services.isEmpty)
    #expect(lamp.home == nil && lamp.room == nil && lamp.isReachable)
    try await lamp.identify()
    #expect(await thrown { try await lamp.updateName("X") } == 12)
    let home = try #require(manager.homes.first)
    let code = try world.accessory("Lamp").setupCode
    try await HMSetupUI.withPrompt(HMSetupAnswers(code: code)) { try await home.addAccessory(lamp) }
    #expect(home.accessories.last === lamp && lamp.home === home && lamp.room === home.roomForEntireHome())
    #expect(lamp.services.contains { $0.serviceType == HMServiceTypeLightbulb })
    #expect(await thrown { try await home.addAccessory(lamp) } == 13)
    await world.advance(by: .seconds(5))
    #expect(watcher.lines.taken == ["-Lamp"] && browser.discoveredAccessories.map(\.name) == ["Plug"])
    browser.stopSearchingForNewAccessories()
    await world.settle()
    try await world.serve(.init("Late", .new("fan"), isAdded: false))
    await world.advance(by: .seconds(10))
    #expect(watcher.lines.taken == [])
    try await home.removeAccessory(lamp)
    #expect(await thrown { try await lamp.updateName("X") } == 12)
  }

  @Test("A wrong code is asked for again, and a person can give up") func codes() async throws {
    let world = try await HomeWorld.start(accessories: [Self.lamp])
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    let browser = await world.perform { HMAccessoryBrowser() }
    browser.startSearchingForNewAccessories()
    await world.advance(by: .seconds(10))
    let (lamp, right) = (try #require(browser.discoveredAccessories.first), try world.accessory("Lamp").setupCode)
    let wrong = HMSetupAnswers(code: "999-99-998")
    #expect(await thrown { try await HMSetupUI.withPrompt(wrong) { try await home.addAccessory(lamp) } } == 18)
    let nobody = HMSetupAnswers(code: { _ in nil })
    #expect(await thrown { try await HMSetupUI.withPrompt(nobody) { try await home.addAccessory(lamp) } } == 23)
    #expect(home.accessories.isEmpty && lamp.home == nil)
    let problems = Lines()
    let second = HMSetupAnswers(code: { request in
      problems.add("\(request.problem == nil)")
      return request.problem == nil ? "999-99-998" : right
    })
    try await HMSetupUI.withPrompt(second) { try await home.addAccessory(lamp) }
    #expect(problems.taken == ["true", "false"] && home.accessories == [lamp])
  }

  @Test("The whole flow asks for home, code, name and room, as handler and async") func flow() async throws {
    let world = try await HomeWorld.start(accessories: [Self.lamp, Self.outlet])
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    let payload = try #require(HMAccessorySetupPayload(url: URL(string: try world.accessory("Lamp").setupPayload)))
    let prompt = HMSetupAnswers(code: "", name: { _ in "Reading Light" }, room: { _ in "Study" })
    let added = try await HMSetupUI.withPrompt(prompt) { try await Old(home).addAndSetUpAccessories(payload: payload) }
    #expect(added.map(\.name) == ["Reading Light"] && added.first?.room?.name == "Study")
    #expect(home.rooms.map(\.name) == ["Study"] && home.accessories == added)
    let cabin = try await manager.addHome(named: "Cabin")
    let code = try world.accessory("Plug").setupCode
    let shown = Lines()
    let request = HMAccessorySetupRequest()
    request.suggestedAccessoryName = "Heater"
    let answers = HMSetupAnswers(
      code: code,
      home: { homes, candidates in
        for await found in candidates.updates {
          guard let first = found.first else { continue }
          shown.add("\(first.name) \(first.category.localizedDescription)")
          break
        }
        return homes.first { $0.name == "Cabin" }
      })
    let result = try await HMSetupUI.withPrompt(answers) {
      try await world.perform { try await HMAccessorySetupManager().performAccessorySetup(using: request) }
    }
    await world.settle()
    #expect(shown.taken == ["Plug Outlet"])
    #expect(result.homeUniqueIdentifier == cabin.uniqueIdentifier)
    #expect(cabin.accessories.map(\.uniqueIdentifier) == result.accessoryUniqueIdentifiers)
  }

  @Test("A cancelled flow removes the pairing again") func cancelled() async throws {
    let world = try await HomeWorld.start(accessories: [Self.lamp])
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    let payload = try #require(HMAccessorySetupPayload(url: URL(string: try world.accessory("Lamp").setupPayload)))
    let prompt = HMSetupAnswers(code: "", name: { _ in nil })
    #expect(
      await thrown {
        _ = try await HMSetupUI.withPrompt(prompt) { try await Old(home).addAndSetUpAccessories(payload: payload) }
      } == 23)
    #expect(home.accessories.isEmpty)
    try await world.accessory("Lamp").run { lamp in
      let pairings = try await lamp.pairings
      #expect(pairings.isEmpty)
    }
  }

  @Test("A bridge gives one call for each bridged accessory, to the app that added it") func bridge() async throws {
    let world = try await HomeWorld.start(
      accessories: [.init("Bridge", .file("Profiles/bridge-two-lights.hasaccessory"), isAdded: false)])
    defer { world.end() }
    let (manager, watcher) = (try await world.makeManager(), try await world.makeManager())
    let (own, others) = (Recorder(), Recorder())
    own.watch(manager)
    others.watch(watcher)
    await world.settle()
    (_, _) = (own.calls, others.calls)
    let home = try #require(manager.homes.first)
    let payload = try #require(HMAccessorySetupPayload(url: URL(string: try world.accessory("Bridge").setupPayload)))
    try await HMSetupUI.withPrompt(HMSetupAnswers(code: "")) {
      _ = try await Old(home).addAndSetUpAccessories(payload: payload)
    }
    await world.advance(by: .seconds(2))
    #expect(own.calls.filter { $0.hasPrefix("accessory+") }.count == 2)
    #expect(others.calls.filter { $0.hasPrefix("accessory+") }.count == 3)
    #expect(home.accessories.filter(\.isReachable).count == 3)
  }
}

/// Lines that several threads add.
final class Lines: Sendable {
  private let lines = Guarded<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var taken: [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
