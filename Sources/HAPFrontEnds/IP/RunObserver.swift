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

/// Records one run of an accessory over IP, so that it can be replayed. Belongs to the accessory's loop.
package protocol RunCapture: CoreRecorder {
  /// - Parameters:
  ///   - live: characteristics whose values the device is asked for.
  ///   - judges: whether the device may refuse writes.
  func begin(_ setup: RunSetup, live: [AttributeID], judges: Bool)
  /// Called with the random bytes that the accessory has drawn.
  func drew(_ bytes: [UInt8])
}

/// Begins the record of a run. It calls `onFailure` once if the record can't be continued.
package typealias CaptureMaker = @Sendable (_ onFailure: @escaping (String) -> Void) throws(LoopError) -> any RunCapture
