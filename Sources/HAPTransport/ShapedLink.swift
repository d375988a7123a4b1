import HAPLoop

/// Determines when the bytes of a connection are sent, and when received bytes are delivered.
package protocol LinkShaper: AnyObject {
  /// - Returns: the pieces in which the bytes are sent, in order, each not before the previous one; a time that never
  ///   comes holds them back.
  func send(_ bytes: [UInt8], at now: Duration) -> [LinkPiece]
  /// Returns whether it simulates the same conditions.
  func isSame(as other: any LinkShaper) -> Bool
  /// Continues with the state of another shaper.
  func goOn(from other: any LinkShaper)
  /// Whether sending is blocked.
  var isStalled: Bool { get }
  var delayIn: Duration { get }
  /// Whether reading is blocked.
  var isDeaf: Bool { get }
  var cutsWithReset: Bool { get }
}

package struct LinkPiece: Equatable, Sendable {
  package var bytes: [UInt8]
  package var due: Duration
  /// Whether the connection is closed after this piece.
  package var isLast: Bool

  package init(bytes: [UInt8], due: Duration, isLast: Bool = false) {
    self.bytes = bytes
    self.due = due
    self.isLast = isLast
  }
}

/// The delayed data of one connection in the simulated network: bytes that are not sent yet, and received bytes that
/// are not delivered yet.
final class ShapedLink {
  private var shaper: (any LinkShaper)?
  private var leaving: [LinkPiece] = []
  private var heard: [(bytes: [UInt8], due: Duration)] = []
  private(set) var unsentCount = 0
  private var heldCount = 0
  private let timer: LoopTimer
  private let now: () -> Duration
  var onDue: (() -> Void)? { didSet { timer.onFire = { [weak self] in self?.onDue?() } } }

  /// The number of held bytes at which reading stops.
  private static let limit = 64 << 10

  init(_ loop: EventLoop) {
    timer = LoopTimer(loop)
    now = { .nanoseconds(Int64(clamping: loop.now)) }
  }

  func close() {
    timer.close()
    onDue = nil
  }

  var delaysInput: Bool { (shaper?.delayIn ?? .zero) > .zero || !heard.isEmpty }
  var isDeaf: Bool { shaper?.isDeaf ?? false }
  var cutsWithReset: Bool { shaper?.cutsWithReset ?? false }
  var isFull: Bool { heldCount > Self.limit }
  /// Whether there are received bytes that are not delivered yet.
  var holdsInput: Bool { !heard.isEmpty }
  /// Whether nothing is held, and nothing will be.
  var isOver: Bool { shaper == nil && leaving.isEmpty && heard.isEmpty }

  /// - Parameter shaper: nil: normal network conditions again.
  func change(to shaper: (any LinkShaper)?) {
    if let old = self.shaper, let shaper {
      if shaper.isSame(as: old) { return }
      shaper.goOn(from: old)
    }
    self.shaper = shaper
    // Data that the old shaper delayed is sent in order. Data that it cut off stays lost.
    let now = now()
    if shaper?.isStalled != true { for index in leaving.indices { leaving[index].due = now } }
    for index in heard.indices { heard[index].due = now }
    arm()
  }

  func take(_ bytes: [UInt8], at now: Duration) {
    unsentCount += bytes.count
    let pieces = shaper?.send(bytes, at: now) ?? [LinkPiece(bytes: bytes, due: now)]
    let kept = pieces.reduce(0) { $0 + $1.bytes.count }
    unsentCount -= bytes.count - kept
    leaving += pieces
    arm()
  }

  func hold(_ bytes: [UInt8], at now: Duration) {
    heldCount += bytes.count
    heard.append((bytes, now + (shaper?.delayIn ?? .zero)))
    arm()
  }

  func takeDue(at now: Duration) -> [LinkPiece] {
    let count = leaving.prefix { $0.due <= now }.count
    let due = Array(leaving.prefix(count))
    leaving.removeFirst(count)
    unsentCount -= due.reduce(0) { $0 + $1.bytes.count }
    arm()
    return due
  }

  func takeHeard(at now: Duration) -> [[UInt8]] {
    let count = heard.prefix { $0.due <= now }.count
    let due = heard.prefix(count).map(\.bytes)
    heard.removeFirst(count)
    heldCount -= due.reduce(0) { $0 + $1.count }
    arm()
    return due
  }

  func takeAll() -> [LinkPiece] {
    defer {
      leaving = []
      unsentCount = 0
    }
    return leaving
  }

  private func arm() {
    let dues = [leaving.first?.due, heard.first?.due].compactMap { $0 }
    // A link that is over is checked once more, so that it is released.
    guard let due = dues.min() ?? (isOver ? now() : nil) else { return timer.cancel() }
    // Data that is never sent needs no timer.
    guard due < .seconds(1 << 32) else { return timer.cancel() }
    timer.start(after: max(.zero, due - now()))
  }
}
