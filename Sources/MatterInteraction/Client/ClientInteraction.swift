import MatterModel
import MatterWire

/// What an initiator asks for on one exchange.
package enum InteractionRequest: Hashable, Sendable {
  case read(ReadRequest)
  case subscribe(SubscribeRequest)
  /// - milliseconds: of the timed request before it; nil: none.
  case write(WriteRequest, milliseconds: UInt16? = nil)
  case invoke(InvokeRequest, milliseconds: UInt16? = nil)

  fileprivate var message: InteractionMessage {
    switch self {
    case .read(let request): InteractionMessage(.read, request.encoded)
    case .subscribe(let request): InteractionMessage(.subscribe, request.encoded)
    case .write(let request, _): InteractionMessage(.write, request.encoded)
    case .invoke(let request, _): InteractionMessage(.invoke, request.encoded)
    }
  }

  fileprivate var milliseconds: UInt16? {
    switch self {
    case .read, .subscribe: nil
    case .write(_, let milliseconds), .invoke(_, let milliseconds): milliseconds
    }
  }
}

/// What a request led to.
package enum InteractionResult: Sendable {
  case report(ReportCollector)
  /// The subscription has begun; this is its first report.
  case subscription(SubscribeResponse, ReportCollector)
  case written([WriteResponse.Item])
  case invoked([InvokeResponse.Item])
  /// The request failed as a whole.
  case failure(InteractionStatus)
}

/// One exchange of an initiator: a request, and what it does with each message that follows.
package struct ClientInteraction: Sendable {
  package enum Step: Sendable {
    /// Sends a message, and waits for the next one.
    case send(InteractionMessage)
    /// The exchange has ended.
    case finish(InteractionResult)
  }

  private let request: InteractionRequest
  private var isTimedRequestPending: Bool
  private var report = ReportCollector()
  private var answers: [InvokeResponse.Item] = []

  package init(_ request: InteractionRequest) {
    self.request = request
    isTimedRequestPending = request.milliseconds != nil
  }

  /// The first message.
  package var start: InteractionMessage {
    guard let milliseconds = request.milliseconds else { return request.message }
    return InteractionMessage(.timed, TimedRequest(milliseconds: milliseconds).encoded)
  }

  package mutating func receive(_ message: InteractionMessage) -> Step {
    do throws(InteractionStatus) {
      if message.opcode == .status {
        let status = try StatusResponse(decoding: message.payload).status
        guard isTimedRequestPending, status == .success else { throw InteractionStatus(status) }
        isTimedRequestPending = false
        return .send(request.message)
      }
      switch (request, message.opcode) {
      case (.read, .report), (.subscribe, .report): return try receiveReport(message.payload)
      case (.subscribe, .subscribeResponse):
        return .finish(.subscription(try SubscribeResponse(decoding: message.payload), report))
      case (.write, .writeResponse):
        return .finish(.written(try WriteResponse(decoding: message.payload).items))
      case (.invoke, .invokeResponse): return try receiveAnswers(message.payload)
      default: throw InteractionStatus(.invalidAction)
      }
    } catch { return .finish(.failure(error)) }
  }

  private mutating func receiveReport(_ payload: [UInt8]) throws(InteractionStatus) -> Step {
    let data = try ReportData(decoding: payload)
    try report.add(data)
    if case .read = request, !data.hasMore { return .finish(.report(report)) }
    return .send(Self.success)
  }

  private mutating func receiveAnswers(_ payload: [UInt8]) throws(InteractionStatus) -> Step {
    let response = try InvokeResponse(decoding: payload)
    answers += response.items
    return response.hasMore ? .send(Self.success) : .finish(.invoked(answers))
  }

  private static let success = InteractionMessage(.status, StatusResponse(.success).encoded)
}

/// One report that a publisher began an exchange for.
package struct ClientReport: Sendable {
  package enum Step: Sendable {
    /// Answers, and waits for the next message.
    case answer(InteractionMessage)
    /// The report is whole. The answer, if there is one, is the last message.
    case finish(ReportCollector, InteractionMessage?)
    case fail(InteractionStatus, InteractionMessage)
  }

  private var report = ReportCollector()
  private let subscriptions: Set<UInt32>

  /// - Parameter subscriptions: those that are known; reports of others are refused, which ends them.
  package init(subscriptions: Set<UInt32>) { self.subscriptions = subscriptions }

  package mutating func receive(_ message: InteractionMessage) -> Step {
    do throws(InteractionStatus) {
      guard message.opcode == .report else { throw InteractionStatus(.invalidAction) }
      let data = try ReportData(decoding: message.payload)
      guard let id = data.subscription, subscriptions.contains(id) else {
        throw InteractionStatus(.invalidSubscription)
      }
      try report.add(data)
      let success = InteractionMessage(.status, StatusResponse(.success).encoded)
      if data.hasMore { return .answer(success) }
      return .finish(report, data.suppressesResponse ? nil : success)
    } catch { return .fail(error, InteractionMessage(.status, StatusResponse(error.code).encoded)) }
  }
}
