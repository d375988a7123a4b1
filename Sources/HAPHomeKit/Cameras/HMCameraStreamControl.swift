import Foundation

// Safe: its properties are constants of types that any thread may use.
/// The control of the stream of a camera. A start is refused with the error 48. HMCameraStreamControl
public final class HMCameraStreamControl: HMCameraControl, @unchecked Sendable {
  private let slot = DelegateSlot<any HMCameraStreamControlDelegate>()

  /// The delegate, which is not retained. It is called on the main queue.
  public var delegate: (any HMCameraStreamControlDelegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  /// Not streaming.
  public var streamState: HMCameraStreamState { .notStreaming }
  /// Nil: there is no stream.
  public var cameraStream: HMCameraStream? { nil }

  /// Does not start a stream: the delegate gets the error 48.
  public func startStream() {
    AppSession.refuse(.noCameras) { [self] in delegate?.cameraStreamControl(self, didStopStreamWithError: $0.error) }
  }

  /// Does nothing: there is no stream.
  public func stopStream() {}
}

/// Called on the main queue for the stream of a camera. HMCameraStreamControlDelegate
public protocol HMCameraStreamControlDelegate: NSObjectProtocol {
  /// Never called: there are no streams.
  func cameraStreamControlDidStartStream(_ cameraStreamControl: HMCameraStreamControl)
  /// The stream was not started; the error is 48.
  func cameraStreamControl(_ cameraStreamControl: HMCameraStreamControl, didStopStreamWithError error: (any Error)?)
}

// Apple's protocol has optional methods. Swift has them only with Objective-C.
extension HMCameraStreamControlDelegate {
  /// Does nothing.
  public func cameraStreamControlDidStartStream(_ cameraStreamControl: HMCameraStreamControl) {}
  /// Does nothing.
  public func cameraStreamControl(
    _ cameraStreamControl: HMCameraStreamControl, didStopStreamWithError error: (any Error)?
  ) {}
}
