import HAPCrypto
import HAPDeviations
import HAPDevices
import HAPIP
import HAPModel
import HAPPairing
import HAPTransport

/// The deliberate errors of one run of an accessory: its defect, and the active faults.
///
/// Belongs to the loop's thread.
package final class InstalledDefect {
  private unowned let server: AccessoryServer
  /// The accessory's own defect.
  private let own: Defect?
  private let setupCode: SetupCode
  /// Records inputs and outputs while no defect is active.
  private let usualRecorder: (any CoreRecorder)?
  private let observer: (any CoreRecorder)?
  private var state: DefectState?
  /// Changes messages; `nil`: there are no changes.
  private var run: DefectRun?
  package var alteration: DeviceAlteration?
  /// The faults that change messages and the device.
  private var alterations: [String] = []
  /// The changes to the random numbers of Pair Setup.
  private var setup: SetupFault?
  /// The random numbers of the network. They are separate from those of devices.
  package private(set) var networkRandom: SimulationRandom

  /// Called when an accessory must run its identify routine.
  package var onIdentify: ((UInt64) -> Void)?
  /// Called when the record must be announced again with these keys.
  package var onAdvertise: (([(name: String, value: String?)]) -> Void)?

  /// - Parameters:
  ///   - state: the state of the accessory's own defect; `nil`: it has none.
  ///   - networkRandom: the present state of the network's random numbers.
  ///   - server: the server, with its recorder.
  ///   - observer: also records inputs and outputs, regardless of defects.
  package init(
    _ state: DefectState?, own: Defect?, setupCode: SetupCode, networkRandom: SimulationRandom,
    _ server: AccessoryServer, beside observer: (any CoreRecorder)?
  ) {
    self.networkRandom = networkRandom
    self.observer = observer
    self.server = server
    self.own = own
    self.setupCode = setupCode
    self.state = state
    usualRecorder = server.recorder
    record(by: usualRecorder)
    install()
    setSetupArithmetic()
  }

  private func record(by recorder: (any CoreRecorder)?) {
    guard let observer else { return server.recorder = recorder }
    server.recorder = recorder.map { RecorderPair($0, observer) } ?? observer
  }

  private func install() {
    guard let state else { return }
    let defect = state.script.defect
    alteration = DeviceAlteration(defect.devices, server.core.attributes.database)
    guard defect.isInstalled else { return }
    let run = DefectRun(state, server)
    self.run = run
    server.core.tap = run
    record(by: run)
    run.onIdentify = { [unowned self] in onIdentify?($0) }
    run.onAdvertise = { [unowned self] in onAdvertise?($0) }
    server.keepsOpen = { _ in state.script.isSuppressed(.close) }
  }

  private var refusedSecret: SetupChange.Secret? { state?.script.defect.setup?.refusedSecret }

  private func setSetupArithmetic() {
    server.core.pairingServer.setupArithmetic =
      setup == nil && refusedSecret == nil
      ? OrdinarySetupArithmetic()
      : AlteredSetupArithmetic(setup, refusedSecret: refusedSecret, code: setupCode, server.loop.random)
  }

  /// Sends delayed messages now, and removes the changes to messages and the device.
  private func remove() {
    run?.finish()
    run = nil
    server.core.tap = nil
    record(by: usualRecorder)
    server.keepsOpen = nil
    alteration = nil
  }

  /// Applies the active faults from now on.
  /// - Parameter base: the state of the accessory's own defect.
  package func apply(_ faults: AccessoryFaults, base: DefectState?) {
    let oldSecret = refusedSecret
    if alterations != faults.alterations {
      alterations = faults.alterations
      remove()
      state = base
      if !alterations.isEmpty, let joined = faults.joined(with: own) {
        state = DefectState(joined)
        state?.restart = base?.restart
      }
      install()
    }
    if setup != faults.setup || refusedSecret != oldSecret {
      setup = faults.setup
      setSetupArithmetic()
    }
    guard faults.hasNetworkFaults || server.shape != nil else { return }
    server.refusesBeyond = faults.refusesBeyond
    server.shape = { [unowned self] connection in
      faults.shaper(for: connection) { [unowned self] in Double.random(in: 0..<1, using: &networkRandom) }
    }
    server.reshape()
    if !faults.hasNetworkFaults { server.shape = nil }
  }

  /// Discards all delayed messages.
  package func stop() { run?.stop() }

  package func isSuppressed(_ what: DefectScript.Suppressed) -> Bool { state?.script.isSuppressed(what) ?? false }

  /// How long the accessory identifies itself; nil: as usual.
  package var identifying: Duration? { state?.script.defect.identifying }

  /// Calls `body` after a delay, unless the defect has been removed by then.
  package func after(_ delay: Duration, _ body: @escaping () -> Void) { run?.after(delay, body) }
}
