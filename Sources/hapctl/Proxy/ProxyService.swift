import HAPController
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport

/// A proxy that serves: it listens, is visible on the network if that is wanted, and reads the accessory's database again after a change.
actor ProxyService {
  struct Settings: Sendable {
    var listen: ListenAddress
    /// Whether the proxy is visible by multicast DNS.
    var advertises: Bool
    /// How long the accessory may take to connect, and to answer.
    var timeout: Duration
    /// Names of those on which the accessory is looked for; empty: all of the local network.
    var interfaces: [String]
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let identity: ProxyIdentity
  private let pairing: ControllerPairing
  private let database: AttributeDatabase
  private let settings: Settings
  private let makeTranscript: @Sendable () -> Transcript
  private let readDatabase: @Sendable () async throws -> AttributeDatabase
  private var proxy: Proxy?
  private var responder: (any Responder)?
  private var record: RecordWatch?

  /// - Parameters:
  ///   - pairing: our pairing with the accessory of the proxy.
  ///   - database: of that accessory, as it was read before.
  ///   - writing: makes the transcript, on the loop's thread.
  ///   - loop: the thread of the proxy.
  ///   - readDatabase: reads the database of the accessory. Called after each change of its configuration number.
  init(
    _ identity: ProxyIdentity, before pairing: ControllerPairing, _ database: AttributeDatabase, _ settings: Settings,
    writing: @escaping @Sendable () -> Transcript, on loop: EventLoop,
    readDatabase: @escaping @Sendable () async throws -> AttributeDatabase
  ) {
    self.identity = identity
    self.pairing = pairing
    self.database = database
    self.settings = settings
    makeTranscript = writing
    self.loop = loop
    self.readDatabase = readDatabase
  }

  /// Listens. Once.
  /// - Parameter ready: given where the proxy listens, before anything else is written.
  /// - Throws: `LoopError` if it can't listen, or can't become visible; `AccessError` if an address of the pairing is malformed.
  func start(ready: (SocketAddress) -> Void) throws {
    let addresses = try socketAddresses(pairing.addresses)
    let identify = database.characteristics.firstIndex { $0.type == CharacteristicDefinition.identify.type }
    responder = settings.advertises ? try openResponder() : nil
    let proxy = Proxy(
      identity, before: pairing, at: addresses, identify: identify.map { database.id(ofSlot: $0) },
      timeout: settings.timeout, makeTranscript(), on: loop)
    self.proxy = proxy
    do { try proxy.start(at: settings.listen, advertiser: responder?.makeAdvertiser()) } catch {
      stop()
      guard error.code == .addressInUse else { throw error }
      throw LoopError(error.code, "\(error.detail): LISTEN chose it; choose another port, or 0 for a free one")
    }
    ready(SocketAddress(host: settings.listen.host, port: proxy.server.port))
    let follower = DatabaseFollower(on: loop) { [weak self, readDatabase] in
      let database = try await readDatabase()
      await self?.take(database)
    }
    record = RecordWatch(of: pairing, on: loop, interfaces: settings.interfaces) { number in
      await follower.configurationNumber(is: number)
    }
  }

  /// Says goodbye, and closes all connections. Any number of times.
  func stop() {
    record?.close()
    proxy?.stop()
    responder?.close()
    (record, proxy, responder) = (nil, nil, nil)
  }

  private func take(_ database: AttributeDatabase) { proxy?.take(database) }

  /// The responder that makes the proxy visible. On loopback, only this machine receives its announcements.
  private func openResponder() throws(LoopError) -> any Responder {
    let host = settings.listen.host
    let loopback = loop.interfaces().filter(\.isLoopback).map(\.name)
    return try BackEnd.open(
      nil, on: loop, interfaces: host.isLoopback ? loopback : [], bindsToAddress: !host.isUnspecified
    ).responder
  }
}
