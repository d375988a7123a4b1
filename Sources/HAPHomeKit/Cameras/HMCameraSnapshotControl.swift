import Foundation

// Safe: its properties are constants of types that any thread may use.
/// The control of the pictures of a camera. A picture is refused with the error 48. HMCameraSnapshotControl
public final class HMCameraSnapshotControl: HMCameraControl, @unchecked Sendable {
  private let slot = DelegateSlot<any HMCameraSnapshotControlDelegate>()

  /// The delegate, which is not retained. It is called on the main queue.
  public var delegate: (any HMCameraSnapshotControlDelegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  /// Nil: there are no pictures.
  public var mostRecentSnapshot: HMCameraSnapshot? { nil }

  /// Takes no picture: the delegate gets the error 48.
  public func takeSnapshot() {
    AppSession.refuse(.noCameras) { [self] in delegate?.cameraSnapshotControl(self, didTake: nil, error: $0.error) }
  }
}

/// Called on the main queue for the pictures of a camera. HMCameraSnapshotControlDelegate
public protocol HMCameraSnapshotControlDelegate: NSObjectProtocol {
  /// No picture was taken; the error is 48.
  func cameraSnapshotControl(
    _ cameraSnapshotControl: HMCameraSnapshotControl, didTake snapshot: HMCameraSnapshot?, error: (any Error)?)
  /// Never called: there are no pictures.
  func cameraSnapshotControlDidUpdateMostRecentSnapshot(_ cameraSnapshotControl: HMCameraSnapshotControl)
}

// Apple's protocol has optional methods. Swift has them only with Objective-C.
extension HMCameraSnapshotControlDelegate {
  /// Does nothing.
  public func cameraSnapshotControl(
    _ cameraSnapshotControl: HMCameraSnapshotControl, didTake snapshot: HMCameraSnapshot?, error: (any Error)?
  ) {}
  /// Does nothing.
  public func cameraSnapshotControlDidUpdateMostRecentSnapshot(_ cameraSnapshotControl: HMCameraSnapshotControl) {}
}
