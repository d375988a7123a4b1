import HAPModel

/// A front end that is a Matter node. Belongs to the loop's thread.
package protocol MatterNodeFrontEnd: FrontEnd {
  /// nil: it has not started.
  var nodeState: MatterNodeState? { get }
  /// Opens a commissioning window, as the user of the device does.
  /// - Parameter duration: one of `MatterWindow.timeouts`.
  func openWindow(_ kind: MatterWindow.Kind, for duration: Duration) throws(MatterRefusal) -> MatterWindow
  /// Closes the commissioning window, as the user of the device does, and undoes a commissioning in it.
  func closeWindow() throws(MatterRefusal)
  /// Removes a fabric, with its sessions, subscriptions and access entries.
  /// - Parameter done: called once, when the removal is stored or has failed, or when the accessory stops before that.
  func removeFabric(_ index: UInt8, done: @escaping (StoreOutcome) -> Void) throws(MatterRefusal)
}

/// Whether a change was stored.
package enum StoreOutcome: Hashable, Sendable {
  case stored, failed
  /// The accessory stopped while the change was being stored, or before.
  case unknown
}

/// Why a node refuses a change by its user.
package enum MatterRefusal: Error, Hashable, Sendable {
  /// The accessory is not served over Matter.
  case notServed
  case windowIsOpen, noWindow
  /// A commissioning is not complete. It ends after this time at the latest.
  case commissioning(atMost: Duration)
  /// - Parameter others: the indices of the fabrics that there are.
  case noFabric(others: [UInt8])
}
