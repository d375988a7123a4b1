import Foundation
import Testing

@testable import HAPLoop

/// The interface on which these tests may multicast (in a namespace with only loopback). Without it, they are skipped.
private let testInterface = ProcessInfo.processInfo.environment["HAPSIM_TEST_INTERFACE"]
private let group = try! IPAddress("224.0.0.251")

@Suite struct UDPTests {
  @Test(
    "A datagram arrives complete, with its sender, destination and interface", arguments: [0, 5, 9000])
  func datagram(_ size: Int) async throws {
    let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let loopback = try #require(NetworkInterface.all().first { $0.isLoopback })
    let seen: [Bool] = await onLoop { loop, finish in
      let sender = Box<UDPSocket?>(nil)
      let receiver = try! UDPSocket(loop, host: .anyV4, port: 0) { datagram in
        finish([
          Array(datagram.bytes) == sent, datagram.source == sender.value?.address,
          datagram.destination == .loopbackV4, datagram.interface == loopback.index, datagram.hopLimit == 33,
        ])
      }
      sender.value = try! UDPSocket(loop, host: .loopbackV4, port: 0) { _ in }
      sender.value?.setHops(33)
      try! sender.value?.send(sent, to: SocketAddress(host: .loopbackV4, port: receiver.address.port))
    }
    #expect(seen == [true, true, true, true, true])
  }

  @Test("IPv6 datagrams have the same data") func datagramV6() async throws {
    let loopback = try IPAddress("::1")
    guard NetworkInterface.all().contains(where: { $0.addresses.contains(loopback) }) else { return }
    let seen: [String] = await onLoop { loop, finish in
      let receiver = try! UDPSocket(loop, host: .anyV6, port: 0) { datagram in
        finish([
          "\(datagram.source.host)", datagram.destination?.description ?? "", datagram.hopLimit?.description ?? "",
          NetworkInterface.name(ofIndex: datagram.interface).flatMap { try? NetworkInterface.named($0).isLoopback }?
            .description ?? "",
        ])
      }
      let sender = try! UDPSocket(loop, host: loopback, port: 0) { _ in }
      sender.setHops(7)
      try! sender.send([1], to: SocketAddress(host: loopback, port: receiver.address.port))
    }
    #expect(seen == ["::1", "::1", "7", "true"])
  }

  @Test("All sockets of a loop receive into one memory, so a thousand sockets need little")
  func memory() async {
    let isShared: Bool = await onLoop { loop, finish in
      let sockets = (0..<3).map { _ in
        try! loop.driver.makeDatagramSocket(host: .loopbackV4, port: 0, sharing: false) as! KernelDatagramSocket
      }
      finish(sockets.allSatisfy { $0.memory === sockets[0].memory })
      for socket in sockets { socket.close() }
    }
    #expect(isShared)
  }

  @Test("A port is shared only by sockets that all allow it")
  func sharing() async {
    let outcome: [String] = await onLoop { loop, finish in
      func bind(_ port: UInt16, _ sharing: Bool, _ host: IPAddress = .anyV4) -> String {
        do throws(LoopError) {
          _ = try UDPSocket(loop, host: host, port: port, sharing: sharing) { _ in }
          return "bound"
        } catch { return error.code == .addressInUse && !error.detail.isEmpty ? "in use" : "\(error)" }
      }
      let shared = try! UDPSocket(loop, host: .anyV4, port: 0, sharing: true) { _ in }
      let own = try! UDPSocket(loop, host: .anyV4, port: 0) { _ in }
      let ports = (shared.address.port, own.address.port)
      finish([
        bind(ports.0, true), bind(ports.0, false), bind(ports.1, true),
        bind(0, false, IPAddress(bytes: [192, 0, 2, 1])!),
      ])
    }
    #expect(outcome[..<3] == ["bound", "in use", "in use"])
    #expect(outcome[3].contains("192.0.2.1"))
  }

  @Test("A datagram to an address goes to the socket bound to it, not to sockets bound to all addresses")
  func ownAddress() async {
    let who: String = await onLoop { loop, finish in
      let first = try! UDPSocket(loop, host: .anyV4, port: 0, sharing: true) { _ in finish("all") }
      let port = first.address.port
      _ = try! UDPSocket(loop, host: .loopbackV4, port: port, sharing: true) { _ in finish("own") }
      let last = try! UDPSocket(loop, host: .anyV4, port: port, sharing: true) { _ in finish("all") }
      try! last.send([1], to: SocketAddress(host: .loopbackV4, port: port))
    }
    #expect(who == "own")
  }

  @Test("The system drops and counts a flood, and none of it is kept")
  func flood() async {
    let outcome: [Bool] = await onLoop { loop, finish in
      let count = Box(0)
      let receiver = Box<UDPSocket?>(nil)
      receiver.value = try! UDPSocket(loop, host: .loopbackV4, port: 0) { datagram in
        count.value += 1
        guard datagram.bytes.count == 1 else { return }
        let dropped = receiver.value!.droppedCount
        #if os(Linux)
          finish([count.value < 2000, dropped + UInt64(count.value) == 2001])
        #else
          finish([count.value < 2000, dropped == 0])
        #endif
      }
      let sender = try! UDPSocket(loop, host: .loopbackV4, port: 0) { _ in }
      let target = receiver.value!.address
      let big = [UInt8](repeating: 1, count: 8000)
      for _ in 0..<2000 { try? sender.send(big, to: target) }
      // Repeated, because the queue stays full for a while.
      let timer = LoopTimer(loop)
      timer.onFire = { if !sender.isClosed, count.value > 0 { try? sender.send([1], to: target); timer.close() } }
      timer.start(after: .milliseconds(20), repeat: .milliseconds(20))
    }
    #expect(outcome == [true, true])
  }

  @Test("Sending to a closed port has no effect, and a closed socket reports its state") func nobody() async {
    let outcome: [String] = await onLoop { loop, finish in
      let gone = try! UDPSocket(loop, host: .loopbackV4, port: 0) { _ in }
      let port = gone.address.port
      gone.close()
      gone.close()
      let socket = Box<UDPSocket?>(nil)
      socket.value = try! UDPSocket(loop, host: .loopbackV4, port: 0) { _ in
        socket.value?.close()
        let refusal: String
        do throws(LoopError) {
          try gone.send([1], to: SocketAddress(host: .loopbackV4, port: port))
          refusal = "sent"
        } catch { refusal = error.code == .cancelled ? "cancelled" : "\(error)" }
        finish([refusal, "\(gone.isClosed)"])
      }
      try! socket.value?.send([1], to: SocketAddress(host: .loopbackV4, port: port))
      try! socket.value?.send([1], to: socket.value!.address)
    }
    #expect(outcome == ["cancelled", "true"])
  }

  @Test("Closing inside the callback prevents further events, even with unread datagrams") func closeInside() async {
    let count: Int = await onLoop { loop, finish in
      let count = Box(0)
      let socket = Box<UDPSocket?>(nil)
      socket.value = try! UDPSocket(loop, host: .loopbackV4, port: 0) { _ in
        count.value += 1
        socket.value?.close()
      }
      for _ in 0..<3 { try! socket.value?.send([1], to: socket.value!.address) }
      let timer = LoopTimer(loop) { finish(count.value) }
      timer.start(after: .milliseconds(30))
    }
    #expect(count == 1)
  }

  @Test("A group that no interface can join is an error") func noGroup() async {
    let refusal: String = await onLoop { loop, finish in
      let socket = try! UDPSocket(loop, host: .anyV4, port: 0) { _ in }
      do throws(LoopError) {
        try socket.join(group, on: 99_999)
        finish("joined")
      } catch { finish(error.detail) }
    }
    #expect(refusal.hasPrefix("joining 224.0.0.251: "))
  }

  @Test(
    "A datagram to a group reaches all members, including the sender, and no other socket",
    .enabled(if: testInterface != nil))
  func multicast() async throws {
    let interface = try NetworkInterface.named(testInterface ?? "").index
    let address = try NetworkInterface.all().addresses(ofInterface: testInterface ?? "").first
    let heard: [String] = await onLoop { loop, finish in
      let heard = Box<[String]>([])
      func socket(_ name: String, port: UInt16, joins: Bool) -> UDPSocket {
        let socket = try! UDPSocket(loop, host: .anyV4, port: port, sharing: true) { datagram in
          heard.value.append("\(name) \(datagram.bytes.count) \(datagram.hopLimit ?? 0)")
          if datagram.bytes.count == 1 { return }
          #expect(datagram.destination == group && datagram.destination?.isMulticast == true)
          #expect(datagram.interface == interface && datagram.source.host == address)
        }
        if joins { try! socket.join(group, on: interface) }
        return socket
      }
      let sender = socket("sender", port: 0, joins: true)
      let port = sender.address.port
      _ = socket("member", port: port, joins: true)
      _ = socket("stranger", port: port, joins: false)
      sender.setHops(255)
      try! sender.multicast(on: interface, source: address)
      try! sender.send([1, 2], to: SocketAddress(host: group, port: port))
      // A second datagram on the same path, so an earlier one would have arrived before it.
      try! sender.send([1], to: SocketAddress(host: .loopbackV4, port: port))
      let timer = LoopTimer(loop)
      timer.onFire = {
        if heard.value.contains(where: { $0.contains(" 1 ") }) {
          finish(heard.value.filter { !$0.contains(" 1 ") }.sorted()); timer.close()
        }
      }
      timer.start(after: .milliseconds(10), repeat: .milliseconds(10))
    }
    #expect(heard == ["member 2 255", "sender 2 255"])
  }
}
