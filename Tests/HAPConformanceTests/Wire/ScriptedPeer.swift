import HAPLoop
import HAPWire

@testable import HAPConformance

/// Somebody who lives on the loop's thread, as everything that is to be tested does.
actor LoopActor {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func run<T: Sendable>(_ body: @Sendable (isolated LoopActor) async throws -> T) async rethrows -> T {
    try await body(self)
  }
}

/// An accessory that says what a test lets it say. Belongs to the loop's thread.
final class ScriptedPeer: @unchecked Sendable {
  private var listener: TCPListener!
  private(set) var streams: [TCPStream] = []
  private var buffer = ByteBuffer()
  /// All that was heard, by connection.
  private(set) var heard: [[UInt8]] = []
  /// How many connections the other side has ended.
  private(set) var endCount = 0
  /// Of these, without a word.
  private(set) var resetCount = 0
  /// Told what has come on a connection so far, whenever more came.
  var onBytes: (ScriptedPeer, Int, [UInt8]) -> Void = { _, _, _ in }
  var onConnection: (ScriptedPeer, Int) -> Void = { _, _ in }
  /// Whether it ends its side when the other does.
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

  /// The same again and again, as fast as it is taken, until the other side has gone.
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
      // Accepting may come a turn later.
      try await wait(on: loop) { !peer.streams.isEmpty }
      let result = try await body(actor, connection, peer)
      connection.close(.reset)
      return result
    }
  }
}
