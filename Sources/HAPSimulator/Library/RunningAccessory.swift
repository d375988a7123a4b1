import HAPCommands
import HAPHost
import HAPLoop
import HAPModel
import HAPSimulatorCore
import HAPVocabulary

/// An accessory that a ``Simulator`` serves. It keeps its simulator, and goes on when nothing refers to it while the simulator is there.
public final class RunningAccessory: Sendable {
  /// Whose it is.
  public let simulator: Simulator
  /// An address of this machine at which it listens: "127.0.0.1". In a simulated world, the address that its host had at the start:
  /// ``World/Host/address`` is the present one.
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

  // MARK: Who it is

  /// Its name; of a bridge, the bridge's.
  public var name: String { card.name }
  /// The port at which it listens; a restart keeps it.
  public var port: UInt16 { card.port }
  /// The code to pair with: "031-45-154".
  public var setupCode: String { card.setupCode }
  /// What its QR code says: "X-HM://0071WK4SM7OSX".
  public var setupPayload: String { card.setupPayload }
  /// Its identifier on the network: "AA:BB:CC:DD:EE:FF". A factory reset gives it another.
  public var deviceID: String { card.deviceID }
  /// What a phone shows it as: "garage-door-opener".
  public var category: String { card.category }

  // MARK: Life

  /// Says goodbye on the network and closes everything. What waits fails with ``SimulatorError/Code/stopped``. Any number of times.
  public func stop() async {
    try? await served.loop.result { [served] done in
      served.stop()
      done(.success(()))
    }
  }

  /// Starts it anew from what it keeps, at the same port. Returns when it is back.
  /// - Parameter restart: how it goes, and what it forgets.
  /// - Throws: ``SimulatorError/Code/cancelled`` when the task was: it starts anew all the same, if that had begun. So it is with all that is done to it.
  public func restart(_ restart: Restart) async throws(SimulatorError) { try await perform(.restart(restart)) }

  /// Serves another profile of the same accessory from now on. Controllers stay connected and subscribed.
  /// - Returns: the configuration number (`c#`), which rises when more than values differ.
  @discardableResult
  public func replace(by profile: ProfileSource) async throws(SimulatorError) -> UInt16 {
    try await served.loop.result { [served] done in served.replace(by: profile.origin, done: done) }
  }

  // MARK: Its state

  /// The value of a characteristic as the device has it; controllers read the last press of a button as null.
  public func value(of characteristic: CharacteristicName) async throws(SimulatorError) -> Value {
    try await read(characteristic).value
  }

  /// The catalogue's word for the value of a characteristic, where it has one: "open".
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

  /// The faults that are on, as ``switchOn(fault:)`` takes them.
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
