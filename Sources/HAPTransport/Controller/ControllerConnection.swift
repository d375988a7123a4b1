import HAPCrypto
import HAPIP
import HAPLoop
import HAPPairing
import HAPWire

/// A controller's connection: sends requests one after another, and passes each its answer; events may come between
/// them.
///
/// It belongs to its loop's thread. If the connection is lost, a message is malformed, or an answer is late, all
/// pending requests fail and the connection is closed: later messages could not be assigned to a request.
package final class ControllerConnection {
  package typealias Answer = Result<LinkMessage, ClientError>

  /// The maximum length of an event's body in bytes: hundreds of characteristics.
  static let eventLimit = 256 << 10

  /// Called for every event; returns false if there is no space for more, which ends the connection.
  package var onEvent: (LinkMessage) -> Bool = { _ in true }
  /// Called once when the connection has ended, with the reason; nil: it was closed locally.
  package var onEnd: (ClientError?) -> Void = { _ in }
  package let link: ControllerLink
  /// The deviations that were tolerated in the pairing procedures.
  package private(set) var remarks: [Deviation] = []
  /// The maximum time for an answer, from the sending of its request.
  package var timeout: Duration

  private let loop: EventLoop
  private let stream: TCPStream
  private let random: RandomSource
  private let timer: LoopTimer
  /// The first request is sent; the others wait for its answer.
  private var requests: [Request] = []
  private var lastNumber: UInt64 = 0
  /// Whether the first of `requests` has been sent.
  private var isBusy = false
  private var isOver = false
  /// The reason why the connection has ended, for later requests; nil: it was closed locally.
  private var reason: ClientError?

  private struct Request {
    let number: UInt64
    let request: ControllerRequest
    /// nil: the caller no longer waits, but the answer will come.
    var done: ((Answer) -> Void)?
  }

  package init(_ stream: TCPStream, host: String, timeout: Duration, random: RandomSource, on loop: EventLoop) {
    self.loop = loop
    self.stream = stream
    self.timeout = timeout
    self.random = random
    link = ControllerLink(host: host)
    timer = LoopTimer(loop)
    // The timer and the stream retain the connection, and it retains them, until the connection has ended.
    timer.onFire = { [self] in end(.timedOut(requests.first?.request.name ?? "the accessory")) }
    // A loop that ends closes the stream.
    stream.onClosed = { [self] in finish(nil) }
    stream.startReading(
      onAllocate: { [self] in link.incoming.reserve($0) },
      onRead: { [self] in received($0) })
  }

  package var peer: SocketAddress? { stream.peerAddress }

  // MARK: Requests

  /// Sends a request after all earlier requests have been answered.
  /// - Parameter done: called once; possibly before this returns.
  /// - Returns: a number for `giveUp`.
  @discardableResult
  package func send(_ request: ControllerRequest, done: @escaping (Answer) -> Void) -> UInt64 {
    loop.preconditionOnLoop()
    lastNumber += 1
    guard !isOver else {
      done(.failure(reason ?? .cancelled))
      return lastNumber
    }
    requests.append(Request(number: lastNumber, request: request, done: done))
    sendNext()
    return lastNumber
  }

  /// Sends arbitrary bytes, sealed if there is a session. An unexpected answer ends the connection.
  package func sendPlain(_ bytes: [UInt8]) {
    guard !isOver else { return }
    link.sendPlain(bytes)
    flush()
  }

  /// Stops waiting for an answer. A request that hasn't been sent is never sent.
  package func giveUp(_ number: UInt64) {
    guard let index = requests.firstIndex(where: { $0.number == number }) else { return }
    let done = requests[index].done
    if index == 0, isBusy { requests[0].done = nil } else { requests.remove(at: index) }
    done?(.failure(.cancelled))
  }

  private func sendNext() {
    guard !isBusy, let next = requests.first else { return }
    isBusy = true
    link.send(next.request)
    flush()
    timer.start(after: timeout)
  }

  private func flush() {
    let bytes = link.takeOutgoing()
    if !bytes.isEmpty { stream.write(bytes) }
  }

  // MARK: Receiving

  private func received(_ event: TCPStream.ReadEvent) {
    switch event {
    case .bytes(let count):
      link.incoming.commit(count)
      do throws(LinkFailure) {
        for message in try link.received() { take(message) }
      } catch { end(.malformed(error, near: link.fault)) }
    case .end:
      do throws(LinkFailure) {
        if let message = try link.ended() { take(message) }
      } catch { return end(.malformed(error, near: link.fault)) }
      end(.closed(during: requests.first?.request.name ?? "waiting for events"))
    case .failed(let error):
      end(requests.isEmpty ? .closed(during: "waiting for events") : .lost(error, during: requests[0].request.name))
    }
  }

  private func take(_ message: LinkMessage) {
    guard !isOver else { return }
    if message.isEvent {
      if message.body.count > Self.eventLimit || !onEvent(message) { end(.flooded) }
      return
    }
    // "100 Continue" and similar messages are not answers yet.
    if message.status < 200 { return }
    guard isBusy, let request = requests.first else { return end(.unasked(message.status)) }
    timer.cancel()
    isBusy = false
    requests.removeFirst()
    request.done?(.success(message))
    sendNext()
  }

  // MARK: The end

  /// Closes the connection; pending requests fail with `.cancelled`. Any number of times.
  package func close() { finish(nil) }

  /// Closes the connection, and fails pending requests with this error. Any number of times.
  func end(_ error: ClientError) { finish(error) }

  private func finish(_ error: ClientError?) {
    guard !isOver else { return }
    isOver = true
    reason = error
    timer.close()
    stream.close()
    let waiting = requests
    requests = []
    let onEnd = onEnd
    for request in waiting { request.done?(.failure(error ?? .cancelled)) }
    onEnd(error)
    self.onEnd = { _ in }
    onEvent = { _ in true }
  }
}

// MARK: Pairing

extension ControllerConnection {
  /// Runs Pair Setup. HAP R2 §5.6. The connection is plain afterwards, or secured if `flags` request a transient
  /// procedure.
  /// - Parameter done: called once: the accessory, or nil after a transient procedure.
  package func pairSetup(
    code: String, identity: ControllerCredentials, flags: PairingFlags = [],
    done: @escaping (Result<PairedAccessory?, ClientError>) -> Void
  ) {
    let procedure = Procedure(PairSetupClient(code: code, identity: identity, flags: flags, random: random), done)
    let first = procedure.client.start()
    post(first, of: procedure)
  }

  private final class Procedure {
    var client: PairSetupClient
    let done: (Result<PairedAccessory?, ClientError>) -> Void
    init(_ client: PairSetupClient, _ done: @escaping (Result<PairedAccessory?, ClientError>) -> Void) {
      self.client = client
      self.done = done
    }
  }

  private func post(_ message: TLV, of procedure: Procedure) {
    send(.pairSetup(message)) { [weak self] answer in
      guard let self else { return procedure.done(.failure(.cancelled)) }
      switch noted(answer, "POST /pair-setup") {
      case .failure(let error): procedure.done(.failure(error))
      case .success(let reply): perform(procedure.client.receive(reply), of: procedure)
      }
    }
  }

  private func perform(_ actions: [PairSetupClient.Action], of procedure: Procedure) {
    for action in actions {
      switch action {
      case .send(let message): post(message, of: procedure)
      case .compute(let work):
        loop.offload({ work.perform() }) { [weak self] result in
          guard let self, !isOver else { return procedure.done(.failure(.closed(during: "POST /pair-setup"))) }
          perform(procedure.client.computed(result), of: procedure)
        }
      case .paired(let accessory): procedure.done(.success(accessory))
      case .startTransientSession(let keys):
        link.secure(keys)
        procedure.done(.success(nil))
      case .failed(let failure): procedure.done(.failure(.pairing(failure)))
      }
    }
  }

  /// Runs Pair Verify, which secures the connection. HAP R2 §5.7.
  package func pairVerify(
    _ identity: ControllerCredentials, with accessory: PairedAccessory, done: @escaping (ClientError?) -> Void
  ) {
    var client = PairVerifyClient(identity: identity, accessory: accessory, random: random)
    func post(_ message: TLV) {
      send(.pairVerify(message)) { [weak self] answer in
        guard let self else { return done(.cancelled) }
        switch noted(answer, "POST /pair-verify") {
        case .failure(let error): done(error)
        case .success(let reply):
          for action in client.receive(reply) {
            switch action {
            case .send(let next): post(next)
            case .established(let keys):
              link.secure(keys)
              done(nil)
            case .failed(let failure): done(.pairing(failure))
            }
          }
        }
      }
    }
    post(client.start())
  }

  /// Like `tlv`, and records deviations.
  private func noted(_ answer: Answer, _ request: String) -> Result<TLV, ClientError> {
    let result = Self.tlv(answer, request)
    guard case .success(let tlv) = result, case .success(let message) = answer else { return result }
    func remark(_ text: String) {
      // A procedure has at most four answers, but it can be repeated.
      if remarks.count < Self.mostRemarks { remarks.append(Deviation(request, text)) }
    }
    if message.status != 200 { remark("an error item comes with status \(message.status) instead of 200") }
    if message.contentType != .pairingTLV8 { remark("the answer's Content-Type is not application/pairing+tlv8") }
    if tlv.state == nil { remark("the answer has no state") }
    for item in tlv.items where item.type > TLVType.flags && item.type != TLVType.separator {
      remark("item \(item.type) is not defined by HAP; it is ignored")
    }
    return result
  }

  private static let mostRemarks = 100

  /// Returns the TLV8 of an answer. An error item is accepted with any status: some stacks send it with 400.
  package static func tlv(_ answer: Answer, _ request: String) -> Result<TLV, ClientError> {
    answer.flatMap { message in
      var fault = 0
      do throws(TLV.DecodingError) {
        let tlv = try TLV(decoding: message.body)
        if !tlv.items.isEmpty, message.status == 200 || tlv[TLVType.error] != nil { return .success(tlv) }
      } catch {
        switch error {
        case .truncated(let offset), .adjacentSameType(let offset), .emptyContinuation(let offset): fault = offset
        }
      }
      if message.status != 200 { return .failure(.status(message.status, request: request)) }
      return .failure(.noTLV(request: request, near: ByteExcerpt(of: message.body, around: fault)))
    }
  }
}

// MARK: Characteristics

extension ControllerConnection {
  /// Returns the entries of an event, or of an answer to a read or a write. Normally the message has the HTTP
  /// status 200 or 207, or 204 without entries. Some stacks also send entries with other HTTP statuses.
  /// - Parameter reader: collects the deviations.
  package static func entries(
    _ answer: Answer, _ request: @autoclosure () -> String, _ reader: inout AttributeReader
  ) -> Result<[CharacteristicEntry], ClientError> {
    let message: LinkMessage
    switch answer {
    case .failure(let error): return .failure(error)
    case .success(let success): message = success
    }
    if message.status == 204 { return .success([]) }
    do throws(JSONProblem) { return .success(try CharacteristicEntry.list(message.body, &reader)) } catch {
      guard [200, 207].contains(message.status) else {
        return .failure(.status(message.status, request: request()))
      }
      return .failure(.body(error, request: request(), of: message.body))
    }
  }
}
