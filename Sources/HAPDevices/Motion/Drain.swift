/// Something that is used up evenly, from 100 to 0, or filled again; told in whole percents.
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

  /// - Parameter fullTime: from full to empty, or back when it is `filling`; zero: it stays as it is.
  mutating func run(_ fullTime: Duration, filling: Bool = false, from now: Duration) {
    level = level(at: now)
    time = now
    rate = fullTime > .zero ? 100 / (fullTime / .seconds(1)) * (filling ? -1 : 1) : 0
  }

  mutating func set(_ level: Double, at now: Duration) {
    self.level = level
    time = now
  }

  /// What people are told: a level that has just left 100 is 99.
  func percent(at now: Duration) -> Double {
    let level = level(at: now)
    return rate >= 0 ? (level - 1e-9).rounded(.up) : (level + 1e-9).rounded(.down)
  }

  /// Until the next whole percent; nil: it stays.
  func untilNextPercent(at now: Duration) -> Duration? {
    let level = level(at: now)
    guard rate != 0, rate > 0 ? level > 0 : level < 100 else { return nil }
    let next = rate > 0 ? percent(at: now) - 1 : percent(at: now) + 1
    return .seconds(abs(level - max(0, min(100, next))) / abs(rate))
  }
}
