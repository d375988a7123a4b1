/// The numbers of sent messages and received answers of a fuzzing run.
package struct FuzzTally: Equatable, Sendable {
  package var rounds = 0
  package var messages = 0
  package var bytes = 0
  package var answers: [Int: Int] = [:]
  package var closed = 0
  package var resets = 0
  package var silences = 0
  /// Unreadable answers in a session: plain text, or frames that cannot be opened.
  package var garbage = 0
  /// Messages that were not sent because their procedure failed before them.
  package var unprepared = 0

  package init() {}

  /// Returns the difference to an earlier state.
  package static func - (left: FuzzTally, right: FuzzTally) -> FuzzTally {
    var left = left
    left.rounds -= right.rounds
    left.messages -= right.messages
    left.bytes -= right.bytes
    for (status, count) in right.answers {
      let rest = (left.answers[status] ?? 0) - count
      left.answers[status] = rest == 0 ? nil : rest
    }
    left.closed -= right.closed
    left.resets -= right.resets
    left.silences -= right.silences
    left.garbage -= right.garbage
    left.unprepared -= right.unprepared
    return left
  }

  /// The tally in lines for people.
  package var lines: [String] {
    var lines = ["\(rounds) rounds, \(messages) messages, \(bytes) bytes"]
    let statuses = answers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)×" }
    lines.append("answers: " + (statuses.isEmpty ? "none" : statuses.joined(separator: ", ")))
    lines.append("closed \(closed)×, reset \(resets)×, no answer \(silences)×")
    if garbage > 0 { lines.append("unreadable answers, such as plain text in a session: \(garbage)×") }
    let faults = answers.filter { $0.key >= 500 }.reduce(0) { $0 + $1.value }
    if faults > 0 { lines.append("server errors (5xx): \(faults)×") }
    if unprepared > 0 { lines.append("not sent, because the procedure failed before: \(unprepared)×") }
    return lines
  }
}
