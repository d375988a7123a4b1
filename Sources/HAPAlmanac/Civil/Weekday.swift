/// A day of the week. The numbers are those of Apple's `DateComponents`: Sunday is 1.
public enum Weekday: Int, CaseIterable, Hashable, Sendable {
  /// The days, from 1.
  case sunday = 1
  case monday, tuesday, wednesday, thursday, friday, saturday
}
