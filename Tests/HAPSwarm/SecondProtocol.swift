import HAPDiscovery
import HAPHost
import HAPModel
import HAPWorld

/// A host of a swarm with a controller of any protocol.
package protocol SwarmController: AnyObject, Sendable {
  /// Unique among the controllers of all protocols.
  var number: Int { get }
  var interface: SimulatedInterface { get }
  /// Whether its process runs.
  var isUp: Bool { get }
  func start()
  /// Ends its process, or cuts the power of its host.
  func end(losingPower: Bool)
  /// Waits for a random time, and performs one random operation.
  func step() async
}

/// A protocol besides HAP over IP with which the accessories of a run are served: its controllers, and its checks.
///
/// Confined to the world's thread.
package protocol SecondProtocol: AnyObject, Sendable {
  /// In the order of their numbers, which follow those of the HAP controllers.
  var controllers: [any SwarmController] { get }

  /// Adds the controllers to a run whose accessories and HAP controllers exist.
  func populate(_ swarm: SwarmRun)
  /// Adds the front end of an accessory.
  func configure(_ setting: inout Simulation.Setting, of accessory: AccessoryMachine)

  // MARK: What happens to an accessory

  /// - Parameter advertiser: identifies the record among those of the accessory.
  func published(_ record: ServiceRecord, by advertiser: Int, of accessory: AccessoryMachine)
  func withdrawn(_ advertiser: Int, of accessory: AccessoryMachine)
  /// It is served from now on, after a start of its process or a restart.
  func started(_ accessory: AccessoryMachine)
  /// It is not served any more: its process has died, or it restarts.
  func ended(_ accessory: AccessoryMachine, losesValues: Bool)
  /// A factory reset begins.
  func willReset(_ accessory: AccessoryMachine)
  /// A factory reset has failed. Values may be those of a new accessory, and the reset may take effect after a crash.
  func resetFailed(_ accessory: AccessoryMachine)
  /// A factory reset is done.
  /// - Parameter isWhole: whether all values are those of a new accessory.
  func wasReset(_ accessory: AccessoryMachine, isWhole: Bool)

  // MARK: Checks

  /// Checks what must hold at any time.
  func check()
  /// Checks what must hold at rest: without faults for two minutes, and with all sessions.
  func rest() async
  func closeAll() async
  /// Checks what must hold without sessions.
  func checkClosed()
  /// Uses an accessory that was started without faults.
  func lastRound(_ accessory: AccessoryMachine) async
  /// Checks what the next process would read of the disk.
  func compare(with stored: [FrontEndData], _ accessory: AccessoryMachine)
  /// Ends all processes, and drops all references to the run.
  func end()
}
