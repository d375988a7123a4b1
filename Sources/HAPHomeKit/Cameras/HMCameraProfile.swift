import Foundation

// Safe: its properties are constants of types that any thread may use.
/// The camera of an accessory. No accessory has one here: the hub has no streams. HMCameraProfile
public final class HMCameraProfile: HMAccessoryProfile, @unchecked Sendable {
  /// The control of the stream.
  public let streamControl: HMCameraStreamControl?
  /// The control of pictures.
  public let snapshotControl: HMCameraSnapshotControl?
  /// The settings of the camera.
  public let settingsControl: HMCameraSettingsControl?
  /// The loudspeaker; nil without one.
  public let speakerControl: HMCameraAudioControl?
  /// The microphone; nil without one.
  public let microphoneControl: HMCameraAudioControl?

  override init(_ accessory: HMAccessory, _ services: [HMService]) {
    let characteristics = services.flatMap(\.characteristics)
    streamControl = HMCameraStreamControl(characteristics)
    snapshotControl = HMCameraSnapshotControl(characteristics)
    settingsControl = HMCameraSettingsControl(characteristics)
    let audio = { (type: String) in
      services.first { $0.serviceType == type }.map { HMCameraAudioControl($0.characteristics) }
    }
    (speakerControl, microphoneControl) = (audio(HMServiceTypeSpeaker), audio(HMServiceTypeMicrophone))
    super.init(accessory, services)
  }
}
