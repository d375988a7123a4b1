import HAPAttributes
import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel

/// Observes the controllers of one accessory over IP, across restarts. Belongs to the accessory's loop.
package protocol RunObserver: CoreRecorder {
  /// Whether controllers can reach the accessory and no fault is on.
  var serves: Bool { get set }
  /// Called when a run of the accessory begins.
  func watch(_ core: AccessoryCore)
  func hear(_ report: AccessoryReport, at now: Duration)
  /// Called with the record as it is announced.
  func tells(_ txt: TextRecord)
  /// Called when the run is over. All its connections are closed.
  func runEnded()
}

/// Makes the observers of a simulation's accessories.
package protocol RunObservation: AnyObject {
  /// - Parameter id: the device ID.
  func observe(id: String, name: String) -> any RunObserver
}

/// Records one run of an accessory over IP, so that it can be replayed, and the messages of another front end. Belongs to
/// the accessory's loop.
package protocol RunCapture: CoreRecorder {
  /// - Parameters:
  ///   - live: characteristics whose values the device is asked for.
  ///   - judges: whether the device may refuse writes.
  func begin(_ setup: RunSetup, live: [AttributeID], judges: Bool)
  /// Called with the random bytes that the accessory has drawn.
  func drew(_ bytes: [UInt8])
  /// Another front end, a Matter node, has opened a session, which subscribes to all characteristics with events.
  func joined(_ state: MatterEndpointState, _ choices: MatterChoices, at now: Duration)
  /// Called with each write of the other front end, before it is made.
  func wrote(_ writes: [AttributeWrite], at now: Duration)
  /// Called before the other front end asks the device for values.
  func asked(_ ids: [AttributeID], at now: Duration)
  /// Called with each message that the other front end has received or sent.
  func noted(_ traffic: MatterTraffic, at now: Duration)
}

/// Begins the record of a run. It calls `onFailure` once if the record can't be continued.
package typealias CaptureMaker = @Sendable (_ onFailure: @escaping (String) -> Void) throws(LoopError) -> any RunCapture
