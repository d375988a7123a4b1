import HAPAttributes
import HAPModel
import HAPWire

extension AccessoryCore {
  /// Handles complete requests from the connection's buffers until one must wait or none is left.
  func work(off connection: ConnectionCore, at now: Duration) {
    while connection.takesRequests {
      guard takeRequest(of: connection, at: now) else { break }
      connection.lastHeard = now
    }
    attributes.sendDueEvents(at: now)
  }

  /// Handles one request, if a complete one has arrived.
  private func takeRequest(of connection: ConnectionCore, at now: Duration) -> Bool {
    if !connection.substituted.isEmpty { return takeSubstituted(of: connection, at: now) }
    guard !connection.incoming.isEmpty else { return false }
    if let session = connection.session {
      var isIntact = true
      // A failed attempt to open a frame changes its bytes, so they are copied before.
      let unopened = !connection.outbox.isWatched ? [] : session.opener.unopened(of: connection.incoming)
      do throws(FrameOpener.Failure) {
        try session.opener.open(&connection.incoming)
      } catch {
        isIntact = connection.outbox.tap?.brokenFrame(error, unopened: unopened, on: connection) ?? false
        report(.unreadable(connection.id, reason: error.reason))
      }
      let consumed = session.opener.withPlaintext(of: connection.incoming) { parse($0, on: connection, at: now) }
      guard let consumed else {
        // Complete requests before the broken frame have been handled.
        if !isIntact { close(connection) }
        return false
      }
      session.opener.consume(consumed, from: &connection.incoming)
      if !isIntact { close(connection) }
    } else {
      guard let consumed = connection.incoming.withReadable({ parse($0, on: connection, at: now) }) else {
        return false
      }
      connection.incoming.consume(consumed)
    }
    return true
  }

  /// - Returns: the number of bytes of a request that was answered or is being handled; nil if there is no complete
  ///   request yet.
  private func parse(_ bytes: UnsafeMutableRawBufferPointer, on connection: ConnectionCore, at now: Duration) -> Int? {
    switch connection.parser.parse(bytes) {
    case .incomplete:
      if let start = connection.parser.pendingBodyStart, bytes.count - start > shortBodyLimit {
        sendLongBody(connection)
      }
      return nil
    case .request(let head, let body, let consumed):
      guard takeSlot(for: connection, at: now) else { return consumed }
      let bytes = UnsafeRawBufferPointer(bytes)
      if connection.outbox.isWatched {
        connection.outbox.onPlain?(
          connection.id, true, UnsafeRawBufferPointer(rebasing: bytes[..<body.lowerBound]),
          UnsafeRawBufferPointer(rebasing: bytes[body]))
        if substitute(bytes, body, on: connection) { return consumed }
      }
      route(head, bytes, UnsafeRawBufferPointer(rebasing: bytes[body]), on: connection, at: now)
      return consumed
    case .malformed(let error):
      report(.unreadable(connection.id, reason: "\(error.message)"))
      // HAP defines no other status for a malformed request, and a 5xx status would be wrong.
      if error.status != nil { connection.answer(.badRequest) }
      close(connection)
      return nil
    }
  }

  /// Passes the request to the tap, which may replace it with other requests.
  private func substitute(
    _ bytes: UnsafeRawBufferPointer, _ body: Range<Int>, on connection: ConnectionCore
  ) -> Bool {
    guard let tap = connection.outbox.tap else { return false }
    // Head and body are adjacent: only the empty line separates them.
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<body.lowerBound])
    guard let others = tap.request(head: head, body: UnsafeRawBufferPointer(rebasing: bytes[body]), on: connection)
    else { return false }
    connection.substituted.append(others)
    return true
  }

  /// Handles one request of the tap. Drops an incomplete one.
  private func takeSubstituted(of connection: ConnectionCore, at now: Duration) -> Bool {
    var parser = HTTPRequestParser(limits: HTTPLimits(body: 16 << 20))
    let consumed = connection.substituted.withReadable { bytes -> Int in
      switch parser.parse(bytes) {
      case .request(let head, let body, let consumed):
        let bytes = UnsafeRawBufferPointer(bytes)
        route(head, bytes, UnsafeRawBufferPointer(rebasing: bytes[body]), on: connection, at: now)
        return consumed
      case .incomplete: return bytes.count
      case .malformed(let error):
        refuse(connection, request: "", reason: "\(error.message)")
        connection.answer(.badRequest)
        close(connection)
        return bytes.count
      }
    }
    connection.substituted.consume(consumed)
    return true
  }

  /// The paths in HAP R2 Table 5-1 and 6-1.
  private enum Endpoint {
    case identify, pairSetup, pairVerify, pairings, accessories, characteristics, prepare, resource, secureMessage,
      configured, unknown

    init(_ head: HTTPRequestHead, _ bytes: UnsafeRawBufferPointer) {
      // The most frequent paths come first.
      if head.hasPath("/characteristics", in: bytes) {
        self = .characteristics
      } else if head.hasPath("/accessories", in: bytes) {
        self = .accessories
      } else if head.hasPath("/pair-verify", in: bytes) {
        self = .pairVerify
      } else if head.hasPath("/pair-setup", in: bytes) {
        self = .pairSetup
      } else if head.hasPath("/pairings", in: bytes) {
        self = .pairings
      } else if head.hasPath("/identify", in: bytes) {
        self = .identify
      } else if head.hasPath("/prepare", in: bytes) {
        self = .prepare
      } else if head.hasPath("/resource", in: bytes) {
        self = .resource
      } else if head.hasPath("/secure-message", in: bytes) {
        self = .secureMessage
      } else if head.hasPath("/configured", in: bytes) {
        self = .configured
      } else {
        self = .unknown
      }
    }

    /// Whether the accessory behind the proxy answers it. This includes resources that this accessory doesn't have.
    var isForwarded: Bool {
      switch self {
      case .identify, .pairSetup, .pairVerify, .pairings: false
      case .accessories, .characteristics, .prepare, .resource, .secureMessage, .configured, .unknown: true
      }
    }

    /// Whether a verified session is needed.
    func isSecured(_ quirks: IPQuirks) -> Bool {
      switch self {
      case .identify, .pairSetup, .pairVerify, .configured: false
      case .pairings, .accessories, .characteristics, .prepare, .secureMessage: true
      case .resource: quirks.securesResource
      case .unknown: quirks.securesUnknownAddresses
      }
    }

    /// Whether a session of transient Pair Setup may use it. Such a session has no pairing, so it may use very little
    /// (HomeKitADK).
    var servesTransientSessions: Bool { self == .identify || self == .configured || self == .secureMessage }

    func takes(_ method: HTTPMethod) -> Bool {
      switch self {
      case .identify, .pairSetup, .pairVerify, .pairings, .resource, .secureMessage, .configured: method == .post
      case .accessories: method == .get
      case .characteristics: method == .get || method == .put
      case .prepare: method == .put
      case .unknown: true
      }
    }

    /// Whether the endpoint has the same effect for every accepted method.
    var hasOneAction: Bool {
      switch self {
      case .identify, .pairSetup, .pairVerify, .pairings, .accessories: true
      case .characteristics, .prepare, .resource, .secureMessage, .configured, .unknown: false
      }
    }

    /// Whether 470 is sent with `{"status":-70411}`: on JSON endpoints and on `/resource` (HomeKitADK).
    var statesAuthorization: Bool {
      switch self {
      case .accessories, .characteristics, .prepare, .resource: true
      case .identify, .pairSetup, .pairVerify, .pairings, .secureMessage, .configured, .unknown: false
      }
    }
  }

  private func route(
    _ head: HTTPRequestHead, _ bytes: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
    on connection: ConnectionCore,
    at now: Duration
  ) {
    // A constant: a local function that captures a variable allocates in debug builds.
    let named = Endpoint(head, bytes)
    let endpoint = named == .identify && !quirks.hasIdentifyAddress ? .unknown : named
    // A function instead of a closure in a constant: the closure would be allocated for each request.
    func request() -> String {
      String(decoding: bytes[head.methodRange], as: UTF8.self) + " "
        + String(decoding: bytes[head.target], as: UTF8.self)
    }
    if reportsRequests { report(.requested(connection.id, request: request())) }
    func refuseUnverified() {
      refuse(connection, request: request(), reason: "the connection is not verified")
      let statesCode = endpoint.statesAuthorization && endpoint.takes(head.method)
      answer(quirks.unverified, statesCode: statesCode, on: connection)
    }
    if endpoint.isSecured(quirks), !connection.isSecured { return refuseUnverified() }
    if connection.session?.isTransient == true, !endpoint.servesTransientSessions {
      refuse(connection, request: request(), reason: "the session is transient")
      return connection.answer(.badRequest)
    }
    if forwards, connection.isSecured, endpoint.isForwarded { return forward(head, bytes, body, on: connection) }
    guard endpoint.takes(head.method) || (quirks.servesAnyMethod && endpoint.hasOneAction) else {
      refuse(connection, request: request(), reason: "wrong method")
      return answer(quirks.wrongMethod, on: connection)
    }
    switch endpoint {
    case .identify: receiveIdentify(on: connection)
    case .pairSetup, .pairVerify:
      // "Only a connection that is not yet secured may pair or verify."
      guard !connection.isSecured else {
        refuse(connection, request: request(), reason: "the connection is verified already")
        return connection.answer(.badRequest)
      }
      let message = head.contentLength != nil || head.isChunked ? body : nil
      if endpoint == .pairSetup {
        receivePairSetup(message, on: connection, at: now)
      } else {
        receivePairVerify(message, on: connection)
      }
    case .pairings: receivePairings(body, on: connection)
    case .accessories, .characteristics, .prepare:
      guard let session = connection.session?.attributes else { return refuseUnverified() }
      receiveAttributes(endpoint, head, bytes, body, by: session, on: connection, at: now)
    case .configured: connection.answer(.noContent)
    case .resource: receiveResource(body, on: connection)
    case .secureMessage: receiveSecureMessage(body, head.contentType, on: connection)
    case .unknown:
      refuse(connection, request: request(), reason: "there is no such resource")
      answer(quirks.unknownAddress, on: connection)
    }
  }

  /// Handles a request for the database or for values, a write, or a prepare.
  private func receiveAttributes(
    _ endpoint: Endpoint, _ head: HTTPRequestHead, _ bytes: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
    by session: AttributeSession, on connection: ConnectionCore, at now: Duration
  ) {
    switch endpoint {
    case .accessories: receiveAccessoriesRead(by: session, on: connection, at: now)
    case .prepare: receivePrepare(body, by: session, on: connection, at: now)
    default:
      if head.method == .get {
        let query = head.query.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        receiveRead(query, by: session, on: connection, at: now)
      } else {
        receiveWrite(body, by: session, on: connection, at: now)
      }
    }
  }

  /// Answers, and closes the connection if the answer requires it.
  func answer(_ answer: HTTPAnswer, statesCode: Bool = true, on connection: ConnectionCore) {
    connection.answer(answer, statesCode: statesCode)
    if answer.closes { close(connection) }
  }

  /// Handles `POST /identify` from any client while unpaired. HAP R2 §5.7.6.
  private func receiveIdentify(on connection: ConnectionCore) {
    guard !isPaired else {
      refuse(
        connection, request: "POST /identify", reason: "the accessory is paired; write its Identify instead"
      )
      return connection.answer(.badRequest, .insufficientPrivileges)
    }
    report(.identified(aid: 1))
    queue.actions.append(.identify(aid: 1))
    connection.answer(.noContent)
  }
}

extension FrameOpener.Failure {
  var reason: String {
    switch self {
    case .tooLong(let count): "a frame of \(count) bytes; the maximum is 1024"
    case .badTag: "a frame with an invalid authentication tag"
    }
  }
}
