import HAPTestSupport

@testable import MatterProtocol

/// A place of a network that sends and receives datagrams.
protocol NetworkEnd: AnyObject {
  var address: PeerAddress { get }
  /// The time of the next call of `advance`.
  var deadline: Duration? { get }
  func takeDatagrams() -> [(packet: [UInt8], peer: PeerAddress)]
  func receive(_ packet: [UInt8], from peer: PeerAddress, at now: Duration)
  func advance(to now: Duration)
}

extension LayerEnd: NetworkEnd {}

/// A network over virtual time, which loses, repeats and reorders datagrams.
final class MemoryNetwork {
  private struct Datagram {
    var due: Duration
    var packet: [UInt8]
    var from: PeerAddress
    var to: PeerAddress
  }

  let ends: [any NetworkEnd]
  private(set) var now = Duration.zero
  private(set) var datagramCount = 0
  /// The percentages of datagrams that are lost, and repeated.
  var loss = 0
  var repetition = 0
  /// The longest delay of a datagram. It reorders them.
  var delay = 1
  private var generator: SeededGenerator
  private var onTheWay: [Datagram] = []
  private var tasks: [(due: Duration, body: () -> Void)] = []

  init(_ ends: [any NetworkEnd], seed: UInt64) { (self.ends, generator) = (ends, SeededGenerator(seed: seed)) }

  func after(_ delay: Duration, _ body: @escaping () -> Void) { tasks.append((now + delay, body)) }

  private func roll(_ percent: Int) -> Bool { generator.next() % 100 < UInt64(percent) }

  private func collect() {
    for end in ends {
      for (packet, peer) in end.takeDatagrams() {
        precondition(packet.count <= 1280)
        datagramCount += 1
        for _ in 0..<(roll(repetition) ? 2 : 1) where !roll(loss) {
          let due = now + .milliseconds(1 + Int(generator.next() % UInt64(delay)))
          onTheWay.append(Datagram(due: due, packet: packet, from: end.address, to: peer))
        }
      }
    }
  }

  /// Runs until nothing is left to do, until a time, or as long as a condition is true.
  func run(until limit: Duration = .seconds(600), while isUnfinished: () -> Bool = { true }) {
    collect()
    while isUnfinished(),
      let next = (onTheWay.map(\.due) + tasks.map(\.due) + ends.compactMap(\.deadline)).min(), next <= limit
    {
      now = max(now, next)
      if let place = onTheWay.firstIndex(where: { $0.due <= now }) {
        let datagram = onTheWay.remove(at: place)
        ends.first { $0.address == datagram.to }?.receive(datagram.packet, from: datagram.from, at: now)
      } else if let place = tasks.firstIndex(where: { $0.due <= now }) {
        tasks.remove(at: place).body()
      } else {
        for end in ends { end.advance(to: now) }
      }
      collect()
    }
  }
}
