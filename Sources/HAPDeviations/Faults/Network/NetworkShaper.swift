/// Determines when the bytes of one connection leave, in pieces and in order. It does no I/O.
package struct NetworkShaper {
  /// Bytes that leave at one time.
  package struct Piece: Equatable, Sendable {
    package var bytes: [UInt8]
    package var due: Duration
    /// Whether the connection is cut after this piece.
    package var isLast = false
  }

  package let fault: NetworkFault
  private let chance: () -> Double
  /// The time at which the last piece leaves.
  private var free = Duration.zero
  private var sent = 0
  private var isCut = false

  /// - Parameter chance: returns random numbers from 0 to 1.
  package init(_ fault: NetworkFault, chance: @escaping () -> Double) {
    self.fault = fault
    self.chance = chance
  }

  /// A time that is never reached.
  private static let never = Duration.seconds(1 << 40)

  /// Continues after another shaper: its bytes count as sent, and leave before later ones.
  package mutating func goOn(from other: NetworkShaper) {
    sent = other.sent
    isCut = other.isCut
    // Bytes that the old shaper delayed leave now.
    free = .zero
  }

  /// - Returns: the pieces in which the bytes leave; none if the connection was cut. Stalled bytes never leave.
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
