import MatterController
import HAPCrypto
import MatterInteraction
import MatterModel
import MatterProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func flush() { fflush(nil) }

/// Performs as many operations as each line of standard input says, and answers each line with itself.
func perform(_ operation: () throws -> Void) rethrows -> Never {
  while let line = readLine() {
    for _ in 0..<(Int(line) ?? 0) { try operation() }
    print(line)
    flush()
  }
  exit(0)
}

/// Sends sealed messages to `SealedEcho.serve`.
func driveEcho(port: UInt16) -> Never {
  let socket = LoopbackSocket(peer: port)
  var client = SealedEcho.Client()
  let clock = ContinuousClock()
  let start = clock.now
  perform {
    client.ask(at: clock.now - start) {
      socket.send($0)
    } _: {
      socket.receive(within: .seconds(5))
    }
  }
}

/// A controller of a node of a running hapsim.
final class SocketDriver {
  private let socket: LoopbackSocket
  private let client: NodeClient
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var results: [InteractionResult] = []
  private var isCommissioned = false
  private var failure: String?

  /// Commissions a node at a port of 127.0.0.1.
  /// - Parameter authority: its trust anchor, as DER.
  init(port: UInt16, passcode: UInt32, authority: [UInt8]) throws {
    socket = LoopbackSocket(peer: port)
    start = clock.now
    let random = RandomSource { buffer in for index in buffer.indices { buffer[index] = .random(in: 0...255) } }
    client = NodeClient(ControllerFabric(1, node: 2, random: random), node: 3, random: random)
    let authority = try AttestationCertificate(decoding: authority)
    client.commission(at: serverAddress, passcode: passcode, authorities: [authority], at: now)
    try run { !isCommissioned }
  }

  private var now: Duration { clock.now - start }

  func read(_ path: AttributePath) throws {
    results = []
    _ = client.request(.read(AttributePattern(path)), at: now)
    try run { results.isEmpty }
    guard results.first?.value(path) != nil else { throw BenchFailure(reason: "the read has another result") }
  }

  private func run(while isUnfinished: () -> Bool) throws {
    take()
    while isUnfinished() {
      if let failure { throw BenchFailure(reason: failure) }
      let limit = client.nextDeadline.map { max(.zero, $0 - now) }
      if let datagram = socket.receive(within: limit ?? .seconds(5)) {
        client.receive(datagram, from: serverAddress, at: now)
      } else {
        client.advance(to: now)
      }
      take()
    }
  }

  private func take() {
    while let action = client.nextAction() {
      switch action {
      case .send(let datagram, _): socket.send(datagram)
      case .compute(let work): client.computed(work.perform(), at: now)
      case .findNode: client.connect(to: serverAddress, at: now)
      case .report(.commissioned): isCommissioned = true
      case .report(.answered(_, let result)): results.append(result)
      case .report(.failed(let reason)): failure = reason.reason
      case .report(.unanswered): failure = "the node does not answer"
      case .report: break
      }
    }
  }
}

/// Commissions a node, and reads its attribute OnOff.
func driveNode(port: UInt16, passcode: UInt32, authority: [UInt8]) throws -> Never {
  let driver = try SocketDriver(port: port, passcode: passcode, authority: authority)
  print("commissioned")
  flush()
  try perform { try driver.read(AttributePath(1, 6, 0)) }
}
