import HAPCrypto
import HAPLoop

/// Decides when a persistent connection searches, connects, and retries. It has no socket and no clock: it converts
/// inputs to outputs, which the caller performs in order. An input that does not fit the state has no effect.
struct ReconnectMachine: Sendable {
  enum State: Equatable, CaseIterable {
    /// Not started yet. Next: `searching`.
    case new
    /// Addresses are being found. Next: `connecting`, or `waiting`.
    case searching
    /// Next: `settling`, or `waiting`.
    case connecting
    /// Pair Verify, subscriptions, and reading the values that changed without a connection. Next: `ready`, or
    /// `waiting`.
    case settling
    /// Requests are sent. Next: `waiting`.
    case ready
    /// Waits for the time of the next attempt. Next: `searching`, or `full`.
    case waiting
    /// The time of the next attempt has come, but there is no space for more news. Next: `searching`.
    case full
    /// The end.
    case over
  }

  enum Input: Sendable {
    case start
    /// The timer has fired. `hasRoom`: whether there is space for more news.
    case timerFired(hasRoom: Bool)
    /// There is space for more news again.
    case roomFreed
    /// The addresses were found; none if they are unknown.
    case found([SocketAddress])
    /// A connection was made.
    case connected
    /// The connection is verified, and all subscriptions are restored.
    case settled
    /// The attempt or the connection ended.
    case ended(ClientError)
    /// The user closed it, or the loop ended.
    case closed
    /// There is a reason to try again before the time of the next attempt, such as a new record of the accessory.
    case hinted
  }

  enum Output: Sendable {
    case startTimer(Duration)
    case stopTimer
    /// Find the addresses, unless the last search is still running.
    case search
    case connect([SocketAddress])
    /// Verify the connection, restore the subscriptions, and read the changed values.
    case settle
    /// Send the waiting requests.
    case becomeReady
    /// Close the attempt or the connection.
    case release
    case reportLoss(ClientError, nextTry: Duration)
    /// Close everything and fail all requests. nil: the user closed the session.
    case finish(ClientError?)
  }

  private(set) var state = State.new
  /// Whether an attempt to connect is open: from the search for addresses until the connection is ready.
  var isAttempting: Bool { state == .searching || state == .connecting || state == .settling }
  /// The number of inputs that had an effect. Outputs of an earlier step must not be performed any more.
  private(set) var step: UInt64 = 0
  /// The reason why there is no connection.
  private(set) var lastLoss: ClientError?
  /// The reason why the session has ended; nil: the user closed it.
  private(set) var reason: ClientError?
  /// The limit for finding the addresses.
  private let searchTime: Duration
  private var backOff: BackOff
  private let random: RandomSource
  /// Whether it reconnects after a loss. If not, the first loss is the end.
  private let reconnects: Bool

  /// - Parameters:
  ///   - searchTime: the limit for finding the addresses.
  ///   - backOff: the delays before the next attempt.
  ///   - random: for the jitter of these delays.
  ///   - reconnects: whether it reconnects after a loss.
  init(searchTime: Duration, backOff: BackOff, random: RandomSource, reconnects: Bool = true) {
    self.searchTime = searchTime
    self.backOff = backOff
    self.random = random
    self.reconnects = reconnects
  }

  /// Handles an input.
  /// - Returns: the outputs in order; none if the input does not fit the state.
  mutating func take(_ input: Input) -> [Output] {
    switch (input, state) {
    case (_, .over): []
    case (.closed, _): finish(nil)
    case (.start, .new), (.timerFired(hasRoom: true), .waiting), (.roomFreed, .full): search()
    case (.timerFired(hasRoom: false), .waiting): enter(.full, [])
    case (.hinted, .waiting): search()
    case (.timerFired, .searching): lose(.timedOut("finding the accessory"))
    case (.found(let addresses), .searching): enter(.connecting, [.stopTimer, .connect(addresses)])
    case (.connected, .connecting): enter(.settling, [.settle])
    case (.settled, .settling): becomeReady()
    case (.ended(let error), .connecting), (.ended(let error), .settling), (.ended(let error), .ready): lose(error)
    case (.start, _), (.timerFired, _), (.roomFreed, _), (.found, _), (.connected, _), (.settled, _), (.ended, _),
      (.hinted, _):
      []
    }
  }

  private mutating func enter(_ next: State, _ outputs: [Output]) -> [Output] {
    state = next
    step += 1
    return outputs
  }

  private mutating func search() -> [Output] { enter(.searching, [.startTimer(searchTime), .search]) }

  private mutating func becomeReady() -> [Output] {
    backOff.reset()
    lastLoss = nil
    return enter(.ready, [.becomeReady])
  }

  private mutating func lose(_ error: ClientError) -> [Output] {
    if error.isFinal || !reconnects { return finish(error) }
    let delay = backOff.delay(jitteredBy: random)
    lastLoss = error
    return enter(.waiting, [.release, .reportLoss(error, nextTry: delay), .startTimer(delay)])
  }

  private mutating func finish(_ error: ClientError?) -> [Output] {
    reason = error
    return enter(.over, [.finish(error)])
  }
}
