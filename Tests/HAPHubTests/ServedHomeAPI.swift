#if os(Linux)
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPWeb
  import HAPWire
  import Testing

  @testable import HAPHomeControl
  @testable import HAPHub

  /// The API of a hub's homes without a socket.
  struct ServedHomeAPI: Sendable {
    let api: HomeAPI
    let hub: HomeHub
    /// The number of times that a token became invalid.
    let revocations = Guarded(0)
    let owner: String

    /// - Parameter late: serves the API instead of the hub, to which it passes the requests.
    init(_ hub: HomeHub, patience: Duration = .seconds(600), late: LateHub? = nil) async throws {
      self.hub = hub
      let (loop, revocations) = (hub.loop, revocations)
      api = try await loop.perform {
        HomeAPI(
          late ?? hub, LoopBound(here: loop, HomeJournal(run: "here") { loop.readWallClock() }),
          zoneRules: { $0 == .utc ? .utc : nil }, version: "1", readerPatience: patience,
          onTokensChange: LoopBound(here: loop) { revocations.withLock { $0 += 1 } }, on: loop)
      }
      try await api.start()
      owner = try await hub.pageToken(of: nil, renews: false)
    }

    /// - Parameter token: nil: the owner's.
    func ask(
      _ method: String, _ target: String, _ body: String? = nil, token: String? = nil
    ) async throws -> WebAnswer {
      let parts = target.split(separator: "?", maxSplits: 1)
      let query = (parts.count < 2 ? [] : parts[1].split(separator: "&")).map { pair in
        let halves = pair.split(separator: "=", maxSplits: 1)
        return (name: String(halves[0]), value: halves.count > 1 ? String(halves[1]) : "")
      }
      var fields = [HTTPField("authorization", "Bearer \(token ?? owner)")]
      if body != nil { fields.append(HTTPField("content-type", "application/json")) }
      let request = WebRequest(
        method, path: parts[0].split(separator: "/").map { String($0).replacing("%2F", with: "/") }, query: query,
        fields: fields, body: Array((body ?? "").utf8))
      return await api.answer(request)
    }

    /// Returns the answer to a request that must succeed.
    @discardableResult
    func node(
      _ method: String, _ target: String, _ body: String? = nil, token: String? = nil
    ) async throws -> JSONNode {
      let answer = try await ask(method, target, body, token: token)
      guard (200..<300).contains(answer.status) else {
        throw Failure(message: "\(method) \(target): \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
      }
      return answer.body.isEmpty ? JSONNode(.null) : try JSONNode.parse(answer.body)
    }

    /// "422 invalid-body: …", with the number in Apple's API after the code.
    func refusal(
      _ method: String, _ target: String, _ body: String? = nil, token: String? = nil
    ) async throws -> String {
      let answer = try await ask(method, target, body, token: token)
      guard answer.status >= 400, let error = try JSONNode.parse(answer.body)["error"] else {
        return "\(answer.status)"
      }
      let number = error["number"]?.integerValue.map { " \($0)" } ?? ""
      return
        "\(answer.status) \(error["code"]?.stringValue ?? "?")\(number): \(error["message"]?.stringValue ?? "?")"
    }

    var setupCount: Int { get async { await api.setupCount } }

    struct Failure: Error { let message: String }

    /// The values of a home by the paths of their characteristics.
    func values(token: String? = nil) async throws -> [String: JSONNode] {
      let home = try await node("GET", "/v1/homes/Home", token: token)
      var values: [String: JSONNode] = [:]
      for accessory in home["accessories"]?.elements ?? [] {
        for characteristic in (accessory["services"]?.elements ?? []).flatMap({ $0["characteristics"]?.elements ?? [] })
        {
          let path = "\(accessory["name"]?.stringValue ?? "")/\(characteristic["name"]?.stringValue ?? "")"
          values[path] = characteristic["value"]
        }
      }
      return values
    }

    /// The names of the events in the log, with the number of the last one.
    func events(token: String? = nil) async throws -> [JSONNode] {
      try await node("GET", "/v1/homes/log", token: token)["events"]?.elements ?? []
    }
  }

  /// A hub that does something before it takes the first subscription.
  actor LateHub: HubServing {
    nonisolated var unownedExecutor: UnownedSerialExecutor { hub.unownedExecutor }
    private let hub: HomeHub
    private var first: (@Sendable () async throws -> Void)?

    init(_ hub: HomeHub, first: @escaping @Sendable () async throws -> Void) { (self.hub, self.first) = (hub, first) }

    func connect(_ app: any HubApp) async { await hub.connect(app) }
    func disconnect(_ app: any HubApp) async { await hub.disconnect(app) }
    func holder(ofToken token: String) -> TokenHolder? { hub.assumeIsolated { $0.holder(ofToken: token) } }
    func whenTokenEnds(_ body: @escaping @Sendable () -> Void) async { await hub.whenTokenEnds(body) }

    func take(
      _ request: HubRequest, from app: any HubApp, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void
    ) async {
      if case .subscribe = request, let body = first {
        first = nil
        do { try await body() } catch { Issue.record(error) }
      }
      await hub.take(request, from: app, reply: reply)
    }
  }

  /// Runs a test with scripted lamps in a home "Home", and its API.
  func withAPI(
    lamps: UInt8 = 2, patience: Duration = .seconds(600),
    _ body: @escaping @Sendable (HubBench, TestApp, ServedHomeAPI) async throws -> Void
  ) async throws {
    try await withHub((1...lamps).map { Script.lampDevice($0, "Lamp \($0)") }) { bench in
      let app = try await bench.attach("a")
      try await app.setUp(bench)
      let served = try await ServedHomeAPI(bench.hub, patience: patience)
      try await body(bench, app, served)
      // A process that was killed runs nothing any more.
      if bench.hub === served.hub { await served.api.close() }
    }
  }

  extension HomeAPI {
    fileprivate var setupCount: Int { setups.count }
  }
#endif
