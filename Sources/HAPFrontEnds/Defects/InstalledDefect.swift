import HAPCrypto
import HAPDeviations
import HAPDevices
import HAPIP
import HAPModel
import HAPPairing
import HAPTransport

/// What is wrong on purpose with one run of an accessory: its defect, and the faults that are on.
///
/// Belongs to the loop's thread.
package final class InstalledDefect {
  private unowned let server: AccessoryServer
  /// The accessory's own.
  private let own: Defect?
  private let setupCode: SetupCode
  /// Who notes what goes in and out where nothing is wrong.
  private let usualRecorder: (any CoreRecorder)?
  private let observer: (any CoreRecorder)?
  private var state: DefectState?
  /// What is done to messages; nil: nothing.
  private var run: DefectRun?
  package var alteration: DeviceAlteration?
  /// What the faults do to messages and the device.
  private var alterations: [String] = []
  /// How the faults have Pair Setup draw.
  private var setup: SetupFault?
  /// The network's chance: what it draws changes nothing for devices.
  package private(set) var networkRandom: SimulationRandom

  /// An accessory is to identify itself.
  package var onIdentify: ((UInt64) -> Void)?
  /// The record is to be told anew with these.
  package var onAdvertise: (([(name: String, value: String?)]) -> Void)?

  /// - Parameters:
  ///   - state: of the accessory's own defect; nil: it has none.
  ///   - networkRandom: the network's chance, as far as it has been drawn.
  ///   - server: with its recorder.
  ///   - observer: notes what goes in and out besides, whatever is wrong.
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

  /// What was late leaves now.
  private func remove() {
    run?.finish()
    run = nil
    server.core.tap = nil
    record(by: usualRecorder)
    server.keepsOpen = nil
    alteration = nil
  }

  /// What is wrong with the accessory and its network from now on.
  /// - Parameter base: of the accessory's own defect.
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

  /// Nothing that is late is sent any more.
  package func stop() { run?.stop() }

  package func isSuppressed(_ what: DefectScript.Suppressed) -> Bool { state?.script.isSuppressed(what) ?? false }

  /// How long the accessory identifies itself; nil: as usual.
  package var identifying: Duration? { state?.script.defect.identifying }

  /// Calls `body` so much later, unless what is wrong has ended by then.
  package func after(_ delay: Duration, _ body: @escaping () -> Void) { run?.after(delay, body) }
}
