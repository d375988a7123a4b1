import HAPHomeKit
import HAPHomeKitTesting
import XCTest

/// The tests of most apps: synchronous, on the main thread, with completion handlers and `wait(for:timeout:)`.
final class HomeKitWaitTests: XCTestCase {
  private final class Store: NSObject, HMHomeManagerDelegate {
    let manager = HMHomeManager()
    var onHomes: () -> Void = {}

    override init() {
      super.init()
      manager.delegate = self
    }

    func homeManagerDidUpdateHomes(_ manager: HMHomeManager) { onHomes() }
  }

  private var world: HomeWorld?

  override func setUp() async throws {
    world = try await HomeWorld.start(accessories: [.init("Lamp", .new("light-bulb"))])
    world?.makeCurrent()
  }

  override func tearDown() {
    world?.end()
    world = nil
  }

  func testACompletionHandlerIsCalledWhileTheTestWaits() throws {
    let (known, written, later) = (
      expectation(description: "homes"), expectation(description: "written"), expectation(description: "later")
    )
    let store = Store()
    XCTAssertTrue(store.manager.homes.isEmpty)
    store.onHomes = { known.fulfill() }
    wait(for: [known], timeout: 60)
    let lamp = try XCTUnwrap(store.manager.homes.first?.servicesWithTypes([HMServiceTypeLightbulb])?.first)
    let power = try XCTUnwrap(
      lamp.characteristics.first { $0.characteristicType == HMCharacteristicTypePowerState })
    power.writeValue(true) { error in
      XCTAssertNil(error)
      XCTAssertEqual(power.value as? Bool, true)
      written.fulfill()
    }
    wait(for: [written], timeout: 60)
    world?.advance(by: .seconds(3600)) { later.fulfill() }
    wait(for: [later], timeout: 60)
    XCTAssertTrue(lamp.accessory?.isReachable == true)
  }
}

/// A manager that a test makes outside of its world. These tests run one after the other, so no other world is current.
final class HomeKitOutsideTests: XCTestCase {
  func testAManagerOutsideOfAWorldHasNoHomesAndSaysWhy() async throws {
    let world = try await HomeWorld.start()
    defer { world.end() }
    let manager = HMHomeManager()
    do {
      _ = try await manager.addHome(named: "Elsewhere")
      XCTFail("a home was added to the hub of the machine")
    } catch let error as HMError {
      XCTAssertEqual(error.code, .noHomeHub)
      XCTAssertTrue(error.localizedDescription.contains("world.perform"), error.localizedDescription)
      XCTAssertTrue("\(error)".hasPrefix("Error Domain=HMErrorDomain Code=91 \"this manager"), "\(error)")
    }
    XCTAssertTrue(manager.homes.isEmpty)
  }
}
