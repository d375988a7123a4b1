import HAPModel
import HAPWire

/// Camera streaming, which this simulator does not support. A controller that sets up endpoints reads an error status.
/// HAP R2 §11.8 "Camera RTP Stream Management".
final class CameraStream: Behaviour {
  private enum Item {
    static let session: UInt8 = 1, status: UInt8 = 2
  }
  private static let failed: UInt8 = 2

  private let setup: AttributeID?

  init(_ service: DeviceService) { setup = service[.setupEndpoints] }

  static let kind = BehaviourKind(
    service: .cameraRTPStreamManagement, summary: "It does not stream: setting up endpoints is answered with an error.",
    parameters: []
  ) { service, _ in CameraStream(service) }

  func start(_ context: inout DeviceContext) {}

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard id == setup, case .data(let bytes) = value, let request = try? TLV(decoding: bytes) else { return }
    var answer = TLV()
    if let session = request[Item.session] { answer.append(Item.session, session) }
    answer.append(Item.status, [Self.failed])
    context.set(id, .data(answer.encoded()))
  }
}
