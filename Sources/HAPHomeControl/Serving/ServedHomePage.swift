import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPWeb

/// The API and the page of a hub's homes at an address of this machine.
///
/// Each request needs a token, also on loopback: a client that may send requests opens real locks, and every user of the machine reaches its
/// loopback interface.
package struct ServedHomePage: Sendable {
  /// The default port. It is fixed, so that an open page finds the hub again after a restart. The one of hapsim's page is 9427.
  package static let standardPort: UInt16 = 9437

  private let api: HomeAPI
  private let listener: LoopBound<WebListener>
  private let address: SocketAddress

  /// Serves the page.
  /// - Parameters:
  ///   - hub: an actor on `loop`, which is running.
  ///   - address: port 0 for any free one.
  ///   - version: the version of the program.
  /// - Throws: `LoopError`, for example if the port is in use; `HomeError` if the hub ends.
  package static func start(
    _ hub: any HubServing, at address: SocketAddress, zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?,
    version: String, on loop: EventLoop
  ) async throws -> ServedHomePage {
    let page = try await loop.perform {
      let journal = HomeJournal(on: loop) { loop.readWallClock() }
      let later = Later()
      let api = HomeAPI(
        hub, LoopBound(here: loop, journal), zoneRules: zoneRules, version: version,
        onTokensChange: LoopBound(here: loop) { later.onTokensChange() }, on: loop)
      let rules = AccessRules(hostName: loop.machineName) { token in
        hub.assumeIsolated { $0.holder(ofToken: token) } != nil
      }
      let listener = try WebListener(at: address.host, port: address.port, rules, journal, on: loop) {
        api.answer($0, then: $1)
      }
      later.onTokensChange = { [weak listener] in listener?.checkStreamsAgain() }
      return ServedHomePage(api: api, listener: LoopBound(here: loop, listener), address: listener.address)
    }
    do { try await page.api.start() } catch {
      await page.close(on: loop)
      throw error
    }
    return page
  }

  /// Breaks the cycle between the API and its listener.
  private final class Later { var onTokensChange: () -> Void = {} }

  /// The page's address with a token: "http://127.0.0.1:9437/#token=…". The page takes the token from the part after "#", which browsers
  /// never send.
  package func url(token: String) -> String {
    var address = address
    if address.host.isUnspecified { address.host = .loopbackV4 }
    return "http://\(address)/#token=\(percentEncoded(token))"
  }

  /// Ends all connections, and leaves the hub.
  package func close(on loop: EventLoop) async {
    let listener = listener
    try? await loop.perform { listener.value.close() }
    await api.close()
  }
}
