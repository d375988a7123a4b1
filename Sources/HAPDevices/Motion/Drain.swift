/// A level that falls evenly from 100 to 0, or rises while it is refilled. It is reported in whole percent.
struct Drain {
  private var level: Double
  private var time: Duration
  /// Percent per second; negative while it is filled.
  private var rate = 0.0

  init(_ level: Double, at now: Duration) {
    self.level = level
    time = now
  }

  func level(at now: Duration) -> Double {
    min(100, max(0, level - max(0, (now - time) / .seconds(1)) * rate))
  }

  /// - Parameter fullTime: time from full to empty, or from empty to full while `filling`; zero: the level stays.
  mutating func run(_ fullTime: Duration, filling: Bool = false, from now: Duration) {
    level = level(at: now)
    time = now
    rate = fullTime > .zero ? 100 / (fullTime / .seconds(1)) * (filling ? -1 : 1) : 0
  }

  mutating func set(_ level: Double, at now: Duration) {
    self.level = level
    time = now
  }

  /// Returns the level to report: rounded up while it falls, rounded down while it rises.
  func percent(at now: Duration) -> Double {
    let level = level(at: now)
    return rate >= 0 ? (level - 1e-9).rounded(.up) : (level + 1e-9).rounded(.down)
  }

  /// Returns the time until the next whole percent; `nil`: the level stays.
  func untilNextPercent(at now: Duration) -> Duration? {
    let level = level(at: now)
    guard rate != 0, rate > 0 ? level > 0 : level < 100 else { return nil }
    let next = rate > 0 ? percent(at: now) - 1 : percent(at: now) + 1
    return .seconds(abs(level - max(0, min(100, next))) / abs(rate))
  }
}
