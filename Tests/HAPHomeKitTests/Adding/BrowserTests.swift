import Foundation
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import Testing

@testable import HAPHomeKit

/// The search of a browser.
@Suite("HMAccessoryBrowser") @MainActor struct BrowserTests {
  private final class Watcher: NSObject, HMAccessoryBrowserDelegate {
    var calls: [String] = []
    func accessoryBrowser(_ browser: HMAccessoryBrowser, didFindNewAccessory accessory: HMAccessory) {
      calls.append("+\(accessory.name)")
    }
    func accessoryBrowser(_ browser: HMAccessoryBrowser, didRemoveNewAccessory accessory: HMAccessory) {
      calls.append("-\(accessory.name)")
    }
  }

  private let hub = ScriptedHub()
  private let browser: HMAccessoryBrowser
  private let watcher = Watcher()

  init() {
    browser = HMAccessoryBrowser(hub)
    browser.delegate = watcher
  }

  /// Waits until the delegate has got this number of calls, and the main queue has run.
  private func calls(_ count: Int) async -> [String] {
    while watcher.calls.count < count { await Task.yield() }
    _ = await hub.openCount()
    return watcher.calls
  }

  private var names: [String] { browser.discoveredAccessories.map(\.name) }

  @Test("Accessories are reported once each, in their order, and keep their object")
  func find() async throws {
    hub.appear(1, "Lamp")
    browser.startSearchingForNewAccessories()
    #expect(browser.discoveredAccessories.isEmpty)
    #expect(await calls(1) == ["+Lamp"])
    let lamp = try #require(browser.discoveredAccessories.first)
    #expect(lamp.category.categoryType == HMAccessoryCategoryTypeLightbulb && lamp.model == "M1" && lamp.home == nil)
    #expect(lamp.isReachable && lamp.uniqueIdentifier == UUID(of: DeviceDescription.device(1)))
    hub.appear(2, "Fan")
    hub.appear(1, "Lamp 2")
    #expect(await calls(2) == ["+Lamp", "+Fan"])
    #expect(browser.discoveredAccessories.first === lamp)
    while lamp.name != "Lamp 2" { await Task.yield() }
    #expect(names == ["Lamp 2", "Fan"], "the record of the network changed")
    hub.disappear(1)
    #expect(await calls(3) == ["+Lamp", "+Fan", "-Lamp 2"])
    #expect(names == ["Fan"])
  }

  @Test("After the end of a search, the list stays; the next one begins with an empty list")
  func stop() async {
    hub.appear(1, "Lamp")
    browser.startSearchingForNewAccessories()
    _ = await calls(1)
    browser.stopSearchingForNewAccessories()
    browser.stopSearchingForNewAccessories()
    #expect(await hub.openCount() == 0)
    hub.disappear(1)
    hub.appear(2, "Fan")
    #expect(names == ["Lamp"])
    browser.startSearchingForNewAccessories()
    #expect(names.isEmpty)
    #expect(await calls(2) == ["+Lamp", "+Fan"])
    #expect(hub.requests.filter { $0 == "endSearch" }.count == 1)
  }

  @Test("After an absence of the hub, the search begins again, and reports what has changed")
  func absence() async throws {
    hub.appear(1, "Lamp")
    hub.appear(2, "Fan")
    browser.startSearchingForNewAccessories()
    #expect(await calls(2) == ["+Lamp", "+Fan"])
    let fan = browser.discoveredAccessories[1]
    hub.end()
    hub.disappear(1)
    hub.appear(3, "Heater")
    hub.restart()
    #expect(await calls(4) == ["+Lamp", "+Fan", "-Lamp", "+Heater"])
    #expect(names == ["Fan", "Heater"] && browser.discoveredAccessories[0] === fan)
  }

  @Test("A search that begins without a hub finds the accessories when there is one")
  func lateHub() async {
    hub.end()
    hub.appear(1, "Lamp")
    browser.startSearchingForNewAccessories()
    _ = await hub.openCount()
    hub.restart()
    #expect(await calls(1) == ["+Lamp"])
  }

  @Test("A browser that was never started, and one that was stopped before its hub answered, find nothing")
  func noSearch() async {
    hub.appear(1, "Lamp")
    browser.stopSearchingForNewAccessories()
    #expect(hub.requests.isEmpty)
    browser.startSearchingForNewAccessories()
    browser.stopSearchingForNewAccessories()
    #expect(await hub.openCount() == 0)
    #expect(watcher.calls.isEmpty && names.isEmpty)
  }

  @Test("The end of a browser ends its link")
  func end() async {
    var browser: HMAccessoryBrowser? = HMAccessoryBrowser(hub)
    browser?.startSearchingForNewAccessories()
    while hub.state.withLock({ $0.links.isEmpty }) { await Task.yield() }
    #expect(hub.state.withLock { $0.links.count } == 1)
    browser = nil
    while hub.state.withLock({ !$0.links.isEmpty }) { await Task.yield() }
    #expect(hub.state.withLock { $0.links.isEmpty })
  }
}
