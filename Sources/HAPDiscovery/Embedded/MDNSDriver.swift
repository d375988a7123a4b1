import HAPLoop
import MDNS

/// An mDNS state machine that `MDNSDriver` runs.
package protocol MDNSMachine {
  associatedtype Output: MDNSMachineOutput

  mutating func setInterface(_ interface: MDNSInterface, at now: Duration)
  mutating func removeInterface(_ index: UInt32, at now: Duration)
  mutating func receive(_ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, at now: Duration)
  /// Does not change the state machine. It is a mutating getter only to avoid a copy.
  var nextDeadline: Duration? { mutating get }
  mutating func advance(to now: Duration)
  mutating func takeOutputs() -> [Output]
  /// Whether goodbye packets are waiting to be sent.
  var isSayingGoodbye: Bool { get }
}

package protocol MDNSMachineOutput {
  associatedtype Report
  var event: MDNSDriverEvent<Report> { get }
}

package enum MDNSDriverEvent<Report> {
  case send(MDNSPacket)
  case report(Report)
}

extension MDNSResponder: MDNSMachine {}

extension MDNSOutput: MDNSMachineOutput {
  package var event: MDNSDriverEvent<MDNSReport> {
    switch self {
    case .send(let packet): .send(packet)
    case .report(let report): .report(report)
    }
  }
}

extension MDNSBrowser: MDNSMachine {
  package var isSayingGoodbye: Bool { false }
}

extension MDNSBrowserOutput: MDNSMachineOutput {
  package var event: MDNSDriverEvent<MDNSBrowserReport> {
    switch self {
    case .send(let packet): .send(packet)
    case .report(let report): .report(report)
    }
  }
}

/// Runs an mDNS state machine on sockets. It passes packets, the time and interface changes to the state machine, and sends its packets.
///
/// Belongs to the loop's thread.
package final class MDNSDriver<Machine: MDNSMachine> {
  private var machine: Machine
  private let loop: EventLoop
  private let choice: InterfaceChoice
  // The state machine recognizes its own packets.
  private lazy var sockets = MDNSSockets(loop, dropsEchoes: false) { [unowned self] datagram, _ in receive(datagram) }
  private let timer: LoopTimer
  private let retry: LoopTimer
  private var backOff = BackOff()
  private lazy var watcher: any InterfaceWatch = loop.driver.watchInterfaces(of: loop) { [unowned self] in follow() }
  private var known: [MDNSInterface] = []
  private var armed: Duration?
  private var isClosed = false

  /// The interfaces that the state machine uses.
  private(set) var interfaces: [NetworkInterface] = []
  /// The reason why the state machine has no interface; nil if it has one.
  private(set) var absence: String?
  /// Also called during `perform`.
  package var onReport: (Machine.Output.Report) -> Void = { _ in }
  /// Called after the state machine received the interfaces, which may be unchanged.
  var onNetworkChange: () -> Void = {}

  /// - Parameter choice: a loopback interface is used only if it is named.
  package init(_ loop: EventLoop, _ choice: InterfaceChoice, _ machine: Machine) {
    self.loop = loop
    self.machine = machine
    self.choice = choice
    timer = LoopTimer(loop)
    retry = LoopTimer(loop)
    timer.onFire = { [unowned self] in
      armed = nil
      perform { $0.advance(to: $1) }
    }
    retry.onFire = { [unowned self] in follow() }
    follow()
  }

  /// Passes an input to the state machine, and performs its outputs.
  package func perform<R, E: Error>(_ input: (inout Machine, Duration) throws(E) -> R) throws(E) -> R {
    let result = try input(&machine, now)
    drain()
    return result
  }

  /// Stops sending and reporting. Idempotent.
  /// - Parameter limit: the time limit for sending the goodbyes that the state machine delays to keep to a rate.
  package func close(within limit: Duration = .zero) {
    guard !isClosed else { return }
    onReport = { _ in }
    let end = now + limit
    while machine.isSayingGoodbye, now < end {
      // This blocks the loop, too: a process that ends has nothing else to do.
      loop.block(for: .milliseconds(1))
      perform { $0.advance(to: $1) }
    }
    isClosed = true
    onNetworkChange = {}
    watcher.close()
    sockets.close()
    timer.close()
    retry.close()
  }

  private var now: Duration { .nanoseconds(Int64(clamping: loop.readClock())) }

  private func drain() {
    for output in machine.takeOutputs() {
      switch output.event {
      case .send(let packet): send(packet)
      case .report(let report): onReport(report)
      }
    }
    guard let deadline = machine.nextDeadline else {
      if armed != nil { timer.cancel() }
      armed = nil
      return
    }
    if armed == deadline { return }
    armed = deadline
    timer.start(after: deadline - now)
  }

  // MARK: Packets

  /// Sends a packet. A packet that can't be sent is dropped, as any packet on a network can be.
  private func send(_ packet: MDNSPacket) {
    switch packet.destination {
    case .multicast(let isV4):
      try? sockets.multicast(packet.bytes, on: MDNSSockets.Link(interface: packet.interface, isV4: isV4))
    case .unicast(let target):
      let scope = target.address.isLinkLocal ? packet.interface : 0
      guard let host = IPAddress(bytes: target.address.bytes, scope: scope) else { return }
      _ = try? sockets.send(packet.bytes, to: SocketAddress(host: host, port: target.port), on: packet.interface)
    }
  }

  private func receive(_ datagram: UDPSocket.Datagram) {
    guard let address = MDNSAddress(bytes: datagram.source.host.bytes) else { return }
    let arrival = MDNSArrival(
      from: MDNSEndpoint(address, port: datagram.source.port), interface: datagram.interface,
      isUnicast: datagram.destination.map { !$0.isMulticast } ?? false)
    perform { $0.receive(datagram.bytes, arrival, at: $1) }
  }

  // MARK: Network

  /// Passes the current interfaces to the state machine.
  private func follow() {
    retry.cancel()
    let chosen = choice.chosen(from: watcher.interfaces)
    let usable = chosen.filter { !$0.addresses.isEmpty }
    let failure = sockets.follow(usable)
    let links = Set(sockets.links)
    let current = usable.compactMap { MDNSInterface($0, links) }
    if failure == nil { backOff.reset() } else { retry.start(after: backOff.delay()) }
    interfaces = usable.filter { one in current.contains { $0.index == one.index } }
    absence = nil
    if interfaces.isEmpty {
      let names = chosen.map(\.name).joined(separator: ", ")
      absence =
        chosen.isEmpty
        ? choice.absence : usable.isEmpty ? "\(names) has no address" : failure?.detail ?? "\(names) can't multicast"
    }
    let old = known
    known = current
    perform { machine, now in
      for one in old where !current.contains(where: { $0.index == one.index }) {
        machine.removeInterface(one.index, at: now)
      }
      for one in current where !old.contains(one) { machine.setInterface(one, at: now) }
    }
    onNetworkChange()
  }
}

extension MDNSInterface {
  /// python-zeroconf drops messages over 8966 bytes: the 9000 of RFC 6762 §17 minus the headers of a frame and the packet.
  private static let largestMTU = 8994

  /// - Returns: nil for an interface without a link.
  fileprivate init?(_ interface: NetworkInterface, _ links: Set<MDNSSockets.Link>) {
    let usesV4 = links.contains(MDNSSockets.Link(interface: interface.index, isV4: true))
    let usesV6 = links.contains(MDNSSockets.Link(interface: interface.index, isV4: false))
    guard usesV4 || usesV6 else { return nil }
    let assignments = zip(interface.addresses, interface.prefixLengths).compactMap { address, length in
      MDNSAddress(bytes: address.bytes).map { Assignment($0, prefixLength: length) }
    }
    self.init(
      index: interface.index, assignments, mtu: min(interface.mtu ?? 1500, Self.largestMTU), usesV4: usesV4,
      usesV6: usesV6)
  }
}
