import HAPLoop
import HAPWire

@testable import HAPConformance

/// An actor on the loop's thread, to which all tested objects are confined.
actor LoopActor {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func run<T: Sendable>(_ body: @Sendable (isolated LoopActor) async throws -> T) async rethrows -> T {
    try await body(self)
  }
}

/// An accessory whose replies are scripted by the test. Confined to the loop's thread.
final class ScriptedPeer: @unchecked Sendable {
  private var listener: TCPListener!
  private(set) var streams: [TCPStream] = []
  private var buffer = ByteBuffer()
  /// All received bytes, by connection.
  private(set) var heard: [[UInt8]] = []
  /// The number of connections that the other side has ended.
  private(set) var endCount = 0
  /// The number of these that were reset.
  private(set) var resetCount = 0
  /// Called with all bytes received so far on a connection, whenever more arrive.
  var onBytes: (ScriptedPeer, Int, [UInt8]) -> Void = { _, _, _ in }
  var onConnection: (ScriptedPeer, Int) -> Void = { _, _ in }
  /// Whether the peer closes its side when the other side does.
  var closesAtEnd = true

  init(_ loop: EventLoop) throws(LoopError) {
    let host: IPAddress
    do { host = try IPAddress("127.0.0.1") } catch { preconditionFailure("127.0.0.1 is an address") }
    listener = try TCPListener(loop, host: host, port: 0) { [unowned self] in accept($0) }
  }

  var address: SocketAddress { listener.address }

  private func accept(_ stream: TCPStream) {
    let number = streams.count
    streams.append(stream)
    heard.append([])
    stream.startReading(
      onAllocate: { [self] in buffer.reserve($0) },
      onRead: { [self] event in
        guard case .bytes(let count) = event else {
          endCount += 1
          if case .failed = event { resetCount += 1 }
          if closesAtEnd { stream.close() }
          return
        }
        buffer.commit(count)
        heard[number] += buffer.bytes
        buffer.removeAll()
        onBytes(self, number, heard[number])
      })
    onConnection(self, number)
  }

  func say(_ text: String, on number: Int = 0) { say(Array(text.utf8), on: number) }
  func say(_ bytes: [UInt8], on number: Int = 0) { streams[number].write(bytes) }

  /// Repeats `bytes` as fast as they are accepted, until the other side has closed.
  func sayWithoutEnd(_ bytes: [UInt8], on number: Int = 0) {
    streams[number].write(bytes) { [self] error in
      guard error == nil else { return }
      streams[number].write(bytes) { [self] error in
        if error == nil, streams[number].queuedByteCount == 0 { again(bytes, number) }
      }
    }
  }

  private func again(_ bytes: [UInt8], _ number: Int) { sayWithoutEnd(bytes, on: number) }

  func close() {
    listener.close()
    for stream in streams { stream.close() }
  }
}

/// Runs a test of a connection to a peer, both on one loop of a simulated world.
func withPeer<T: Sendable>(
  _ body: @escaping @Sendable (isolated LoopActor, WireConnection, ScriptedPeer) async throws -> T
) async throws -> T {
  try await withLoop { loop in
    try await LoopActor(loop).run { actor in
      let peer = try ScriptedPeer(loop)
      defer { peer.close() }
      let recorder = Recorder(on: loop, start: loop.readClock())
      guard
        case .connected(let connection) = await WireConnection.connect(
          "main", to: peer.address, within: .seconds(20), recorder: recorder, on: loop)
      else { throw LoopError(.cancelled, "no connection") }
      // The peer may accept one turn later.
      try await wait(on: loop) { !peer.streams.isEmpty }
      let result = try await body(actor, connection, peer)
      connection.close(.reset)
      return result
    }
  }
}
