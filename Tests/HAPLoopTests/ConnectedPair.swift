import Testing

@testable import HAPLoop

/// Reads all bytes of a stream and collects them. The stream retains it.
final class Collector {
  let buffer = UnsafeMutableRawBufferPointer.buffer(4096)
  var bytes: [UInt8] = []

  @discardableResult
  init(_ stream: TCPStream, onChange: @escaping (Collector, TCPStream.ReadEvent) -> Void) {
    stream.startReading(onAllocate: { [buffer] _ in buffer }) { event in
      if case .bytes(let count) = event { self.bytes += self.buffer[..<count] }
      onChange(self, event)
    }
  }

  deinit { buffer.deallocate() }
}

/// A listener on loopback and a client connected to it.
func connectedPair(
  _ loop: EventLoop, host: IPAddress = .loopbackV4,
  _ body: @escaping (_ server: TCPStream, _ client: TCPStream, _ listener: TCPListener) -> Void
) throws {
  let client = Box<TCPStream?>(nil)
  let isUp = Box(false)
  let accepted = Box<TCPStream?>(nil)
  let listener = Box<TCPListener?>(nil)
  let go = {
    if isUp.value, let server = accepted.value, let client = client.value, let listener = listener.value {
      body(server, client, listener)
    }
  }
  listener.value = try TCPListener(loop, host: host, port: 0) {
    accepted.value = $0
    go()
  }
  let address = listener.value!.address
  let target = address.host.isUnspecified ? SocketAddress(host: .loopbackV4, port: address.port) : address
  client.value = TCPStream(loop, connectingTo: target) { error in
    #expect(error == nil)
    isUp.value = true
    go()
  }
}
