import HAPLoop
import HAPWire

@testable import HAPTransport

/// Forwards bytes between controllers and an accessory. On request, it drops an answer and closes the connection.
actor CuttingMiddle {
  nonisolated let loop: EventLoop
  private let wires: Wires

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop, to port: UInt16) {
    self.loop = loop
    wires = Wires(loop, target: SocketAddress(host: .loopbackV4, port: port))
  }

  func port() throws -> UInt16 { try wires.listen() }
  /// The next bytes of a controller reach the accessory, but the answer is dropped.
  func cutAtNextRequest() { wires.cuts = true }
  /// The next bytes of a controller are dropped.
  func swallowNextRequest() { wires.swallows = true }
  /// Answers are held from now on.
  func holdAnswers() { wires.held = [] }
  var holdsSomething: Bool { wires.held?.isEmpty == false }
  func releaseAnswers() { wires.release() }
  func close() { wires.close() }
}

/// Confined to the loop's thread.
private final class Wires {
  var cuts = false
  var swallows = false
  /// `nil` if answers are forwarded.
  var held: [(sink: TCPStream, bytes: [UInt8])]?
  private let loop: EventLoop
  private let target: SocketAddress
  private var listener: TCPListener?
  private var streams: [TCPStream] = []

  init(_ loop: EventLoop, target: SocketAddress) {
    self.loop = loop
    self.target = target
  }

  func listen() throws -> UInt16 {
    let listener = try TCPListener(loop, host: .loopbackV4, port: 0) { [self] in take($0) }
    self.listener = listener
    return listener.port
  }

  private func take(_ near: TCPStream) {
    var far: TCPStream?
    far = TCPStream(loop, connectingTo: target) { [self] error in
      guard error == nil, let far else { return near.close() }
      streams += [near, far]
      pass(from: near, to: far, isRequest: true)
      pass(from: far, to: near, isRequest: false)
    }
  }

  private func pass(from source: TCPStream, to sink: TCPStream, isRequest: Bool) {
    let room = ReadingRoom(65_536)
    source.startReading(onAllocate: { _ in room.bytes }) { [self, weak source, weak sink] event in
      guard case .bytes(let count) = event else {
        sink?.closeAfterWriting()
        return
      }
      if isRequest, swallows {
        swallows = false
        return
      }
      if !isRequest, held != nil, let sink {
        held?.append((sink, Array(room.bytes[..<count])))
        return
      }
      sink?.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room.bytes)[..<count]))
      guard isRequest, cuts else { return }
      cuts = false
      source?.close()
    }
  }

  func release() {
    for (sink, bytes) in held ?? [] { sink.write(bytes) }
    held = nil
  }

  func close() {
    listener?.close()
    for stream in streams { stream.close() }
    streams = []
  }
}
