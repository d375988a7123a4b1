import HAPCommands
import HAPHost
import HAPLoop
import HAPModel
import HAPSimulatorCore
import HAPVocabulary

/// An accessory that a ``Simulator`` serves. It retains its simulator, and keeps running without references as long as
/// the simulator exists.
public final class RunningAccessory: Sendable {
  /// The simulator that serves it.
  public let simulator: Simulator
  /// An address of this machine at which it listens: "127.0.0.1". In a simulated world, the address of its host at the
  /// start; ``World/Host/address`` is the present one.
  public let address: String
  let served: ServedAccessory

  init(_ served: ServedAccessory, of simulator: Simulator, at address: String) {
    self.served = served
    self.simulator = simulator
    self.address = address
  }

  private var card: ServedAccessory.Card {
    served.card.withLock { $0 }
  }

  // MARK: Identity

  /// The name of the accessory or bridge.
  public var name: String { card.name }
  /// The port at which it listens. A restart keeps the port.
  public var port: UInt16 { card.port }
  /// The setup code for pairing: "031-45-154".
  public var setupCode: String { card.setupCode }
  /// The content of its QR code: "X-HM://0071WK4SM7OSX".
  public var setupPayload: String { card.setupPayload }
  /// Its device ID on the network: "AA:BB:CC:DD:EE:FF". A factory reset changes it.
  public var deviceID: String { card.deviceID }
  /// The category that a phone shows: "garage-door-opener".
  public var category: String { card.category }

  // MARK: Stopping and restarting

  /// Stops the accessory: sends an mDNS goodbye, and closes the port and all connections. Waiting calls fail with
  /// ``SimulatorError/Code/stopped``. May be called repeatedly.
  public func stop() async {
    try? await served.loop.result { [served] done in
      served.stop()
      done(.success(()))
    }
  }

  /// Restarts it from its stored state, at the same port. Returns when the restart is done.
  /// - Parameter restart: the kind of restart, which determines the state that is lost.
  /// - Throws: ``SimulatorError/Code/cancelled`` if the task was cancelled. A restart that has begun continues; this
  ///   applies to all actions on the accessory.
  public func restart(_ restart: Restart) async throws(SimulatorError) { try await perform(.restart(restart)) }

  /// Serves another profile of the same accessory from now on. Controllers stay connected and subscribed.
  /// - Returns: the configuration number (`c#`), which is raised if more than values differ.
  @discardableResult
  public func replace(by profile: ProfileSource) async throws(SimulatorError) -> UInt16 {
    try await served.loop.result { [served] done in served.replace(by: profile.origin, done: done) }
  }

  // MARK: State

  /// Returns the value of a characteristic as the device has it. For a button this is the last press, which
  /// controllers read as null.
  public func value(of characteristic: CharacteristicName) async throws(SimulatorError) -> Value {
    try await read(characteristic).value
  }

  /// Returns the catalogue's name for the value of a characteristic, if there is one: "open".
  public func word(of characteristic: CharacteristicName) async throws(SimulatorError) -> String? {
    try await read(characteristic).word
  }

  private func read(
    _ characteristic: CharacteristicName
  ) async throws(SimulatorError) -> (value: Value, word: String?) {
    try await served.loop.result { [served] done in
      done(Result { () throws(SimulationFailure) in try served.value(of: characteristic.place) })
    }
  }

  /// The controllers that are paired with it.
  public var pairings: [Pairing] {
    get async throws(SimulatorError) { try await served.loop.result { [served] done in done(served.pairings) } }
  }

  /// The active faults, in the form for ``switchOn(fault:)``.
  public var faults: [String] {
    get async throws(SimulatorError) {
      try await served.loop.result { [served] done in done(.success(served.activeFaults)) }
    }
  }

  func perform(_ action: SimulatorCommand.Action, of accessory: String? = nil) async throws(SimulatorError) {
    try await served.loop.resultUnlessCancelled { [served] done in
      served.perform(action, of: accessory) { result in done(result.map { _ in () }) }
    }
  }
}
