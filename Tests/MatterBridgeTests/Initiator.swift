import HAPModel
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// An initiator of the interaction model at a home, in memory: each request is a whole exchange of encoded messages. It has
/// one subscription to all attributes.
final class Initiator {
  private let home: MappedHome
  private var server = InteractionServer(seed: 7)
  private var node: any InteractionTarget
  private var now = Duration.zero
  private var exchanges: UInt64 = 0
  private var subscriptions: Set<UInt32> = []
  /// A commissioner, which has all privileges.
  private let peer = InteractionPeer(session: 1, subject: .passcode(fabric: 1))

  /// - Parameter node: the node with its root; nil: only the endpoints of the accessory.
  init(_ home: MappedHome, node: (any InteractionTarget)? = nil) throws {
    (self.home, self.node) = (home, node ?? home.node)
    let everything = SubscribeRequest([AttributePattern()], minimum: 0, maximum: 600)
    guard case .subscription(let response, _) = request(.subscribe(everything)) else {
      throw InteractionStatus(.invalidSubscription)
    }
    subscriptions = [response.id]
  }

  // MARK: Requests

  private func request(_ request: InteractionRequest) -> InteractionResult {
    exchanges += 1
    var client = ClientInteraction(request)
    var message = client.start
    while true {
      let actions = server.receive(
        message.opcode.rawValue, message.payload, on: .peer(exchanges), from: peer, at: now, target: &node)
      guard case .send(let answer, _, _)? = actions.first else { return .failure(InteractionStatus(.failure)) }
      switch client.receive(answer) {
      case .send(let next): message = next
      case .finish(let result):
        server.exchangeEnded(.peer(exchanges))
        return result
      }
    }
  }

  /// Reads all attributes of all endpoints.
  func readAll() -> [AttributePath: Element.Value] {
    guard case .report(let report) = request(.read(ReadRequest([AttributePattern()]))) else { return [:] }
    return report.values
  }

  func read(_ path: AttributePath) -> Element.Value? {
    guard case .report(let report) = request(.read(ReadRequest([AttributePattern(path)]))) else { return nil }
    return report.values[path]
  }

  /// - Returns: nil: the request failed as a whole.
  func write(_ path: AttributePath, _ value: Element.Value) -> InteractionStatus.Code? {
    let attribute = description(path.endpoint, path.cluster)?.attributes.first { $0.number == path.attribute }
    let isTimed = attribute?.isTimed == true
    let item = WriteRequest.Item(AttributePattern(path), .replace(value))
    let result = request(.write(WriteRequest([item], isTimed: isTimed), milliseconds: isTimed ? 1000 : nil))
    guard case .written(let items) = result else { return nil }
    return items.first?.status.code
  }

  /// - Returns: Success for a command that is answered with a command; nil: the request failed as a whole.
  func invoke(_ path: CommandPath, _ fields: [Element.Value]) -> InteractionStatus.Code? {
    let command = description(path.endpoint, path.cluster)?.commands.first { $0.number == path.command }
    let isTimed = command?.isTimed == true
    let members = fields.enumerated().map { Element(.context(UInt8($0)), $1) }
    let item = InvokeRequest.Item(CommandPattern(path.endpoint, path.cluster, path.command), members)
    let result = request(.invoke(InvokeRequest([item], isTimed: isTimed), milliseconds: isTimed ? 1000 : nil))
    guard case .invoked(let items) = result, let item = items.first else { return nil }
    if case .status(let status) = item.outcome { return status.code }
    return .success
  }

  private func description(_ endpoint: EndpointNumber, _ cluster: ClusterID) -> ClusterDescription? {
    node.clusters(of: endpoint).first { $0.id == cluster }
  }

  // MARK: Reports

  /// Takes the report of all changes since the last one.
  func report() -> [AttributePath: Element.Value] {
    for path in home.takeMarks() { server.attributeChanged(path) }
    now += .seconds(1)
    var values: [AttributePath: Element.Value] = [:]
    var client = ClientReport(subscriptions: subscriptions)
    var actions = server.advance(to: now, target: node)
    while !actions.isEmpty {
      guard case .send(let message, let exchange, _) = actions.removeFirst() else { continue }
      let answer: InteractionMessage?
      switch client.receive(message) {
      case .answer(let message): answer = message
      case .finish(let report, let message): (values, answer) = (report.values, message)
      case .fail(let status, let message):
        Issue.record("a report was refused: \(status)")
        answer = message
      }
      guard let answer else { continue }
      actions += server.receive(
        answer.opcode.rawValue, answer.payload, on: exchange, from: peer, at: now, target: &node)
    }
    return values
  }
}
