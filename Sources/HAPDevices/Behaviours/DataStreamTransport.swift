import HAPAttributes
import HAPModel

/// HomeKit Data Stream, which this simulator does not support. Setting up a transport is answered with an error. HAP
/// R2 §10, Setup Data Stream Transport.
final class DataStreamTransport: Behaviour {
  /// Status: generic error.
  private static let refusal: Value = .data([1, 1, 1])

  private let setup: AttributeID?

  init(_ service: DeviceService) { setup = service[.setupDataStreamTransport] }

  static let kind = BehaviourKind(
    service: .dataStreamTransportManagement, summary: "It has no transport: setting one up is answered with an error.",
    parameters: []
  ) { service, _ in DataStreamTransport(service) }

  func start(_ context: inout DeviceContext) {}

  var controlPoints: [AttributeID] { [setup].compactMap { $0 } }

  func respond(to write: CharacteristicWrite, _ context: inout DeviceContext) -> Value? { Self.refusal }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == setup { context.set(id, Self.refusal) }
  }
}
