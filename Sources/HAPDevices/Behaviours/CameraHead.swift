import HAPModel

/// The head of a camera: its current angles follow their targets in `tiltTime`. "Camera Control" was withdrawn by
/// Apple, but old cameras have it.
final class CameraHead: Behaviour {
  private let motors: [TiltMotor]

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    let time = parameters.duration("tiltTime")
    motors = [
      TiltMotor(
        service[.currentHorizontalTiltAngle], service[.targetHorizontalTiltAngle], time: time, token: 0),
      TiltMotor(service[.currentVerticalTiltAngle], service[.targetVerticalTiltAngle], time: time, token: 1),
    ].compactMap { $0 }
  }

  static let kind = BehaviourKind(
    service: .cameraControl, summary: "The camera turns to its target angles.",
    parameters: [.init("tiltTime", .duration, default: .duration(.seconds(2)), "Time from -90° to 90°, or back.")]
  ) { CameraHead($0, $1) }

  func start(_ context: inout DeviceContext) { for motor in motors { motor.start(&context) } }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    for motor in motors { motor.written(id, value, &context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    for motor in motors {
      motor.setByHand(id, value, &context)
      motor.written(id, value, &context)
    }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    for motor in motors { motor.timerFired(token, &context) }
  }
}
