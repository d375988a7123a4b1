import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPWire

/// A verified connection of a controller that reconnects after each loss and restores its subscriptions. It does the
/// work of `PersistentSession` on the loop's thread.
final class PersistentConnection {
  typealias Answer = ControllerConnection.Answer

  /// The configuration of the connection.
  struct Plan: Sendable {
    let identity: ControllerCredentials
    let accessory: PairedAccessory
    /// Returns the accessory's current addresses; none if they are unknown. Called before each attempt, with only one
    /// call at a time.
    let findAddresses: @Sendable () async -> [SocketAddress]
    /// For finding addresses and connecting together.
    let connectTimeout: Duration
    /// For each answer while the connection is being set up.
    let requestTimeout: Duration
    /// For the next connection attempt, and for the next read of the database after a failure.
    let backOff: BackOff
    let random: RandomSource
    /// The minimum time between two automatic reads of the database.
    var databasePace = DatabaseFreshness.pace
    /// Whether it reconnects after a loss.
    var reconnects = true
    /// For finding addresses alone; nil: `connectTimeout`.
    var searchTimeout: Duration?
    /// Called at the end of each attempt to connect, on the loop: the connection is ready, or the attempt has failed.
    var attemptEnded: @Sendable () -> Void = {}
  }

  /// The maximum number of waiting requests.
  static let requestRoom = 1000
  /// The silence after which keep-alive probes begin.
  private static let silence: Duration = .seconds(60)
  /// The number of characteristics in one request.
  static let chunk = 100

  let loop: EventLoop
  let plan: Plan
  private var machine: ReconnectMachine
  /// Set while connecting.
  private var connector: Connector?
  /// Set during and after the set-up of the connection.
  private var connection: ControllerConnection?
  /// Runs until the next attempt, and limits the search for addresses.
  private let timer: LoopTimer
  private var lookup: Task<Void, Never>?
  private var hasBeenReady = false

  private var requests: [Request] = []
  private var requestOnItsWay: Request?
  private var lastNumber: UInt64 = 0

  var subscriptions = SubscriptionBook()

  /// Decides whether the database must be read again, once the session's user has read it.
  var freshness: DatabaseFreshness
  /// Whether an automatic read is pending.
  var isReadingDatabase = false
  /// Runs until the next automatic read of the database.
  let databaseTimer: LoopTimer

  private var news = SessionNewsQueue()
  private var reader: (number: UInt64, tell: (SessionNews?) -> Void)?

  /// Starts to connect.
  init(_ plan: Plan, on loop: EventLoop) {
    self.loop = loop
    self.plan = plan
    machine = ReconnectMachine(
      searchTime: plan.searchTimeout ?? plan.connectTimeout, backOff: plan.backOff, random: plan.random,
      reconnects: plan.reconnects)
    freshness = DatabaseFreshness(pace: plan.databasePace, backOff: plan.backOff)
    timer = LoopTimer(loop)
    databaseTimer = LoopTimer(loop)
    timer.onFire = { [weak self] in
      guard let self else { return }
      // If the caller subscribed but doesn't read, the connection stays closed until it reads.
      take(.timerFired(hasRoom: !news.isFull))
    }
    // A loop that ends closes the timer.
    timer.onClosed = { [weak self] in self?.take(.closed) }
    databaseTimer.onFire = { [weak self] in self?.readDatabaseIfStale() }
    take(.start)
  }

  var isReady: Bool { machine.state == .ready }
  var peer: SocketAddress? { connection?.peer }

  // MARK: State machine

  private func take(_ input: ReconnectMachine.Input) {
    let wasAttempting = machine.isAttempting
    let outputs = machine.take(input)
    let step = machine.step
    // After the outputs, because they cancel a search for addresses.
    defer { if wasAttempting, !machine.isAttempting { plan.attemptEnded() } }
    for output in outputs {
      perform(output)
      // A callback of the output has changed the state, so the remaining outputs no longer apply.
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
    // A search that is still running, because it took longer than its limit, serves this attempt.
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
    // Without an address, the connector ends inside its initializer.
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
    guard let connection else { preconditionFailure("there is no connection to settle") }
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

  /// Restores all subscriptions, and reads the current values.
  private func settle(_ connection: ControllerConnection) {
    connection.timeout = plan.requestTimeout
    let send: Sender = { [weak self, weak connection] request, done in
      guard let connection else { return done(.failure(.cancelled)) }
      connection.send(request) { [weak self] answer in
        // If the connection has ended, this is reported separately.
        guard self?.isCurrent(connection) == true else { return }
        done(answer)
      }
    }
    guard hasBeenReady, freshness.hasDatabase else { return resubscribe(connection, by: send) }
    freshness.disconnected()
    // The database comes first, because subscribed characteristics may have been removed.
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

  // MARK: Loss

  func lose(_ error: ClientError) { take(.ended(error)) }

  /// Closes the present connection, so that a new one is made. Without a connection this does nothing.
  func drop() { connection?.end(.timedOut(requestOnItsWay?.request.name ?? "waiting for the accessory")) }

  /// Tries again now, if it waits for the time of the next attempt.
  func hint() { if !news.isFull { take(.hinted) } }

  /// Adds addresses to an attempt to connect.
  func tryAddresses(_ addresses: [SocketAddress]) { connector?.add(addresses) }

  private func release() {
    let (connector, connection) = (connector, connection)
    (self.connector, self.connection) = (nil, nil)
    connector?.cancel()
    connection?.close()
    for request in requests where !request.waits { withdraw(request.number, notSent(request)) }
  }

  /// Ends the connection. Any number of times.
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

  /// Sends a request when there is a connection and all earlier requests have been answered. A request fails if the
  /// connection breaks after it was sent, because the accessory may have executed it; it is never sent again.
  /// - Parameters:
  ///   - timeout: from now until the answer.
  ///   - waits: whether it may wait for a connection. If not, it fails with `.notSent` without a connection, and if the
  ///     connection is lost before it is sent.
  ///   - done: called once; possibly before this returns.
  /// - Returns: a number for `giveUp`.
  @discardableResult
  func send(
    _ request: ControllerRequest, timeout: Duration, waits: Bool = true, done: @escaping (Answer) -> Void
  ) -> UInt64 {
    lastNumber += 1
    let number = lastNumber
    if machine.state == .over {
      done(.failure(machine.reason ?? .cancelled))
    } else if !waits, connection == nil {
      done(.failure(.notSent(request: request.name, machine.lastLoss ?? .timedOut("connecting"))))
    } else if requests.count >= Self.requestRoom {
      done(.failure(.crowded(request: request.name)))
    } else {
      let timer = LoopTimer(loop) { [weak self] in self?.expire(number) }
      timer.start(after: timeout)
      let deadline = loop.readClock() + timeout.cappedNanoseconds
      requests.append(Request(number, request, deadline: deadline, timer: timer, waits: waits, done: done))
      sendNext()
    }
    return number
  }

  /// Stops waiting for an answer. A request that hasn't been sent is never sent.
  func giveUp(_ number: UInt64) {
    if let request = requestOnItsWay, request.number == number { return complete(request, .failure(.cancelled)) }
    withdraw(number, .cancelled)
  }

  private func expire(_ number: UInt64) {
    guard let request = requests.first(where: { $0.number == number }) else { return }
    withdraw(number, notSent(request))
  }

  private func notSent(_ request: Request) -> ClientError {
    .notSent(request: request.request.name, isReady ? nil : machine.lastLoss ?? .timedOut("connecting"))
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
      // After a failure the connection has ended; waiting requests are for the next one.
      if case .success = answer { sendNext() }
    }
  }

  // MARK: News

  /// Passes the next news to `tell`, or nil if there will be none. Only one reader at a time.
  /// - Returns: a number for `stopWaiting`.
  func next(_ tell: @escaping (SessionNews?) -> Void) -> UInt64 {
    precondition(reader == nil, "only one reader may wait for news")
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
