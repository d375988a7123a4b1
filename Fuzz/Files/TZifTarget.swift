import FuzzSupport
import HAPAlmanac

/// Each instant has a civil time that leads back to it, and transitions ascend and change the type. Text is also read as
/// a rule of a TZ variable, which has the same effect at the end of a file.
package func fuzzTZif(_ bytes: UnsafeRawBufferPointer) {
  let bytes = [UInt8](bytes)
  if let rules = try? ZoneRules(tzif: bytes) { check(rules, at: instants(in: bytes)) }
  guard let text = String(validating: bytes, as: UTF8.self), let rules = try? ZoneRules(posix: text) else { return }
  guard let same = try? ZoneRules(tzif: file(with: bytes)) else { fatalError("a rule is refused in a file") }
  check(rules, at: instants(in: bytes))
  for instant in instants(in: bytes) {
    require(rules.type(at: instant) == same.type(at: instant), "the rule is another one in a file")
    require(rules.nextTransition(after: instant) == same.nextTransition(after: instant))
  }
}

/// A file without a table, with a rule.
private func file(with rule: [UInt8]) -> [UInt8] {
  let counts: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]  // one type, one byte of abbreviations
  let block = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 31) + counts + [UInt8](repeating: 0, count: 7)
  return block + block + [0x0A] + rule + [0x0A]
}

/// Instants from the last bytes, and some that are the same for each input. All are at least 9 days from the ends of the
/// range, so that no result is limited to it.
private func instants(in bytes: [UInt8]) -> [Instant] {
  let limit: Int64 = 9_222_000_000
  let fixed: [Int64] = [-limit, -1, 0, 1_792_890_000, 4_102_444_800, limit]
  var program = bytes.suffix(24).withUnsafeBytes { bytes in
    var program = ByteProgram(bytes)
    return (0..<3).map { _ in Int64(bitPattern: program.integer()) % limit }
  }
  program += fixed
  return program.map { Instant(seconds: $0, nanosecond: 5) }
}

private func check(_ rules: ZoneRules, at instants: [Instant]) {
  for start in instants {
    var instant = start
    for _ in 0..<6 {
      checkCivilTime(rules, instant)
      guard let next = rules.nextTransition(after: instant) else { break }
      check(next, rules, after: instant)
      instant = next.instant
    }
    checkOccurrences(rules, start)
  }
}

private func check(_ next: ZoneTransition, _ rules: ZoneRules, after instant: Instant) {
  require(next.instant > instant && next.before != next.after, "a transition changes nothing")
  require(rules.type(at: next.instant) == next.after)
  let wait = instant.duration(to: next.instant)
  for earlier in [instant, instant.advanced(by: wait / 2), instant.advanced(by: wait - .nanoseconds(1))] {
    require(rules.type(at: earlier) == next.before, "a transition is missing")
  }
  let last = rules.civilTime(at: next.instant.advanced(by: .nanoseconds(-1)))
  let first = rules.civilTime(at: next.instant)
  if next.instant < Instant(seconds: 9_222_000_000), next.instant > Instant(seconds: -9_222_000_000) {
    checkGap(rules, last, first)
  }
}

/// Checks the civil time in the middle of a change.
private func checkGap(_ rules: ZoneRules, _ last: CivilTime, _ first: CivilTime) {
  let (one, other) = (ZoneRules.utc.instant(of: last), ZoneRules.utc.instant(of: first))
  let time = ZoneRules.utc.civilTime(at: one.advanced(by: one.duration(to: other) / 2))
  switch rules.resolve(time) {
  case .once(let instant): require(rules.civilTime(at: instant) == time)
  case .repeated(let one, let other):
    require(one < other && [one, other].allSatisfy { rules.civilTime(at: $0) == time })
  case .skipped(let end):
    let before = rules.civilTime(at: end.advanced(by: .nanoseconds(-1)))
    require(before < time && time < rules.civilTime(at: end), "a time is skipped elsewhere")
  }
}

private func checkCivilTime(_ rules: ZoneRules, _ instant: Instant) {
  guard instant < Instant(seconds: 9_222_000_001), instant > Instant(seconds: -9_222_000_001) else { return }
  let time = rules.civilTime(at: instant)
  switch rules.resolve(time) {
  case .once(let found): require(found == instant, "a civil time leads to another instant")
  case .repeated(let first, let last): require(first <= instant && instant <= last && first < last)
  case .skipped: fatalError("a civil time that is shown is skipped")
  }
}

/// Checks that the next occurrence is later than the instant, and that no earlier occurrence is left out.
private func checkOccurrences(_ rules: ZoneRules, _ instant: Instant) {
  guard let parts = try? DateParts(hour: 2, minute: 30), let quarter = try? DateParts(minute: 15),
    let period = CivilPeriod(months: 1, hours: 1)
  else { fatalError("valid parts are refused") }
  if let found = parts.next(after: instant, in: rules) { require(found > instant) }
  if let found = quarter.next(after: instant, in: rules) {
    require(found > instant && quarter.matches(rules.civilTime(at: found)))
    let earlier = found.advanced(by: .seconds(-60))
    require(earlier <= instant || !quarter.matches(rules.civilTime(at: earlier)), "a time is left out")
  }
  let start = Instant(seconds: -9_000_000_000)
  if let found = period.next(after: instant, from: start, in: rules) {
    require(found.instant > instant)
    if found.number > 0, let last = period.occurrence(found.number - 1, from: start, in: rules) {
      require(last <= instant, "an occurrence is left out")
    }
  }
}
