import HAPCrypto
import HAPIP
import HAPLoop
import HAPPairing
import HAPWire

/// A controller's connection: sends requests one after the other, and tells each its answer; events come between them.
///
/// It belongs to its loop's thread. When the connection is lost, when what comes is no message, or when an answer doesn't come in time,
/// everything that waits fails and the connection is closed: what would come later could belong to anything.
package final class ControllerConnection {
  package typealias Answer = Result<LinkMessage, ClientError>

  /// The longest body of an event: hundreds of characteristics.
  static let eventLimit = 256 << 10

  /// Told every event; false: there is no room for more, and the connection ends.
  package var onEvent: (LinkMessage) -> Bool = { _ in true }
  /// Told once when the connection is over, with why; nil: it was closed from here.
  package var onEnd: (ClientError?) -> Void = { _ in }
  package let link: ControllerLink
  /// What was put up with in the pairing procedures.
  package private(set) var remarks: [Tolerated] = []
  /// How long an answer may take, from when its request was sent.
  package var timeout: Duration

  private let loop: EventLoop
  private let stream: TCPStream
  private let random: RandomSource
  private let timer: LoopTimer
  /// The first one is sent; the others wait for its answer.
  private var requests: [Request] = []
  private var lastNumber: UInt64 = 0
  /// Whether the first of `requests` is on its way.
  private var isBusy = false
  private var isOver = false
  /// Why it is over, for whoever asks later; nil: it was closed from here.
  private var reason: ClientError?

  private struct Request {
    let number: UInt64
    let request: ControllerRequest
    /// nil: nobody waits any more, but the answer will come.
    var done: ((Answer) -> Void)?
  }

  package init(_ stream: TCPStream, host: String, timeout: Duration, random: RandomSource, on loop: EventLoop) {
    self.loop = loop
    self.stream = stream
    self.timeout = timeout
    self.random = random
    link = ControllerLink(host: host)
    timer = LoopTimer(loop)
    // They hold on to the connection, and it to them, until it is over.
    timer.onFire = { [self] in end(.timedOut(requests.first?.request.name ?? "the accessory")) }
    // A loop that ends closes the stream.
    stream.onClosed = { [self] in finish(nil) }
    stream.startReading(
      onAllocate: { [self] in link.incoming.reserve($0) },
      onRead: { [self] in received($0) })
  }

  package var peer: SocketAddress? { stream.peerAddress }

  // MARK: Requests

  /// Sends a request when the answers of those before it are there.
  /// - Parameter done: told once; perhaps before this returns.
  /// - Returns: a number to give it up by.
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

  /// Sends bytes that need not be a request, sealed once there is a session. An answer that nobody asked for ends the connection.
  package func sendPlain(_ bytes: [UInt8]) {
    guard !isOver else { return }
    link.sendPlain(bytes)
    flush()
  }

  /// Nobody waits for an answer any more. A request that hasn't been sent never is.
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

  // MARK: What comes

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
    // "100 Continue" and its like are no answers yet.
    if message.status < 200 { return }
    guard isBusy, let request = requests.first else { return end(.unasked(message.status)) }
    timer.cancel()
    isBusy = false
    requests.removeFirst()
    request.done?(.success(message))
    sendNext()
  }

  // MARK: The end

  /// Closes the connection; what waits is told `.cancelled`. Any number of times.
  package func close() { finish(nil) }

  private func end(_ error: ClientError) { finish(error) }

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
  /// Pair Setup. HAP R2 §5.6. The connection is plain afterwards, or secured where `flags` say transient.
  /// - Parameter done: told once: the accessory, or nil after a transient procedure.
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

  /// Pair Verify. HAP R2 §5.7. The connection is secured afterwards.
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

  /// As `tlv`; what is odd about it is noted.
  private func noted(_ answer: Answer, _ request: String) -> Result<TLV, ClientError> {
    let result = Self.tlv(answer, request)
    guard case .success(let tlv) = result, case .success(let message) = answer else { return result }
    func remark(_ text: String) {
      // A procedure has four answers at most, but can be gone through again and again.
      if remarks.count < Self.mostRemarks { remarks.append(Tolerated(request, text)) }
    }
    if message.status != 200 { remark("an error item comes with status \(message.status) instead of 200") }
    if message.contentType != .pairingTLV8 { remark("the answer's type isn't application/pairing+tlv8") }
    if tlv.state == nil { remark("the answer has no state") }
    for item in tlv.items where item.type > TLVType.flags && item.type != TLVType.separator {
      remark("item \(item.type) is none of HAP's; it is passed over")
    }
    return result
  }

  private static let mostRemarks = 100

  /// The TLV8 of an answer. An error item counts whatever the status: some stacks send it with 400.
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
  /// The entries of an answer to a read or a write, or of an event, which has them with 200 and 207 (and 204: none). Some stacks send them with
  /// other statuses too.
  /// - Parameter reader: is told what was off.
  package static func entries(
    _ answer: Answer, _ request: String, _ reader: inout AttributeReader
  ) -> Result<[CharacteristicEntry], ClientError> {
    let message: LinkMessage
    switch answer {
    case .failure(let error): return .failure(error)
    case .success(let success): message = success
    }
    if message.status == 204 { return .success([]) }
    do throws(JSONProblem) { return .success(try CharacteristicEntry.list(message.body, &reader)) } catch {
      guard [200, 207].contains(message.status) else {
        return .failure(.status(message.status, request: request))
      }
      return .failure(.body(error, request: request, of: message.body))
    }
  }
}
