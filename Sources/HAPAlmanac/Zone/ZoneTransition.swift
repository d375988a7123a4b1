/// A change of the local time type of a zone.
public struct ZoneTransition: Hashable, Sendable {
  /// The first instant with the new type.
  public let instant: Instant
  /// The type before.
  public let before: LocalTimeType
  /// The type from the instant.
  public let after: LocalTimeType
}

extension ZoneRules {
  /// Returns the first transition after an instant; nil if there is none before the year 2262. Entries of the table that
  /// change nothing are not transitions.
  public func nextTransition(after instant: Instant) -> ZoneTransition? {
    let seconds = Int(instant.seconds)
    for time in times[countOfTimes(upTo: seconds)...] {
      guard time <= Int(Instant.distantFuture.seconds) else { return nil }
      if let transition = transition(at: time) { return transition }
    }
    // The first change of the rule can be to the last type of the table.
    var last = max(seconds, times.last ?? seconds)
    while let time = footer?.nextChange(after: last), time <= Int(Instant.distantFuture.seconds) {
      if let transition = transition(at: time) { return transition }
      last = time
    }
    return nil
  }

  /// The change at a time; nil if there is none, or if the time is outside of the range of instants.
  private func transition(at time: Int) -> ZoneTransition? {
    guard Int(Instant.distantPast.seconds)...Int(Instant.distantFuture.seconds) ~= time else { return nil }
    let (before, after) = (type(at: time - 1), type(at: time))
    guard before != after else { return nil }
    return ZoneTransition(instant: Instant(seconds: Int64(time)), before: before, after: after)
  }

  /// The times in a range at which the type may change, ascending.
  func possibleChanges(in range: ClosedRange<Int>) -> [Int] {
    let first = countOfTimes(upTo: range.lowerBound - 1)
    let table = times[first..<max(first, countOfTimes(upTo: range.upperBound))]
    guard let footer, range.upperBound > times.last ?? .min else { return Array(table) }
    let years = [range.lowerBound, range.upperBound].map { CivilDate.year(ofDay: $0.floorDivided(by: 86_400)) }
    let later = footer.times(in: years[0] - 1...years[1] + 1)
      .filter { range.contains($0) && $0 > times.last ?? .min }
    return table + later.sorted()
  }
}
