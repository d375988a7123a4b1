import HAPController
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport

/// A running proxy: it listens, advertises itself if requested, and reads the accessory's database again after a
/// change.
package actor ProxyService {
  package struct Settings: Sendable {
    /// The address to listen on.
    var host: IPAddress
    /// The port; 0 selects a free one.
    var port: UInt16
    /// Whether the proxy is advertised by multicast DNS.
    var advertises: Bool
    /// The timeout for connecting to the accessory, and for each answer.
    var timeout: Duration
    /// The names of the interfaces on which to search for the accessory; empty: all interfaces of the local network.
    var interfaces: [String]

    package init(host: IPAddress, port: UInt16, advertises: Bool, timeout: Duration, interfaces: [String]) {
      self.host = host
      self.port = port
      self.advertises = advertises
      self.timeout = timeout
      self.interfaces = interfaces
    }
  }

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let identity: ProxyIdentity
  private let pairing: ControllerPairing
  private let database: AttributeDatabase
  private let settings: Settings
  private let makeObserver: @Sendable () -> any ProxyObserver
  private let readDatabase: @Sendable () async throws -> AttributeDatabase
  private var proxy: Proxy?
  private var responder: (any Responder)?
  private var record: RecordWatch?
  private var wasStarted = false

  /// - Parameters:
  ///   - pairing: hapctl's pairing with the accessory.
  ///   - database: the current database of that accessory.
  ///   - makeObserver: called once, on the loop's thread.
  ///   - loop: the loop of the proxy.
  ///   - readDatabase: reads the database of the accessory. It is called after each change of its configuration number.
  package init(
    _ identity: ProxyIdentity, before pairing: ControllerPairing, _ database: AttributeDatabase, _ settings: Settings,
    on loop: EventLoop, observedBy makeObserver: @escaping @Sendable () -> any ProxyObserver,
    readDatabase: @escaping @Sendable () async throws -> AttributeDatabase
  ) {
    self.identity = identity
    self.pairing = pairing
    self.database = database
    self.settings = settings
    self.makeObserver = makeObserver
    self.loop = loop
    self.readDatabase = readDatabase
  }

  /// Starts to listen. Call it once.
  /// - Parameter ready: receives the listening address, before any other output.
  /// - Throws: `ProxyPortInUse`; `LoopError` if the proxy can't listen or can't be advertised; `AccessError` if an
  ///   address of the pairing is malformed.
  package func start(ready: (SocketAddress) -> Void) throws {
    precondition(!wasStarted, "a proxy can be started only once")
    wasStarted = true
    let addresses = try socketAddresses(pairing.addresses)
    let identify = database.characteristics.firstIndex { $0.type == CharacteristicDefinition.identify.type }
    responder = settings.advertises ? try openResponder() : nil
    let proxy = Proxy(
      identity, before: pairing, at: addresses, identify: identify.map { database.id(ofSlot: $0) },
      timeout: settings.timeout, makeObserver(), on: loop)
    self.proxy = proxy
    do { try proxy.start(on: settings.host, port: settings.port, advertiser: responder?.makeAdvertiser()) } catch {
      stop()
      guard error.code == .addressInUse else { throw error }
      throw ProxyPortInUse(reason: error.detail)
    }
    ready(SocketAddress(host: settings.host, port: proxy.server.port))
    let follower = DatabaseFollower(on: loop) { [weak self, readDatabase] in
      let database = try await readDatabase()
      await self?.take(database)
    }
    record = RecordWatch(of: pairing, on: loop, interfaces: settings.interfaces) { number in
      await follower.configurationNumber(is: number)
    }
  }

  /// Sends an mDNS goodbye, and closes all connections. Can be called any number of times.
  package func stop() {
    record?.close()
    proxy?.stop()
    responder?.close()
    (record, proxy, responder) = (nil, nil, nil)
  }

  private func take(_ database: AttributeDatabase) { proxy?.take(database) }

  /// Opens the responder that advertises the proxy. On loopback, only this machine receives its announcements.
  private func openResponder() throws(LoopError) -> any Responder {
    let host = settings.host
    let loopback = loop.interfaces().filter(\.isLoopback).map(\.name)
    return try BackEnd.open(
      nil, on: loop, interfaces: host.isLoopback ? loopback : [], bindsToAddress: !host.isUnspecified
    ).responder
  }
}

/// Another socket uses the port that the proxy should listen on.
package struct ProxyPortInUse: Error {
  /// The reason, as the system reports it.
  package let reason: String
}
