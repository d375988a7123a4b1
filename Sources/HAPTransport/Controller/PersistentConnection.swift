import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPWire

/// A verified connection of a controller that is made again whenever it is lost, with its subscriptions. It does the work of
/// `PersistentSession` on the loop's thread.
final class PersistentConnection {
  typealias Answer = ControllerConnection.Answer

  /// With whom, and how.
  struct Plan: Sendable {
    let identity: ControllerCredentials
    let accessory: PairedAccessory
    /// Where the accessory is now; none where that isn't known. Asked before each try, and never twice at a time.
    let findAddresses: @Sendable () async -> [SocketAddress]
    /// For finding addresses and connecting, together.
    let connectTimeout: Duration
    /// For each answer while the connection is being made ready.
    let requestTimeout: Duration
    /// For the next try to connect, and for the next read of the database after one that failed.
    let backOff: BackOff
    let random: RandomSource
    /// The time between two automatic reads of the database.
    var databasePace = DatabaseFreshness.pace
    /// Whether a lost connection is made again.
    var reconnects = true
  }

  /// How many requests may wait for their turn.
  static let requestRoom = 1000
  /// After so much silence the accessory is asked whether it is still there.
  private static let silence: Duration = .seconds(60)
  /// The number of characteristics in one request.
  static let chunk = 100

  let loop: EventLoop
  let plan: Plan
  private var machine: ReconnectMachine
  /// While it is being made.
  private var connector: Connector?
  /// While it is being made ready, and then.
  private var connection: ControllerConnection?
  /// Until the next try, or while one is made, until its end.
  private let timer: LoopTimer
  private var lookup: Task<Void, Never>?
  private var hasBeenReady = false

  private var requests: [Request] = []
  private var requestOnItsWay: Request?
  private var lastNumber: UInt64 = 0

  var subscriptions = SubscriptionBook()

  /// Whether the database that the session's user has read is to be read again.
  var freshness: DatabaseFreshness
  /// Whether an automatic read is under way.
  var isReadingDatabase = false
  /// Until the next automatic read of the database.
  let databaseTimer: LoopTimer

  private var news = SessionNewsQueue()
  private var reader: (number: UInt64, tell: (SessionNews?) -> Void)?

  private final class Request {
    let number: UInt64
    let request: ControllerRequest
    /// Of the loop's clock, in nanoseconds.
    let deadline: UInt64
    /// Until it is sent.
    let timer: LoopTimer
    /// nil: nobody waits any more, but the answer will come.
    var done: ((Answer) -> Void)?

    init(
      _ number: UInt64, _ request: ControllerRequest, deadline: UInt64, timer: LoopTimer,
      done: @escaping (Answer) -> Void
    ) {
      self.number = number
      self.request = request
      self.timer = timer
      self.done = done
      self.deadline = deadline
    }
  }

  /// Begins to connect.
  init(_ plan: Plan, on loop: EventLoop) {
    self.loop = loop
    self.plan = plan
    machine = ReconnectMachine(
      searchTime: plan.connectTimeout, backOff: plan.backOff, random: plan.random, reconnects: plan.reconnects)
    freshness = DatabaseFreshness(pace: plan.databasePace, backOff: plan.backOff)
    timer = LoopTimer(loop)
    databaseTimer = LoopTimer(loop)
    timer.onFire = { [weak self] in
      guard let self else { return }
      // A controller that subscribed and doesn't read gets no more of it until it does.
      take(.timerFired(hasRoom: !news.isFull))
    }
    // A loop that ends closes the timer.
    timer.onClosed = { [weak self] in self?.take(.closed) }
    databaseTimer.onFire = { [weak self] in self?.readDatabaseIfStale() }
    take(.start)
  }

  var isReady: Bool { machine.state == .ready }
  var peer: SocketAddress? { connection?.peer }

  // MARK: The machine

  private func take(_ input: ReconnectMachine.Input) {
    let outputs = machine.take(input)
    let step = machine.step
    for output in outputs {
      perform(output)
      // A callback of the output has changed the state, so the other outputs no longer apply.
      guard machine.step == step else { return }
    }
  }

  private func perform(_ output: ReconnectMachine.Output) {
    switch output {
    case .startTimer(let duration): timer.start(after: duration)
    case .stopTimer: timer.cancel()
    case .search: search()
    case .connect(let addresses): connect(to: addresses)
    case .settle: verify()
    case .becomeReady: becomeReady()
    case .release: release()
    case .reportLoss(let error, let delay): tell(.lost(error, nextTry: delay))
    case .finish(let error): finish(error)
    }
  }

  // MARK: Making the connection

  private func search() {
    // One that still runs, since it took longer than its time, serves this try.
    guard lookup == nil else { return }
    let bound = LoopBound(here: loop, Weak(self))
    lookup = loop.startTask { [loop, find = plan.findAddresses] in
      let addresses = await find()
      loop.schedule { bound.value.object?.found(addresses) }
    }
  }

  private func found(_ addresses: [SocketAddress]) {
    lookup = nil
    take(.found(addresses))
  }

  private func connect(to addresses: [SocketAddress]) {
    // Without an address it ends before it is there.
    var isDone = false
    let connector = Connector(loop, to: addresses, timeout: plan.connectTimeout) { [weak self] result in
      isDone = true
      self?.connected(result)
    }
    if !isDone { self.connector = connector }
  }

  private func connected(_ result: Result<TCPStream, ClientError>) {
    connector = nil
    switch result {
    case .failure(let error): take(.ended(error))
    case .success(let stream):
      guard machine.state == .connecting else { return stream.close() }
      stream.keepAlive(after: Self.silence)
      let host = stream.peerAddress.map { "\($0)" } ?? ""
      connection = ControllerConnection(
        stream, host: host, timeout: plan.requestTimeout, random: plan.random, on: loop)
      take(.connected)
    }
  }

  private func verify() {
    guard let connection else { preconditionFailure("the machine settles a connection that was made") }
    connection.onEvent = { [weak self] in self?.take($0, from: .event) ?? false }
    connection.onEnd = { [weak self, weak connection] error in
      guard let self, let connection, isCurrent(connection) else { return }
      lose(error ?? .cancelled)
    }
    connection.pairVerify(plan.identity, with: plan.accessory) { [weak self, weak connection] error in
      guard let self, let connection, isCurrent(connection) else { return }
      if let error { return lose(error) }
      settle(connection)
    }
  }

  private func isCurrent(_ connection: ControllerConnection) -> Bool { self.connection === connection }

  /// Subscribes to everything again, and reads what it is now.
  private func settle(_ connection: ControllerConnection) {
    connection.timeout = plan.requestTimeout
    let send: Sender = { [weak self, weak connection] request, done in
      guard let connection else { return done(.failure(.cancelled)) }
      connection.send(request) { [weak self] answer in
        // When it ends, its end is told apart.
        guard self?.isCurrent(connection) == true else { return }
        done(answer)
      }
    }
    guard hasBeenReady, freshness.hasDatabase else { return resubscribe(connection, by: send) }
    freshness.disconnected()
    // The database comes first, because characteristics with subscriptions may have been removed.
    refreshDatabase(by: send) { [weak self] error in
      guard let self, isCurrent(connection) else { return }
      if let error { lose(error) } else { resubscribe(connection, by: send) }
    }
  }

  private func resubscribe(_ connection: ControllerConnection, by send: @escaping Sender) {
    subscribe(subscriptions.ids, by: send) { [weak self] result in
      guard let self else { return }
      switch result {
      case .failure(let error): lose(error)
      case .success(let refused):
        tell(.connected(isAgain: hasBeenReady, refused: refused, remarks: connection.remarks))
        hasBeenReady = true
        let gone = Set(refused.map(\.id))
        read(subscriptions.ids.filter { !gone.contains($0) }, by: send, told: .catchUp) { [weak self] error in
          guard let self, isCurrent(connection) else { return }
          take(error.map { .ended($0) } ?? .settled)
        }
      }
    }
  }

  private func becomeReady() {
    sendNext()
    readDatabaseIfStale()
  }

  // MARK: Losing it

  func lose(_ error: ClientError) { take(.ended(error)) }

  private func release() {
    let (connector, connection) = (connector, connection)
    (self.connector, self.connection) = (nil, nil)
    connector?.cancel()
    connection?.close()
  }

  /// Ends it. Any number of times.
  func close() { take(.closed) }

  private func finish(_ error: ClientError?) {
    timer.close()
    databaseTimer.close()
    lookup?.cancel()
    lookup = nil
    subscriptions = SubscriptionBook()
    release()
    let waiting = requests
    requests = []
    for request in waiting { complete(request, .failure(error ?? .cancelled)) }
    if let error { tell(.gaveUp(error)) }
    reader?.tell(nil)
    reader = nil
  }

  // MARK: Requests

  /// Sends a request, and calls its second argument with the answer.
  typealias Sender = (ControllerRequest, @escaping (Answer) -> Void) -> Void

  /// Sends a request when there is a connection and the answers of those before it are there. One that was on its way when the connection broke
  /// fails, since nobody knows whether it was done; it is never sent again.
  /// - Parameters:
  ///   - timeout: from now until its answer.
  ///   - done: told once; perhaps before this returns.
  /// - Returns: a number to give it up by.
  @discardableResult
  func send(_ request: ControllerRequest, timeout: Duration, done: @escaping (Answer) -> Void) -> UInt64 {
    lastNumber += 1
    let number = lastNumber
    if machine.state == .over {
      done(.failure(machine.reason ?? .cancelled))
    } else if requests.count >= Self.requestRoom {
      done(.failure(.crowded(request: request.name)))
    } else {
      let timer = LoopTimer(loop) { [weak self] in self?.expire(number) }
      timer.start(after: timeout)
      let deadline = loop.readClock() + timeout.cappedNanoseconds
      requests.append(Request(number, request, deadline: deadline, timer: timer, done: done))
      sendNext()
    }
    return number
  }

  /// Nobody waits for an answer any more. A request that hasn't been sent never is.
  func giveUp(_ number: UInt64) {
    if let request = requestOnItsWay, request.number == number { return complete(request, .failure(.cancelled)) }
    withdraw(number, .cancelled)
  }

  private func expire(_ number: UInt64) {
    guard let request = requests.first(where: { $0.number == number }) else { return }
    withdraw(
      number, .notSent(request: request.request.name, isReady ? nil : machine.lastLoss ?? .timedOut("connecting")))
  }

  private func withdraw(_ number: UInt64, _ error: ClientError) {
    guard let index = requests.firstIndex(where: { $0.number == number }) else { return }
    complete(requests.remove(at: index), .failure(error))
  }

  private func complete(_ request: Request, _ answer: Answer) {
    request.timer.close()
    let done = request.done
    request.done = nil
    done?(answer)
  }

  private func sendNext() {
    guard isReady, let connection, requestOnItsWay == nil, !requests.isEmpty else { return }
    let next = requests.removeFirst()
    next.timer.close()
    requestOnItsWay = next
    let now = loop.readClock()
    connection.timeout = .nanoseconds(next.deadline > now ? Int64(clamping: next.deadline - now) : 1)
    connection.send(next.request) { [weak self] answer in
      guard let self else { return }
      requestOnItsWay = nil
      complete(next, answer)
      // After a failure the connection is over, and those that wait are for the next one.
      if case .success = answer { sendNext() }
    }
  }

  // MARK: News

  /// The next news, or nil when there will be none. One reader at a time.
  /// - Returns: a number to stop waiting by.
  func next(_ tell: @escaping (SessionNews?) -> Void) -> UInt64 {
    precondition(reader == nil, "news have one reader")
    lastNumber += 1
    if let next = news.next() {
      tell(next)
      if !news.isFull { take(.roomFreed) }
    } else if machine.state == .over {
      tell(nil)
    } else {
      reader = (lastNumber, tell)
    }
    return lastNumber
  }

  func stopWaiting(_ number: UInt64) {
    guard let reader, reader.number == number else { return }
    self.reader = nil
    reader.tell(nil)
  }

  private func tell(_ state: SessionNews) {
    if let reader {
      self.reader = nil
      return reader.tell(state)
    }
    news.append(state: state)
  }

  func tell(_ values: SessionNews, byteCount: Int) -> Bool {
    if let reader {
      self.reader = nil
      reader.tell(values)
      return true
    }
    return news.append(values: values, byteCount: byteCount)
  }
}
