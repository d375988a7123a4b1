/// Says when the bytes of one connection leave, piece by piece, in their order. It performs nothing.
package struct NetworkShaper {
  /// What leaves at a moment.
  package struct Piece: Equatable, Sendable {
    package var bytes: [UInt8]
    package var due: Duration
    /// The connection is cut off behind it.
    package var isLast = false
  }

  package let fault: NetworkFault
  private let chance: () -> Double
  /// When the last piece leaves.
  private var free = Duration.zero
  private var sent = 0
  private var isCut = false

  /// - Parameter chance: draws from 0 to 1.
  package init(_ fault: NetworkFault, chance: @escaping () -> Double) {
    self.fault = fault
    self.chance = chance
  }

  /// A time that doesn't come.
  private static let never = Duration.seconds(1 << 40)

  /// The same bytes were sent, and leave before those that come.
  package mutating func goOn(from other: NetworkShaper) {
    sent = other.sent
    isCut = other.isCut
    // What was held up by the old one leaves now.
    free = .zero
  }

  /// - Returns: the pieces in which they leave; none behind the end of a connection that is cut off. What stalls waits for ever.
  package mutating func send(_ bytes: [UInt8], at now: Duration) -> [Piece] {
    if isCut { return [] }
    if fault.stalls { return [Piece(bytes: bytes, due: Self.never)] }
    var rest = bytes[...]
    if let limit = fault.cutAfter, sent + rest.count >= limit {
      rest = rest.prefix(max(0, limit - sent))
      isCut = true
    }
    sent += rest.count
    let jitter = fault.jitter > .zero ? fault.jitter * chance() : .zero
    var due = max(free, now + fault.delay + jitter)
    var pieces: [Piece] = []
    var isFirst = true
    while !rest.isEmpty {
      var count = fault.piece ?? rest.count
      if isFirst, let split = fault.splitAt, split < rest.count { count = min(count, split) }
      let part = rest.prefix(count)
      rest = rest.dropFirst(count)
      if !isFirst { due += fault.pause }
      if let rate = fault.rate { due += .seconds(1) * part.count / rate }
      pieces.append(Piece(bytes: Array(part), due: due))
      isFirst = false
    }
    if isCut {
      if pieces.isEmpty { pieces.append(Piece(bytes: [], due: due)) }
      pieces[pieces.count - 1].isLast = true
    }
    free = due
    return pieces
  }
}
