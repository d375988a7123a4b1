import Foundation

// Safe: its property is a constant of a type that any thread may use.
/// A part of a camera that an app controls. HMCameraControl
public class HMCameraControl: NSObject, @unchecked Sendable {
  private let characteristics: [HMCharacteristic]

  init(_ characteristics: [HMCharacteristic]) { self.characteristics = characteristics }

  fileprivate func characteristic(_ type: String) -> HMCharacteristic? {
    characteristics.first { $0.characteristicType == type }
  }
}

// Safe: it adds no stored property to `HMCameraControl`.
/// The loudspeaker or the microphone of a camera. HMCameraAudioControl
public final class HMCameraAudioControl: HMCameraControl, @unchecked Sendable {
  /// Whether the sound is off; nil if the camera can't change it.
  public var mute: HMCharacteristic? { characteristic(HMCharacteristicTypeMute) }
  /// The volume; nil if the camera can't change it.
  public var volume: HMCharacteristic? { characteristic(HMCharacteristicTypeVolume) }
}

// Safe: it adds no stored property to `HMCameraControl`.
/// The settings of a camera. Each is nil if the camera does not have it. HMCameraSettingsControl
public final class HMCameraSettingsControl: HMCameraControl, @unchecked Sendable {
  /// Whether night vision is on.
  public var nightVision: HMCharacteristic? { characteristic(HMCharacteristicTypeNightVision) }
  /// The horizontal angle.
  public var currentHorizontalTilt: HMCharacteristic? { characteristic(HMCharacteristicTypeCurrentHorizontalTilt) }
  /// The horizontal angle that the camera moves to.
  public var targetHorizontalTilt: HMCharacteristic? { characteristic(HMCharacteristicTypeTargetHorizontalTilt) }
  /// The vertical angle.
  public var currentVerticalTilt: HMCharacteristic? { characteristic(HMCharacteristicTypeCurrentVerticalTilt) }
  /// The vertical angle that the camera moves to.
  public var targetVerticalTilt: HMCharacteristic? { characteristic(HMCharacteristicTypeTargetVerticalTilt) }
  /// The zoom of the lens.
  public var opticalZoom: HMCharacteristic? { characteristic(HMCharacteristicTypeOpticalZoom) }
  /// The zoom of the picture.
  public var digitalZoom: HMCharacteristic? { characteristic(HMCharacteristicTypeDigitalZoom) }
  /// The rotation of the picture.
  public var imageRotation: HMCharacteristic? { characteristic(HMCharacteristicTypeImageRotation) }
  /// Whether the picture is mirrored.
  public var imageMirroring: HMCharacteristic? { characteristic(HMCharacteristicTypeImageMirroring) }
}

extension HMError {
  static let noCameras = HMError(.operationNotSupported, "the hub has no streams and no pictures of cameras")
}
