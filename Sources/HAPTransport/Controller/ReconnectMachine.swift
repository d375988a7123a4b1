import HAPCrypto
import HAPLoop

/// Decides when a lasting connection searches, connects, and tries again. It has no socket and no clock: inputs go in, outputs come out, which
/// the caller carries out in order. An input that does not fit the state has no effect.
struct ReconnectMachine: Sendable {
  enum State: Equatable, CaseIterable {
    /// Nothing was asked yet. Next: `searching`.
    case new
    /// Addresses are being found. Next: `connecting`, or `waiting`.
    case searching
    /// Next: `settling`, or `waiting`.
    case connecting
    /// Pair Verify, subscriptions, and what changed while there was no connection. Next: `ready`, or `waiting`.
    case settling
    /// Requests go out. Next: `waiting`.
    case ready
    /// For the time of the next try. Next: `searching`, or `full`.
    case waiting
    /// The time of the next try has come, and there is no room for more news. Next: `searching`.
    case full
    /// The end.
    case over
  }

  enum Input: Sendable {
    case start
    /// The timer has fired. `hasRoom`: whether there is room for more news.
    case timerFired(hasRoom: Bool)
    /// There is room for more news again.
    case roomFreed
    /// The addresses were found; none if the accessory's place is not known.
    case found([SocketAddress])
    /// A connection was made.
    case connected
    /// The connection is verified, and all subscriptions are made again.
    case settled
    /// The attempt or the connection ended.
    case ended(ClientError)
    /// The user closed it, or the loop ended.
    case closed
  }

  enum Output: Sendable {
    case startTimer(Duration)
    case stopTimer
    /// Find the addresses, unless the last search still runs.
    case search
    case connect([SocketAddress])
    /// Verify the connection, make the subscriptions again, and read what changed.
    case settle
    /// Send the requests that wait.
    case becomeReady
    /// Close the attempt or the connection.
    case release
    case reportLoss(ClientError, nextTry: Duration)
    /// Close everything and let all requests fail. nil: it was closed by the user.
    case finish(ClientError?)
  }

  private(set) var state = State.new
  /// Counts the inputs that had an effect. Outputs of an earlier step are not to be carried out any more.
  private(set) var step: UInt64 = 0
  /// Why there is no connection.
  private(set) var lastLoss: ClientError?
  /// Why it is over; nil: it was closed by the user.
  private(set) var reason: ClientError?
  /// For finding the addresses.
  private let searchTime: Duration
  private var backOff: BackOff
  private let random: RandomSource
  /// Whether a lost connection is made again. If not, the first loss is the end.
  private let reconnects: Bool

  /// - Parameters:
  ///   - searchTime: the longest search for addresses.
  ///   - backOff: the times before the next try.
  ///   - random: for the jitter of these times.
  ///   - reconnects: whether a lost connection is made again.
  init(searchTime: Duration, backOff: BackOff, random: RandomSource, reconnects: Bool = true) {
    self.searchTime = searchTime
    self.backOff = backOff
    self.random = random
    self.reconnects = reconnects
  }

  /// Takes an input.
  /// - Returns: what to do, in order. Nothing if the input does not fit the state.
  mutating func take(_ input: Input) -> [Output] {
    switch (input, state) {
    case (_, .over): []
    case (.closed, _): finish(nil)
    case (.start, .new), (.timerFired(hasRoom: true), .waiting), (.roomFreed, .full): search()
    case (.timerFired(hasRoom: false), .waiting): enter(.full, [])
    case (.timerFired, .searching): lose(.timedOut("finding the accessory"))
    case (.found(let addresses), .searching): enter(.connecting, [.stopTimer, .connect(addresses)])
    case (.connected, .connecting): enter(.settling, [.settle])
    case (.settled, .settling): becomeReady()
    case (.ended(let error), .connecting), (.ended(let error), .settling), (.ended(let error), .ready): lose(error)
    case (.start, _), (.timerFired, _), (.roomFreed, _), (.found, _), (.connected, _), (.settled, _), (.ended, _): []
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
