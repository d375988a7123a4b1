import Testing

@testable import HAPController

@Suite("A controller loses no keys, and no wait outlives it") struct StorageRulesTests {
  #if os(Linux)
    private static let loopback = "lo"
  #else
    private static let loopback = "lo0"
  #endif

  private func pairing(_ name: String, with accessory: String = "AA:BB:CC:DD:EE:FF") throws -> StoredPairing {
    let identity = try #require(ControllerIdentity(identifier: "me", seed: [UInt8](repeating: 7, count: 32)))
    return try #require(
      StoredPairing(
        name: name, accessoryID: accessory, accessoryKey: [UInt8](repeating: 1, count: 32),
        identity: identity, addresses: ["192.0.2.7:80"]))
  }

  @Test("A new pairing never replaces that of another accessory, also if both are added at the same time")
  func add() async throws {
    let storage = SerialStorage(PairingMemory([try pairing("garage")]))
    #expect(try storage.add(pairing("garage", with: "AA:BB:CC:DD:EE:00").pairing).alias == "garage-2")
    // The same accessory again, after a reset.
    #expect(try storage.add(pairing("garage").pairing).alias == "garage")
    let new = try (0..<20).map { try pairing("lamp", with: "number \($0)").pairing }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for new in new { group.addTask { _ = try storage.add(new) } }
      try await group.waitForAll()
    }
    #expect(try storage.pairings().count == 22)
  }

  @Test("A pairing gets a free name, and keeps its present name if that is the free one")
  func rename() throws {
    let memory = PairingMemory([try pairing("AA:BB"), try pairing("garage")])
    let storage = SerialStorage(memory)
    #expect(try storage.rename(pairing("AA:BB").pairing, to: "AA:BB").alias == "AA:BB")
    #expect(memory.pairings().map(\.name) == ["AA:BB", "garage"])
    #expect(try storage.rename(pairing("AA:BB").pairing, to: "garage").alias == "garage-2")
    #expect(memory.pairings().map(\.name) == ["garage", "garage-2"])
  }

  @Test("New addresses don't restore a pairing that was removed in the meantime")
  func addresses() throws {
    let memory = PairingMemory()
    let storage = SerialStorage(memory)
    try storage.storeAddresses(of: pairing("garage").pairing)
    #expect(memory.pairings().isEmpty)
    #expect(try storage.rename(pairing("garage").pairing, to: "door").alias == "garage")
    #expect(memory.pairings().isEmpty)
  }

  @Test("A watch of the network ends when its controller is closed")
  func watchEnds() async {
    let controller = Controller(storage: PairingMemory(), interfaces: [Self.loopback])
    let watch = controller.watchAccessories()
    async let count = watch.reduce(0) { count, _ in count + 1 }
    // When a later search has ended, the search of the watch has begun.
    _ = try? await controller.findAccessories(for: .milliseconds(1))
    controller.close()
    #expect(await count < 100)
    #expect(await controller.watchAccessories().reduce(0) { count, _ in count + 1 } == 0)
  }

  @Test("A cancelled search throws instead of returning a list")
  func cancelled() async {
    let controller = Controller(storage: PairingMemory(), interfaces: [Self.loopback])
    let search = Task { try await controller.findAccessories(for: .seconds(3600)) }
    search.cancel()
    let outcome = await search.result
    controller.close()
    #expect((outcome.errorIfAny as? ControllerError)?.kind == .cancelled)
  }
}

extension Result {
  fileprivate var errorIfAny: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
