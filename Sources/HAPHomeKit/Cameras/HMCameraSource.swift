import Foundation

// Safe: its property is a constant.
/// The pictures that a view shows. HMCameraSource
public class HMCameraSource: NSObject, @unchecked Sendable {
  /// The width of the picture divided by its height.
  public let aspectRatio: Double

  init(aspectRatio: Double) { self.aspectRatio = aspectRatio }
}

// Safe: its property is a constant.
/// A picture of a camera. HMCameraSnapshot
public final class HMCameraSnapshot: HMCameraSource, @unchecked Sendable {
  /// The time of the picture.
  public let captureDate: Date

  init(aspectRatio: Double, captureDate: Date) {
    self.captureDate = captureDate
    super.init(aspectRatio: aspectRatio)
  }
}

// Safe: it adds no stored property to `HMCameraSource`.
/// The stream of a camera. HMCameraStream
public final class HMCameraStream: HMCameraSource, @unchecked Sendable {
  /// Muted.
  public var audioStreamSetting: HMCameraAudioStreamSetting { .muted }

  /// Does nothing.
  @available(*, deprecated, message: "Use updateAudioStreamSetting(_:completionHandler:).")
  public func setAudioStreamSetting(_ audioStreamSetting: HMCameraAudioStreamSetting) {}

  /// Refuses with the error 48.
  public func updateAudioStreamSetting(
    _ audioStreamSetting: HMCameraAudioStreamSetting, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    AppSession.refuse(.noCameras) { completion($0.error) }
  }

  /// Refuses with the error 48.
  /// - Throws: as the form with a handler.
  public func updateAudioStreamSetting(_ audioStreamSetting: HMCameraAudioStreamSetting) async throws {
    try await awaiting { updateAudioStreamSetting(audioStreamSetting, completionHandler: $0) }
  }
}
