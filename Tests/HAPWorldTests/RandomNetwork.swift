import HAPLoop
import Testing

@testable import HAPWorld

/// Random connections with random faults, and checks of the invariants.
final class RandomNetwork {
  /// One side, with its counts of written and read bytes. Byte `i` of a stream is a function of the stream and `i`.
  final class Tracked {
    let end: End
    let process: SimulatedProcess
    /// The stream that this side writes, and the side that it reads from; `nil` if unknown.
    let stream: UInt64
    weak var other: Tracked?
    var written = 0
    var read = 0
    var isFinished = false
    var hasEnded = false
    var isClosed = false

    init(_ connection: SimulatedConnection, _ process: SimulatedProcess, stream: UInt64) {
      end = End(connection, reading: false)
      self.process = process
      self.stream = stream
    }
  }

  let agenda: Agenda
  let network: SimulatedNetwork
  let link: SimulatedLink
  var random: WorldRandom
  var tracked: [Tracked] = []
  var lines: [String] = []
  private var lastStream: UInt64 = 0
  private let settings: SimulatedNetwork.Settings

  init(seed: UInt64, hosts: Int = 4) {
    var settings = SimulatedNetwork.Settings()
    settings.receiveBuffer = 5000
    settings.sendBuffer = 8000
    self.settings = settings
    agenda = Agenda(seed: seed)
    random = WorldRandom(seed: seed).fork("commands")
    network = SimulatedNetwork(agenda, settings: settings)
    link = network.addLink("lan", LinkProperties(bandwidth: 10_000_000))
    agenda.trace.sink = { [unowned self] in lines.append($0) }
    for number in 1...hosts {
      let host = network.addHost("h\(number)")
      _ = host.addInterface("eth0", addresses: TestNetwork.addresses(UInt8(number)), link: link)
      startServer(host)
    }
  }

  deinit { network.tearDown() }

  private func startServer(_ host: SimulatedHost) {
    guard let process = host.startProcess("p") else { return }
    _ = try? process.listen(host: .anyV4, port: 80, backlog: 4) { [unowned self] listener in
      while let connection = try? listener.accept() { add(connection, process) }
    }
  }

  private func add(_ connection: SimulatedConnection, _ process: SimulatedProcess) {
    lastStream += 1
    let new = Tracked(connection, process, stream: lastStream)
    if let peer = connection.peer, let other = tracked.first(where: { $0.end.connection === peer }) {
      (new.other, other.other) = (other, new)
    }
    tracked.append(new)
    new.end.connection.setHandler { [unowned self, unowned new] in happened($0, to: new) }
    new.end.connection.setReading(true)
  }

  // MARK: Invariants

  /// Checks a condition. It is faster than `#expect` if the condition holds.
  private func check(_ holds: Bool, _ rule: String = "", line: Int = #line) {
    if !holds { Issue.record("line \(line): \(rule)") }
  }

  private func happened(_ event: SimulatedConnection.Event, to one: Tracked) {
    check(!one.isClosed && one.process.isAlive && !one.process.isFrozen, "no event after the end")
    switch event {
    case .connected: check(one.read == 0)
    case .writable: break
    case .readable(let count):
      check(!one.hasEnded && count <= settings.receiveBuffer, "bounded, and no bytes after the end")
      read(one)
    case .end:
      check(!one.hasEnded)
      one.hasEnded = true
      if let other = one.other { check(one.read == other.written && other.isFinished, "the end is after all bytes") }
    case .failed:
      check(!one.hasEnded)
      one.hasEnded = true
    }
  }

  private func read(_ one: Tracked) {
    one.end.bytes = []
    one.end.take(1 + Int(random.upTo(3000)))
    guard let other = one.other else { return check(one.end.bytes.isEmpty, "bytes without a sender") }
    check(
      one.end.bytes == Self.bytes(other.stream, one.read, one.end.bytes.count), "the written bytes, in order")
    one.read += one.end.bytes.count
    check(one.read <= other.written)
  }

  /// Returns bytes of a stream. They differ for different streams, and for different positions.
  private static func bytes(_ stream: UInt64, _ index: Int, _ count: Int) -> [UInt8] {
    let start = Int((stream &* 7919 &+ UInt64(index)) % 65_536)
    return Array(pattern[start..<(start + count)])
  }

  private static let pattern: [UInt8] = {
    var random = WorldRandom(seed: 99)
    let first = (0..<65_536).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return first + first[..<8192]
  }()

  func checkBounds() {
    for host in network.hosts {
      for connection in host.sortedConnections {
        check(connection.readableCount <= settings.receiveBuffer)
        check(connection.unacknowledgedCount <= settings.sendBuffer)
        check(connection.delivered >= connection.acknowledged && connection.sent >= connection.delivered)
      }
    }
    check(agenda.count <= 50 + 20 * max(tracked.count, 1))
  }

  // MARK: Commands

  func step() {
    let host = network.hosts[Int(random.upTo(UInt64(network.hosts.count - 1)))]
    switch random.upTo(24) {
    case 0...4: connect(from: host)
    case 5...12: withOne(write)
    case 13: withOne { $0.end.connection.setReading(self.random.chance(0.7)) }
    case 14: withOne(finish)
    case 15: withOne(close)
    case 16: withOne { $0.end.connection.keepAlive(after: .seconds(5)) }
    case 17...22:
      agenda.run(until: agenda.now + random.upTo([1_000_000, 100_000_000, 20_000_000_000][Int(random.upTo(2))]))
    default: fault(host)
    }
  }

  private func connect(from host: SimulatedHost) {
    let target = UInt8(1 + random.upTo(UInt64(network.hosts.count - 1)))
    guard let process = host.processes.first,
      let connection = try? process.connect(to: SocketAddress(host: IPAddress(bytes: [10, 0, 0, target])!, port: 80))
    else { return }
    add(connection, process)
  }

  private func withOne(_ body: (Tracked) -> Void) {
    let alive = tracked.filter { !$0.isClosed && $0.process.isAlive && !$0.process.isFrozen }
    if !alive.isEmpty { body(alive[Int(random.upTo(UInt64(alive.count - 1)))]) }
  }

  private func write(_ one: Tracked) {
    let count = Int(random.upTo(6000))
    let bytes = Self.bytes(one.stream, one.written, count)
    guard let taken = try? one.end.write(bytes) else { return }
    check(taken <= count && !one.isFinished)
    one.written += taken
    if random.chance(0.3) { one.end.connection.notifyWhenWritable() }
  }

  private func finish(_ one: Tracked) {
    one.end.connection.finishWriting()
    one.isFinished = true
  }

  private func close(_ one: Tracked) {
    one.isClosed = true
    one.isFinished = true
    if random.chance(0.5) { one.end.connection.close() } else { one.end.connection.reset() }
  }

  private func fault(_ host: SimulatedHost) {
    let interface = host.interfaces[1]
    let other = link.interfaces[Int(random.upTo(UInt64(link.interfaces.count - 1)))]
    switch random.upTo(11) {
    case 0: link.cut(from: interface, to: other)
    case 1: link.cut()
    case 2, 3: link.heal()
    case 4: link.stall(from: interface, to: other)
    case 5, 6: link.resume()
    case 7: host.processes.first?.freeze()
    case 8: host.processes.first?.thaw()
    case 9:
      ended(host)
      host.processes.first?.kill()
      startServer(host)
    case 10:
      if host.isOn {
        host.powerOff()
      } else {
        host.start()
        startServer(host)
      }
    default: interface.setUp(!interface.isUp)
    }
  }

  /// Marks the connections of a host's killed process as finished. Its kernel sends the written bytes if it can.
  private func ended(_ host: SimulatedHost) {
    for one in tracked where one.process.host === host { one.isFinished = true }
  }

  /// Ends all faults and closes each side; after an hour, there must be no connections.
  func finishAll() {
    link.heal()
    link.resume()
    for host in network.hosts {
      host.interfaces[1].setUp(true)
      host.processes.first?.thaw()
    }
    for one in tracked where !one.isClosed { one.end.connection.setReading(true) }
    agenda.run(until: agenda.now + 60_000_000_000)
    for one in tracked where !one.isClosed && one.process.isAlive { close(one) }
    agenda.run(until: agenda.now + 3_600_000_000_000)
    for host in network.hosts {
      let left = host.sortedConnections.map {
        "\($0.id) \($0.phase) closed \($0.isClosed) \($0.fin) peer \($0.peer?.phase as Any)"
      }
      check(left.isEmpty && host.outgoingPorts.isEmpty, "\(left)")
    }
    check(agenda.count == 0)
  }
}
