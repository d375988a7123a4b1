import HAPLoop

@testable import HAPWorld

/// Two hosts on one link with one process each, and their agenda.
final class TestNetwork {
  let agenda: Agenda
  let network: SimulatedNetwork
  let link: SimulatedLink
  let a: SimulatedHost
  let b: SimulatedHost
  let aInterface: SimulatedInterface
  let bInterface: SimulatedInterface
  let client: SimulatedProcess
  let server: SimulatedProcess
  var lines: [String] = []

  init(
    seed: UInt64 = 1, settings: SimulatedNetwork.Settings = .init(), properties: LinkProperties = LinkProperties()
  ) {
    agenda = Agenda(seed: seed)
    network = SimulatedNetwork(agenda, settings: settings)
    link = network.addLink("lan", properties)
    a = network.addHost("a")
    b = network.addHost("b")
    aInterface = a.addInterface("eth0", addresses: Self.addresses(1), link: link)
    bInterface = b.addInterface("eth0", index: 7, addresses: Self.addresses(2), link: link)
    client = a.startProcess("client")!
    server = b.startProcess("server")!
  }

  deinit { network.tearDown() }

  static func addresses(_ number: UInt8) -> [SimulatedInterface.Address] {
    [
      .init(IPAddress(bytes: [10, 0, 0, number])!, prefixLength: 24),
      .init(IPAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [number])!, prefixLength: 64),
    ]
  }

  var now: Double { Double(agenda.now) / 1e9 }

  /// Advances time by seconds.
  func run(_ seconds: Double) { agenda.run(until: agenda.now + UInt64(seconds * 1e9)) }

  /// Listens on a port. The accepted sides appear in the result.
  func listen(
    _ process: SimulatedProcess? = nil, host: String = "0.0.0.0", interface: String? = nil, port: UInt16 = 80,
    backlog: Int = 16, reading: Bool = true
  ) throws -> Accepted {
    let accepted = Accepted()
    accepted.listener = try (process ?? server).listen(
      host: IPAddress(host), interface: interface, port: port, backlog: backlog
    ) { listener in
      while let connection = try? listener.accept() { accepted.ends.append(End(connection, reading: reading)) }
    }
    return accepted
  }

  func connect(_ process: SimulatedProcess? = nil, to host: String = "10.0.0.2", port: UInt16 = 80) throws -> End {
    End(try (process ?? client).connect(to: place(host, port)))
  }

  /// Returns an established connection from `client` to `server`.
  func pair(reading: Bool = true) throws -> (End, End, Accepted) {
    let accepted = try listen(reading: reading)
    let own = try connect()
    run(1)
    return (own, accepted.ends[0], accepted)
  }
}

final class Accepted {
  var listener: SimulatedListener!
  var ends: [End] = []
}

/// One side of a connection, with all its events.
final class End {
  let connection: SimulatedConnection
  var events: [SimulatedConnection.Event] = []
  var bytes: [UInt8] = []
  var onEvent: ((SimulatedConnection.Event) -> Void)?

  init(_ connection: SimulatedConnection, reading: Bool = true) {
    self.connection = connection
    connection.setHandler { [self] event in
      if case .readable = event { take() } else { events.append(event) }
      onEvent?(event)
    }
    connection.setReading(reading)
  }

  func take(_ most: Int = .max) {
    var buffer = [UInt8](repeating: 0, count: min(most, connection.readableCount))
    let count = buffer.withUnsafeMutableBytes { connection.read(into: $0) }
    bytes += buffer[..<count]
  }

  @discardableResult
  func write(_ bytes: [UInt8]) throws -> Int { try bytes.withUnsafeBytes { try connection.write($0) } }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The code of the reported failure.
  var failure: LoopError.Code? {
    for case .failed(let error) in events { return error.code }
    return nil
  }
}

func place(_ host: String, _ port: UInt16) throws -> SocketAddress {
  SocketAddress(host: try IPAddress(host), port: port)
}

/// Returns the code of the error that `body` throws.
func code(_ body: () throws -> Void) -> LoopError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? LoopError)?.code
  }
}
