/// The instants at which a clock in a zone shows a civil time.
public enum CivilResolution: Hashable, Sendable {
  /// Exactly one instant.
  case once(Instant)
  /// Two or more instants, because the clock was set back.
  case repeated(first: Instant, last: Instant)
  /// None, because the clock was set ahead. The civil time is skipped at this instant, at which the gap ends.
  case skipped(at: Instant)

  /// The instant at which something planned for the civil time happens, once: the first one, or the end of the gap.
  public var instant: Instant {
    switch self {
    case .once(let instant), .repeated(let instant, _), .skipped(let instant): instant
    }
  }
}

extension ZoneRules {
  /// Returns the instants with a civil time.
  ///
  /// Instants outside of the range of `Instant` are replaced by its first or last one.
  public func resolve(_ time: CivilTime) -> CivilResolution {
    let seconds = time.civilSeconds
    let offsets = LocalTimeType.offsets
    // Within these times, the civil time is reached with any offset.
    let range = seconds - offsets.upperBound - 1...seconds - offsets.lowerBound + 1
    let starts = [range.lowerBound] + possibleChanges(in: range.lowerBound + 1...range.upperBound)
    let ends = starts.dropFirst() + [.max]
    let localOffsets = starts.map { type(at: $0).offset }
    let matches = zip(zip(starts, ends), localOffsets).compactMap { period, offset in
      (period.0..<period.1).contains(seconds - offset) ? seconds - offset : nil
    }
    let nanosecond = Int64(time.nanosecond)
    if let first = matches.first, let last = matches.last {
      let instants = [first, last].map { Instant(seconds: Int64($0), nanosecond: nanosecond) }
      return first == last ? .once(instants[0]) : .repeated(first: instants[0], last: instants[1])
    }
    let end = zip(starts, localOffsets).first { $0 + $1 > seconds }
    // The clock is later than the civil time at the end of the range, so the clock must have been set ahead within the
    // range.
    guard let end else { preconditionFailure("a civil time is neither reached nor skipped") }
    return .skipped(at: Instant(seconds: Int64(end.0)))
  }

  /// Returns the instant at which something planned for a civil time happens: the first instant with that time or, if
  /// the time is skipped, the end of the gap.
  public func instant(of time: CivilTime) -> Instant { resolve(time).instant }
}
