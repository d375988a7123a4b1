/// The last evaluations of a trigger.
struct Explanations: Sendable {
  /// The oldest first. They may be twice as many as those that are kept.
  private(set) var evaluations: [Evaluation] = []
  private var lastNumber = 0

  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Adds an evaluation, or replaces the one with the same number.
  mutating func keep(_ evaluation: Evaluation, atMost count: Int) {
    if evaluation.number > evaluations.last?.number ?? 0 {
      // Removing many at once moves each of them less often.
      if evaluations.count >= 2 * count { evaluations.removeFirst(evaluations.count - count + 1) }
      evaluations.append(evaluation)
    } else if let index = evaluations.lastIndex(where: { $0.number == evaluation.number }) {
      evaluations[index] = evaluation
    }
  }
}
