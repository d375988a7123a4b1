import CUV
import Foundation
import Testing

@testable import HAPLoop

@Suite struct TCPTests {
  #if os(Linux)
    @Test("TCP keep-alive is used only if it is requested") func keepAlive() async {
      let options: [[Int32]] = await onLoop { loop, finish in
        try! connectedPair(loop) { server, client, _ in
          client.keepAlive(after: .seconds(60))
          finish(
            [client, server].map { stream in
              let descriptor = (stream.socket as? KernelStreamSocket)?.descriptor ?? -1
              return [
                (SOL_SOCKET, SO_KEEPALIVE), (Int32(IPPROTO_TCP), TCP_KEEPIDLE), (Int32(IPPROTO_TCP), TCP_KEEPINTVL),
                (Int32(IPPROTO_TCP), TCP_KEEPCNT),
              ].map { level, option in
                var value: Int32 = -1
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, level, option, &value, &size)
                return value
              }
            })
        }
      }
      #expect(options[0] == [1, 60, 10, 3] && options[1][0] == 0)
    }
  #endif

  @Test("Bytes are transferred both ways, into the reader's own buffer") func echo() async {
    let text: String = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, listener in
        #expect(server.peerAddress?.description == client.localAddress?.description)
        #expect(client.peerAddress == listener.address)
        Collector(server) { back, event in
          if case .bytes(let count) = event { server.write(UnsafeRawBufferPointer(rebasing: back.buffer[..<count])) }
        }
        Collector(client) { collector, _ in
          if collector.bytes.count == 5 { finish(String(decoding: collector.bytes, as: UTF8.self)) }
        }
        client.write(Array("hello".utf8))
      }
    }
    #expect(text == "hello")
  }

  @Test("Eight megabytes arrive complete and in order while the reader pauses repeatedly") func backPressure() async {
    let sent = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let outcome: [Bool] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let done = Box(false)
        client.write(sent) { error in done.value = error == nil }
        #expect(client.queuedByteCount > 0)
        #expect([1].withUnsafeBytes { client.tryWrite($0) } == 0)
        let timer = LoopTimer(loop, onFire: { server.resumeReading() })
        let events = Box(0)
        Collector(server) { collector, _ in
          events.value += 1
          if events.value.isMultiple(of: 500) {
            server.pauseReading()
            timer.start(after: .zero)
          }
          guard collector.bytes.count == sent.count else { return }
          finish([collector.bytes == sent, done.value, client.queuedByteCount == 0])
        }
      }
    }
    #expect(outcome == [true, true, true])
  }

  @Test("An empty buffer pauses reading until it is resumed") func emptyBuffer() async {
    let bytes: [UInt8] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let memory = Box(UnsafeMutableRawBufferPointer.buffer(3))
        let asked = Box(0)
        let seen = Box<[UInt8]>([])
        let timer = LoopTimer(loop)
        timer.onFire = {
          asked.value = 0
          server.resumeReading()
        }
        server.startReading(
          onAllocate: { _ in
            asked.value += 1
            if asked.value == 1 { return memory.value }
            timer.start(after: .milliseconds(1))
            return UnsafeMutableRawBufferPointer(start: nil, count: 0)
          },
          onRead: { event in
            if case .bytes(let count) = event { seen.value += memory.value[..<count] }
            if seen.value.count == 7 {
              timer.close()
              memory.value.deallocate()
              server.close()
              finish(seen.value)
            }
          })
        client.write([1, 2, 3, 4, 5, 6, 7])
      }
    }
    #expect(bytes == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test("The end of the peer's stream is reported once, and writing still works") func halfClose() async {
    let seen: [TCPStream.ReadEvent] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let events = Box<[TCPStream.ReadEvent]>([])
        Collector(server) { _, event in
          events.value.append(event)
          if event == .end { server.write(Array("late".utf8)) }
        }
        Collector(client) { answer, _ in if answer.bytes.count == 4 { finish(events.value) } }
        client.write([1, 2])
        client.finishWriting { #expect($0 == nil) }
      }
    }
    #expect(seen == [.bytes(2), .end])
  }

  @Test("A reset is reported as such, and later writes fail without a signal") func reset() async {
    let seen: [LoopError.Code] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        Collector(server) { _, event in
          guard case .failed(let error) = event else { return finish([]) }
          server.write([1, 2, 3]) { finish([error.code, $0?.code ?? .timedOut]) }
        }
        client.reset()
        client.reset()
        client.close()
      }
    }
    #expect(seen == [.connectionReset, .brokenPipe])
  }

  @Test("Closing drops and reports queued bytes; it is allowed in each callback and twice") func closing() async {
    let seen: [String] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let seen = Box<[String]>([])
        Collector(client) { _, _ in seen.value.append("read") }
        client.write([UInt8](repeating: 1, count: 20_000_000)) { error in
          seen.value.append("write \(error?.code == .cancelled)")
          client.close()
        }
        client.onClosed = {
          client.close()
          seen.value.append("closed")
          client.write([1]) { seen.value.append("after \($0?.code == .cancelled)") }
          #expect(client.localAddress == nil)
          finish(seen.value)
        }
        client.close()
        client.close()
        client.pauseReading()
        client.resumeReading()
      }
    }
    #expect(seen == ["write true", "closed", "after true"])
  }

  @Test("Closing inside the read callback prevents further events, even with unread bytes") func closeInRead() async {
    let count: Int = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let count = Box(0)
        let buffer = UnsafeMutableRawBufferPointer.buffer(1)
        server.startReading(onAllocate: { _ in buffer }) { _ in
          count.value += 1
          server.close()
        }
        server.onClosed = {
          buffer.deallocate()
          finish(count.value)
        }
        client.write([1, 2, 3, 4])
      }
    }
    #expect(count == 1)
  }

  @Test("closeAfterWriting sends all queued bytes first") func closeAfterWriting() async {
    let outcome: [Int] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        client.write([UInt8](repeating: 7, count: 9_000_000))
        client.closeAfterWriting()
        client.closeAfterWriting()
        Collector(server) { collector, event in if event == .end { finish([collector.bytes.count]) } }
      }
    }
    #expect(outcome == [9_000_000])
  }

  @Test("closeAfterWriting resets the connection of a peer that does not read in time") func closeWithinLimit() async {
    let isCutOff: Bool = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let failure = Box<LoopError?>(nil)
        client.write([UInt8](repeating: 7, count: 50_000_000)) { failure.value = $0 }
        client.onClosed = { finish(failure.value?.code == .cancelled) }
        client.closeAfterWriting(within: .milliseconds(1))
        withExtendedLifetime(server) {}
      }
    }
    #expect(isCutOff)
  }

  @Test("Connecting to a closed port fails, and the error has the address; closing a pending connection cancels it")
  func connectFailures() async {
    let seen: [String] = await onLoop { loop, finish in
      // Another test could get a port from the system in the meantime.
      let address = SocketAddress(host: .loopbackV4, port: 1)
      let seen = Box<[String]>([])
      _ = TCPStream(loop, connectingTo: address) { error in
        seen.value.append(error?.detail.replacingOccurrences(of: "\(address)", with: "X") ?? "connected")
        let other = TCPStream(loop, connectingTo: address) { error in
          seen.value.append("\(error?.code == .cancelled)")
          finish(seen.value)
        }
        other.close()
      }
    }
    #expect(seen == ["connecting to X: connection refused", "true"])
  }

  @Test(
    "A connection that fails at once is reported once, even if it is closed in the same turn",
    arguments: [false, true])
  func immediateFailure(_ isClosed: Bool) async {
    // The system refuses a link-local address without an interface at once.
    let address = SocketAddress(host: try! IPAddress("fe80::1"), port: 1)
    let code: LoopError.Code? = await onLoop { loop, finish in
      let stream = TCPStream(loop, connectingTo: address) { finish($0?.code) }
      if isClosed { stream.close() }
    }
    #expect(code != nil)
    #expect((code == .cancelled) == isClosed)
  }

  @Test("After two thousand connections, no handle is left") func many() async {
    let left: Int = await onLoop { loop, finish in
      let remaining = Box(2000)
      let listener = Box<TCPListener?>(nil)
      let buffers = Box<[Int]>([])
      listener.value = try! TCPListener(loop, host: .loopbackV4, port: 0) { server in
        Collector(server) { collector, event in
          if case .bytes = event { server.write(collector.bytes) } else { server.close() }
        }
      }
      @Sendable func connect() {
        let client = Box<TCPStream?>(nil)
        client.value = TCPStream(loop, connectingTo: listener.value!.address) { error in
          let stream = client.value!
          client.value = nil
          guard error == nil else { return finish(-1) }
          Collector(stream) { _, _ in if remaining.value.isMultiple(of: 3) { stream.reset() } else { stream.close() } }
          stream.onClosed = {
            remaining.value -= 1
            if remaining.value > 0 { return connect() }
            listener.value?.close()
            listener.value = nil
            _ = buffers
            finish(remaining.value)
          }
          stream.write([1, 2, 3])
        }
      }
      connect()
    }
    #expect(left == 0)
  }
}
