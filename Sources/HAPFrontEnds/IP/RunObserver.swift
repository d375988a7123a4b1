import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel

/// Gets what controllers do to one accessory over IP, over its restarts. Belongs to the accessory's loop.
package protocol RunObserver: CoreRecorder {
  /// Whether controllers can reach the accessory, and no fault is on.
  var serves: Bool { get set }
  /// A run of the accessory begins.
  func watch(_ core: AccessoryCore)
  func hear(_ report: AccessoryReport, at now: Duration)
  /// The record as it is announced.
  func tells(_ txt: TextRecord)
  /// The run is over, and with it all that is connected.
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
  /// The accessory has drawn these random bytes.
  func drew(_ bytes: [UInt8])
}

/// Begins the record of a run. It calls `onFailure` once if the record can't be continued.
package typealias CaptureMaker = @Sendable (_ onFailure: @escaping (String) -> Void) throws(LoopError) -> any RunCapture
