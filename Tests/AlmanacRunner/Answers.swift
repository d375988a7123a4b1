import Foundation
import HAPAlmanac

struct UnknownCommand: Error {
  let words: [String]
}

/// Executes a command, and returns the lines to print.
func answers(to words: [String], _ zone: inout ZoneRules) throws -> [String] {
  switch (words.first, words.dropFirst().compactMap(Int64.init)) {
  case ("zone", _) where words.count == 2:
    zone = try ZoneRules(tzif: [UInt8](try Data(contentsOf: URL(fileURLWithPath: words[1]))))
    return ["ok"]
  case ("transitions", let times) where times.count == 2:
    return transitions(from: times[0], until: times[1], of: zone) + ["end"]
  case ("civil", let times) where times.count == 1:
    return ["\(zone.civilTime(at: Instant(seconds: times[0])))"]
  case ("resolve", _) where words.count == 2:
    switch zone.resolve(try CivilTime(words[1])) {
    case .once(let instant): return ["once \(instant.seconds)"]
    case .repeated(let first, let last): return ["repeated \(first.seconds) \(last.seconds)"]
    case .skipped(let instant): return ["skipped \(instant.seconds)"]
    }
  default: throw UnknownCommand(words: words)
  }
}

private func transitions(from: Int64, until: Int64, of zone: ZoneRules) -> [String] {
  let start = zone.type(at: Instant(seconds: from))
  var lines = ["\(from) \(start.offset) \(start.abbreviation)"]
  var instant = Instant(seconds: from)
  while let next = zone.nextTransition(after: instant), next.instant.seconds < until {
    lines.append("\(next.instant.seconds) \(next.after.offset) \(next.after.abbreviation)")
    instant = next.instant
  }
  return lines
}
