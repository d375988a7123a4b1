import HAPCommands
import HAPLoop
import HAPMatter
import HAPModel
import HAPSimulatorCore
import HAPVocabulary

extension Simulator {
  /// How an accessory is served over Matter, besides HomeKit.
  public struct Matter: Hashable, Sendable {
    /// 1 to 99999998, except for numbers of equal digits, 12345678 and 87654321; `nil`: a random one.
    public var passcode: UInt32?
    /// 0 to 4095; `nil`: a random one.
    public var discriminator: UInt16?
    /// One of the vendor IDs for tests: 0xFFF1 to 0xFFF4.
    public var vendor: UInt16 = 0xFFF1
    /// The product ID: 1 to 0xFFFF.
    public var product: UInt16 = 0x8000
    /// The UDP port; `nil`: 5540, or any free port if that is in use.
    public var port: UInt16?

    /// Makes settings with random codes.
    public init() {}

    /// - Throws: a failure with ``SimulatorError/Code/invalidValue`` for a value out of range.
    func settings() throws(SimulationFailure) -> MatterSettings {
      func check(_ isValid: Bool, _ text: String) throws(SimulationFailure) {
        if !isValid { throw SimulationFailure(.invalidValue, text) }
      }
      try check(
        passcode.map { MatterSettings.allows(passcode: $0) } ?? true,
        "the passcode \(passcode ?? 0) is not allowed: it has to be 1 to 99999998, and not easy to guess")
      try check(discriminator ?? 0 < 4096, "the discriminator must be 0 to 4095, not \(discriminator ?? 0)")
      try check((0xFFF1...0xFFF4).contains(vendor), "the vendor ID must be 0xFFF1 to 0xFFF4")
      try check(product > 0, "the product ID must not be 0")
      var settings = MatterSettings()
      (settings.passcode, settings.discriminator, settings.port) = (passcode, discriminator, port)
      (settings.vendor, settings.product) = (vendor, product)
      return settings
    }
  }

  /// Serves another accessory over HomeKit and over Matter. Controllers can pair with it and commission it when this
  /// returns. ``RunningAccessory/matter`` has the data for a commissioner.
  ///
  /// A Matter controller finds the accessory by multicast DNS, so it has to be announced: ``Network``.
  /// - Parameters:
  ///   - profile: the source of the profile.
  ///   - matter: the settings for Matter.
  ///   - name: replaces the profile's name.
  ///   - setupCode: replaces the profile's setup code for HomeKit.
  /// - Throws: as ``start(_:name:setupCode:port:)``; ``SimulatorError/Code/invalidValue`` for a setting out of range.
  public func start(
    _ profile: ProfileSource, matter: Matter, name: String? = nil, setupCode: String? = nil
  ) async throws(SimulatorError) -> RunningAccessory {
    let settings = try await failing { () throws(SimulationFailure) in try matter.settings() }
    let served = try await core.loop.result { [core] done in
      core.start(
        profile.origin, name: name, setupCode: setupCode, port: 0, matterVendor: settings.vendor,
        configure: { $0.frontEnds.append(MatterFrontEnd.choice(settings)) }, done: done)
    }
    return RunningAccessory(served, of: self, at: core.shownAddress)
  }
}

extension RunningAccessory {
  /// The data with which a commissioner adds an accessory to a fabric of Matter.
  public struct MatterSetup: Hashable, Sendable {
    /// The UDP port.
    public let port: UInt16
    /// The text of the QR code: "MT:Y.K90AFN00KA0648G00".
    public let payload: String
    /// The code that a person types: "34970112332".
    public let manualCode: String
    /// The certificate of the attestation authority (PAA), which the commissioner has to trust, as DER.
    public let trustAnchor: [UInt8]
  }

  /// The data for a commissioner; `nil`: the accessory is not served over Matter.
  ///
  /// Events name a controller of Matter by its fabric: "Matter fabric 1 node 0000000000000001".
  public var matter: MatterSetup? {
    get async throws(SimulatorError) {
      try await served.loop.result { [served] done in
        let invitation = served.accessory.assumeIsolated { $0.frontEnd(MatterFrontEnd.self)?.invitation }
        done(
          .success(
            invitation.map {
              MatterSetup(
                port: $0.port, payload: $0.qrText, manualCode: $0.manualCode, trustAnchor: $0.trustAnchor)
            }))
      }
    }
  }

  /// The present state of the accessory as a Matter node: window, fabrics, sessions and subscriptions; `nil`: it is not
  /// served over Matter.
  public var matterNode: MatterNodeState? {
    get async throws(SimulatorError) {
      try await served.loop.result { [served] done in done(.success(served.accessory.assumeIsolated { $0.matter })) }
    }
  }

  /// Opens a commissioning window, as a person at the accessory does. While it is open, a commissioner can add the
  /// accessory to another fabric.
  /// - Parameters:
  ///   - kind: whether the window has the accessory's own passcode, or a random one.
  ///   - seconds: the time until it closes, 180 to 900.
  /// - Returns: the window, with its codes.
  /// - Throws: ``SimulatorError/Code/invalidValue`` for another time; ``SimulatorError/Code/notPossible`` if a window is
  ///   open, if a commissioning is not complete, or without Matter.
  @discardableResult
  public func openMatterWindow(
    _ kind: MatterWindow.Kind = .basic, seconds: Int = 180
  ) async throws(SimulatorError) -> MatterWindow {
    let range = MatterWindow.timeouts
    guard range.contains(seconds) else {
      throw SimulatorError(
        .invalidValue, "a window is open for \(range.lowerBound) to \(range.upperBound) s, not \(seconds)")
    }
    return try await served.loop.resultUnlessCancelled { [served] done in
      served.perform(.openWindow(kind, seconds: seconds)) { result in
        done(
          result.flatMap { result in
            guard case .window(let window) = result else { return .failure(.stopped) }
            return .success(window)
          })
      }
    }
  }

  /// Closes the commissioning window, also one that a controller has opened. A commissioning that is not complete is
  /// undone.
  /// - Throws: ``SimulatorError/Code/notPossible`` if no window is open.
  public func closeMatterWindow() async throws(SimulatorError) { try await perform(.closeWindow) }

  /// Removes a fabric, with its sessions, subscriptions and access entries. Returns when the removal is stored.
  /// - Parameter index: the index of the fabric: `index` of a `MatterFabric`.
  /// - Throws: ``SimulatorError/Code/noSuchFabric`` for another index.
  public func removeFabric(_ index: UInt8) async throws(SimulatorError) { try await perform(.removeFabric(index)) }
}
