#if os(Linux)
  import HAPHome
  import HAPLoop
  import HAPModel
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Devices that break the protocol, in simulated worlds.
  @Suite("Violations by devices") struct ViolationTests {
    @Test("A frame with a wrong tag, and an answer that is not HTTP or not TLV8, are violations, once each")
    func violations() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        var pairing = try await it.pair(door)
        // The record is not seen, so the device is looked for at the address of the relay.
        try await door.switchOn(fault: "silence")
        try await it.world.sleep(for: .seconds(10))
        let host = it.world.addHost("relay")
        let relay = try await Relay(
          on: try host.runningAppLoop(), to: SocketAddress(host: try IPAddress(it.home.address), port: door.port))
        pairing.addresses = ["\(host.address):\(Relay.port)"]
        let device = FollowedDevice(it.port, pairing)
        var counter = ViolationCounter()
        _ = try await device.database()
        for (damage, text, isLast) in [
          (Relay.Damage.flip, "authentication tag", false), (.replace("SMTP ready\r\n\r\n"), "HTTP", false),
          (.replace("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"), "TLV8", true),
        ] {
          relay.damage = damage
          if case .flip = damage {
            let id = try device.id("Target Door State")
            let error = await homeError { () async throws(HomeError) in _ = try await device.connection.read([id]) }
            try #require(error?.code == .messageAuthenticationFailed)
          }
          let violation = try await device.violation()
          try #require(violation.contains(text), "\(violation)")
          try #require(counter.violation(of: pairing.device, at: it.world.now) == isLast)
          // The loss follows, and no second violation.
          let next = try await device.next { FollowedDevice.word($0) }
          try #require(next == "lost")
        }
        relay.damage = .none
        _ = try await device.connected()
        await device.connection.close()
      }
    }
  }

  /// A TCP relay that can damage what an accessory sends.
  private final class Relay: @unchecked Sendable {  // confined to the world's thread
    static let port: UInt16 = 7000

    enum Damage {
      case none
      /// Changes the last byte of each piece.
      case flip
      /// Replaces each piece.
      case replace(String)
    }

    var damage = Damage.none
    private let loop: EventLoop
    private let target: SocketAddress
    private var listener: TCPListener?

    init(on loop: EventLoop, to target: SocketAddress) async throws {
      (self.loop, self.target) = (loop, target)
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        loop.schedule { continuation.resume(with: Result { try self.listen() }) }
      }
    }

    private func listen() throws {
      listener = try TCPListener(loop, host: try IPAddress("0.0.0.0"), port: Self.port) { [self] near in
        let far = TCPStream(loop, connectingTo: target) { if $0 != nil { near.close() } }
        pass(near, to: far) { $0 }
        pass(far, to: near) { [self] bytes in
          switch damage {
          case .none: bytes
          case .flip: bytes.dropLast() + bytes.suffix(1).map { $0 ^ 1 }
          case .replace(let text): Array(text.utf8)
          }
        }
      }
    }

    private func pass(_ from: TCPStream, to other: TCPStream, _ change: @escaping ([UInt8]) -> [UInt8]) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
      from.onClosed = {
        buffer.deallocate()
        other.close()
      }
      from.startReading(onAllocate: { _ in buffer }) { event in
        switch event {
        case .bytes(let count): other.write(change(Array(buffer[..<count])))
        case .end, .failed: from.close()
        }
      }
    }
  }
#endif
