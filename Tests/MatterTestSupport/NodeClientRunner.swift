import HAPLoop
import HAPMatter
import MatterController
import MatterProtocol

/// Runs the controller of a node on a loop: its socket, its time and its computations. Belongs to the loop's thread.
package final class NodeClientRunner {
  package let client: NodeClient
  private let loop: EventLoop
  private let timer: LoopTimer
  private var socket: UDPSocket?
  private let onReport: (NodeClient.Report) -> Void
  private let onFindNode: () -> Void
  /// Whether datagrams to it are lost.
  package var isDeaf = false

  /// - Parameters:
  ///   - host: the address of the socket: any of IPv4, or any of IPv6.
  ///   - onFindNode: called when the client needs the address of the node; `connect` is the answer.
  package init(
    _ client: NodeClient, on loop: EventLoop, host: IPAddress,
    onFindNode: @escaping () -> Void, onReport: @escaping (NodeClient.Report) -> Void
  ) throws(LoopError) {
    (self.client, self.loop, self.onFindNode, self.onReport) = (client, loop, onFindNode, onReport)
    timer = LoopTimer(loop)
    timer.onFire = { [unowned self] in perform { $0.advance(to: now) } }
    socket = try UDPSocket(loop, host: host, port: 0) { [unowned self] datagram in
      if isDeaf { return }
      perform { $0.receive(Array(datagram.bytes), from: PeerAddress(datagram.source), at: now) }
    }
  }

  /// The time for the inputs of the client.
  package var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  /// Gives the client an input, and performs what it asks for.
  @discardableResult package func perform<Result>(_ input: (NodeClient) -> Result) -> Result {
    let result = input(client)
    act()
    return result
  }

  /// Establishes a session with the node at an address.
  package func connect(to address: SocketAddress) { perform { $0.connect(to: PeerAddress(address), at: now) } }

  /// Performs what the client asks for.
  package func act() {
    while let action = client.nextAction() {
      switch action {
      case .send(let bytes, let peer):
        if let address = peer.socketAddress { try? socket?.send(bytes, to: address) }
      case .compute(let work):
        loop.offload {
          work.perform()
        } then: { [weak self] result in
          guard let self else { return }
          perform { $0.computed(result, at: now) }
        }
      case .findNode: onFindNode()
      case .report(let report): onReport(report)
      }
    }
    if let deadline = client.nextDeadline { timer.start(after: deadline - now) } else { timer.cancel() }
  }

  package func close() {
    socket?.close()
    timer.close()
  }
}
